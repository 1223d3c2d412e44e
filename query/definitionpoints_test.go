package query_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/store/crashtest"
)

// definitionTables are the tables of the statements, in every engine: k has keys, h has no primary key, p and f a foreign key, r partitions, and e is
// like one of them. %[1]s is the engine.
var definitionTables = map[string]string{
	"k": "CREATE TABLE k_%[1]s (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, a INT, b VARCHAR(40) COLLATE utf8mb4_general_ci, c INT NOT NULL, KEY a (a), UNIQUE KEY c (c), CHECK (a < 100000)) ENGINE=%[1]s",
	"h": "CREATE TABLE h_%[1]s (a INT, b VARCHAR(40), KEY b (b)) ENGINE=%[1]s",
	"p": "CREATE TABLE p_%[1]s (id INT PRIMARY KEY, n INT) ENGINE=%[1]s",
	"f": "CREATE TABLE f_%[1]s (id INT PRIMARY KEY, n INT, KEY n (n), CONSTRAINT fk_%[1]s FOREIGN KEY (n) REFERENCES p_%[1]s (id)) ENGINE=%[1]s",
	"r": "CREATE TABLE r_%[1]s (a INT, b VARCHAR(40), KEY a (a)) ENGINE=%[1]s PARTITION BY RANGE (a) " +
		"(PARTITION p0 VALUES LESS THAN (5), PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN MAXVALUE)",
	"e": "CREATE TABLE e_%[1]s (a INT, b VARCHAR(40), KEY a (a)) ENGINE=%[1]s",
	"x": "CREATE TABLE x_%[1]s (id INT PRIMARY KEY, t TEXT, v INT AS (id + 1) VIRTUAL, FULLTEXT KEY t (t)) ENGINE=%[1]s",
}

// insertable are rows of those tables, in the words of INSERT, with numbers that other rows do not have: n of them from a first one on.
func insertable(table string, first, n int) string {
	columns, row := "a, b, c", "(%[1]d %% 7, 'row %[1]d', %[1]d)"
	switch table[0] {
	case 'h', 'r', 'e':
		columns, row = "a, b", "(%[1]d, 'row %[1]d'), (%[1]d, 'row %[1]d')"
	case 'p':
		columns, row = "id, n", "(%[1]d, 0)"
	case 'f':
		columns, row = "id, n", "(%[1]d, 3)"
	case 'x':
		columns, row = "id, t", "(%[1]d, 'a text %[1]d')"
	}
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(row, first+i)
	}
	return fmt.Sprintf("(%s) VALUES %s", columns, strings.Join(rows, ", "))
}

// definitionStatements are the statements; {in} is the engine of the table, {to} another one.
var definitionStatements = []struct {
	sql    string
	number uint16 // of its error
	// lasting says that it is about tables that there are not in the memory engine.
	lasting bool
}{
	{sql: "ALTER TABLE k_{in} ADD COLUMN d VARCHAR(10) NOT NULL DEFAULT 'new' AFTER id"},
	{sql: "ALTER TABLE k_{in} DROP COLUMN b"},
	{sql: "ALTER TABLE k_{in} MODIFY COLUMN b VARCHAR(80) NOT NULL DEFAULT '' FIRST"},
	{sql: "ALTER TABLE k_{in} CHANGE COLUMN c cc BIGINT NOT NULL"},
	{sql: "ALTER TABLE k_{in} RENAME COLUMN a TO aa, ALTER COLUMN b SET DEFAULT 'x', COMMENT 'altered'"},
	{sql: "ALTER TABLE k_{in} ADD INDEX ab (a, b), ADD UNIQUE KEY bc (b(5), c)"},
	{sql: "ALTER TABLE k_{in} DROP INDEX a, RENAME INDEX c TO cc"},
	{sql: "ALTER TABLE k_{in} MODIFY COLUMN id INT NOT NULL, DROP PRIMARY KEY, ADD PRIMARY KEY (c)"},
	{sql: "ALTER TABLE k_{in} CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"},
	{sql: "ALTER TABLE k_{in} AUTO_INCREMENT = 5000, DROP CONSTRAINT CONSTRAINT_1, ADD CONSTRAINT small CHECK (c < 100000)"},
	{sql: "ALTER TABLE h_{in} ADD COLUMN id INT NOT NULL AUTO_INCREMENT PRIMARY KEY FIRST"},
	{sql: "ALTER TABLE k_{in} RENAME TO renamed"},
	{sql: "RENAME TABLE k_{in} TO aside, h_{in} TO k_{in}, aside TO h_{in}"},
	{sql: "CREATE INDEX ba ON h_{in} (b, a)"},
	{sql: "DROP INDEX b ON h_{in}"},
	{sql: "ALTER TABLE k_{in} ENGINE={in}"},
	{sql: "ALTER TABLE k_{in} ENGINE={to}"},
	{sql: "ALTER TABLE h_{in} ENGINE={to}"},
	{sql: "ALTER TABLE k_{in} ADD COLUMN d INT DEFAULT 4, DROP COLUMN b, ADD INDEX d (d), RENAME TO moved, ENGINE={to}"},
	{sql: "CREATE TABLE made (a INT) ENGINE={in}"},
	{sql: "CREATE TABLE made LIKE k_{in}"},
	{sql: "CREATE TABLE made (PRIMARY KEY (id)) ENGINE={to} AS SELECT id, b, c FROM k_{in}"},
	{sql: "CREATE OR REPLACE TABLE h_{in} (z INT) ENGINE={to} AS SELECT a AS z FROM k_{in}"},
	{sql: "DROP TABLE k_{in}"},
	{sql: "DROP TABLE k_{in}, k_{to}"},
	{sql: "TRUNCATE TABLE k_{in}"},
	{sql: "CREATE DATABASE other"},
	{sql: "DROP DATABASE d"},
	{sql: "ALTER TABLE r_{in} DROP PARTITION p0"},
	{sql: "ALTER TABLE r_{in} TRUNCATE PARTITION p1", lasting: true},
	{sql: "ALTER TABLE r_{in} REORGANIZE PARTITION p0, p1 INTO (PARTITION p VALUES LESS THAN (10))"},
	{sql: "ALTER TABLE r_{in} PARTITION BY HASH (a) PARTITIONS 3"},
	{sql: "ALTER TABLE r_{in} CHANGE COLUMN a c INT"},
	{sql: "ALTER TABLE r_{in} EXCHANGE PARTITION p2 WITH TABLE e_{in}"},
	{sql: "ALTER TABLE x_{in} ENGINE={to}", lasting: true},
	{sql: "ALTER TABLE x_{in} DROP INDEX t", lasting: true},
	{sql: "CREATE FULLTEXT INDEX ft ON h_{in} (b)", lasting: true},
	{sql: "ALTER TABLE f_{in} DROP FOREIGN KEY fk_{in}, ADD CONSTRAINT again FOREIGN KEY (id) REFERENCES p_{in} (id)", lasting: true},
	{sql: "DROP TABLE f_{in}, p_{in}", lasting: true},
	{sql: "TRUNCATE TABLE f_{in}", lasting: true},

	{sql: "ALTER TABLE k_{in} ADD COLUMN d INT, ADD UNIQUE KEY ua (a)", number: 1062},
	{sql: "ALTER TABLE h_{in} ADD PRIMARY KEY (a), ENGINE={to}", number: 1062},
	{sql: "ALTER TABLE k_{in} ENGINE={to}, ADD CONSTRAINT never CHECK (c < 0)", number: 4025},
	{sql: "CREATE TABLE made (c INT PRIMARY KEY) ENGINE={to} AS SELECT a AS c FROM k_{in}", number: 1062},
}

// TestStatementsAtAllPoints lets the power fail before every operation of the file system that a statement of SQL about
// definitions makes, with the checkpoint and the end of the server after it. What is found is the table before the statement or
// after it, as the log says, in all engines; nothing is left over, other tables are as they were, and a second start changes
// nothing. Without DURAMEN_TEST_SCALE=full each statement runs in one engine, and one loss is tried, of every seventh operation (STRIDE).
func TestStatementsAtAllPoints(t *testing.T) {
	step := stride(t)
	for i, c := range sites() {
		t.Run(c.name, func(t *testing.T) {
			base := definitionBase(t, c)
			var olds, news, removed, runs, operations int
			for j, st := range definitionStatements {
				engines := []string{"ROCKSDB", "BTREE", "MEMORY"}
				if st.lasting {
					engines = engines[:2]
				}
				for e := range engines {
					if !fullScale() && e != (i+j)%len(engines) {
						continue
					}
					sql := strings.NewReplacer("{in}", engines[e], "{to}", engines[(e+1+j%(len(engines)-1))%len(engines)]).Replace(st.sql)
					t.Run(sql, func(t *testing.T) {
						b := &blackout{t: t, site: c, rng: rand.New(rand.NewPCG(uint64(i), uint64(j)))}
						b.run(base, sql, st.number)
						for k, p := range b.pictures {
							if k < len(b.pictures)-1 && k%step != j%step {
								continue
							}
							if !t.Run(fmt.Sprintf("%d %s %s", k, p.op.Kind, p.op.Name), func(t *testing.T) {
								b.t = t
								b.recovered(p, k%2 == 1)
							}) {
								t.Fatal("the rest is left out")
							}
						}
						olds, news, removed, runs = olds+b.olds, news+b.news, removed+b.removed, runs+1
						operations += len(b.pictures)
					})
				}
			}
			require.Positive(t, olds)
			require.Positive(t, news)
			require.Positive(t, removed, "nothing was ever half built")
			t.Logf("%d statements, %d points, %d crashes, %d with the old state, %d orphans removed", runs, operations, olds+news, olds, removed)
		})
	}
}

// definitionBase is a file system with the tables in every engine.
func definitionBase(t *testing.T, c *site) *crashfs.FS {
	fs := crashfs.New()
	s := &server{t: t, fs: fs, kinds: c.kinds, tune: c.tune(new(crashtest.Orphans))}
	s.open()
	cl := s.connect()
	cl.exec("CREATE DATABASE d")
	cl.exec("USE d")
	for _, e := range []string{"ROCKSDB", "BTREE", "MEMORY"} {
		for _, name := range []string{"k", "h", "p", "r", "e", "f", "x"} {
			if e == "MEMORY" && (name == "f" || name == "x") {
				continue // it has neither
			}
			cl.exec(definitionTables[name], e)
			first, n := 0, 20
			if name == "e" {
				first, n = 20, 5 // rows of the partition p2 of r
			}
			cl.exec("INSERT INTO %s_%s %s", name, e, insertable(name, first, n))
		}
	}
	cl.Close()
	s.close()
	return fs
}
