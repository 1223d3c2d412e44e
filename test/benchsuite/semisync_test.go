package benchsuite

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/duramendb/duramen/bench/suite"
	"github.com/duramendb/duramen/test/peer"
)

// smallLogs keeps the files of the servers of a suite of pairs small.
func smallLogs(args ...string) []string {
	for _, pair := range []string{"async", "semisync", "semisync-unsynced"} {
		args = append(args, "--option=mariadb-"+pair+":innodb-log-file-size=16M")
	}
	return args
}

// Duramen and MariaDB, each with a replica that follows, without semi-sync and with it: every commit has waited or none has, the replicas have
// their primaries' rows, or it would be no measurement; and what the report says of that.
func TestSemiSyncSuite(t *testing.T) {
	peer.RequireMariaDB(t)
	peer.RequireTool(t, "sysbench")
	out := filepath.Join(t.TempDir(), "out")
	text, code := run(t, bench(t, out, smallLogs("--suite=semisync", "--server=duramen", "--server=mariadb", "--clients=1,4")...))
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, text)
	}
	rs := results(t, out)
	if want := 2 * 2 * 5; len(rs) != want {
		t.Errorf("%d results of %d:\n%s", len(rs), want, text)
	}
	for name, r := range rs {
		m := r.Measured
		if m == nil || m.Transactions == 0 || m.Latency.P99 == 0 || !m.Commits.Known {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		if runtime.GOOS == "linux" && (m.Sync == nil || m.Sync.P50 <= 0 || m.Sync.Mean <= 0) {
			t.Errorf("%s: the device was not measured: %+v", name, m.Sync)
		}
	}
	for _, want := range []string{"duramen-semisync/sync", "mariadb-semisync-unsynced/sync", "commit / two syncs: p50", "Base of mariadb-semisync/sync: mariadb-async/sync."} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	info, _, err := suite.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ server, option, value string }{
		{"duramen-semisync/sync", "sync_binlog", "1"},
		{"duramen-semisync/sync", "rpl_semi_sync_master_wait_point", "AFTER_SYNC"},
		{"mariadb-semisync/sync", "rpl_semi_sync_master_wait_point", "AFTER_SYNC"},
		{"mariadb-semisync/sync", "rpl_semi_sync_master_enabled", "ON"},
		{suite.ReplicaName("duramen-semisync/sync"), "rpl_semi_sync_slave_enabled", "ON"},
		{suite.ReplicaName("duramen-semisync/sync"), "sync_binlog", "1"},
		{suite.ReplicaName("mariadb-semisync/sync"), "rpl_semi_sync_slave_enabled", "ON"},
		{suite.ReplicaName("mariadb-semisync/sync"), "sync_relay_log", "1"},
		{suite.ReplicaName("mariadb-async/sync"), "innodb_flush_log_at_trx_commit", "1"},
	} {
		found := false
		for _, s := range info.Servers[c.server].Settings {
			found = found || s.Name == c.option && s.Value == c.value
		}
		if !found {
			t.Errorf("%s=%s is not among the options of %s: %+v", c.option, c.value, c.server, info.Servers[c.server])
		}
	}
	if left, err := filepath.Glob(filepath.Join(out, "duramen-bench-data*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A primary that does not wait until its replica has acknowledged is no measurement of semi-sync. The pair without is measured.
func TestSemiSyncThatTimesOut(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	out := filepath.Join(t.TempDir(), "out")
	text, code := run(t, bench(t, out, "--suite=semisync", "--server=duramen", "--tests=insert", "--clients=2", "--option=duramen-semisync:rpl-semi-sync-master-timeout=0"))
	if code != 1 || !strings.Contains(text, "1 of 2") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
	rs := results(t, out)
	if r := rs["insert, 2 clients, duramen-async/sync, repeat 1"]; r.Measured == nil {
		t.Errorf("without semi-sync: %+v", r)
	}
	if r := rs["insert, 2 clients, duramen-semisync/sync, repeat 1"]; r.Measured != nil || !strings.Contains(r.Failed, "Rpl_semi_sync_master_no_tx") {
		t.Errorf("with a time-out of 0: %+v", r)
	}
}
