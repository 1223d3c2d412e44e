//go:build unix

package suite

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/target"
)

func TestSetReplicas(t *testing.T) {
	all := []target.Spec{
		{Name: "duramen", Kind: target.Duramen}, {Name: "mariadb", Kind: target.MariaDB, Path: "/m"}, {Name: "mysql", Kind: target.MySQL},
	}
	cfg := New(Suites[0])
	specs, err := cfg.SetReplicas(all, []string{"serial", "aggressive-16"})
	require.NoError(t, err)
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	require.Equal(t, []string{"duramen", "mariadb-serial", "mariadb-aggressive-16"}, names)
	require.Equal(t, "primary/nosync", cfg.Replicas.Primary.String())
	require.Equal(t, "/m", cfg.Replicas.Primary.Path)
	require.Equal(t, map[string][]string{
		"mariadb-serial":        {"log-slave-updates = ON", "slave-parallel-threads = 0"},
		"mariadb-aggressive-16": {"log-slave-updates = ON", "slave-parallel-mode = aggressive", "slave-parallel-threads = 16"},
	}, cfg.Extra)
	require.Len(t, cfg.Notes, 1)
	require.Contains(t, cfg.Notes[0], "mysql takes no part")

	_, err = cfg.SetReplicas(all[:1], nil)
	require.ErrorContains(t, err, "needs a MariaDB")
	for _, mode := range []string{"", "optimistic", "optimistic-0", "optimistic-x", "fast-4", "serial-2"} {
		_, err := cfg.SetReplicas(all, []string{mode})
		require.ErrorContains(t, err, "want serial", mode)
	}
}

// replicaOptions are those of a run with a primary, whose port is 9.
func (w *world) replicaOptions(tests ...Test) Options {
	o := w.options(tests...)
	w.ports["primary/nosync"] = 9
	o.Events, o.Replicas = 50, &Replicas{Primary: target.Contender{Spec: target.Spec{Name: "primary", Kind: target.MariaDB}, Profile: "nosync"}}
	return o
}

// Each repeat has a log, which is made when both have applied all that came before.
func TestReplicas(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, Run(t.Context(), w.replicaOptions(Test{"update-one", []int{16}})))
	require.Equal(t, []string{"prepare delete 4 9", "run update-one 16 9 50 transactions", "run update-one 16 9 50 transactions"}, w.calls())
	require.Equal(t, []string{
		"start primary/nosync", "start duramen/sync", "duramen/sync follows 9", "duramen/sync applies 0-1-1", "start mariadb/sync", "mariadb/sync follows 9", "mariadb/sync applies 0-1-1",
		"duramen/sync applies 0-1-1", "mariadb/sync applies 0-1-1", "duramen/sync applies 0-1-2", "mariadb/sync applies 0-1-2",
		"duramen/sync applies 0-1-2", "mariadb/sync applies 0-1-2", "duramen/sync applies 0-1-3", "mariadb/sync applies 0-1-3",
		"stop primary/nosync", "stop duramen/sync", "stop mariadb/sync",
	}, w.events)
	results := w.results()
	require.Len(t, results, 4)
	m := results["update-one, 16 clients, mariadb/sync, repeat 2"].Measured
	require.EqualValues(t, 100*9*16, m.Transactions, "what sysbench has made on the primary")
	require.Positive(t, m.Elapsed)
	require.True(t, m.ServerCPU.Known)
}

// A replica that fails does not keep the others from going on.
func TestReplicaFails(t *testing.T) {
	w := newWorld(t)
	w.applyFails = map[string]error{"duramen/sync": errors.New("no such row")}
	require.ErrorIs(t, Run(t.Context(), w.replicaOptions(Test{"insert", []int{1}})), ErrFailedTurns)
	results := w.results()
	require.Contains(t, results["insert, 1 client, duramen/sync, repeat 1"].Failed, "no such row")
	require.NotNil(t, results["insert, 1 client, mariadb/sync, repeat 2"].Measured)
}

func TestValidateReplicas(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		workload string
		change   func(*Config)
		fails    string
	}{
		{"insert", func(*Config) {}, ""},
		{"insert", func(c *Config) { c.Events = 0 }, "want events"},
		{"insert", func(c *Config) { c.Flush = true }, "no flush"},
		{"delete", func(*Config) {}, "not for replicas"},
	} {
		o := w.replicaOptions(Test{c.workload, []int{1}})
		c.change(&o.Config)
		if err := o.Validate(); c.fails == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.fails)
		}
	}
}
