package query_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
)

// status reads the status variables; those that are no numbers are 0.
func (c *client) status() map[string]int {
	c.t.Helper()
	values := map[string]int{}
	for _, row := range c.exec("SHOW GLOBAL STATUS").rows {
		values[row[0]], _ = strconv.Atoi(row[1])
	}
	return values
}

// TestStatusCounts: each statement moves the counter that is named after it, and Questions.
func TestStatusCounts(t *testing.T) {
	s := newServer(t)
	a, look := s.connect(), s.connect()
	for i, c := range []struct{ statement, counter string }{
		{"CREATE DATABASE d", "Com_create_db"}, {"ALTER DATABASE d COLLATE latin1_bin", "Com_alter_db"}, {"USE d", "Com_change_db"},
		{"CREATE TABLE t (a INT PRIMARY KEY)", "Com_create_table"}, {"ALTER TABLE t ADD b INT", "Com_alter_table"},
		{"CREATE INDEX i ON t (b)", "Com_create_index"}, {"DROP INDEX i ON t", "Com_drop_index"},
		{"CREATE VIEW v AS SELECT 1", "Com_create_view"}, {"DROP VIEW v", "Com_drop_view"},
		{"INSERT INTO t VALUES (1, 1)", "Com_insert"}, {"INSERT INTO t SELECT a + 1, b FROM t", "Com_insert_select"},
		{"REPLACE INTO t VALUES (1, 1)", "Com_replace"}, {"REPLACE INTO t SELECT * FROM t", "Com_replace_select"},
		{"UPDATE t SET b = 2", "Com_update"}, {"UPDATE t x JOIN t y USING (a) SET x.b = 3", "Com_update_multi"},
		{"DELETE FROM t WHERE a = 1", "Com_delete"}, {"DELETE t FROM t JOIN (SELECT 1 AS a) z USING (a)", "Com_delete_multi"},
		{"SELECT * FROM t", "Com_select"}, {"SELECT 1 UNION SELECT 2", "Com_select"}, {"SET @a = 1", "Com_set_option"},
		{"BEGIN", "Com_begin"}, {"START TRANSACTION", "Com_begin"}, {"COMMIT", "Com_commit"}, {"ROLLBACK", "Com_rollback"},
		{"LOCK TABLES t READ", "Com_lock_tables"}, {"UNLOCK TABLES", "Com_unlock_tables"}, {"FLUSH TABLES", "Com_flush"},
		{"SHOW STATUS LIKE 'x'", "Com_show_status"}, {"show session variables LIKE 'x'", "Com_show_variables"},
		{"PREPARE p FROM 'SELECT 1'", "Com_prepare_sql"}, {"EXECUTE p", "Com_execute_sql"}, {"DEALLOCATE PREPARE p", "Com_dealloc_sql"},
		{"RENAME TABLE t TO u", "Com_rename_table"}, {"TRUNCATE TABLE u", "Com_truncate"}, {"DROP TABLE u", "Com_drop_table"},
		{"DROP DATABASE d", "Com_drop_db"}, {"SELECT nosuch", "Errors"},
	} {
		before := look.status()
		_, err := a.run(c.statement)
		require.Equal(t, c.counter == "Errors", err != nil, "%d: %s: %v", i, c.statement, err)
		after := look.status()
		step := 1
		if c.counter == "Com_show_status" {
			step = 2 // one is the test's
		}
		require.Equal(t, before[c.counter]+step, after[c.counter], c.statement)
		require.Greater(t, after["Questions"], before["Questions"]+1, c.statement)
	}
}

func TestStatusOfPreparedStatements(t *testing.T) {
	s := newServer(t)
	a, look := s.connect(), s.connect()
	stmt, err := a.Prepare(context.Background(), "SELECT 1")
	require.NoError(t, err)
	a.exec("PREPARE p FROM 'SELECT 2'")
	require.NoError(t, a.ExecuteStmt(context.Background(), stmt, nil, &recorder{}))
	now := look.status()
	require.Equal(t, 2, now["Prepared_stmt_count"])
	require.Equal(t, 1, now["Com_stmt_execute"])
	a.CloseStmt(stmt)
	now = look.status()
	require.Equal(t, 1, now["Prepared_stmt_count"])
	require.Equal(t, 1, now["Com_stmt_close"])
	a.Close()
	require.Equal(t, 0, look.status()["Prepared_stmt_count"])
}

func TestStatusOfStatementsBoundBefore(t *testing.T) {
	c := newServer(t).connect()
	c.exec("CREATE DATABASE d; CREATE TABLE d.t (a INT)")
	stmt, err := c.Prepare(context.Background(), "SELECT * FROM d.t WHERE a = ?")
	require.NoError(t, err)
	for i := range 3 {
		require.NoError(t, c.ExecuteStmt(context.Background(), stmt, []result.Value{result.Signed(int64(i))}, &recorder{}))
	}
	now := c.status()
	require.Equal(t, 2, now["Direct_hits"])
	require.Equal(t, 1, now["Direct_misses"])
}

func TestStatusOfSlowStatements(t *testing.T) {
	c := newServer(t).connect()
	c.exec("SELECT SLEEP(0.02)")
	require.Equal(t, 0, c.status()["Slow_queries"])
	c.exec("SET long_query_time = 0.01; SELECT SLEEP(0.02)")
	c.exec("SET long_query_time = 10")
	require.Equal(t, 1, c.status()["Slow_queries"])
	require.Contains(t, c.Statistics(), "Slow queries: 1 ")
}

func TestStatusOfConnection(t *testing.T) {
	s := newServer(t)
	c := s.connect(func(ci *session.ConnInfo) { ci.TLSCipher, ci.TLSVersion = "TLS_AES_128_GCM_SHA256", "TLSv1.3" })
	require.Equal(t, "Ssl_cipher|TLS_AES_128_GCM_SHA256\nSsl_version|TLSv1.3", c.query("SHOW STATUS WHERE Variable_name IN ('Ssl_cipher', 'Ssl_version')"))
	require.Equal(t, "Ssl_cipher|", s.connect().query("SHOW STATUS LIKE 'Ssl_cipher'"))
}

// TestStatusHasNoIdleCounters: after statements of all kinds, a counter of 0 is one that the list of what
// Duramen does not have names, or that counts what has not happened.
func TestStatusHasNoIdleCounters(t *testing.T) {
	s := newServer(t)
	c := s.connect()
	c.exec("CREATE DATABASE d; CREATE TABLE d.t (a INT); INSERT INTO d.t VALUES (1)")
	didNotHappen := strings.Fields(`Aborted_ Access_denied Connections Bytes_ Max_used Ssl_ Slow_queries Com_ Errors Slaves_
		Prepared_stmt_count Master_gtid_wait_ Binlog_gtid_index_ Binlog_large_commits Binlog_cache_disk_use Binlog_groups_in_flight
		Binlog_group_commit_trigger_ Uptime Engine_ Transactions_ Direct_ Slave_received_heartbeats Slave_retried_transactions
		Duramen_replica_ Rpl_semi_sync_slave_send_ack`)
	notHere := strings.Fields(`Binlog_stmt_cache_use Binlog_stmt_cache_disk_use Open_tables Opened_tables Threads_cached
		Rpl_semi_sync_master_`)
next:
	for _, row := range c.exec("SHOW GLOBAL STATUS").rows {
		for _, prefix := range append(didNotHappen, notHere...) {
			if strings.HasPrefix(row[0], prefix) {
				continue next
			}
		}
		require.NotEqual(t, "0", row[1], fmt.Sprintf("%s: what counts it?", row[0]))
	}
}

// Each engine with files says how far its files are behind the log.
func TestEngineStatus(t *testing.T) {
	s := newServer(t)
	c := s.connect()
	c.exec("CREATE DATABASE d; CREATE TABLE d.t (a INT)")
	require.NoError(t, s.store.Checkpoint(context.Background()))
	end := s.store.Log().End()
	place := end.In("binlog")
	require.Equal(t, fmt.Sprintf("Engine_rocksdb_applied|%[1]s\nEngine_rocksdb_durable|%[1]s", place),
		c.query("SHOW STATUS WHERE Variable_name IN ('Engine_rocksdb_applied', 'Engine_rocksdb_durable')"))
	require.Equal(t, "Engine_rocksdb_lag_bytes|0", c.query("SHOW STATUS LIKE 'Engine_rocksdb_lag_bytes'"))
	c.exec("INSERT INTO d.t VALUES (1)")
	require.Equal(t, "Engine_rocksdb_durable|"+place, c.query("SHOW STATUS LIKE 'Engine_rocksdb_durable'"))
	require.Equal(t, fmt.Sprint("Engine_rocksdb_lag_bytes|", s.store.Log().End().Offset-end.Offset), c.query("SHOW STATUS LIKE 'Engine_rocksdb_lag_bytes'"))
}
