package query_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// step is a statement and what it gives: rows as text, or the number of its error.
type step struct {
	sql  string
	want []string
	fail uint16
}

func ok(sql string) step                   { return step{sql: sql} }
func rows(sql string, want ...string) step { return step{sql: sql, want: append([]string{}, want...)} }
func fails(sql string, number uint16) step { return step{sql: sql, fail: number} }

// restart closes the server and opens it again.
var restart = step{sql: "restart"}

// crash opens what a power failure leaves.
var crash = step{sql: "crash"}

var scripts = []struct {
	name  string
	steps []step
}{
	{"an update does not meet its own rows again", []step{
		ok("CREATE TABLE t (x INT PRIMARY KEY, y INT, KEY (y))"),
		ok("INSERT INTO t VALUES (1,1),(2,2),(3,3),(4,4)"),
		ok("UPDATE t SET x = x + 10 WHERE x <> 2"), // two ranges; 11 lies in the second
		rows("SELECT x FROM t ORDER BY x", "2", "11", "13", "14"),
		ok("UPDATE t SET x = x + 20 WHERE x IN (11, 13, 31, 33)"), // 31 is there once 11 is updated
		rows("SELECT x FROM t ORDER BY x", "2", "14", "31", "33"),
		ok("UPDATE t SET y = y + 1 WHERE y >= 1"), // moves entries of the index it reads
		rows("SELECT y FROM t ORDER BY y", "2", "3", "4", "5"),
		ok("UPDATE t SET y = (SELECT s.m FROM (SELECT MAX(y) + 1 AS m FROM t) s)"),
		rows("SELECT DISTINCT y FROM t", "6"),
	}},
	{"a join that updates one of its tables reads it as it was", []step{
		ok("CREATE TABLE a (id INT PRIMARY KEY, v INT)"),
		ok("CREATE TABLE b (id INT PRIMARY KEY, v INT)"),
		ok("INSERT INTO a VALUES (1,1),(2,2),(3,3)"),
		ok("INSERT INTO b VALUES (1,10),(2,20),(3,30)"),
		ok("UPDATE b CROSS JOIN a SET a.v = a.v * 10"),
		rows("SELECT v FROM a ORDER BY id", "10", "20", "30"),
		ok("UPDATE a x JOIN a y ON x.id = y.id + 1 SET x.v = y.v"),
		rows("SELECT v FROM a ORDER BY id", "10", "10", "20"),
		ok("ALTER TABLE a ADD KEY (v)"),
		ok("UPDATE a SET v = id"),
		ok("UPDATE a x JOIN a y ON x.id = y.id + 1 SET x.v = y.v + 100 WHERE y.v > 0"), // the scan of y meets keys that x has moved
		rows("SELECT v FROM a ORDER BY id", "1", "101", "102"),
		ok("UPDATE a SET v = 10 * (id - 1) WHERE id > 1"),
		ok("UPDATE a SET v = 10 WHERE id = 1"),
		ok("DELETE x FROM a x JOIN a y ON x.v = y.v AND x.id > y.id"),
		rows("SELECT id FROM a ORDER BY id", "1", "3"),
		ok("INSERT INTO a SELECT x.id + 10, y.v FROM a x JOIN b y ON x.id = y.id"),
		rows("SELECT id, v FROM a ORDER BY id", "1 10", "3 20", "11 10", "13 30"),
	}},
	{"everything outlives a restart", []step{
		ok("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(10) DEFAULT 'dflt' COMMENT 'a comment', w INT AS (id + 1) VIRTUAL, UNIQUE KEY uv (v), KEY kw (w)) COMMENT='table comment'"),
		ok("CREATE TABLE checked (id INT CHECK (id < 1000))"),
		ok("CREATE TABLE child (id INT PRIMARY KEY, pid INT, CONSTRAINT fk FOREIGN KEY (pid) REFERENCES t (id) ON DELETE CASCADE)"),
		ok("CREATE VIEW vw AS SELECT id, v FROM t"),
		ok("CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.v = UPPER(NEW.v)"),
		ok("CREATE PROCEDURE pr() SELECT COUNT(*) FROM t"),
		ok("INSERT INTO t (v) VALUES ('one')"),
		restart,
		ok("INSERT INTO t (v) VALUES ('two')"),
		rows("SELECT id, v, w FROM t ORDER BY id", "1 ONE 2", "2 TWO 3"),
		rows("SELECT v FROM vw WHERE id = 2", "TWO"),
		rows("SELECT id FROM t WHERE w = 3", "2"),
		rows("CALL pr()", "2"),
		fails("INSERT INTO checked VALUES (1000)", mysqlerr.ConstraintFailed),
		fails("INSERT INTO t (v) VALUES ('one')", mysqlerr.DupEntry),
		ok("INSERT INTO child VALUES (1, 1)"),
		fails("INSERT INTO child VALUES (2, 77)", mysqlerr.NoReferencedRow2),
		ok("DELETE FROM t WHERE id = 1"),
		rows("SELECT COUNT(*) FROM child", "0"),
		rows("SELECT TABLE_COMMENT FROM information_schema.tables WHERE table_name = 't'", "table comment"),
		restart,
		rows("SELECT id FROM t", "2"),
	}},
	{"tables without primary key", []step{
		ok("CREATE TABLE t (a INT, b VARCHAR(5), KEY (a))"),
		ok("INSERT INTO t VALUES (1,'x'),(1,'x'),(1,'x'),(2,'y'),(NULL,NULL)"),
		ok("DELETE FROM t WHERE a = 1 LIMIT 1"),
		rows("SELECT a, b FROM t WHERE a = 1", "1 x", "1 x"),
		ok("UPDATE t SET b = 'z' WHERE a = 1 LIMIT 1"),
		rows("SELECT b FROM t WHERE a = 1 ORDER BY b", "x", "z"),
		ok("UPDATE t SET a = a + 1"),
		rows("SELECT a, b FROM t ORDER BY a, b", "NULL NULL", "2 x", "2 z", "3 y"),
		ok("DELETE FROM t WHERE a IS NULL"),
		rows("SELECT COUNT(*) FROM t", "3"),
		ok("ALTER TABLE t ADD COLUMN id INT AUTO_INCREMENT PRIMARY KEY FIRST"),
		rows("SELECT COUNT(DISTINCT id) FROM t", "3"),
		ok("ALTER TABLE t MODIFY id INT, DROP PRIMARY KEY"),
		ok("DELETE FROM t"),
		rows("SELECT COUNT(*) FROM t", "0"),
	}},
	{"ranges over several columns", []step{
		ok("CREATE TABLE t (a INT, b VARCHAR(10), c INT, d INT, PRIMARY KEY (a, b), KEY k (c, b), UNIQUE KEY u (d))"),
		ok("INSERT INTO t VALUES (1,'a',1,1),(1,'b',2,2),(1,'c',3,3),(2,'a',1,NULL),(2,'b',2,NULL),(3,'a',NULL,4)"),
		rows("SELECT a, b FROM t WHERE a = 1 AND b >= 'B'", "1 b", "1 c"),
		rows("SELECT a, b FROM t WHERE a BETWEEN 1 AND 2 AND b = 'a'", "1 a", "2 a"),
		rows("SELECT a, b FROM t WHERE c = 1 AND b = 'a' ORDER BY a", "1 a", "2 a"),
		rows("SELECT a, b FROM t WHERE c = 1 AND b = 'a' AND a = 2", "2 a"),
		rows("SELECT a, b FROM t WHERE c IS NULL", "3 a"),
		rows("SELECT a, b FROM t WHERE c IS NOT NULL AND c < 2 ORDER BY a", "1 a", "2 a"),
		rows("SELECT a FROM t WHERE d IS NULL ORDER BY b", "2", "2"),
		rows("SELECT d FROM t WHERE d > 1 ORDER BY d DESC", "4", "3", "2"),
		rows("SELECT d FROM t WHERE d IN (4, 1, 99) ORDER BY d", "1", "4"),
		rows("SELECT a FROM t WHERE a > 1 AND a < 2"),
		rows("SELECT a FROM t WHERE a = 1.5"),
		rows("SELECT a FROM t WHERE a > 2.5", "3"),
		rows("SELECT COUNT(*) FROM t WHERE a > 5000000000", "0"),
		rows("SELECT COUNT(*) FROM t WHERE a < 5000000000", "6"),
	}},
	{"prefix indexes", []step{
		ok("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50), b BLOB, KEY kv (v(3)), KEY kb (b(2)))"),
		ok("INSERT INTO t VALUES (1,'abcdef','xyz'),(2,'abcxyz','xya'),(3,'ab','x'),(4,'abd',NULL)"),
		rows("SELECT id FROM t WHERE v = 'abcxyz'", "2"),
		rows("SELECT id FROM t WHERE v = 'abc'"),
		rows("SELECT id FROM t WHERE v > 'abcdef' ORDER BY id", "2", "4"),
		rows("SELECT id FROM t WHERE v < 'abcxyz' ORDER BY id", "1", "3"),
		rows("SELECT id FROM t WHERE v IN ('abcdef', 'abcxyz', 'abc') ORDER BY id", "1", "2"),
		rows("SELECT id FROM t WHERE v LIKE 'abc%' ORDER BY id", "1", "2"),
		rows("SELECT id FROM t WHERE b = 'xya'", "2"),
		ok("ALTER TABLE t ADD UNIQUE KEY ku (v(5))"),
		fails("INSERT INTO t VALUES (5,'abcdezzz',NULL)", mysqlerr.DupEntry),
	}},
	{"duplicates", []step{
		ok("CREATE TABLE t (a INT PRIMARY KEY, b INT, c CHAR(5), UNIQUE KEY ub (b), UNIQUE KEY uc (c))"),
		ok("INSERT INTO t VALUES (1,10,'a'),(2,20,'b')"),
		fails("INSERT INTO t VALUES (3,30,'c'),(1,40,'d')", mysqlerr.DupEntry),
		rows("SELECT COUNT(*) FROM t", "2"), // the whole statement is undone
		ok("INSERT IGNORE INTO t VALUES (3,30,'c'),(1,40,'d'),(4,10,'e'),(5,50,'A ')"),
		rows("SELECT a FROM t", "1", "2", "3"),
		ok("INSERT INTO t VALUES (1,99,'z') ON DUPLICATE KEY UPDATE b = b + 1"),
		ok("INSERT INTO t VALUES (9,20,'z') ON DUPLICATE KEY UPDATE c = 'new'"),
		rows("SELECT b, c FROM t ORDER BY a", "11 a", "20 new", "30 c"),
		ok("REPLACE INTO t VALUES (4, 11, 'new')"), // in the way: rows 1 and 2
		rows("SELECT * FROM t ORDER BY a", "3 30 c", "4 11 new"),
		fails("UPDATE t SET b = 5", mysqlerr.DupEntry),
		rows("SELECT b FROM t ORDER BY a", "30", "11"),
		ok("UPDATE t SET a = a + 1 ORDER BY a DESC"),
		rows("SELECT a FROM t", "4", "5"),
	}},
	{"auto-increment", []step{
		ok("CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b INT) AUTO_INCREMENT = 10"),
		ok("INSERT INTO t (b) VALUES (1),(2)"),
		ok("INSERT INTO t VALUES (NULL,3),(50,4),(NULL,5)"),
		rows("SELECT a FROM t", "10", "11", "12", "50", "51"),
		ok("SET @@auto_increment_increment = 10"),
		ok("INSERT INTO t (b) VALUES (6),(7)"),
		rows("SELECT a FROM t WHERE b > 5", "61", "71"),
		ok("SET @@auto_increment_increment = 1"),
		ok("ALTER TABLE t AUTO_INCREMENT = 500"),
		ok("INSERT INTO t (b) VALUES (8)"),
		rows("SELECT MAX(a) FROM t", "500"),
		ok("ALTER TABLE t ADD COLUMN c INT DEFAULT 3"),
		ok("INSERT INTO t (b) VALUES (9)"),
		rows("SELECT MAX(a), MAX(c) FROM t", "501 3"),
		restart,
		ok("INSERT INTO t (b) VALUES (10)"),
		rows("SELECT MAX(a) FROM t", "502"),
		ok("TRUNCATE TABLE t"),
		ok("INSERT INTO t (b) VALUES (11)"),
		rows("SELECT a FROM t", "1"),
	}},
	{"altering", []step{
		ok("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(10), c INT, KEY kb (b), KEY kc (c))"),
		ok("INSERT INTO t VALUES (1,'x',10),(2,'y',20)"),
		ok("ALTER TABLE t ADD COLUMN d INT NOT NULL DEFAULT 5 AFTER a, DROP COLUMN c"),
		rows("SELECT * FROM t", "1 5 x", "2 5 y"),
		ok("ALTER TABLE t CHANGE COLUMN b bb VARCHAR(20) NOT NULL"),
		rows("SELECT a FROM t WHERE bb = 'y'", "2"),
		ok("ALTER TABLE t MODIFY COLUMN bb CHAR(3) FIRST"),
		rows("SELECT * FROM t ORDER BY a", "x 1 5", "y 2 5"),
		rows("SELECT a FROM t WHERE bb = 'x'", "1"),
		ok("ALTER TABLE t ADD UNIQUE INDEX ud (d, a), RENAME INDEX kb TO kbb"),
		fails("ALTER TABLE t ADD UNIQUE INDEX u2 (d)", mysqlerr.DupEntry),
		rows("SELECT a FROM t WHERE d = 5 AND a = 2", "2"),
		ok("ALTER TABLE t DROP PRIMARY KEY"),
		ok("ALTER TABLE t ADD PRIMARY KEY (bb, a)"),
		rows("SELECT a FROM t WHERE bb = 'y' AND a = 2", "2"),
		ok("ALTER TABLE t RENAME TO u"),
		rows("SELECT COUNT(*) FROM u", "2"),
		fails("SELECT * FROM t", mysqlerr.NoSuchTable),
		ok("ALTER TABLE u CONVERT TO CHARACTER SET latin1"),
		ok("INSERT INTO u VALUES ('ü', 3, 3)"),
		rows("SELECT a FROM u WHERE bb = 'Ü' ORDER BY a", "2", "3"), // as in Swedish, Ü is Y,
		restart,
		rows("SELECT bb, a, d FROM u ORDER BY a", "x 1 5", "y 2 5", "ü 3 3"),
		ok("DROP TABLE u"),
		fails("SELECT * FROM u", mysqlerr.NoSuchTable),
	}},
	{"temporary tables", []step{
		ok("CREATE TABLE t (a INT PRIMARY KEY)"),
		ok("INSERT INTO t VALUES (1)"),
		ok("CREATE TEMPORARY TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b VARCHAR(10), UNIQUE KEY (b))"),
		ok("INSERT INTO t (b) VALUES ('x'),('y')"),
		rows("SELECT * FROM t", "1 x", "2 y"),
		rows("SELECT a FROM t WHERE b = 'Y'", "2"),
		fails("INSERT INTO t (b) VALUES ('z'),('x')", mysqlerr.DupEntry),
		rows("SELECT COUNT(*) FROM t", "2"),
		ok("UPDATE t SET b = CONCAT(b, a)"),
		rows("SELECT b FROM t ORDER BY b DESC", "y2", "x1"),
		ok("ALTER TABLE t ADD COLUMN c INT DEFAULT 9"),
		rows("SELECT b, c FROM t", "x1 9", "y2 9"),
		ok("DELETE FROM t WHERE a = 1"),
		ok("DROP TEMPORARY TABLE t"),
		rows("SELECT * FROM t", "1"),
	}},
	{"foreign keys", []step{
		ok("CREATE TABLE p (id INT PRIMARY KEY, v INT UNIQUE)"),
		ok("CREATE TABLE c1 (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))"),
		ok("CREATE TABLE c2 (id INT PRIMARY KEY, v INT, FOREIGN KEY (v) REFERENCES p (v) ON DELETE SET NULL ON UPDATE CASCADE)"),
		ok("INSERT INTO p VALUES (1,100),(2,200)"),
		ok("INSERT INTO c1 VALUES (1,1)"),
		ok("INSERT INTO c2 VALUES (1,100),(2,200)"),
		fails("DELETE FROM p WHERE id = 1", mysqlerr.RowIsReferenced2),
		ok("UPDATE p SET v = v + 1"),
		rows("SELECT v FROM c2 ORDER BY id", "101", "201"),
		ok("DELETE FROM p WHERE id = 2"),
		rows("SELECT v FROM c2 ORDER BY id", "101", "NULL"),
		fails("DROP TABLE p", mysqlerr.RowIsReferenced2),
		ok("RENAME TABLE p TO parent"),
		fails("INSERT INTO c1 VALUES (2, 5)", mysqlerr.NoReferencedRow2),
		ok("SET foreign_key_checks = 0"),
		ok("INSERT INTO c1 VALUES (2, 5)"),
		ok("DROP TABLE parent"),
	}},
	{"a full-text index outlives a crash", []step{
		ok("CREATE TABLE t (id INT PRIMARY KEY, txt TEXT, FULLTEXT KEY ft (txt))"),
		ok("INSERT INTO t VALUES (1,'the quick brown fox'),(2,'a lazy dog'),(3,'another fox')"),
		ok("UPDATE t SET txt = 'a lazy cat' WHERE id = 2"),
		ok("DELETE FROM t WHERE id = 3"),
		crash,
		rows("SELECT id FROM t WHERE MATCH (txt) AGAINST ('fox')", "1"),
		rows("SELECT id FROM t WHERE MATCH (txt) AGAINST ('cat')", "2"),
		rows("SELECT id FROM t WHERE MATCH (txt) AGAINST ('dog')"),
		ok("ALTER TABLE t ADD COLUMN more VARCHAR(10)"),
		ok("ALTER TABLE t ADD FULLTEXT KEY f2 (more)"),
		ok("INSERT INTO t VALUES (4, 'fox again', 'word')"),
		crash,
		rows("SELECT id FROM t WHERE MATCH (txt) AGAINST ('fox') ORDER BY id", "1", "4"),
		rows("SELECT id FROM t WHERE MATCH (more) AGAINST ('word')", "4"),
		ok("ALTER TABLE t DROP INDEX ft, DROP INDEX f2"),
		ok("DROP TABLE t"),
		ok("CREATE TABLE t (id INT PRIMARY KEY, a TEXT, b TEXT, FULLTEXT KEY fa (a), FULLTEXT KEY fb (b))"),
		ok("INSERT INTO t VALUES (1, 'x', 'y')"),
		ok("DROP TABLE t"),
		crash,
		rows("SHOW TABLES"),
	}},
	{"definitions and rows outlive a crash", []step{
		ok("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(10), KEY kv (v))"),
		ok("INSERT INTO t (v) VALUES ('a'),('b'),('c')"),
		ok("ALTER TABLE t ADD COLUMN w INT DEFAULT 1"),
		ok("CREATE TABLE nk (a INT)"),
		ok("INSERT INTO nk VALUES (1),(1),(2)"),
		ok("DELETE FROM nk WHERE a = 1 LIMIT 1"),
		ok("CREATE VIEW vw AS SELECT v FROM t"),
		crash,
		rows("SELECT * FROM t", "1 a 1", "2 b 1", "3 c 1"),
		rows("SELECT id FROM t WHERE v = 'b'", "2"),
		rows("SELECT * FROM nk ORDER BY a", "1", "2"),
		rows("SELECT COUNT(*) FROM vw", "3"),
		ok("INSERT INTO t (v) VALUES ('d')"),
		rows("SELECT MAX(id) FROM t", "4"),
	}},
	{"character sets", []step{
		ok("CREATE TABLE t (a VARCHAR(20) CHARACTER SET latin1, b VARCHAR(20) CHARACTER SET utf16, c VARCHAR(20) COLLATE utf8mb4_bin, KEY (a), KEY (b), KEY (c))"),
		ok("INSERT INTO t VALUES ('grün','grün','grün'),('GRÜN','GRÜN','GRÜN')"),
		rows("SELECT COUNT(*) FROM t WHERE a = 'Grün'", "2"),
		rows("SELECT COUNT(*) FROM t WHERE b = 'Grün'", "2"),
		rows("SELECT a FROM t WHERE c = 'grün'", "grün"),
		fails("INSERT INTO t (a) VALUES ('日本')", mysqlerr.TruncatedWrongValueForField),
	}},
}

// TestTables runs the scripts of what tables do in sessions.
func TestTables(t *testing.T) {
	for _, script := range scripts {
		t.Run(strings.ReplaceAll(script.name, " ", "_"), func(t *testing.T) {
			srv := newServer(t)
			c := srv.connect()
			c.exec("CREATE DATABASE db COLLATE utf8mb4_general_ci")
			c.exec("USE db")
			for _, st := range script.steps {
				switch st.sql {
				case restart.sql, crash.sql:
					if st.sql == crash.sql {
						srv.crash()
					} else {
						srv.restart()
					}
					c = srv.connect()
					c.exec("USE db")
					continue
				}
				if st.fail != 0 {
					c.fails(st.fail, st.sql)
					continue
				}
				sets, err := c.run(st.sql)
				require.NoError(t, err, st.sql)
				if st.want != nil {
					require.Equal(t, strings.Join(st.want, "\n"), strings.ReplaceAll(sets[0].text(), "|", " "), st.sql)
				}
			}
		})
	}
}

// TestTimeZone: a TIMESTAMP is a moment, shown in the session's time zone.
func TestTimeZone(t *testing.T) {
	c := newServer(t).connect()
	c.exec("CREATE DATABASE db")
	c.exec("USE db")
	c.exec("SET time_zone = '+02:00'")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, ts TIMESTAMP NULL, dt DATETIME, UNIQUE KEY (ts))")
	c.exec("INSERT INTO t VALUES (1, '2024-01-01 12:00:00', '2024-01-01 12:00:00'), (2, NULL, NULL)")
	require.Equal(t, "1|2024-01-01 12:00:00|2024-01-01 12:00:00", c.query("SELECT * FROM t WHERE ts = '2024-01-01 12:00:00'"))
	c.exec("SET time_zone = '-05:00'")
	require.Equal(t, "1|2024-01-01 05:00:00|2024-01-01 12:00:00", c.query("SELECT * FROM t WHERE ts = '2024-01-01 05:00:00'"))
	c.fails(mysqlerr.DupEntry, "INSERT INTO t VALUES (3, '2024-01-01 05:00:00', NULL)")
	c.exec("ALTER TABLE t ADD COLUMN x INT")
	c.exec("UPDATE t SET x = 1 WHERE id = 1")
	c.exec("SET time_zone = '+00:00'")
	require.Equal(t, "1|2024-01-01 10:00:00|2024-01-01 12:00:00|1", c.query("SELECT * FROM t WHERE id = 1"))
}
