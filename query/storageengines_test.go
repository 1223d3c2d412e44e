package query_test

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/engine/memory"
	"github.com/duramendb/duramen/query"
)

// newEngines is a server with the engines InnoDB (and ROCKSDB), BTREE and MEMORY, and a database d.
func newEngines(t *testing.T) (*server, *client) {
	s := newServerOf(t, lsm.Kind{}, &enginetest.MemoryKind{EngineName: "BTREE", Disk: &enginetest.Disk{}}, memory.Kind{})
	c := s.connect()
	c.exec("CREATE DATABASE d")
	c.exec("USE d")
	return s, c
}

// holds is how many keys of a table's rows each engine of the store has.
func (s *server) holds(table string) map[string]int {
	s.t.Helper()
	tbl := s.store.Catalog().Current().Table("d", table)
	require.NotNil(s.t, tbl, table)
	out := map[string]int{}
	for _, e := range s.store.Engine().Engines() {
		lower, upper := tbl.Span(-1)
		it, err := e.NewIter(lower, upper)
		require.NoError(s.t, err)
		for ok := it.First(); ok; ok = it.Next() {
			out[e.Name()]++
		}
		require.NoError(s.t, it.Close())
	}
	return out
}

// sound fails the test unless all rows and index entries of the store are where they belong.
func (s *server) sound() {
	s.t.Helper()
	results, err := s.store.CheckAll(s.t.Context())
	require.NoError(s.t, err)
	for _, r := range results {
		require.True(s.t, r.OK(), "%s.%s: %v", r.DB, r.Table, r.Problems)
	}
}

func (c *client) engineOf(table string) string {
	c.t.Helper()
	return c.query("SELECT engine FROM information_schema.tables WHERE table_schema = 'd' AND table_name = '%s'", table)
}

func TestEngineNames(t *testing.T) {
	s, c := newEngines(t)
	for i, name := range []struct{ written, shown, stored string }{
		{"InnoDB", "InnoDB", "RocksDB"}, {"innodb", "InnoDB", "RocksDB"}, {"rocksdb", "ROCKSDB", "RocksDB"}, {"'LSM'", "ROCKSDB", "RocksDB"},
		{"BTree", "BTREE", "BTREE"}, {"`btree`", "BTREE", "BTREE"}, {"memory", "MEMORY", "MEMORY"}, {"HEAP", "MEMORY", "MEMORY"},
		{"MyISAM", "InnoDB", "RocksDB"}, {"TokuDB", "ROCKSDB", "RocksDB"},
	} {
		table := fmt.Sprintf("t%d", i)
		c.exec("CREATE TABLE %s (a INT PRIMARY KEY) ENGINE=%s", table, name.written)
		c.exec("INSERT INTO %s VALUES (1), (2)", table)
		require.Equal(t, name.shown, c.engineOf(table), name.written)
		require.Contains(t, c.query("SHOW CREATE TABLE %s", table), ") ENGINE="+name.shown+" ", name.written)
		require.Equal(t, map[string]int{name.stored: 2}, s.holds(table), name.written)
	}
	c.fails(1286, "CREATE TABLE x (a INT) ENGINE=nosuch")
	c.fails(1064, "CREATE TABLE x (a INT) ENGINE=DEFAULT")
	c.exec("CREATE TABLE likewise LIKE t4")
	c.exec("INSERT INTO likewise VALUES (1)")
	require.Equal(t, map[string]int{"BTREE": 1}, s.holds("likewise"))
	c.exec("CREATE TABLE selected ENGINE=BTREE AS SELECT * FROM t0")
	require.Equal(t, map[string]int{"BTREE": 2}, s.holds("selected"))
	c.exec("SET default_storage_engine = btree")
	c.exec("CREATE TABLE bydefault (a INT) AS SELECT a FROM t0")
	require.Equal(t, map[string]int{"BTREE": 2}, s.holds("bydefault"))
	c.exec("TRUNCATE TABLE bydefault")
	c.exec("INSERT INTO bydefault VALUES (5)")
	require.Equal(t, map[string]int{"BTREE": 1}, s.holds("bydefault"))
	s.sound()
}

// A server knows the engines that it has, and no others.
func TestEngineIsNotThere(t *testing.T) {
	s := newServer(t)
	c := s.connect()
	c.exec("CREATE DATABASE d")
	c.exec("USE d")
	c.fails(1286, "CREATE TABLE x (a INT) ENGINE=MEMORY")
	c.fails(1286, "SET default_storage_engine = BTREE")
	c.fails(1286, "SHOW ENGINE BTREE STATUS")
	require.Equal(t, "InnoDB|DEFAULT\nROCKSDB|YES", c.query("SELECT engine, support FROM information_schema.engines"))
	c.exec("CREATE TABLE x (a INT) ENGINE=LSM")
	c.fails(1286, "ALTER TABLE x ENGINE=MEMORY")
	c.exec("ALTER TABLE x ENGINE=Aria")
	require.Equal(t, "InnoDB", c.engineOf("x"))
}

// Everything that belongs to a table moves with it, whatever it consists of.
func TestMoveTable(t *testing.T) {
	s, c := newEngines(t)
	const columns = "id INT UNSIGNED NOT NULL AUTO_INCREMENT, b VARCHAR(20) COLLATE utf8mb4_bin, c INT, d DECIMAL(10,2), e DATETIME(3)"
	for i, def := range []struct {
		text   string
		memory bool
	}{
		{columns + ", PRIMARY KEY (id), KEY (b, c), KEY (b(3)), UNIQUE KEY (c, d), CHECK (c < 1000)", true},
		{columns + ", KEY (id), KEY (e)", true}, // without a primary key
		{columns + ", t TEXT, j JSON, g POINT NOT NULL DEFAULT (POINT(1, 2)), v INT AS (c + 1) VIRTUAL, s INT AS (c * 2) STORED, PRIMARY KEY (id), UNIQUE KEY (v), KEY (s), KEY (t(5)), SPATIAL KEY (g)", false},
		{columns + ", t TEXT COLLATE utf8mb4_bin, PRIMARY KEY (id), FULLTEXT KEY ft (b, t)", false},
	} {
		table := fmt.Sprintf("t%d", i)
		c.exec("CREATE TABLE %s (%s)", table, def.text)
		for n := 1; n <= 50; n++ {
			c.exec("INSERT INTO %s (b, c, d, e) VALUES ('v%d', %d, %d.25, '2026-01-01 00:00:00.%03d')", table, n%7, n, n, n)
		}
		c.exec("DELETE FROM %s WHERE c = 50", table)
		all := func() string { return c.query("SELECT * FROM %s ORDER BY id", table) }
		before := all()
		engines := []string{"BTREE", "BTREE", "ROCKSDB", "InnoDB", "BTREE", "InnoDB"}
		if def.memory {
			engines = append(engines, "MEMORY", "BTREE", "MEMORY", "MEMORY", "ROCKSDB")
		}
		for _, to := range engines {
			id := s.store.Catalog().Current().Table("d", table).ID()
			c.exec("ALTER TABLE %s ENGINE=%s", table, to)
			require.NotEqual(t, id, s.store.Catalog().Current().Table("d", table).ID(), "the table was made anew")
			require.Equal(t, to, c.engineOf(table))
			require.Equal(t, before, all(), "%s in %s", def.text, to)
			stored := map[string]string{"BTREE": "BTREE", "MEMORY": "MEMORY"}[to]
			if stored == "" {
				stored = "RocksDB"
			}
			require.Equal(t, map[string]int{stored: 49}, s.holds(table), to)
			require.Equal(t, "51", c.query("SELECT auto_increment FROM information_schema.tables WHERE table_schema = 'd' AND table_name = '%s'", table), to)
			require.Equal(t, "1", c.query("SELECT COUNT(*) FROM %s WHERE id = 7 AND c = 7", table), to)
			s.sound()
		}
		c.exec("INSERT INTO %s (b, c) VALUES ('next', 51)", table)
		require.Equal(t, "51", c.query("SELECT id FROM %s WHERE c = 51", table))
		if strings.Contains(def.text, "FULLTEXT") {
			require.Equal(t, "51", c.query("SELECT id FROM %s WHERE MATCH (b, t) AGAINST ('next')", table))
		}
		if !def.memory {
			c.fails(1163, "ALTER TABLE %s ENGINE=MEMORY", table)
		}
	}
}

// A full-text index is its definition: it follows its table, and no other tables are made for it.
func TestFulltextFollows(t *testing.T) {
	s, c := newEngines(t)
	only := func() {
		t.Helper()
		for _, tbl := range s.store.Catalog().Current().AllTables() {
			require.False(t, tbl.Local, tbl.Def.Name)
		}
	}
	c.exec("CREATE TABLE f (id INT PRIMARY KEY, t TEXT, FULLTEXT KEY (t)) ENGINE=BTREE")
	c.exec("INSERT INTO f VALUES (1, 'one word'), (2, 'two words')")
	c.exec("ALTER TABLE f ENGINE=InnoDB, ADD c INT")
	require.Equal(t, "1", c.query("SELECT id FROM f WHERE MATCH (t) AGAINST ('word')"))
	only()
	c.exec("ALTER TABLE f DROP KEY t, ENGINE=BTREE")
	c.fails(1191, "SELECT id FROM f WHERE MATCH (t) AGAINST ('word')")
	c.exec("CREATE FULLTEXT INDEX ft ON f (t)")
	c.exec("INSERT INTO f VALUES (3, 'word', 1)")
	require.Equal(t, "1\n3", c.query("SELECT id FROM f WHERE MATCH (t) AGAINST ('word') ORDER BY id"))
	only()
	s.sound()
}

// A move is one change with others of the same statement: all of them, or none.
func TestMoveWithOtherClauses(t *testing.T) {
	s, c := newEngines(t)
	c.exec("CREATE TABLE t (a INT PRIMARY KEY AUTO_INCREMENT, b INT, x TEXT)")
	c.exec("INSERT INTO t (b, x) VALUES (1, 'x'), (1, 'y')")
	c.fails(1062, "ALTER TABLE t ENGINE=BTREE, ADD UNIQUE (b)")
	c.fails(1163, "ALTER TABLE t ENGINE=MEMORY, ADD c INT")
	require.Equal(t, map[string]int{"RocksDB": 2}, s.holds("t"))
	c.exec("ALTER TABLE t ENGINE=MEMORY, DROP COLUMN x, ADD c INT DEFAULT 7 FIRST, ADD KEY (b), AUTO_INCREMENT=100, COMMENT='moved', RENAME TO u")
	require.Equal(t, "7|1|1\n7|2|1", c.query("SELECT * FROM u"))
	require.Equal(t, map[string]int{"MEMORY": 2}, s.holds("u"))
	require.Contains(t, c.query("SHOW CREATE TABLE u"), ") ENGINE=MEMORY AUTO_INCREMENT=100 ")
	c.fails(1163, "ALTER TABLE u ADD y TEXT")
	c.exec("ALTER TABLE u ADD y TEXT, ENGINE=BTREE")
	require.Equal(t, map[string]int{"BTREE": 2}, s.holds("u"))
	c.exec("ALTER TABLE u COMMENT='x' ENGINE=ROCKSDB")
	require.Equal(t, "ROCKSDB", c.engineOf("u"))
	c.exec("ALTER TABLE u ENGINE=BTREE ENGINE=InnoDB")
	require.Equal(t, "InnoDB", c.engineOf("u"))

	c.exec("CREATE VIEW v AS SELECT a FROM u")
	c.exec("CREATE TRIGGER tr BEFORE INSERT ON u FOR EACH ROW SET NEW.c = 70")
	c.exec("ALTER TABLE u ENGINE=BTREE")
	c.exec("INSERT INTO u (b) VALUES (5)")
	require.Equal(t, "70|100", c.query("SELECT c, a FROM u WHERE b = 5"))
	require.Equal(t, "1\n2\n100", c.query("SELECT a FROM v"))

	c.exec("LOCK TABLES u READ")
	c.fails(1099, "ALTER TABLE u ENGINE=InnoDB")
	c.exec("UNLOCK TABLES")
	c.exec("LOCK TABLES u WRITE")
	c.exec("ALTER TABLE u ENGINE=InnoDB")
	c.exec("INSERT INTO u (b) VALUES (6)")
	other := s.connect()
	other.exec("SET lock_wait_timeout = 0")
	other.fails(1205, "SELECT * FROM d.u")
	c.exec("UNLOCK TABLES")
	require.Equal(t, "InnoDB", c.engineOf("u"))

	c.exec("CREATE PROCEDURE p() ALTER TABLE u ENGINE=BTREE")
	c.exec("CALL p()")
	require.Equal(t, "BTREE", c.engineOf("u"))
	c.exec("ALTER TABLE u ENGINE=InnoDB")
	c.exec("PREPARE p FROM 'ALTER TABLE u ENGINE=BTREE'")
	c.exec("EXECUTE p")
	require.Equal(t, "BTREE", c.engineOf("u"))
	s.sound()
}

// Transactions and foreign keys know nothing of engines, except that rows of MEMORY are not there after a restart.
func TestKeysOverEngines(t *testing.T) {
	s, c := newEngines(t)
	c.exec("CREATE TABLE p (a INT PRIMARY KEY)")
	c.exec("CREATE TABLE ch (a INT, FOREIGN KEY (a) REFERENCES p (a) ON DELETE CASCADE) ENGINE=BTREE")
	c.exec("INSERT INTO p VALUES (1), (2), (3)")
	c.exec("INSERT INTO ch VALUES (1), (2), (2)")
	c.fails(1452, "INSERT INTO ch VALUES (4)")
	c.exec("DELETE FROM p WHERE a = 2")
	require.Equal(t, "1", c.query("SELECT * FROM ch"))
	c.exec("ALTER TABLE p ENGINE=BTREE")
	c.exec("ALTER TABLE ch ENGINE=InnoDB")
	c.fails(1452, "INSERT INTO ch VALUES (4)")
	c.exec("INSERT INTO ch VALUES (3)")
	c.exec("BEGIN")
	c.exec("DELETE FROM p WHERE a = 3")
	require.Equal(t, "1", c.query("SELECT * FROM ch"))
	c.exec("ROLLBACK")
	require.Equal(t, "1\n3", c.query("SELECT * FROM ch ORDER BY a"))

	c.fails(1217, "ALTER TABLE p ENGINE=MEMORY")
	c.fails(1217, "ALTER TABLE ch ENGINE=MEMORY")
	c.exec("SET foreign_key_checks = 0")
	c.fails(1217, "ALTER TABLE p ENGINE=MEMORY")
	c.exec("CREATE TABLE pm (a INT PRIMARY KEY) ENGINE=MEMORY")
	c.exec("CREATE TABLE none (a INT)")
	for _, checks := range []string{"0", "1"} {
		c.exec("SET foreign_key_checks = " + checks)
		c.fails(1005, "CREATE TABLE x (a INT, FOREIGN KEY (a) REFERENCES pm (a))")
		c.fails(1005, "CREATE TABLE x (a INT, FOREIGN KEY (a) REFERENCES p (a)) ENGINE=MEMORY")
		c.fails(1005, "ALTER TABLE pm ADD FOREIGN KEY (a) REFERENCES p (a)")
		c.fails(1005, "ALTER TABLE none ADD FOREIGN KEY (a) REFERENCES pm (a)")
	}
	c.exec("SET foreign_key_checks = 0")
	c.exec("CREATE TABLE early (a INT, FOREIGN KEY (a) REFERENCES late (a))")
	c.fails(1005, "CREATE TABLE late (a INT PRIMARY KEY) ENGINE=MEMORY")
	c.fails(1005, "RENAME TABLE pm TO late")
	c.exec("CREATE TABLE late (a INT PRIMARY KEY) ENGINE=BTREE")
	c.exec("ALTER TABLE ch DROP FOREIGN KEY ch_ibfk_1, ENGINE=MEMORY")
	c.exec("ALTER TABLE p ENGINE=MEMORY")
	s.sound()
}

func TestTemporaryEngines(t *testing.T) {
	_, c := newEngines(t)
	c.exec("CREATE TEMPORARY TABLE a (x INT AUTO_INCREMENT PRIMARY KEY, y VARCHAR(5) DEFAULT 'q') ENGINE=BTREE")
	c.exec("INSERT INTO a VALUES (), ()")
	require.Equal(t, "a|CREATE TEMPORARY TABLE `a` (\n  `x` int(11) NOT NULL AUTO_INCREMENT,\n  `y` varchar(5) DEFAULT 'q',\n  PRIMARY KEY (`x`)\n"+
		") ENGINE=BTREE AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci", c.query("SHOW CREATE TABLE a"))
	c.exec("ALTER TABLE a ENGINE=MEMORY, ADD z INT")
	c.fails(1163, "ALTER TABLE a ADD t TEXT")
	c.exec("ALTER TABLE a ADD t TEXT, ENGINE=InnoDB")
	c.fails(1163, "ALTER TABLE a ENGINE=MEMORY")
	require.Contains(t, c.query("SHOW CREATE TABLE a"), ") ENGINE=InnoDB ")
	require.Equal(t, "1|q|NULL|NULL\n2|q|NULL|NULL", c.query("SELECT * FROM a"))
	c.fails(1163, "CREATE TEMPORARY TABLE b (t TEXT) ENGINE=MEMORY")
	c.exec("SET default_storage_engine = BTREE, default_tmp_storage_engine = MEMORY")
	c.exec("CREATE TEMPORARY TABLE b (x INT)")
	require.Contains(t, c.query("SHOW CREATE TABLE b"), ") ENGINE=MEMORY ")
	c.exec("SET default_tmp_storage_engine = NULL")
	c.exec("CREATE TEMPORARY TABLE e (x INT)")
	require.Contains(t, c.query("SHOW CREATE TABLE e"), ") ENGINE=BTREE ")
	c.exec("CREATE TABLE likewise LIKE b")
	require.Equal(t, "MEMORY", c.engineOf("likewise"))
}

func TestEngineVariables(t *testing.T) {
	s, c := newEngines(t)
	c.exec("SET GLOBAL default_storage_engine = BTREE")
	require.Equal(t, "BTREE|InnoDB", c.query("SELECT @@GLOBAL.storage_engine, @@default_storage_engine"))
	d := s.connect()
	d.exec("USE d")
	d.exec("CREATE TABLE t (a INT)")
	require.Equal(t, "BTREE", d.engineOf("t"))
	require.Equal(t, "BTREE|DEFAULT|YES|NO|YES", d.query("SELECT engine, support, transactions, xa, savepoints FROM information_schema.engines WHERE support = 'DEFAULT'"))
	require.Equal(t, "InnoDB|DEFAULT", c.query("SELECT engine, support FROM information_schema.engines WHERE support = 'DEFAULT'"))
	c.fails(1286, "SET GLOBAL default_storage_engine = nosuch")
	c.fails(1231, "SET GLOBAL default_storage_engine = NULL")
	c.fails(1232, "SET default_storage_engine = 5")
	c.exec("SET default_storage_engine = MyISAM")
	require.Equal(t, "Warning|1266|Using storage engine InnoDB in place of MyISAM", c.query("SHOW WARNINGS"))

	s.close()
	s.vars = map[string]any{"default_storage_engine": "heap", "enforce_storage_engine": "lsm"}
	s.open()
	c = s.connect()
	require.Equal(t, "MEMORY|MEMORY|ROCKSDB", c.query("SELECT @@default_storage_engine, @@storage_engine, @@enforce_storage_engine"))
	c.exec("SET default_storage_engine = BTREE")
	c.exec("SET default_storage_engine = DEFAULT")
	require.Equal(t, "MEMORY", c.query("SELECT @@default_storage_engine"))
	_, err := query.New(query.Config{Store: s.store, Variables: map[string]any{"default_storage_engine": "nosuch"},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	require.EqualError(t, err, "option default_storage_engine: ERROR 1286 (42000): Unknown storage engine 'nosuch'")
}

func TestShowEngineStatus(t *testing.T) {
	_, c := newEngines(t)
	c.exec("CREATE TABLE b (a INT PRIMARY KEY, b INT, KEY (b)) ENGINE=BTREE")
	c.exec("INSERT INTO b SELECT seq, seq FROM (WITH RECURSIVE s AS (SELECT 1 AS seq UNION ALL SELECT seq + 1 FROM s WHERE seq < 100) SELECT seq FROM s) x")
	c.exec("CREATE TABLE m (a INT PRIMARY KEY) ENGINE=MEMORY")
	lines := func(engine string) map[string]string {
		set := c.exec("SHOW ENGINE %s STATUS", engine)
		require.Len(t, set.rows, 1)
		out := map[string]string{"": set.rows[0][0]}
		for line := range strings.Lines(set.rows[0][2]) {
			if len(line) > 22 {
				out[strings.TrimSpace(line[:22])] = strings.TrimSpace(line[22:])
			}
		}
		return out
	}
	btree := lines("btree")
	require.Equal(t, "BTREE", btree[""])
	require.Equal(t, "1", btree["Tables"])
	require.Regexp(t, `^binlog\.000001:\d+, GTID 0-1-\d+$`, btree["Applied up to"])
	require.NotEqual(t, "0 bytes", btree["Log to recover from"])
	require.NotEqual(t, "0 bytes", btree["Rows"])
	require.NotEqual(t, "0 bytes", btree["Indexes"])
	require.Equal(t, "nothing: a restart empties the tables", lines("HEAP")["Durable"])
	require.Equal(t, "ROCKSDB", lines("LSM")[""])
	require.Contains(t, c.query("SHOW ENGINE INNODB STATUS"), "Log to recover from")
	require.Len(t, c.exec("SHOW ENGINE ALL STATUS").rows, 4)
	require.Empty(t, c.exec("SHOW ENGINE MyISAM STATUS").rows)
	require.Empty(t, c.exec("SHOW ENGINE BTREE MUTEX").rows)
	c.fails(1286, "SHOW ENGINE nosuch STATUS")
	require.Equal(t, "BTREE\nInnoDB\nMEMORY\nROCKSDB\nbinlog", c.query("SELECT plugin_name FROM information_schema.plugins WHERE plugin_type = 'STORAGE ENGINE' ORDER BY BINARY plugin_name"))
}

// What TABLES tells of sizes follows the rows, in every engine.
func TestTableSizes(t *testing.T) {
	_, c := newEngines(t)
	for _, engine := range []string{"InnoDB", "ROCKSDB", "BTREE", "MEMORY"} {
		c.exec("CREATE OR REPLACE TABLE t (a INT PRIMARY KEY, b VARCHAR(200), KEY (b)) ENGINE=%s", engine)
		c.exec("INSERT INTO t SELECT seq, REPEAT('x', 100) FROM (WITH RECURSIVE s AS (SELECT 1 AS seq UNION ALL SELECT seq + 1 FROM s WHERE seq < 900) SELECT seq FROM s) x")
		sizes := "SELECT table_rows, avg_row_length BETWEEN 100 AND 160, data_length BETWEEN 90000 AND 140000, index_length BETWEEN 90000 AND 300000, " +
			"engine, row_format FROM information_schema.tables WHERE table_name = 't'"
		format := "Dynamic"
		if engine == "MEMORY" {
			format = "Fixed"
		}
		require.Equal(t, "900|1|1|1|"+engine+"|"+format, c.query(sizes))
		c.exec("TRUNCATE TABLE t")
		empty := "0|0|0"
		if engine == "InnoDB" {
			empty = "0|16384|16384"
		}
		require.Equal(t, empty, c.query("SELECT table_rows, data_length, index_length FROM information_schema.tables WHERE table_name = 't'"), engine)
	}
}

// The log names engines that a MariaDB has.
func TestEnginesInTheLog(t *testing.T) {
	_, c := newEngines(t)
	c.exec("CREATE TABLE s (a INT)")
	c.exec("INSERT INTO s VALUES (1)")
	for statement, logged := range map[string]string{
		"CREATE TABLE %s (BTREE INT COMMENT 'ENGINE=BTREE') /* ENGINE=BTREE */ ENGINE=BTREE": "CREATE TABLE %s (BTREE INT COMMENT 'ENGINE=BTREE') /* ENGINE=BTREE */ ENGINE=InnoDB",
		"CREATE TABLE %s (a INT) ENGINE='LSM'":                                               "CREATE TABLE %s (a INT) ENGINE=InnoDB",
		"CREATE TABLE %s (a INT) ENGINE=ROCKSDB":                                             "CREATE TABLE %s (a INT) ENGINE=ROCKSDB",
		"CREATE TABLE %s (a INT) ENGINE=Heap":                                                "CREATE TABLE %s (a INT) ENGINE=Heap",
		"CREATE TABLE %s (a INT) ENGINE=CSV":                                                 "CREATE TABLE %s (a INT) ENGINE=InnoDB",
		"CREATE OR REPLACE TABLE %s (a INT) ENGINE=BTREE":                                    "CREATE OR REPLACE TABLE %s (a INT) ENGINE=InnoDB",
		"CREATE TABLE %s ENGINE=BTREE SELECT a FROM s":                                       "CREATE TABLE `%s` (\n  `a` int(11) DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci",
		"CREATE OR REPLACE TABLE %s ENGINE=HEAP SELECT a FROM s":                             "CREATE OR REPLACE TABLE `%s` (\n  `a` int(11) DEFAULT NULL\n) ENGINE=MEMORY DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci",
		"CREATE TABLE %s SELECT a FROM s":                                                    "CREATE TABLE `%s` (\n  `a` int(11) DEFAULT NULL\n) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci",
		"ALTER TABLE s ADD %s INT, ENGINE=BTREE, LOCK=NONE":                                  "ALTER TABLE s ADD %s INT, ENGINE=InnoDB",
		"ALTER TABLE s ENGINE=BTREE COMMENT='%s'":                                            "ALTER TABLE s ENGINE=InnoDB COMMENT='%s'",
	} {
		c.exec("SET default_storage_engine = BTREE")
		c.exec(statement, "n")
		rows := c.exec("SHOW BINLOG EVENTS").rows
		texts := ""
		for _, r := range rows {
			if r[2] == "Query" {
				texts = r[5]
			}
		}
		require.Equal(t, "use `d`; "+fmt.Sprintf(logged, "n"), texts, statement)
		c.exec("DROP TABLE IF EXISTS n")
		c.exec("ALTER TABLE s DROP COLUMN IF EXISTS n")
	}
}

// Definitions in routines reach replicas, and the engines that they name.
func TestDefinitionsInRoutines(t *testing.T) {
	_, c := newEngines(t)
	c.exec(`CREATE PROCEDURE p() BEGIN
		CREATE TABLE x (a INT DEFAULT 5 COMMENT 'ENGINE', KEY (a)) ENGINE=LSM COMMENT='c';
		INSERT INTO x VALUES (1);
		ALTER TABLE x ADD b INT;
		CREATE TABLE y LIKE x;
		RENAME TABLE y TO z;
		START TRANSACTION;
		INSERT INTO z VALUES (1, 2);
		COMMIT;
		CREATE TABLE q SELECT a FROM x;
		CREATE TABLE m (a INT) ENGINE=HEAP;
		CREATE TABLE n (a INT);
		TRUNCATE TABLE n;
		DROP TABLE n;
	END`)
	c.exec("CALL p()")
	const end = " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci"
	var texts []string
	for _, r := range c.exec("SHOW BINLOG EVENTS").rows {
		switch r[2] {
		case "Query", "Annotate_rows":
			texts = append(texts, strings.TrimPrefix(r[5], "use `d`; "))
		}
	}
	require.Equal(t, []string{
		"CREATE TABLE x (a INT DEFAULT 5 COMMENT 'ENGINE', KEY (a)) ENGINE=InnoDB COMMENT='c'",
		"INSERT INTO x VALUES (1)", "ALTER TABLE x ADD b INT", "CREATE TABLE y LIKE x", "RENAME TABLE y TO z",
		"INSERT INTO z VALUES (1, 2)", "CREATE TABLE `q` (\n  `a` int(11) DEFAULT 5 COMMENT 'ENGINE'\n)" + end,
		"CREATE TABLE m (a INT) ENGINE=HEAP", "CREATE TABLE n (a INT)", "TRUNCATE TABLE n", "DROP TABLE n",
	}, texts[2:])
	require.Equal(t, "1|2", c.query("SELECT * FROM z"))
	require.Equal(t, "MEMORY", c.engineOf("m"))
	c.exec("CREATE PROCEDURE r() ALTER TABLE x MODIFY b BIGINT")
	c.exec("CALL r()")
	require.Equal(t, "bigint(20)", c.query("SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_NAME = 'x' AND COLUMN_NAME = 'b'"))
	c.exec("CREATE PROCEDURE e() BEGIN CREATE TABLE f (a INT) ENGINE=nosuch; END")
	c.fails(1286, "CALL e()")
}
