package ddlreplica

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// written are statements about more than one ALTER TABLE; each is run as it is.
var written = []string{
	"CREATE TABLE b (a INT, b INT)", "INSERT INTO b VALUES (1, 2)",
	"ALTER TABLE b ADD COLUMN c0 INT FIRST, ADD COLUMN c2 INT", "INSERT INTO b VALUES (10, 11, 12, 13)",
	"ALTER TABLE b ADD COLUMN d0 INT DEFAULT 8 FIRST, DROP COLUMN a", "ALTER TABLE b MODIFY b BIGINT FIRST, MODIFY c2 VARCHAR(9)", "INSERT INTO b VALUES (20, 21, 22, '23')",
	"CREATE TABLE p (a INT PRIMARY KEY, b INT NOT NULL, c VARCHAR(10))", "INSERT INTO p VALUES (1, 11, 'x'), (2, 12, 'y')",
	"ALTER TABLE p DROP PRIMARY KEY, ADD PRIMARY KEY (b)", "ALTER TABLE p DROP COLUMN a", "UPDATE p SET c = 'z' WHERE b = 12",
	"ALTER TABLE p RENAME COLUMN b TO c, RENAME COLUMN c TO b", "UPDATE p SET b = 'w' WHERE c = 11", "DELETE FROM p WHERE c = 12",
	"ALTER TABLE p ADD id INT NOT NULL AUTO_INCREMENT FIRST, ADD KEY (id)", "INSERT INTO p (b, c) VALUES ('auto', 5)",
	"ALTER TABLE p ADD UNIQUE KEY u (b, c), ADD KEY k (b(3)), COMMENT='x'", "ALTER TABLE p RENAME INDEX u TO k, RENAME INDEX k TO u",
	"CREATE TABLE x (id INT PRIMARY KEY, v INT)", "CREATE TABLE y (id INT PRIMARY KEY, w VARCHAR(10))", "INSERT INTO x VALUES (1, 2)", "INSERT INTO y VALUES (1, 'two')",
	"RENAME TABLE x TO z, y TO x, z TO y", "INSERT INTO x VALUES (2, 'x')", "INSERT INTO y VALUES (2, 2)",
	"CREATE TABLE l LIKE p", "INSERT INTO l (b, c) VALUES ('like', 1)", "TRUNCATE TABLE l", "INSERT INTO l (b, c) VALUES ('again', 1)",
	"CREATE INDEX kx ON x (w)", "DROP INDEX kx ON x", "CREATE UNIQUE INDEX ux ON x (w(2))", "INSERT INTO x VALUES (3, 'three')",
	"ALTER TABLE x CONVERT TO CHARACTER SET latin1", "INSERT INTO x VALUES (4, 'größe')", "ALTER TABLE x DEFAULT CHARACTER SET utf8mb4, ADD COLUMN u VARCHAR(5)", "INSERT INTO x VALUES (5, 'fünf', 'ключ')",
	"CREATE OR REPLACE TABLE x (v VARCHAR(5), id INT)", "INSERT INTO x VALUES ('a', 1)",
	"CREATE TABLE parent (id INT PRIMARY KEY)", "INSERT INTO parent VALUES (1), (2)", "CREATE TABLE child (id INT PRIMARY KEY, p INT, CONSTRAINT fp FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE)",
	"INSERT INTO child VALUES (1, 1), (2, 2)", "DELETE FROM parent WHERE id = 1", "ALTER TABLE child RENAME COLUMN p TO q, ADD COLUMN r INT FIRST", "INSERT INTO child VALUES (7, 8, 2)",
	"ALTER TABLE child DROP FOREIGN KEY fp, DROP COLUMN q", "ALTER TABLE parent CHANGE id k BIGINT NOT NULL, ADD COLUMN n INT FIRST", "INSERT INTO parent VALUES (1, 5)",
	"CREATE TABLE g (a INT, s INT AS (a + 1) STORED, v INT AS (a * 2) VIRTUAL, CHECK (a > 0))", "INSERT INTO g (a) VALUES (5)",
	"ALTER TABLE g CHANGE a n INT, ADD COLUMN a INT FIRST", "INSERT INTO g (a, n) VALUES (100, 6)", "ALTER TABLE g MODIFY s INT AS (n + 1) STORED FIRST", "INSERT INTO g (a, n) VALUES (101, 7)",
	"ALTER TABLE g MODIFY n BIGINT, ALGORITHM=INPLACE, LOCK=NONE", "ALTER TABLE g RENAME TO h, LOCK=SHARED", "INSERT INTO h (a, n) VALUES (102, 8)",
	"ALTER TABLE IF EXISTS h ADD COLUMN IF NOT EXISTS z INT FIRST, DROP COLUMN IF EXISTS nothing", "INSERT INTO h (z, n) VALUES (3, 4)", "ALTER TABLE IF EXISTS nowhere ADD COLUMN a INT",
	"CREATE TABLE e (a INT PRIMARY KEY AUTO_INCREMENT, b INT COMMENT 'ENGINE=BTREE', KEY btree (b)) ENGINE=BTREE COMMENT='LSM'", "INSERT INTO e (b) VALUES (1), (2)",
	"ALTER TABLE e ENGINE=LSM, ADD COLUMN engine INT FIRST", "INSERT INTO e (engine, b) VALUES (7, 3)", "ALTER TABLE e ENGINE='MEMORY', DROP COLUMN engine", "INSERT INTO e (b) VALUES (4)",
	"ALTER TABLE e ENGINE BTREE COMMENT='ENGINE=LSM'", "UPDATE e SET b = 5 WHERE b = 4", "ALTER TABLE e ENGINE=`btree`", "CREATE TABLE el LIKE e", "INSERT INTO el SELECT * FROM e",
	"CREATE TABLE es ENGINE=BTREE SELECT b FROM e", "INSERT INTO es VALUES (9)", "CREATE OR REPLACE TABLE es ENGINE=HEAP SELECT a, b FROM e", "DELETE FROM es WHERE a = 1",
	"CREATE OR REPLACE TABLE es (a INT) ENGINE=LSM", "INSERT INTO es VALUES (1)", "CREATE TEMPORARY TABLE et (a INT PRIMARY KEY, b VARCHAR(5)) ENGINE=BTREE", "CREATE TABLE elt LIKE et", "INSERT INTO elt VALUES (1, 'x')",
	"SET default_storage_engine = BTREE", "CREATE TABLE ed (a INT)", "INSERT INTO ed VALUES (1)", "CREATE TABLE eds SELECT a FROM ed", "SET default_storage_engine = DEFAULT",
	"CREATE PROCEDURE mk() BEGIN CREATE TABLE pr (a INT DEFAULT 5 COMMENT 'it''s', KEY (a)) ENGINE=BTREE COMMENT='c'; INSERT INTO pr VALUES (1); ALTER TABLE pr ADD b VARCHAR(5) DEFAULT 'x'; CREATE TABLE pl LIKE pr; RENAME TABLE pl TO pm; INSERT INTO pm VALUES (1, 'y'); END", "CALL mk()",
	"CREATE TABLE ec (a INT) ENGINE=CSV", "INSERT INTO ec VALUES (1), (NULL)", "ALTER TABLE ec ENGINE=TokuDB", "CREATE TABLE ea (a INT) ENGINE=ARCHIVE", "INSERT INTO ea VALUES (1)", "DELETE FROM ea",
	"ALTER TABLE h ADD COLUMN (k1 INT, k2 VARCHAR(3) DEFAULT 'k')", "INSERT INTO h (k2, n) VALUES ('l', 9)",
}

func TestBattery(t *testing.T) {
	peer.RequireMariaDB(t)
	seed := drawSeed(t)
	primary := peer.Start(t, peer.Options{Kind: peer.Duramen, Binlog: true, Args: []string{"--sync-binlog=0"}})
	replica := peer.StartMariaDB(t, peer.Options{ServerID: 2, Args: []string{"--innodb-flush-log-at-trx-commit=0", "--skip-innodb-doublewrite"}})
	b := &battery{t: t, rnd: rand.New(rand.NewPCG(seed, 2)), primary: primary.DB(""), replica: replica.DB("")}
	defer b.primary.Close()
	defer b.replica.Close()
	b.primary.SetMaxOpenConns(1)
	b.replica.SetMaxOpenConns(1)
	peer.Exec(t, b.primary, "CREATE USER 'repl'@'127.0.0.1' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'127.0.0.1'",
		"CREATE USER 'repl'@'localhost' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'localhost'", "CREATE DATABASE d", "USE d")
	peer.Exec(t, b.replica, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='repl', MASTER_PASSWORD='secret', MASTER_USE_GTID=slave_pos", primary.Port), "START SLAVE")
	for _, q := range slices.Concat(written, partitioned) {
		if _, err := b.primary.Exec(q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
		if b.compare(q); t.Failed() {
			return
		}
	}
	b.begin()
	for n := range peer.Scaled(120, 4000) {
		if n%40 == 39 {
			b.begin()
		}
		b.alter()
		if b.insert(); t.Failed() {
			return
		}
	}
	t.Logf("%d statements succeeded, %d failed, %d were refused", b.done, b.failed, b.refused)
}

type battery struct {
	t                     *testing.T
	rnd                   *rand.Rand
	primary, replica      *sql.DB
	last                  []string // statements since the table was made
	value                 int
	done, failed, refused int
}

// run runs a statement, which may fail, and compares the servers.
func (b *battery) run(q string) {
	b.last = append(b.last, q)
	if _, err := b.primary.Exec(q); err != nil {
		b.failed++
		if strings.Contains(err.Error(), "1235") {
			b.refused++
		}
		if strings.Contains(err.Error(), "Error 1105") {
			b.t.Errorf("%s: %v", strings.Join(b.last, ";\n"), err)
		}
		return
	}
	b.done++
	b.compare(strings.Join(b.last, ";\n"))
}

// compare waits for the replica and compares all tables.
func (b *battery) compare(what string) {
	b.t.Helper()
	pos := strings.Trim(peer.MustRows(b.t, b.primary, "SELECT @@GLOBAL.gtid_binlog_pos")[0], `"`)
	if got := peer.MustRows(b.t, b.replica, "SELECT MASTER_GTID_WAIT('"+pos+"', 15)")[0]; got != `"0"` {
		var out strings.Builder
		picked(&out, b.replica, "status", "SHOW SLAVE STATUS", "Last_IO_Error", "Last_SQL_Error")
		b.t.Fatalf("%s\nthe replica does not follow: %s", what, out.String())
	}
	if tables, other := peer.Tables(b.t, b.primary), peer.Tables(b.t, b.replica); strings.Join(tables, " ") != strings.Join(other, " ") {
		b.t.Fatalf("%s\ntables %s, on the replica %s", what, tables, other)
	}
	for _, name := range peer.Tables(b.t, b.primary) {
		schema, table, _ := strings.Cut(name, ".")
		if d := difference(shape(b.t, b.replica, schema, table), shape(b.t, b.primary, schema, table)); d != "" {
			b.t.Errorf("%s\ntable %s (- replica, + primary):\n%s", what, name, d)
		}
	}
}

func (b *battery) pick(list ...string) string { return list[b.rnd.IntN(len(list))] }

func (b *battery) begin() {
	for _, name := range peer.Tables(b.t, b.primary) {
		peer.Exec(b.t, b.primary, "SET foreign_key_checks = 0", "DROP TABLE IF EXISTS "+name, "SET foreign_key_checks = 1")
	}
	b.last = nil
	b.run("CREATE TABLE r (c0 INT NOT NULL PRIMARY KEY, c1 VARCHAR(20), c2 INT, c3 DECIMAL(12,2), c4 DATE, KEY (c2))")
	b.insert()
	b.insert()
}

// columns of the table, by name; those that are computed are left out.
func (b *battery) columns() (names, types []string) {
	rows, err := b.primary.Query("SHOW COLUMNS FROM d.r")
	if err != nil {
		b.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name, typ, null, key, extra string
		var def sql.NullString
		if err := rows.Scan(&name, &typ, &null, &key, &def, &extra); err != nil {
			b.t.Fatal(err)
		}
		if !strings.Contains(extra, "GENERATED") {
			names, types = append(names, name), append(types, typ)
		}
	}
	return names, types
}

// insert puts a row into the table whose values say which column they are meant for.
func (b *battery) insert() {
	names, types := b.columns()
	values := make([]string, len(names))
	b.value++
	for i, typ := range types {
		switch n := b.value*100 + i; {
		case strings.HasPrefix(typ, "varchar"), strings.HasPrefix(typ, "text"):
			values[i] = fmt.Sprintf("'%s-%d'", names[i], b.value)
		case strings.HasPrefix(typ, "date"), strings.HasPrefix(typ, "timestamp"):
			values[i] = fmt.Sprintf("'2024-%02d-%02d'", i%12+1, b.value%28+1)
		case strings.HasPrefix(typ, "enum"):
			values[i] = fmt.Sprint(b.value%3 + 1)
		case strings.HasPrefix(typ, "decimal"), strings.HasPrefix(typ, "double"):
			values[i] = fmt.Sprintf("%d.25", n)
		default:
			values[i] = fmt.Sprint(n)
		}
		names[i] = "`" + names[i] + "`"
	}
	b.run("INSERT INTO r (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")")
}

func (b *battery) alter() {
	names, _ := b.columns()
	if len(names) == 0 { // all that are left are computed
		b.begin()
		names, _ = b.columns()
	}
	var list []string
	for range 1 + b.rnd.IntN(4) {
		list = append(list, b.clause(names))
	}
	b.run("ALTER TABLE r " + strings.Join(list, ", "))
}

func (b *battery) place(names []string) string {
	switch b.rnd.IntN(4) {
	case 0:
		return " FIRST"
	case 1:
		return " AFTER " + b.pick(names...)
	}
	return ""
}

func (b *battery) column() string {
	return b.pick("INT", "BIGINT", "INT NOT NULL", "VARCHAR(30)", "VARCHAR(60) CHARACTER SET latin1", "VARCHAR(25) NOT NULL DEFAULT 'd'", "DECIMAL(14,3)", "TEXT", "INT DEFAULT 7", "BIGINT UNSIGNED",
		"ENUM('x','y','z')", "DATETIME", "DATE", "DOUBLE", "DATETIME(3) DEFAULT '2001-02-03 00:00:00.125'", "VARCHAR(30) COMMENT 'it''s'")
}

func (b *battery) clause(names []string) string {
	fresh := func() string { return fmt.Sprintf("c%d", b.rnd.IntN(14)) }
	key := func() string { return fmt.Sprintf("k%d", b.rnd.IntN(4)) }
	old := b.pick(names...)
	switch b.rnd.IntN(17) {
	case 0, 1, 2, 3:
		return "ADD COLUMN " + fresh() + " " + b.column() + b.place(names)
	case 4, 5:
		return "DROP COLUMN " + old
	case 6, 7:
		return "MODIFY " + old + " " + b.column() + b.place(names)
	case 8:
		return "CHANGE " + old + " " + fresh() + " " + b.column() + b.place(names)
	case 9:
		return "RENAME COLUMN " + old + " TO " + b.pick(fresh(), b.pick(names...))
	case 10:
		return "ADD " + b.pick("INDEX ", "INDEX ", "UNIQUE ") + key() + " (" + old + ")"
	case 11:
		return b.pick("DROP INDEX "+key(), "RENAME INDEX "+key()+" TO "+key())
	case 12:
		return b.pick("DROP PRIMARY KEY", "ADD PRIMARY KEY ("+old+")", "DROP PRIMARY KEY, ADD PRIMARY KEY ("+old+")")
	case 13:
		return b.pick("ALTER COLUMN "+old+" SET DEFAULT 5", "ALTER COLUMN "+old+" DROP DEFAULT", "COMMENT='"+fresh()+"'")
	case 14:
		return "ADD COLUMN " + fresh() + " INT AS (" + b.pick("1 + 1", old+" IS NULL") + ") " + b.pick("STORED", "VIRTUAL") + b.place(names)
	case 15:
		return "ENGINE=" + b.pick("BTREE", "LSM", "InnoDB", "MEMORY", "'btree'")
	}
	return b.pick("ADD COLUMN "+fresh()+" INT UNIQUE", "ADD COLUMN "+fresh()+" INT NOT NULL AUTO_INCREMENT UNIQUE", "DEFAULT CHARACTER SET latin1", "FORCE")
}
