package following

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// TestEmptyGroups: what a replica leaves out, or what changes nothing there, is an empty group in its log or none. A MariaDB in strict mode that
// follows the replica takes both, also where it begins after one.
func TestEmptyGroups(t *testing.T) {
	p := startApart(t)
	peer.AllowReplication(t, p.pdb)
	peer.Exec(t, p.rdb, "SET GLOBAL replicate_ignore_db = 'hidden'", "SET GLOBAL replicate_wild_ignore_table = 'shown.un%'",
		peer.ChangeMaster(p.primary, "MASTER_USE_GTID=slave_pos", "IGNORE_DOMAIN_IDS=(7)"), "START SLAVE")
	last := peer.StartMariaDB(t, peer.Options{ServerID: 3, Args: []string{"--gtid-strict-mode=ON"}})
	ldb := last.DB("")
	defer ldb.Close()
	peer.Exec(t, ldb, peer.ChangeMaster(p.replica, "MASTER_USE_GTID=slave_pos"), "START SLAVE")

	conn, err := p.pdb.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for n, list := range [][]string{
		{"CREATE DATABASE hidden", "CREATE DATABASE shown", "CREATE TABLE shown.t (id INT PRIMARY KEY, v INT)", "CREATE TABLE shown.unseen (id INT)"},
		{"USE hidden", "CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)", "CREATE TABLE shown.not_made (id INT)", "USE shown"},
		{"BEGIN", "INSERT INTO hidden.t VALUES (3)", "INSERT INTO shown.t VALUES (1, 1)", "INSERT INTO unseen VALUES (1)", "COMMIT"},
		{"BEGIN", "INSERT INTO hidden.t VALUES (4)", "INSERT INTO unseen VALUES (2)", "COMMIT", "DELETE FROM hidden.t"},
		{"SET SESSION binlog_format = 'STATEMENT'", "UPDATE t SET v = 7 WHERE id = 99", "INSERT IGNORE INTO t VALUES (1, 2)", "DELETE FROM t WHERE id > 1000"},
		{"CREATE TEMPORARY TABLE passing (id INT)", "INSERT INTO passing VALUES (1)", "INSERT INTO t SELECT id + 10, 1 FROM passing", "DROP TEMPORARY TABLE passing"},
		{"SET SESSION binlog_format = 'ROW'", "FLUSH TABLES", "FLUSH PRIVILEGES", "ANALYZE TABLE t", "CREATE TABLE IF NOT EXISTS t (id INT)", "DROP TABLE IF EXISTS nothing"},
		{"SET SESSION gtid_domain_id = 7", "INSERT INTO t VALUES (70, 70)", "CREATE TABLE left_out (id INT)", "DELETE FROM t WHERE id = 70", "SET SESSION gtid_domain_id = 0"},
		{"TRUNCATE TABLE unseen", "DROP TABLE unseen", "DROP DATABASE hidden"},
	} {
		for _, q := range list {
			if _, err := conn.ExecContext(t.Context(), q); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
		peer.CatchUp(t, p.pdb, p.rdb)
		peer.CatchUp(t, p.rdb, ldb)
		peer.Exec(t, ldb, "STOP SLAVE", "START SLAVE") // it asks for what follows the last group
		if _, err := conn.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO shown.t VALUES (%d, %d)", 100+n, n)); err != nil {
			t.Fatal(err)
		}
		peer.CatchUp(t, p.pdb, p.rdb)
		peer.CatchUp(t, p.rdb, ldb)
	}
	peer.RequireEqualContent(t, p.rdb, ldb)
	requireSame(t, p.pdb, p.rdb, "SELECT * FROM shown.t ORDER BY id")
	for _, table := range peer.Tables(t, ldb) {
		if table != "shown.t" {
			t.Errorf("table %s has come through", table)
		}
	}
}

// requireSame compares the answers of two servers.
func requireSame(t *testing.T, want, have *sql.DB, query string) {
	t.Helper()
	w, h := peer.MustRows(t, want, query), peer.MustRows(t, have, query)
	if fmt.Sprint(w) != fmt.Sprint(h) {
		t.Errorf("%s: the primary has %s, the replica %s", query, w, h)
	}
}

// TestWaits: MASTER_POS_WAIT and MASTER_GTID_WAIT wait for what a replica has applied.
func TestWaits(t *testing.T) {
	p := startPair(t)
	peer.Exec(t, p.pdb, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)")
	place := func() (file string, pos int) {
		var rest sql.NullString
		if err := p.pdb.QueryRow("SHOW MASTER STATUS").Scan(&file, &pos, &rest, &rest); err != nil {
			t.Fatal(err)
		}
		return file, pos
	}
	want := func(query, answer string) {
		t.Helper()
		if got := peer.MustRows(t, p.rdb, query)[0]; got != answer {
			t.Errorf("%s: %s, not %s", query, got, answer)
		}
	}
	file, pos := place()
	want(fmt.Sprintf("SELECT MASTER_POS_WAIT('%s', %d, 60) >= 0", file, pos), `"1"`)
	want(fmt.Sprintf("SELECT MASTER_POS_WAIT('%s', %d) >= 0 FROM (SELECT 1) d", file, pos), `"1"`)
	want(fmt.Sprintf("SELECT MASTER_GTID_WAIT('%s', 60)", peer.BinlogPosition(t, p.pdb)), `"0"`)
	want(fmt.Sprintf("SELECT MASTER_POS_WAIT('%s', %d, 0.1)", file, pos+1000000), `"-1"`)
	want("SELECT MASTER_GTID_WAIT('0-1-1000000', 0.1)", `"-1"`)
	want("SELECT MASTER_POS_WAIT('no_number', 4, 1)", "NULL")
	want(fmt.Sprintf("SELECT MASTER_POS_WAIT('%s', 4, 1, 'nobody')", file), "NULL")

	wait := func(query string) <-chan string {
		answer := make(chan string, 1)
		go func() {
			rows, err := peer.Rows(p.rdb, query)
			answer <- fmt.Sprint(rows, err)
		}()
		return answer
	}
	file, pos = place()
	byPlace := wait(fmt.Sprintf("SELECT MASTER_POS_WAIT('%s', %d, 60) >= 0", file, pos+1))
	byGTID := wait("SELECT MASTER_GTID_WAIT('0-1-6', 60)")
	peer.Exec(t, p.pdb, "INSERT INTO d.t VALUES (1)", "INSERT INTO d.t VALUES (2)")
	if got := <-byPlace; got != `["1"] <nil>` {
		t.Errorf("a wait for the next place: %s", got)
	}
	if got := <-byGTID; got != `["0"] <nil>` {
		t.Errorf("a wait for the next GTID: %s", got)
	}
	ended := wait(fmt.Sprintf("SELECT MASTER_POS_WAIT('%s', %d, 60)", file, pos+1000000))
	peer.Exec(t, p.rdb, "STOP SLAVE")
	if got := <-ended; got != `[NULL] <nil>` {
		t.Errorf("a wait whose SQL thread has ended: %s", got)
	}
	want(fmt.Sprintf("SELECT MASTER_POS_WAIT('%s', 4, 60)", file), "NULL")
	peer.Exec(t, p.rdb, "SET GLOBAL gtid_slave_pos = '0-1-5000'")
	want("SELECT MASTER_GTID_WAIT('0-1-4999', 60)", `"0"`)
}

// TestProcessList: a connection has two rows, and that of the SQL thread says which statement it runs and what that waits for.
func TestProcessList(t *testing.T) {
	p := startPair(t)
	peer.Exec(t, p.pdb, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)")
	peer.CatchUp(t, p.pdb, p.rdb)
	const threads = "SELECT command, state LIKE 'Slave has read all%' FROM information_schema.PROCESSLIST WHERE user = 'system user' AND command LIKE 'Slave%' ORDER BY command"
	awaitAnswer(t, p.rdb, threads, `["Slave_IO" "0" "Slave_SQL" "1"]`)
	conn, err := p.rdb.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lock := func(q string) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	lock("LOCK TABLES d.t READ")
	peer.Exec(t, p.pdb, "ALTER TABLE d.t ADD COLUMN v INT")
	const waits = "SELECT command, state, info FROM information_schema.PROCESSLIST WHERE user = 'system user' AND command = 'Slave_SQL'"
	awaitAnswer(t, p.rdb, waits, `["Slave_SQL" "Waiting for table metadata lock" "ALTER TABLE d.t ADD COLUMN v INT"]`)
	lock("UNLOCK TABLES")
	peer.CatchUp(t, p.pdb, p.rdb)
	awaitAnswer(t, p.rdb, threads, `["Slave_IO" "0" "Slave_SQL" "1"]`)
}

// awaitAnswer waits until a query has an answer.
func awaitAnswer(t *testing.T, db *sql.DB, query, want string) {
	t.Helper()
	peer.Await(t, time.Minute, query, func() (bool, error) {
		rows, err := peer.Rows(db, query)
		return err == nil && fmt.Sprint(rows) == want, fmt.Errorf("the answer is %v, %w", rows, err)
	})
}
