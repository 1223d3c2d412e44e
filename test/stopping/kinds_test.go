package stopping

import (
	"fmt"
	"strings"
)

// costly is an expression whose value takes milliseconds, without looking at anything else meanwhile.
const costly = "SHA2(REPEAT(i, 2000000), 512)"

// userLock is the kind of statements that wait for a lock of GET_LOCK.
const userLock = "user lock"

// endless are statements that do not end by themselves while anybody waits, by kind. Table n has 500 rows.
var endless = map[string]string{
	"sleep":                "SELECT SLEEP(100000)",
	userLock:               "SELECT GET_LOCK('held', 100000)",
	"row lock":             "UPDATE locked SET v = 2 WHERE id = 1",
	"foreign row lock":     "INSERT INTO referring VALUES (1, 1)",
	"gtid wait":            "SELECT MASTER_GTID_WAIT('0-1-99999999', 100000)",
	"cross join":           "SELECT COUNT(*) FROM n a, n b, n c, n d, n e",
	"no rows":              "SELECT * FROM n a, n b, n c, n d, n e WHERE a.i + b.i + c.i + d.i + e.i < 0",
	"equal keys":           "SELECT COUNT(*) FROM n a JOIN n b ON a.g = b.g JOIN n c ON b.g = c.g JOIN n d ON c.g = d.g JOIN n e ON d.g = e.g WHERE a.i + e.i < 0",
	"outer join":           "SELECT COUNT(*) FROM n a LEFT JOIN n b ON a.i < b.i LEFT JOIN n c ON b.i < c.i LEFT JOIN n d ON c.i < d.i LEFT JOIN n e ON d.i < e.i",
	"join planning":        strings.Repeat(tenTables+" UNION ALL ", 300) + tenTables,
	"group":                "SELECT a.i, COUNT(*) FROM n a, n b, n c, n d, n e GROUP BY a.i",
	"many groups":          "SELECT a.i, b.i, COUNT(*) FROM n a, n b, n c GROUP BY a.i, b.i, c.i",
	"having":               "SELECT i, j FROM (SELECT a.i, b.i AS j FROM n a, n b WHERE b.i < 40) x GROUP BY i, j HAVING " + costly + " = ''",
	"distinct":             "SELECT COUNT(*) FROM (SELECT DISTINCT a.i, b.i AS j, c.i AS k FROM n a, n b, n c) x",
	"union":                "SELECT COUNT(*) FROM (SELECT a.i, b.i AS j, c.i AS k FROM n a, n b, n c UNION SELECT a.i, b.i, -c.i FROM n a, n b, n c) x",
	"intersect":            "SELECT COUNT(*) FROM (SELECT a.i, b.i AS j, c.i AS k FROM n a, n b, n c INTERSECT SELECT a.i, b.i, -c.i FROM n a, n b, n c) x",
	"except":               "SELECT COUNT(*) FROM (SELECT a.i, b.i AS j, c.i AS k FROM n a, n b, n c EXCEPT SELECT a.i, b.i, -c.i FROM n a, n b, n c) x",
	"sort":                 "SELECT i FROM n ORDER BY " + costly,
	"best rows":            "SELECT a.i FROM n a, n b, n c, n d ORDER BY a.i + b.i + c.i LIMIT 10",
	"window sort":          "SELECT ROW_NUMBER() OVER (ORDER BY " + costly + ") FROM n",
	"window frame":         "SELECT MAX(" + costly + ") OVER (ORDER BY i ROWS BETWEEN 400 PRECEDING AND 400 FOLLOWING) FROM n",
	"group_concat":         "SELECT GROUP_CONCAT(i ORDER BY " + costly + ") FROM n",
	"in list":              "SELECT COUNT(*) FROM n a, n b, n c, n d WHERE a.i * b.i IN (-1" + strings.Repeat(", -1", 10000) + ")",
	"not in":               "SELECT COUNT(*) FROM n a, n b, n c, n d WHERE a.i + b.i + c.i + d.i NOT IN (SELECT i + 2000 FROM n)",
	"derived":              "SELECT COUNT(*) FROM (SELECT DISTINCT i FROM n) a, (SELECT DISTINCT i FROM n) b, (SELECT DISTINCT i FROM n) c, (SELECT DISTINCT i FROM n) d, (SELECT DISTINCT i FROM n) e",
	"subquery":             "SELECT (SELECT COUNT(*) FROM n b, n c, n d, n e WHERE b.i = a.i + c.i) FROM n a",
	"exists":               "SELECT COUNT(*) FROM n a WHERE EXISTS (SELECT 1 FROM n b, n c, n d WHERE b.i + c.i + d.i = -a.i)",
	"view":                 "SELECT * FROM counted",
	"with recursive":       "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT a.x + 1 FROM r a, n b, n c, n d, n e WHERE a.x + b.i + c.i + d.i + e.i < 0) SELECT COUNT(*) FROM r",
	"recursion":            "SET STATEMENT max_recursive_iterations = 4294967295 FOR WITH RECURSIVE r AS (SELECT 1 AS x UNION SELECT (x * 7919 + 1) % 1000000007 FROM r) SELECT COUNT(*) FROM r",
	"json table":           "SELECT COUNT(*) FROM JSON_TABLE(CONCAT('[', REPEAT('1,', 1000), '1]'), '$[*]' COLUMNS (v INT PATH '$')) t, n a, n b, n c",
	"information schema":   "SELECT COUNT(*) FROM information_schema.COLUMNS a, information_schema.COLUMNS b, information_schema.COLUMNS c",
	"benchmark":            "SELECT BENCHMARK(100000000000, 1)",
	"set":                  "SET @x = (SELECT COUNT(*) FROM n a, n b, n c, n d, n e)",
	"do":                   "DO (SELECT COUNT(*) FROM n a, n b, n c, n d, n e)",
	"into variable":        "SELECT MAX(a.i + b.i + c.i + d.i + e.i) INTO @x FROM n a, n b, n c, n d, n e",
	"execute immediate":    "EXECUTE IMMEDIATE 'SELECT COUNT(*) FROM n a, n b, n c, n d, n e'",
	"insert select":        "INSERT INTO copied SELECT a.i + b.i + c.i + d.i + e.i FROM n a, n b, n c, n d, n e WHERE a.i + b.i < 0",
	"insert rows":          "INSERT INTO copied SELECT a.i FROM n a, n b, n c, n d",
	"create select":        "CREATE TABLE made AS SELECT a.i FROM n a, n b, n c, n d, n e WHERE a.i + b.i < 0",
	"delete by subquery":   "DELETE FROM copied WHERE i < (SELECT COUNT(*) FROM n a, n b, n c, n d, n e)",
	"trigger":              "INSERT INTO counting VALUES (1)",
	"trigger chain":        "INSERT INTO first SELECT i FROM n",
	"procedure":            "CALL for_ever()",
	"idle procedure":       "CALL idle()",
	"check table":          "CHECK TABLE n" + strings.Repeat(", n", 100_000),
	"alter":                "ALTER TABLE many MODIFY s VARCHAR(200), ADD COLUMN z INT DEFAULT 3 FIRST",
	"add index":            "ALTER TABLE many ADD KEY z (s, i)",
	"primary key":          "ALTER TABLE many DROP PRIMARY KEY, ADD PRIMARY KEY (s, i)",
	"table lock":           "LOCK TABLES held WRITE",
	"read table lock":      "LOCK TABLES held READ",
	"alter's lock":         "ALTER TABLE held ADD COLUMN z INT",
	"drop's lock":          "DROP TABLE held",
	"truncate's lock":      "TRUNCATE TABLE held",
	"drop database's lock": "DROP DATABASE other",
}

// tenTables is a join whose orders are tried: there are too many for a statement of 300 such.
var tenTables = func() string {
	q := "SELECT COUNT(*) FROM n t0"
	for i := 1; i < 10; i++ {
		q += fmt.Sprintf(" JOIN n t%d ON t%d.g = t%d.g", i, i, i-1)
	}
	return q
}()

// setup makes what endless uses; its connection goes on to hold the locks.
var setup = []string{
	"CREATE DATABASE d", "USE d", "CREATE TABLE n (i INT PRIMARY KEY, g INT)", "CREATE TABLE copied (i BIGINT)", "CREATE TABLE locked (id INT PRIMARY KEY, v INT)",
	"INSERT INTO copied VALUES (1)", "INSERT INTO locked VALUES (1, 1)",
	"CREATE TABLE referring (id INT PRIMARY KEY, l INT, FOREIGN KEY (l) REFERENCES locked (id))", "CREATE TABLE held (id INT PRIMARY KEY)",
	"CREATE DATABASE other", "CREATE TABLE other.held (id INT PRIMARY KEY)",
	"INSERT INTO n WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 500) SELECT x, 1 FROM r",
	"CREATE TABLE many (i INT PRIMARY KEY, s VARCHAR(100))", "INSERT INTO many SELECT a.i * 1000 + b.i, MD5(b.i) FROM n a, n b WHERE a.i <= 100",
	"CREATE VIEW counted AS SELECT COUNT(*) FROM n a, n b, n c, n d, n e",
	"CREATE PROCEDURE for_ever() WHILE 1 DO SET @a = 1; END WHILE",
	"CREATE PROCEDURE idle() again: LOOP ITERATE again; END LOOP",
	"CREATE TABLE counting (i BIGINT)", "CREATE TRIGGER counts BEFORE INSERT ON counting FOR EACH ROW SET NEW.i = (SELECT COUNT(*) FROM n a, n b, n c, n d, n e)",
	"CREATE TABLE first (i INT)", "CREATE TABLE second (i INT)", "CREATE TABLE third (i INT)",
	"CREATE TRIGGER to_second AFTER INSERT ON first FOR EACH ROW INSERT INTO second SELECT i FROM n",
	"CREATE TRIGGER to_third AFTER INSERT ON second FOR EACH ROW INSERT INTO third SELECT i FROM n",
	"BEGIN", "UPDATE locked SET v = 3 WHERE id = 1", "INSERT INTO held VALUES (1)", "INSERT INTO other.held VALUES (1)", "DO GET_LOCK('held', 0)",
}
