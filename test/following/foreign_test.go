package following

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// startBesides starts a pair whose primary has a MariaDB as a replica, too.
func startBesides(t *testing.T) (p *pair, mdb *sql.DB) {
	t.Helper()
	p = startPair(t)
	mdb = peer.StartMariaDB(t, peer.Options{ServerID: 3, Relays: true}).DB("")
	t.Cleanup(func() { _ = mdb.Close() })
	peer.Exec(t, mdb, peer.ChangeMaster(p.primary, "MASTER_USE_GTID=slave_pos"), "START SLAVE")
	return p, mdb
}

// connect gives what runs statements on a connection that nobody else gets: what they set ends with the test.
func connect(t *testing.T, db *sql.DB) func(list ...string) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) })
	return func(list ...string) {
		t.Helper()
		for _, q := range list {
			if _, err := conn.ExecContext(t.Context(), q); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
	}
}

// sqlError waits until a replica's SQL thread has stopped, or has applied all, and gives its error without what names places; "" for none.
func sqlError(t *testing.T, primary, replica *sql.DB) (text string) {
	t.Helper()
	want := peer.BinlogPosition(t, primary)
	peer.Await(t, time.Minute, "the SQL thread", func() (bool, error) {
		status, err := peer.SlaveStatus(replica)
		if err != nil {
			return false, err
		}
		if status["Slave_SQL_Running"] == "No" {
			text, _, _ = strings.Cut(status["Last_SQL_Errno"]+" "+status["Last_SQL_Error"], "; the event's master log")
			return true, nil
		}
		at, err := peer.Rows(replica, "SELECT @@GLOBAL.gtid_slave_pos")
		return err == nil && strings.Trim(at[0], `"`) == want, err
	})
	return text
}

// unchecked gives what runs statements on a replica alone, whatever foreign keys say.
func unchecked(t *testing.T, replica *sql.DB) func(list ...string) {
	t.Helper()
	run := connect(t, replica)
	run("SET SESSION sql_log_bin = 0", "SET SESSION foreign_key_checks = 0")
	return run
}

// TestForeignKeys: rows of a primary whose parents or children are not, on the replica, what they are on the primary: each has the error that it has on a MariaDB,
// nothing of the group is left, and it goes on when the cause is gone. In IDEMPOTENT mode those rows are left out.
func TestForeignKeys(t *testing.T) {
	p, mdb := startBesides(t)
	replicas := []*sql.DB{p.rdb, mdb}
	run, apart := connect(t, p.pdb), []func(...string){unchecked(t, p.rdb), unchecked(t, mdb)}
	peer.Exec(t, p.pdb, "CREATE DATABASE d",
		"CREATE TABLE d.p (id INT PRIMARY KEY, a INT NOT NULL, b VARCHAR(20), KEY (b), UNIQUE KEY (a, b))",
		"CREATE TABLE d.c (id INT PRIMARY KEY, p INT, v INT, CONSTRAINT of_p FOREIGN KEY (p) REFERENCES d.p (id))",
		"CREATE TABLE d.u (id INT PRIMARY KEY, a INT, b VARCHAR(20), FOREIGN KEY (a, b) REFERENCES d.p (a, b))",
		"CREATE TABLE d.n (b VARCHAR(20), FOREIGN KEY (b) REFERENCES d.p (b))",
		"CREATE TABLE d.self (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES d.self (id))",
		"CREATE TABLE d.casc (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES d.self (id) ON DELETE CASCADE ON UPDATE SET NULL)",
		"INSERT INTO d.p VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three'), (4, 4, 'four')",
		"INSERT INTO d.c VALUES (1, 1, 0), (2, 2, 0), (3, NULL, 0)", "INSERT INTO d.self VALUES (1, NULL), (2, 1), (3, 1)",
		"INSERT INTO d.casc VALUES (1, 1), (2, 3)")
	tables := []string{"p", "c", "u", "n", "self", "casc"}
	for _, mode := range []string{"STRICT", "IDEMPOTENT"} {
		for _, r := range replicas {
			peer.Exec(t, r, "STOP SLAVE", "SET GLOBAL slave_exec_mode = "+mode, "START SLAVE")
		}
		for n, x := range []struct {
			damage, change []string
			number         string
			repair         []string
		}{
			{[]string{"DELETE FROM d.p WHERE id = 3"}, []string{"INSERT INTO d.c VALUES (10, 3, 0)", "DELETE FROM d.c WHERE id = 10"}, "1452", []string{"INSERT INTO d.p VALUES (3, 3, 'three')"}},
			{[]string{"DELETE FROM d.p WHERE id = 3"}, []string{"BEGIN", "UPDATE d.c SET v = v + 1", "UPDATE d.c SET p = 3 WHERE id = 2", "COMMIT", "UPDATE d.c SET p = 2 WHERE id = 2"}, "1452", []string{"INSERT INTO d.p VALUES (3, 3, 'three')"}},
			{[]string{"DELETE FROM d.p WHERE id = 3"}, []string{"INSERT INTO d.u VALUES (1, 3, 'three')", "DELETE FROM d.u"}, "1452", []string{"INSERT INTO d.p VALUES (3, 3, 'three')"}},
			{[]string{"DELETE FROM d.p WHERE id = 3"}, []string{"INSERT INTO d.n VALUES ('two'), ('three')", "DELETE FROM d.n"}, "1452", []string{"INSERT INTO d.p VALUES (3, 3, 'three')"}},
			// A parent that is missing matters when a row comes to refer to it, not to what refers to it already.
			{[]string{"DELETE FROM d.p WHERE id = 2"}, []string{"UPDATE d.c SET v = 7 WHERE id = 2", "UPDATE d.c SET id = 20 WHERE id = 3", "UPDATE d.c SET id = 3 WHERE id = 20"}, "", []string{"INSERT INTO d.p VALUES (2, 2, 'two')"}},
			// The flag NO_FOREIGN_KEY_CHECKS.
			{[]string{"DELETE FROM d.p WHERE id = 3"}, []string{"SET foreign_key_checks = 0", "INSERT INTO d.c VALUES (11, 3, 0), (12, 99, 0)", "DELETE FROM d.c WHERE id IN (11, 12)", "SET foreign_key_checks = 1"}, "", []string{"INSERT INTO d.p VALUES (3, 3, 'three')"}},
			// Children that only the replica has.
			{[]string{"INSERT INTO d.c VALUES (30, 4, 0)"}, []string{"DELETE FROM d.p WHERE id = 4", "INSERT INTO d.p VALUES (4, 4, 'four')"}, "1451", []string{"DELETE FROM d.c WHERE id = 30"}},
			{[]string{"INSERT INTO d.c VALUES (30, 4, 0)"}, []string{"UPDATE d.p SET id = 5 WHERE id = 4", "UPDATE d.p SET id = 4 WHERE id = 5"}, "1451", []string{"DELETE FROM d.c WHERE id = 30"}},
			{[]string{"INSERT INTO d.c VALUES (30, 4, 0)"}, []string{"UPDATE d.p SET b = 'vier' WHERE id = 4", "UPDATE d.p SET b = 'four' WHERE id = 4"}, "", []string{"DELETE FROM d.c WHERE id = 30"}},
			// A table that refers to itself, and cascades.
			{[]string{"DELETE FROM d.self WHERE id = 2"}, []string{"BEGIN", "INSERT INTO d.self VALUES (10, NULL), (11, 10), (12, 11)", "INSERT INTO d.self VALUES (13, 2)", "COMMIT", "DELETE FROM d.self WHERE id > 9 ORDER BY id DESC"}, "1452", []string{"INSERT INTO d.self VALUES (2, 1)"}},
			{nil, []string{"INSERT INTO d.casc VALUES (50, 3), (51, 3)", "DELETE FROM d.casc WHERE id = 51", "DELETE FROM d.self WHERE id = 3", "INSERT INTO d.self VALUES (3, 1)", "INSERT INTO d.casc VALUES (2, 3)"}, "", nil},
		} {
			what := fmt.Sprintf("%s, case %d", mode, n)
			for i, r := range replicas {
				peer.CatchUp(t, p.pdb, r)
				apart[i](x.damage...)
			}
			run(x.change...)
			want, have := sqlError(t, p.pdb, mdb), sqlError(t, p.pdb, p.rdb)
			if want != have {
				t.Errorf("%s: MariaDB says %q, the replica %q", what, want, have)
			}
			if expected := x.number; mode == "STRICT" && expected != "" && !strings.HasPrefix(want, expected+" ") || (mode == "IDEMPOTENT" || expected == "") && want != "" {
				t.Errorf("%s: %s is expected, not %s", what, expected, want)
			}
			for _, table := range tables { // as they were left, before anything is repaired
				requireSame(t, mdb, p.rdb, "SELECT * FROM d."+table+" ORDER BY 1")
			}
			for i, r := range replicas {
				apart[i](x.repair...)
				peer.Exec(t, r, "STOP SLAVE", "START SLAVE")
				peer.CatchUp(t, p.pdb, r)
			}
			if mode == "STRICT" {
				p.requireEqual(t)
			}
		}
	}
}

// TestForeignKeysInFlight: many small groups one after the other, each with a row whose parent, found by an index of each kind, came in the group before or goes in
// the one behind: what is under way counts.
func TestForeignKeysInFlight(t *testing.T) {
	p := startPair(t)
	peer.Exec(t, p.pdb, "CREATE DATABASE d", "CREATE TABLE d.p (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY (a), KEY (b))",
		"CREATE TABLE d.c (id INT PRIMARY KEY, p INT, a INT, b INT, FOREIGN KEY (p) REFERENCES d.p (id), FOREIGN KEY (a) REFERENCES d.p (a), FOREIGN KEY (b) REFERENCES d.p (b))",
		"CREATE TABLE d.g (id INT, FOREIGN KEY (id) REFERENCES d.c (id) ON DELETE CASCADE)")
	peer.CatchUp(t, p.pdb, p.rdb)
	peer.Exec(t, p.rdb, "STOP SLAVE")
	run := connect(t, p.pdb)
	for i := range peer.Scaled(150, 3000) {
		run(fmt.Sprintf("INSERT INTO d.p VALUES (%d, %d, %d)", i, i+7, i+9), fmt.Sprintf("INSERT INTO d.c VALUES (%d, %d, %d, %d)", i, i, i+7, i+9),
			fmt.Sprintf("INSERT INTO d.g VALUES (%d)", i))
		if i%3 == 0 {
			run(fmt.Sprintf("DELETE FROM d.c WHERE id = %d", i), fmt.Sprintf("DELETE FROM d.p WHERE id = %d", i))
		}
	}
	peer.Exec(t, p.rdb, "START SLAVE")
	p.requireEqual(t)
}
