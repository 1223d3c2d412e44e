package following

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// TestTriggersForRows: slave_run_triggers_for_rbr. Each mode runs the triggers of a replica, or does not, as on a MariaDB beside it, and they leave the same in all tables.
func TestTriggersForRows(t *testing.T) {
	p, mdb := startBesides(t)
	peer.Exec(t, p.pdb, "CREATE DATABASE d", "CREATE TABLE d.plain (id INT PRIMARY KEY)", "CREATE TABLE d.theirs (id INT PRIMARY KEY)", "CREATE TABLE d.none (id INT PRIMARY KEY)",
		"CREATE TABLE d.log (what VARCHAR(20), id INT)", "CREATE TRIGGER d.of_primary AFTER DELETE ON d.theirs FOR EACH ROW INSERT INTO d.log VALUES ('primary', OLD.id)")
	peer.CatchUp(t, p.pdb, p.rdb)
	peer.CatchUp(t, p.pdb, mdb)
	for _, table := range []string{"plain", "theirs"} {
		onBoth(t, p, mdb, fmt.Sprintf("CREATE TRIGGER d.own_%s AFTER INSERT ON d.%s FOR EACH ROW INSERT INTO d.log VALUES ('replica', NEW.id)", table, table))
	}
	run, id := connect(t, p.pdb), 0
	for _, mode := range []string{"NO", "YES", "LOGGING", "ENFORCE", "NO"} {
		peer.Exec(t, mdb, "SET GLOBAL slave_run_triggers_for_rbr = "+mode)
		peer.Exec(t, p.rdb, "SET GLOBAL slave_run_triggers_for_rbr = "+mode)
		for _, table := range []string{"none", "theirs", "plain"} {
			id++
			run("BEGIN", fmt.Sprintf("INSERT INTO d.none VALUES (%d)", 1000+id), fmt.Sprintf("INSERT INTO d.%s VALUES (%d)", table, id), "COMMIT",
				fmt.Sprintf("UPDATE d.%s SET id = -id WHERE id = %d", table, id))
		}
		peer.CatchUp(t, p.pdb, mdb)
		peer.CatchUp(t, p.pdb, p.rdb)
	}
	if ran := peer.MustRows(t, mdb, "SELECT id FROM d.log WHERE what = 'replica'"); len(ran) != 4 {
		t.Errorf("MariaDB's triggers have run for rows %s: 4 are expected, with YES, LOGGING, and twice with ENFORCE", ran)
	}
	run("DELETE FROM d.theirs")
	peer.CatchUp(t, p.pdb, mdb)
	peer.CatchUp(t, p.pdb, p.rdb)
	peer.RequireEqualContent(t, mdb, p.rdb)
}

// onBoth runs statements on both replicas alone.
func onBoth(t *testing.T, p *pair, mdb *sql.DB, list ...string) {
	t.Helper()
	unchecked(t, mdb)(list...)
	unchecked(t, p.rdb)(list...)
}

// rowTriggers are of every kind: they change the row, write into tables with triggers of their own, read tables, and tell what they see.
var rowTriggers = []string{
	`CREATE TRIGGER d.bi BEFORE INSERT ON d.t FOR EACH ROW BEGIN
		INSERT INTO d.log (what, o, v, s) VALUES ('bi', NEW.id, NEW.v, NEW.s);
		IF NEW.v > 100 THEN SET NEW.v = NEW.v * 2, NEW.s = CONCAT(NEW.s, '+'); END IF;
		SET NEW.d = (SELECT COUNT(*) FROM d.log); END`,
	"CREATE TRIGGER d.bi2 BEFORE INSERT ON d.t FOR EACH ROW FOLLOWS bi SET NEW.f = NEW.v / 3, NEW.id = NEW.id + 0",
	"CREATE TRIGGER d.ai AFTER INSERT ON d.t FOR EACH ROW INSERT INTO d.log (what, o, v, s) VALUES ('ai', NEW.id, NEW.v, NEW.s)",
	"CREATE TRIGGER d.bu BEFORE UPDATE ON d.t FOR EACH ROW BEGIN INSERT INTO d.log (what, o, v, s) VALUES ('bu', OLD.v, NEW.v, NEW.s); SET NEW.s = LEFT(CONCAT(OLD.s, COALESCE(NEW.v, '')), 20); END",
	"CREATE TRIGGER d.au AFTER UPDATE ON d.t FOR EACH ROW INSERT INTO d.log (what, o, v, s) VALUES ('au', OLD.id, NEW.id, NEW.s)",
	"CREATE TRIGGER d.bd BEFORE DELETE ON d.t FOR EACH ROW INSERT INTO d.log (what, o, v, s) VALUES ('bd', OLD.id, OLD.v, @@sql_mode LIKE '%STRICT_TRANS%')",
	"CREATE TRIGGER d.ad AFTER DELETE ON d.t FOR EACH ROW INSERT INTO d.log (what, o, v, s) VALUES ('ad', OLD.id, OLD.v, NOW())",
	"CREATE TRIGGER d.of_log AFTER INSERT ON d.log FOR EACH ROW INSERT INTO d.deep VALUES (CONCAT('deep ', NEW.what), NEW.n) ON DUPLICATE KEY UPDATE n = n + 1000",
	"CREATE TRIGGER d.bare_u BEFORE UPDATE ON d.bare FOR EACH ROW INSERT INTO d.log (what, o, v, s) VALUES ('bare', OLD.a, OLD.b, NEW.b)",
	"CREATE TRIGGER d.bare_d AFTER DELETE ON d.bare FOR EACH ROW UPDATE d.log SET s = 'gone' WHERE o = OLD.a",
	"CREATE TRIGGER d.of_children BEFORE INSERT ON d.children FOR EACH ROW INSERT INTO d.log (what, o) VALUES ('child', NEW.parent)",
}

// TestTriggersForEveryChange runs triggers for every kind of change beside a MariaDB that runs the same.
func TestTriggersForEveryChange(t *testing.T) {
	p, mdb := startBesides(t)
	peer.Exec(t, p.pdb, "CREATE DATABASE d", `CREATE TABLE d.t (id INT PRIMARY KEY, v INT, s VARCHAR(20) NOT NULL DEFAULT 'x', d DECIMAL(10,3), f DOUBLE, ts TIMESTAMP(3) NULL,
			dt DATETIME(6), e ENUM('a', 'b'), m SET('p', 'q', 'r'), b BLOB, j JSON, l VARCHAR(9) CHARACTER SET latin1, y YEAR, tm TIME(2), bits BIT(9), u BIGINT UNSIGNED, r FLOAT, UNIQUE KEY (s, id))`,
		"CREATE TABLE d.log (n INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(40), o INT, v INT, s VARCHAR(40))", "CREATE TABLE d.deep (what VARCHAR(40), n INT PRIMARY KEY)",
		"CREATE TABLE d.bare (a INT, b INT)", "CREATE TABLE d.parents (id INT PRIMARY KEY)",
		"CREATE TABLE d.children (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES d.parents (id) ON DELETE CASCADE)")
	peer.CatchUp(t, p.pdb, p.rdb)
	peer.CatchUp(t, p.pdb, mdb)
	onBoth(t, p, mdb, rowTriggers...)
	// A server behind the replica, with the same triggers, gets from its log what they have changed, and does not run its own. (A MariaDB, also behind a MariaDB, looks at
	// the mark of a table with the first rows of a statement only, and runs triggers for the others: error 1442 here.)
	behind := peer.Start(t, peer.Options{ServerID: 4, Relays: true}).DB("")
	t.Cleanup(func() { _ = behind.Close() })
	peer.Exec(t, behind, peer.ChangeMaster(p.replica, "MASTER_USE_GTID=slave_pos"), "START SLAVE")
	peer.CatchUp(t, p.rdb, behind)
	unchecked(t, behind)(rowTriggers...)
	peer.Exec(t, behind, "SET GLOBAL slave_run_triggers_for_rbr = YES")
	run := connect(t, p.pdb)
	run("SET SESSION time_zone = '+05:00'")
	for i, mode := range []string{"YES", "LOGGING", "ENFORCE"} {
		for _, db := range []*sql.DB{mdb, p.rdb} {
			peer.Exec(t, db, "SET GLOBAL slave_run_triggers_for_rbr = "+mode)
		}
		for _, image := range []string{"FULL", "MINIMAL", "NOBLOB"} {
			i += 10
			id := i * 10
			run("SET SESSION binlog_row_image = "+image,
				fmt.Sprintf("INSERT INTO d.t (id, v, s, ts, dt, e, m, b, j, l, y, tm, bits, u, r) VALUES (%d, 1, 'größe', '2020-02-03 04:05:06.789', '1999-12-31 23:59:59.999999', 'b', 'p,r', x'00ff80', "+
					"'{\"a\": [1, 2]}', 'é', 2001, '-12:34:56.78', b'101010101', 18446744073709551615, 1.1), (%d, 101, 'two', NULL, '0000-00-00', NULL, '', '', '[]', NULL, NULL, NULL, NULL, 0, -0.5)", id, id+1),
				fmt.Sprintf("INSERT INTO d.t (id) VALUES (%d)", id+2),
				"BEGIN", fmt.Sprintf("UPDATE d.t SET v = v + 7, l = 'ü' WHERE id >= %d", id), fmt.Sprintf("UPDATE d.t SET id = id + 5, dt = NULL WHERE id = %d", id), "COMMIT",
				"BEGIN", fmt.Sprintf("INSERT INTO d.bare VALUES (%d, 1), (%d, 1), (NULL, 2)", id, id), fmt.Sprintf("UPDATE d.bare SET b = 5 WHERE a = %d LIMIT 1", id), "UPDATE d.bare SET b = 6 WHERE a IS NULL", "COMMIT",
				fmt.Sprintf("DELETE FROM d.bare WHERE a = %d LIMIT 1", id),
				fmt.Sprintf("INSERT INTO d.parents VALUES (%d)", id), fmt.Sprintf("INSERT INTO d.children VALUES (%d, %d), (%d, NULL)", id, id, id+1), fmt.Sprintf("DELETE FROM d.parents WHERE id = %d", id),
				fmt.Sprintf("DELETE FROM d.t WHERE id = %d", id+1), fmt.Sprintf("REPLACE INTO d.t (id, v) VALUES (%d, 200)", id+2))
			peer.CatchUp(t, p.pdb, mdb)
			peer.CatchUp(t, p.pdb, p.rdb)
			peer.RequireEqualContent(t, mdb, p.rdb)
			peer.CatchUp(t, p.rdb, behind)
			peer.RequireEqualContent(t, p.rdb, behind)
			if t.Failed() {
				t.Fatalf("%s, row image %s", mode, image)
			}
		}
	}
	if n := peer.MustRows(t, p.rdb, "SELECT n FROM d.log"); len(n) < 9*15 {
		t.Errorf("triggers have written %d rows only", len(n))
	}
	for _, table := range peer.Tables(t, p.rdb) {
		peer.RequireSound(t, p.rdb, table)
	}
	want := peer.Dump(t, p.rdb, "d.log")
	p.replica.Kill()
	p.replica.Up()
	peer.CatchUp(t, p.pdb, p.rdb)
	if have := peer.Dump(t, p.rdb, "d.log"); strings.Join(have, "\n") != strings.Join(want, "\n") {
		t.Error("after kill -9 what the triggers wrote is not what it was")
	}
}

// TestFailingTriggers: an error in a trigger stops the thread as on a MariaDB, nothing of the group is there, and it goes on when the cause is gone.
func TestFailingTriggers(t *testing.T) {
	p, mdb := startBesides(t)
	peer.Exec(t, p.pdb, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)", "CREATE TABLE d.before (id INT PRIMARY KEY)", "CREATE TABLE d.log (id INT PRIMARY KEY)")
	peer.CatchUp(t, p.pdb, p.rdb)
	peer.CatchUp(t, p.pdb, mdb)
	for _, db := range []*sql.DB{mdb, p.rdb} {
		peer.Exec(t, db, "SET GLOBAL slave_run_triggers_for_rbr = YES")
	}
	run := connect(t, p.pdb)
	for i, c := range []struct {
		name, trigger, text string
		// silent: MariaDB goes on, with what the trigger has done until then.
		silent bool
	}{
		{"SIGNAL", "BEFORE INSERT ON d.t FOR EACH ROW BEGIN INSERT INTO d.log VALUES (NEW.id); IF NEW.id % 10 = 1 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this'; END IF; END", "not this", false},
		{"a duplicate", "BEFORE INSERT ON d.t FOR EACH ROW INSERT INTO d.log VALUES (NEW.id DIV 10 * 10)", "Duplicate entry '10' for key 'PRIMARY'", false},
		{"no such table", "BEFORE INSERT ON d.t FOR EACH ROW INSERT INTO d.nowhere VALUES (NEW.id)", "Table 'd.nowhere' doesn't exist", false},
		{"after the change", "AFTER INSERT ON d.t FOR EACH ROW INSERT INTO d.log VALUES (7)", "Duplicate entry '7' for key 'PRIMARY'", true},
	} {
		onBoth(t, p, mdb, "CREATE TRIGGER d.failing "+c.trigger)
		run("BEGIN", fmt.Sprintf("INSERT INTO d.before VALUES (%d)", i), fmt.Sprintf("INSERT INTO d.t VALUES (%d, 1), (%d, 1)", 10*i, 10*i+1), "COMMIT")
		want, have := sqlError(t, p.pdb, mdb), sqlError(t, p.pdb, p.rdb)
		if c.silent && want == "" {
			want = "1062 "
		}
		if len(want) < 5 || len(have) < 5 || want[:5] != have[:5] || !strings.Contains(have, "Could not execute Write_rows_v1 event on table d.t; ") || !strings.Contains(have, c.text) {
			t.Errorf("%s: %q; MariaDB says %q", c.name, have, want)
		}
		if !c.silent {
			peer.RequireEqualContent(t, mdb, p.rdb)
		}
		if rows := peer.MustRows(t, p.rdb, fmt.Sprintf("SELECT id FROM d.before WHERE id = %d", i)); len(rows) != 0 {
			t.Errorf("%s: a part of the group is there", c.name)
		}
		onBoth(t, p, mdb, "DROP TRIGGER d.failing")
		for _, db := range []*sql.DB{mdb, p.rdb} {
			peer.Exec(t, db, "START SLAVE")
			peer.CatchUp(t, p.pdb, db)
		}
		if !c.silent {
			peer.RequireEqualContent(t, mdb, p.rdb)
		}
	}
	for _, query := range []string{"SELECT * FROM d.t ORDER BY 1", "SELECT * FROM d.before ORDER BY 1"} {
		requireSame(t, p.pdb, p.rdb, query)
	}
	if rows := peer.MustRows(t, p.rdb, "SELECT id FROM d.log"); len(rows) != 0 {
		t.Errorf("something of triggers that have failed is there: %s", rows)
	}
}
