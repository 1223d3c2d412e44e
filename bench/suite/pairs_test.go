//go:build unix

package suite

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/target"
)

// pairWorld is what fake servers do as pairs.
type pairWorld struct {
	waits        map[string]bool // primaries that have semi-sync on
	acknowledged map[string]uint64
	missed       map[string]uint64 // per question
	silent       bool              // no status of semi-sync
	sums         map[string]map[string]string
	joinFails    error
}

// count adds the counters of a primary; each time that it is asked it has made commits.
func (p *pairWorld) count(name string, c target.Counters) {
	if p.silent {
		return
	}
	if p.acknowledged == nil {
		p.acknowledged = map[string]uint64{}
	}
	if p.waits[name] {
		p.acknowledged[name] += 10
	}
	c["rpl_semi_sync_master_yes_tx"] = p.acknowledged[name]
	c["rpl_semi_sync_master_no_tx"] = p.missed[name] * c["binlog_commits"]
}

func (s *fakeServer) EnableSemiSync(context.Context) error {
	s.world.note(s.name + " waits")
	if s.world.pairs.waits == nil {
		s.world.pairs.waits = map[string]bool{}
	}
	s.world.pairs.waits[s.name] = true
	return nil
}

func (s *fakeServer) AwaitSemiSync(context.Context) error { return s.world.pairs.joinFails }

func (s *fakeServer) Checksums(context.Context) (map[string]string, error) {
	if sums, ok := s.world.pairs.sums[s.name]; ok {
		return sums, nil
	}
	return map[string]string{"sbtest1": "500 1"}, nil
}

func TestSetPairs(t *testing.T) {
	all := append(specs(), target.Spec{Name: "mysql", Kind: target.MySQL}, target.Spec{Name: "prod", Kind: target.Running})
	cfg := New(Suites[0])
	primaries, err := cfg.SetPairs(all)
	require.NoError(t, err)
	var names []string
	for _, s := range primaries {
		names = append(names, s.Name)
	}
	require.Equal(t, []string{"duramen-async", "duramen-semisync", "mariadb-async", "mariadb-semisync", "mariadb-semisync-unsynced"}, names)
	afterSync := []string{"rpl-semi-sync-master-wait-point = AFTER_SYNC"}
	require.Equal(t, Pair{Of: "duramen"}, cfg.Pairs["duramen-async"])
	require.Equal(t, Pair{Of: "duramen", SemiSync: true, Primary: afterSync, Replica: []string{"rpl-semi-sync-slave-enabled = ON"}}, cfg.Pairs["duramen-semisync"])
	for name, c := range map[string]struct{ waits, syncs bool }{"mariadb-async": {false, true}, "mariadb-semisync": {true, true}, "mariadb-semisync-unsynced": {true, false}} {
		p := cfg.Pairs[name]
		require.Equal(t, "mariadb", p.Of, name)
		require.Equal(t, c.waits, p.SemiSync, name)
		if c.waits {
			require.Equal(t, afterSync, p.Primary, name)
			require.Contains(t, p.Replica, "rpl-semi-sync-slave-enabled = ON", name)
		} else {
			require.NotContains(t, p.Replica, "rpl-semi-sync-slave-enabled = ON", name)
		}
		if c.syncs {
			require.Contains(t, p.Replica, "sync-relay-log = 1", name)
		} else {
			require.NotContains(t, p.Replica, "sync-relay-log = 1", name)
		}
	}
	require.Len(t, cfg.Notes, 2, "mysql and prod take no part")
	require.NoError(t, cfg.SetContenders(primaries, []string{"sync"}))
	require.NoError(t, cfg.Validate())
	cfg.Tests = []Test{{"update-first", []int{1}}}
	for i := range cfg.Contenders {
		cfg.Contenders[i].Engines = []string{"A"}
	}
	require.ErrorContains(t, cfg.Validate(), "not for pairs")

	_, err = cfg.SetPairs(all[2:])
	require.ErrorContains(t, err, "needs a Duramen or a MariaDB")
}

// pairOptions are those of a run of two pairs: without semi-sync at port 1, with it at 2.
func (w *world) pairOptions() Options {
	o := w.options(Test{"insert", []int{1}})
	primaries, err := o.SetPairs(specs()[:1])
	require.NoError(w.t, err)
	require.NoError(w.t, o.SetContenders(primaries, []string{"sync"}))
	o.Repeats = 1
	w.ports["duramen-async/sync"], w.ports["duramen-semisync/sync"] = 1, 2
	return o
}

// A primary is loaded before anything waits, and each turn begins with a replica that has everything.
func TestPairs(t *testing.T) {
	w := newWorld(t)
	var started []target.Options
	o := w.pairOptions()
	o.Extra = map[string][]string{"duramen-semisync": {"a = 1"}}
	o.startForTesting = func(ctx context.Context, c target.Contender, to target.Options) (server, error) {
		started = append(started, to)
		return w.start(ctx, c, to)
	}
	require.NoError(t, Run(t.Context(), o))
	require.Equal(t, []string{"prepare delete 4 1", "prepare delete 4 2", "run insert 1 1", "run insert 1 2"}, w.calls())
	require.Equal(t, []string{
		"start duramen-async/sync", "start duramen-async-replica/sync", "duramen-async-replica/sync follows 1", "duramen-async-replica/sync applies 0-1-1",
		"start duramen-semisync/sync", "start duramen-semisync-replica/sync", "duramen-semisync-replica/sync follows 2", "duramen-semisync/sync waits", "duramen-semisync-replica/sync applies 0-1-2",
		"duramen-async-replica/sync follows 1", "duramen-async-replica/sync applies 0-1-3", "duramen-async-replica/sync applies 0-1-4",
		"duramen-semisync-replica/sync follows 2", "duramen-semisync/sync waits", "duramen-semisync-replica/sync applies 0-1-5", "duramen-semisync-replica/sync applies 0-1-6",
		"stop duramen-async/sync", "stop duramen-async-replica/sync", "stop duramen-semisync/sync", "stop duramen-semisync-replica/sync",
	}, w.events)
	require.Equal(t, []string{"a = 1", "rpl-semi-sync-master-wait-point = AFTER_SYNC"}, started[2].Extra)
	require.Equal(t, []string{"a = 1", "rpl-semi-sync-slave-enabled = ON"}, started[3].Extra)
	require.True(t, started[3].Replica)
	require.NotEqual(t, max(started[2].ServerID, 1), started[3].ServerID)
	for name, r := range w.results() {
		require.NotNil(t, r.Measured, name+": "+r.Failed)
		if runtime.GOOS == "linux" {
			require.NotNil(t, r.Measured.Sync, name)
			require.Positive(t, r.Measured.Sync.P50, name)
			require.Positive(t, r.Measured.Sync.Writes, name)
		}
	}
	info, _, err := Load(o.Out)
	require.NoError(t, err)
	require.Equal(t, "fake", info.Servers[ReplicaName("duramen-semisync/sync")].Version)
}

// Whatever makes a turn something else than what the report says it is makes it no measurement.
func TestPairsThatAreNoMeasurement(t *testing.T) {
	semi, async := "insert, 1 client, duramen-semisync/sync, repeat 1", "insert, 1 client, duramen-async/sync, repeat 1"
	for _, c := range []struct {
		name   string
		change func(w *world)
		turn   string
		fails  string
	}{
		{"without an acknowledgement", func(w *world) { w.pairs.missed = map[string]uint64{"duramen-semisync/sync": 1} }, semi, "did not wait for an acknowledgement until it came"},
		{"waiting where nobody should", func(w *world) { w.pairs.waits = map[string]bool{"duramen-async/sync": true} }, async, "semi-sync is not off"},
		{"no counters", func(w *world) { w.pairs.silent = true }, semi, "does not tell Rpl_semi_sync_master_yes_tx"},
		{"behind", func(w *world) {
			w.applyFails = map[string]error{"duramen-semisync-replica/sync": errors.New("no such row")}
		}, semi, "no such row"},
		{"other rows", func(w *world) {
			w.pairs.sums = map[string]map[string]string{"duramen-semisync-replica/sync": {"sbtest1": "499 2"}}
		}, semi, `table sbtest1 differs: rows and checksum are "500 1" on the primary, "499 2" on the replica`},
		{"a table more", func(w *world) {
			w.pairs.sums = map[string]map[string]string{"duramen-semisync-replica/sync": {"sbtest1": "500 1", "more": "0 0"}}
		}, semi, "the primary has 1 tables, the replica 2"},
		{"no tables", func(w *world) { w.pairs.sums = map[string]map[string]string{"duramen-semisync/sync": {}} }, semi, "no tables that could be compared"},
		{"no replica", func(w *world) { w.pairs.joinFails = errors.New("nobody there") }, semi, "nobody there"},
		{"a replica that stays dead", func(w *world) { w.dead["duramen-semisync-replica/sync"], w.stayDead = true, true }, semi, "the replica: it is dead; it could not be started again"},
		{"a replica that does not start", func(w *world) { w.refuse["duramen-semisync-replica/sync"] = true }, semi, "it does not start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.change(w)
			require.ErrorIs(t, Run(t.Context(), w.pairOptions()), ErrFailedTurns)
			results := w.results()
			require.Nil(t, results[c.turn].Measured)
			require.Contains(t, results[c.turn].Failed, c.fails)
			if other := map[string]string{semi: async, async: semi}[c.turn]; !w.pairs.silent {
				require.NotNil(t, results[other].Measured, "the other pair: "+results[other].Failed)
			}
		})
	}
}

// A replica that has died is started again, and goes on.
func TestPairWhoseReplicaDied(t *testing.T) {
	w := newWorld(t)
	w.dead["duramen-semisync-replica/sync"] = true
	require.NoError(t, Run(t.Context(), w.pairOptions()))
	require.Contains(t, w.events, "restart duramen-semisync-replica/sync")
}

// No commit at all is no wait either.
func TestAcknowledgedNothing(t *testing.T) {
	same := target.Counters{"rpl_semi_sync_master_yes_tx": 3, "rpl_semi_sync_master_no_tx": 2}
	require.ErrorContains(t, Pair{SemiSync: true}.checkAcknowledged(same, same), "no commit has waited")
	require.NoError(t, Pair{}.checkAcknowledged(same, same))
}

// The replicas of pairs load what their primaries have.
func TestPairsInTheBudget(t *testing.T) {
	s, err := Find("semisync")
	require.NoError(t, err)
	c := New(s)
	require.NoError(t, c.SetContenders(specs(), s.Profiles))
	alone := c.loadEstimate()
	c.Pairs = map[string]Pair{"duramen": {}, "mariadb": {}}
	require.Equal(t, 2*alone, c.loadEstimate())
	require.NoError(t, c.Fit(time.Hour))
}
