package session

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// TestLastGTID: what last_gtid and gtid_seq_no are after each of several statements, on a log that ends with 0-1-2.
func TestLastGTID(t *testing.T) {
	h := newHarness(t)
	s := h.connect()
	for n, c := range []struct {
		set    map[string]any
		script string
		fails  uint16 // the script's only step: an insert
		last   string
		chosen uint64
	}{
		{script: "select", last: ""},
		{script: "insert", last: "0-1-3"},
		{script: "begin commit", last: "0-1-3"},
		{script: "begin insert rollback", last: "0-1-3"},
		{set: map[string]any{"gtid_domain_id": 1, "server_id": 9}, script: "insert", last: "1-9-1"},
		{set: map[string]any{"gtid_domain_id": 0, "server_id": 1, "gtid_seq_no": 100}, script: "select", last: "1-9-1", chosen: 100},
		{script: "insert", last: "0-1-100"},
		{script: "insert", last: "0-1-101"},
		{set: map[string]any{"sql_log_bin": 0}, script: "insert", last: "0-1-101"},
		{set: map[string]any{"sql_log_bin": 1, "gtid_seq_no": 50}, script: "insert", last: "0-1-50"},
		{set: map[string]any{"gtid_seq_no": 5}, fails: mysqlerr.GTIDStrictOutOfOrder, last: "0-1-50"},
	} {
		for name, v := range c.set {
			s.set(name, v)
		}
		if c.fails == 0 {
			s.perform(c.script)
		} else {
			require.NoError(t, h.server.Globals.Set(ctx, "gtid_strict_mode", 1))
			s.temp.taken()
			require.Equal(t, int(c.fails), number(s.insert(50)), "step %d", n)
			require.Equal(t, "begin, end, rollback", s.temp.taken())
			require.Nil(t, s.Tx)
		}
		last, _ := s.Vars.Get("last_gtid")
		require.Equal(t, c.last, last, "step %d", n)
		require.Equal(t, c.chosen, s.Vars.Uint("gtid_seq_no"), "step %d", n)
	}
}

// TestGTIDVariables: which variables of the log may be set when.
func TestGTIDVariables(t *testing.T) {
	h := newHarness(t)
	require.NoError(t, h.server.Globals.Set(ctx, "gtid_strict_mode", 1))
	end, _ := h.server.Store.Log().StateClone().Last(0)
	for _, c := range []struct {
		script, name string
		value        any
		want         int
	}{
		{"", "gtid_seq_no", end.Seq, int(mysqlerr.GTIDStrictOutOfOrder)},
		{"", "gtid_seq_no", end.Seq + 1, 0},
		{"", "gtid_seq_no", 0, 0},
		{"", "gtid_domain_id", 2, 0},
		{"", "sql_log_bin", 0, 0},
		{"", "server_id", 5, 0},
		{"begin", "gtid_seq_no", end.Seq + 100, int(mysqlerr.InsideTransactionSwitchGTID)},
		{"begin", "gtid_domain_id", 2, int(mysqlerr.InsideTransactionSwitchGTID)},
		{"begin", "sql_log_bin", 0, 1694},
		{"begin", "server_id", 5, 0},
		{"begin insert", "server_id", 5, int(mysqlerr.UnknownError)},
		{"manual", "sql_log_bin", 0, 0},
		{"manual select", "sql_log_bin", 0, 1694},
		{"", "character_set_client", "klingon", int(mysqlerr.UnknownCharacterSet)},
		{"", "character_set_results", "utf8mb3", 0},
		{"", "binlog_format", "STATEMENT", int(mysqlerr.NotSupportedYet)},
		{"", "binlog_format", "ROW", 0},
		{"", "innodb_snapshot_isolation", 1, int(mysqlerr.NotSupportedYet)},
		{"", "innodb_snapshot_isolation", 0, 0},
		{"", "mrr_buffer_size", 10000, 0},
	} {
		s := h.connect()
		s.perform(c.script)
		require.Equal(t, c.want, number(s.Vars.Set(ctx, c.name, c.value)), "%s: %s = %v", c.script, c.name, c.value)
		s.RollbackAll()
	}
	s := h.connect()
	s.set("gtid_domain_id", 7)
	require.NoError(t, s.Vars.Set(ctx, "gtid_seq_no", 1), "another domain")
	require.NoError(t, h.server.Globals.Set(ctx, "gtid_strict_mode", 0))
	require.NoError(t, h.connect().Vars.Set(ctx, "gtid_seq_no", 1))
}
