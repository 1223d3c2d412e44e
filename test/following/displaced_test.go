package following

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// noting gives triggers of every kind for a table that has a column id, which note in d.log what they see of some of its columns. With changes, BEFORE triggers change the
// new row after that.
func noting(table, columns, changes string) (triggers []string) {
	seen := func(row string) string {
		var list []string
		for _, c := range strings.Fields(columns) {
			list = append(list, strings.ReplaceAll("IFNULL("+c+", 'NULL')", "R.", row+"."))
		}
		return "CONCAT_WS(',', " + strings.Join(list, ", ") + ")"
	}
	for _, event := range []string{"INSERT", "UPDATE", "DELETE"} {
		for _, time := range []string{"BEFORE", "AFTER"} {
			old, now := seen("OLD"), seen("NEW")
			change := ""
			switch event {
			case "INSERT":
				old = "NULL"
			case "DELETE":
				now = "NULL"
			}
			if event != "DELETE" && time == "BEFORE" {
				change = changes
			}
			triggers = append(triggers, fmt.Sprintf("CREATE TRIGGER d.%s_%s_%s %[2]s %[3]s ON d.%[1]s FOR EACH ROW BEGIN INSERT INTO d.log (what, o, n) VALUES ('%[1]s %[2]s %[3]s', %s, %s); %s END",
				table, time, event, old, now, change))
		}
	}
	return triggers
}

var rowImages = []string{"FULL", "MINIMAL", "NOBLOB"}

// TestTriggersOfGeneratedColumns runs triggers for rows with generated columns, which BEFORE triggers change the sources of, beside a MariaDB that runs the same.
func TestTriggersOfGeneratedColumns(t *testing.T) {
	p, mdb := startBesides(t)
	// image is the primary's binlog_row_image: of NEW with MINIMAL a MariaDB shows NULL, or the old value, in a VIRTUAL column that was not sent.
	const columns = "R.id R.a R.st R.late R.txt IF(R.image='MINIMAL',0,R.vi) IF(R.image='MINIMAL',0,R.v2)"
	peer.Exec(t, p.pdb, "CREATE DATABASE d", "CREATE TABLE d.log (k INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(40), o VARCHAR(200), n VARCHAR(200))",
		`CREATE TABLE d.g (id INT PRIMARY KEY, a INT, st INT AS (a * 10) STORED, vi INT AS (a * 100) VIRTUAL, image VARCHAR(9) NOT NULL, b BLOB, v2 BIGINT AS (st + vi) VIRTUAL,
			late VARCHAR(30) AS (CONCAT(image, '-', a)) STORED, txt TEXT, tv VARCHAR(20) AS (LEFT(txt, 3)) VIRTUAL)`,
		"CREATE TABLE d.plain (id INT PRIMARY KEY, a INT, vi INT AS (a + 1) VIRTUAL, b BLOB, KEY (vi))")
	peer.CatchUp(t, p.pdb, p.rdb)
	peer.CatchUp(t, p.pdb, mdb)
	onBoth(t, p, mdb, noting("g", columns, "SET NEW.a = NEW.a + 1, NEW.txt = CONCAT('<', NEW.txt);")...)
	onBoth(t, p, mdb, noting("plain", "R.id R.a", "")...)
	unchecked(t, p.rdb)("ALTER TABLE d.g ADD KEY (vi), ADD KEY (st), ADD KEY (v2)") // a MariaDB's index of a VIRTUAL column is corrupt after a trigger like this
	run := connect(t, p.pdb)
	for i, mode := range []string{"YES", "LOGGING", "ENFORCE", "NO"} {
		for _, db := range []*sql.DB{mdb, p.rdb} {
			peer.Exec(t, db, "SET GLOBAL slave_run_triggers_for_rbr = "+mode)
		}
		for k, image := range rowImages {
			id := 100*i + 10*k
			run("SET SESSION binlog_row_image = "+image,
				fmt.Sprintf("INSERT INTO d.g (id, a, image, txt, b) VALUES (%d, 1, '%[2]s', 'text', 'blob'), (%[3]d, 2, '%[2]s', NULL, NULL)", id, image, id+1),
				fmt.Sprintf("INSERT INTO d.g (id, image) VALUES (%d, '%s')", id+2, image),
				fmt.Sprintf("UPDATE d.g SET a = a + 5 WHERE id = %d", id), fmt.Sprintf("UPDATE d.g SET txt = 'other' WHERE id = %d", id+1), fmt.Sprintf("UPDATE d.g SET id = id + 5 WHERE id = %d", id+2),
				fmt.Sprintf("UPDATE d.g SET a = NULL, b = 'x' WHERE id >= %d AND id < %d", id, id+2), fmt.Sprintf("UPDATE d.g SET a = 3 WHERE id = %d", id),
				fmt.Sprintf("DELETE FROM d.g WHERE id = %d", id+1), fmt.Sprintf("REPLACE INTO d.g (id, a, image) VALUES (%d, 7, '%s')", id+5, image),
				fmt.Sprintf("INSERT INTO d.plain (id, a) VALUES (%d, 1), (%d, NULL)", id, id+1), fmt.Sprintf("UPDATE d.plain SET a = 6 WHERE id >= %d", id), fmt.Sprintf("UPDATE d.plain SET b = 'c' WHERE id = %d", id),
				fmt.Sprintf("DELETE FROM d.plain WHERE id = %d", id+1))
			peer.CatchUp(t, p.pdb, mdb)
			peer.CatchUp(t, p.pdb, p.rdb)
			peer.RequireEqualContent(t, mdb, p.rdb)
			if t.Failed() {
				t.Fatalf("%s, row image %s", mode, image)
			}
		}
	}
	if n := peer.MustRows(t, p.rdb, "SELECT k FROM d.log"); len(n) < 3*3*15 {
		t.Errorf("triggers have written %d rows only", len(n))
	}
	for _, c := range []string{"vi", "v2", "st"} {
		requireIndex(t, p.rdb, "d.g", c)
	}
	requireIndex(t, p.rdb, "d.plain", "vi")
	peer.RequireSound(t, p.rdb, "d.g")
	peer.RequireSound(t, p.rdb, "d.plain")
}

// requireIndex compares what the index of a column has with the column.
func requireIndex(t *testing.T, db *sql.DB, table, column string) {
	t.Helper()
	without := peer.MustRows(t, db, fmt.Sprintf("SELECT id, %s FROM %s IGNORE INDEX (%[1]s) ORDER BY 2, 1", column, table))
	for _, row := range peer.MustRows(t, db, fmt.Sprintf("SELECT DISTINCT %s FROM %s IGNORE INDEX (%[1]s) WHERE %[1]s IS NOT NULL", column, table)) {
		value := strings.Trim(row, `"`)
		want := peer.MustRows(t, db, fmt.Sprintf("SELECT id FROM %s IGNORE INDEX (%s) WHERE %[2]s = %[3]s ORDER BY 1", table, column, value))
		have := peer.MustRows(t, db, fmt.Sprintf("SELECT id FROM %s FORCE INDEX (%s) WHERE %[2]s = %[3]s ORDER BY 1", table, column, value))
		if strings.Join(want, " ") != strings.Join(have, " ") {
			t.Errorf("the index of %s.%s has rows %s for %s; the table %s of %d", table, column, have, value, want, len(without))
		}
	}
}

// TestTriggersAndIdempotent runs triggers in slave_exec_mode=IDEMPOTENT on replicas that have other rows than the primary, beside a MariaDB.
func TestTriggersAndIdempotent(t *testing.T) {
	p, mdb := startBesides(t)
	peer.Exec(t, p.pdb, "CREATE DATABASE d", "CREATE TABLE d.log (k INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(40), o VARCHAR(200), n VARCHAR(200))",
		"CREATE TABLE d.t (id INT PRIMARY KEY, a INT, s VARCHAR(9) DEFAULT 'new', b BLOB)", "CREATE TABLE d.u (id INT PRIMARY KEY, a INT, k INT, s VARCHAR(9) DEFAULT 'new', UNIQUE (a), UNIQUE (k))",
		"CREATE TABLE d.g (id INT PRIMARY KEY, a INT, st INT AS (a * 10) STORED, vi INT AS (a * 100) VIRTUAL, k INT, s VARCHAR(9) DEFAULT 'new', b BLOB, UNIQUE (k))",
		"CREATE TABLE d.changed (id INT PRIMARY KEY, a INT, k INT, s VARCHAR(9) DEFAULT 'new', b TEXT, UNIQUE (k))",
		"CREATE TABLE d.bare (id INT, a INT)", "CREATE TABLE d.parents (id INT PRIMARY KEY, a INT)", "CREATE TABLE d.none (id INT PRIMARY KEY, a INT, k INT, s VARCHAR(9) DEFAULT 'new', b BLOB, UNIQUE (k))",
		"CREATE TABLE d.children (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES d.parents (id) ON DELETE CASCADE)",
		"CREATE TABLE d.keeping (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES d.parents (id))")
	peer.CatchUp(t, p.pdb, p.rdb)
	peer.CatchUp(t, p.pdb, mdb)
	for _, list := range [][]string{noting("t", "R.id R.a R.s", ""), noting("u", "R.id R.a R.k", ""), noting("g", "R.id R.a R.st", ""), noting("changed", "R.id R.a R.k", "SET NEW.a = NEW.a + 100, NEW.b = 'trigger';"),
		noting("bare", "R.id R.a", ""), noting("parents", "R.id R.a", ""), noting("keeping", "R.id R.p", "")} {
		onBoth(t, p, mdb, list...)
	}
	for _, db := range []*sql.DB{mdb, p.rdb} {
		peer.Exec(t, db, "STOP SLAVE", "SET GLOBAL slave_exec_mode = IDEMPOTENT", "SET GLOBAL slave_run_triggers_for_rbr = YES", "START SLAVE")
	}
	seed := newSeed(t)
	run, rnd := connect(t, p.pdb), source(seed, 0)
	own := func(list ...string) { run("SET sql_log_bin = 0"); run(list...); run("SET sql_log_bin = 1") }
	for round := range peer.Scaled(6, 60) {
		image := rowImages[round%len(rowImages)]
		run("SET SESSION binlog_row_image = " + image)
		for range 80 {
			q := drawnChange(rnd)
			switch rnd.IntN(4) {
			case 0:
				own("SET foreign_key_checks = 0", q, "SET foreign_key_checks = 1") // what the replicas do not get
			default:
				run(q)
			}
		}
		peer.CatchUp(t, p.pdb, mdb)
		peer.CatchUp(t, p.pdb, p.rdb)
		peer.RequireEqualContent(t, mdb, p.rdb)
		if t.Failed() {
			t.Fatalf("round %d, row image %s", round, image)
		}
	}
	if n := peer.MustRows(t, p.rdb, "SELECT DISTINCT what FROM d.log"); len(n) < 30 {
		t.Errorf("of 42 triggers only these have been run: %s", n)
	}
	for _, table := range peer.Tables(t, p.rdb) {
		peer.RequireSound(t, p.rdb, table)
	}
}

// drawnChange is a statement that changes some row of TestTriggersAndIdempotent's tables, whether it is there or not.
func drawnChange(rnd *rand.Rand) string {
	n := func() int { return 1 + rnd.IntN(5) }
	table := []string{"t", "u", "g", "changed", "none", "bare", "parents", "children", "keeping"}[rnd.IntN(9)]
	where := fmt.Sprintf("WHERE id = %d", n())
	switch kind := rnd.IntN(5); {
	case kind == 0:
		return fmt.Sprintf("DELETE IGNORE FROM d.%s %s", table, where)
	case kind == 1 && (table == "u" || table == "g" || table == "changed" || table == "none"):
		return fmt.Sprintf("UPDATE IGNORE d.%s SET k = %d %s", table, n(), where)
	case kind == 1 && (table == "children" || table == "keeping"):
		return fmt.Sprintf("UPDATE IGNORE d.%s SET p = %d %s", table, n(), where)
	case kind <= 2 && table != "children" && table != "keeping":
		return fmt.Sprintf("UPDATE IGNORE d.%s SET a = %d %s", table, n(), where)
	case kind == 2:
		return fmt.Sprintf("UPDATE IGNORE d.%s SET id = %d %s", table, n(), where)
	}
	switch table {
	case "t", "bare", "parents":
		return fmt.Sprintf("INSERT IGNORE INTO d.%s (id, a) VALUES (%d, %d), (%d, %d)", table, n(), n(), n(), n())
	case "children", "keeping":
		return fmt.Sprintf("INSERT IGNORE INTO d.%s VALUES (%d, %d)", table, n(), n())
	}
	if rnd.IntN(2) == 0 {
		return fmt.Sprintf("INSERT IGNORE INTO d.%s (id, a, k, s) VALUES (%d, %d, %d, 'set')", table, n(), n(), n())
	}
	return fmt.Sprintf("INSERT IGNORE INTO d.%s (id, a, k) VALUES (%d, %d, %d), (%d, %d, %d)", table, n(), n(), n(), n(), n(), n())
}
