package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/suite"
	"github.com/duramendb/duramen/bench/target"
)

// Each pair is compared with the one of its server that does not wait, and a lone client's commit with the syncs of its own turn.
func TestSemiSync(t *testing.T) {
	i := info(suite.Test{Workload: "insert", Clients: []int{1, 64}})
	i.Config.Base = suite.WithoutSemiSync
	i.Config.Contenders = []target.Contender{
		contender("duramen-async", target.Duramen, "sync"), contender("duramen-semisync", target.Duramen, "sync"),
		contender("mariadb-async", target.MariaDB, "sync"), contender("mariadb-semisync", target.MariaDB, "sync"),
	}
	i.Config.Pairs = map[string]suite.Pair{
		"duramen-async": {Of: "duramen"}, "duramen-semisync": {Of: "duramen", SemiSync: true, Replica: []string{"acknowledge = 1"}},
		"mariadb-async": {Of: "mariadb"}, "mariadb-semisync": {Of: "mariadb", SemiSync: true},
	}
	i.Servers = map[string]target.Facts{
		"duramen-semisync/sync":                    {Version: "1", Settings: []target.Setting{{Name: "a", Value: "primary's"}}},
		suite.ReplicaName("duramen-semisync/sync"): {Version: "1", Settings: []target.Setting{{Name: "a", Value: "replica's"}}},
	}
	synced := func(r suite.Result, p50, mean time.Duration) suite.Result {
		r.Measured.Latency.Avg = 6 * time.Millisecond
		r.Measured.Sync = &suite.SyncTime{P50: p50, Mean: mean, Writes: 9}
		return r
	}
	// The latency at p50 is 1 ms in the first repeat and 2 ms in the second.
	r, err := New(i, []suite.Result{
		turn("insert", 1, "duramen-async/sync", 1, 1000), turn("insert", 1, "duramen-async/sync", 2, 1000),
		synced(turn("insert", 1, "duramen-semisync/sync", 1, 500), time.Millisecond, 2*time.Millisecond),
		synced(turn("insert", 1, "duramen-semisync/sync", 2, 700), 500*time.Microsecond, time.Millisecond),
		turn("insert", 64, "duramen-async/sync", 1, 1000), synced(turn("insert", 64, "duramen-semisync/sync", 1, 900), time.Millisecond, time.Millisecond),
		turn("insert", 1, "mariadb-semisync/sync", 1, 50), failedTurn("insert", 1, "mariadb-async/sync", 1),
	}, Options{})
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"insert", "1", "duramen-async/sync", "1,000", "1", "1.50ms", "9.00ms", "-", "-", "-"},
		{"insert", "1", "duramen-semisync/sync", "600", "0.60 (0.50-0.70)", "1.50ms", "9.00ms", "750µs", "1.25 (0.50-2.00)", "2.25 (1.50-3.00)"},
		{"insert", "1", "mariadb-semisync/sync", "50", "-", "1.00ms", "9.00ms", "-", "-", "-"},
		{"insert", "64", "duramen-async/sync", "1,000", "1", "1.00ms", "9.00ms", "-", "-", "-"},
		{"insert", "64", "duramen-semisync/sync", "900", "0.90 (0.90-0.90)", "1.00ms", "9.00ms", "1.00ms", "-", "-"},
	}, table(t, r.Tables(), "Commits of a primary").Rows)
	require.Contains(t, table(t, r.Tables(), "Relative").Notes, "Base of mariadb-semisync/sync: mariadb-async/sync.")
	options := table(t, r.Context(), "Options of duramen-semisync ")
	require.Equal(t, []string{"option", "default", "sync", "sync, replica"}, options.Columns)
	require.Equal(t, [][]string{{"a", "", "primary's", "replica's"}}, options.Rows)
	require.Contains(t, table(t, r.Context(), "Suite").Rows, []string{"replica of duramen-semisync", "acknowledge = 1"})

	_, any := mustReport(t, info(suite.Test{Workload: "insert", Clients: []int{1}})).semiSync()
	require.False(t, any, "other suites have no such table")
}

func mustReport(t *testing.T, i *suite.Info) *Report {
	r, err := New(i, nil, Options{})
	require.NoError(t, err)
	return r
}
