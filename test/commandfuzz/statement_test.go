package commandfuzz

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/expression/function"
)

// setup makes what the statements speak of.
var setup = []string{
	"SET GLOBAL max_statement_time=2", "SET GLOBAL lock_wait_timeout=1", "SET GLOBAL innodb_lock_wait_timeout=1",
	"CREATE DATABASE IF NOT EXISTS f", "USE f",
	"CREATE TABLE IF NOT EXISTS t0 (a INT PRIMARY KEY, b INT, c VARCHAR(20), d DECIMAL(10,3), e DATETIME(3), KEY(b), KEY(c))",
	"CREATE TABLE IF NOT EXISTS t1 (a BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, b DOUBLE, c TEXT, d JSON, e TIMESTAMP NULL, f BIT(5), g ENUM('x','y'), h SET('p','q'), i BLOB, j TIME, k YEAR, l DATE)",
	"CREATE TABLE IF NOT EXISTS t2 (a INT, b INT AS (a+1) STORED, c INT CHECK (c>0), UNIQUE(a,c))",
	"INSERT IGNORE INTO t0 VALUES (1,2,'a',1.5,'2020-01-01'),(2,3,'b',NULL,NULL),(3,NULL,'%_',-1,'2000-02-29 23:59:59.999')",
	"INSERT INTO t1 (b,c,d,e,f,g,h,i,j,k,l) VALUES (1e300,'x','{\"a\":[1,2]}',NULL,3,'x','p,q',x'00ff','-838:59:59',2020,'2020-12-31')",
	"INSERT INTO t2 (a,c) VALUES (1,1),(NULL,2)",
}

// harmful are statements that end the server by right, or that write elsewhere.
var harmful = regexp.MustCompile(`(?i)shutdown|outfile|dumpfile|max_statement_time|set\s+password|identified|drop\s+user|mysql\.|rename\s+user|revoke|max_connections|lock\s+tables|read\s+lock|wait_timeout|global|datadir|master_gtid_wait|master_pos_wait`)

// grammar draws statements.
type grammar struct {
	*rand.Rand
	functions []string
	corpus    []string
}

func newGrammar(t *testing.T) grammar {
	g := grammar{corpus: corpus(t)}
	for _, f := range function.BuiltIns {
		g.functions = append(g.functions, f.FunctionName())
	}
	g.functions = append(g.functions, "count", "sum", "avg", "min", "max", "group_concat", "json_arrayagg", "json_objectagg", "std", "bit_xor",
		"get_lock", "release_lock", "is_used_lock", "release_all_locks", "lengthb", "nvl", "binlog_gtid_pos", "convert_tz", "benchmark")
	return g
}

// corpus are the statements of the dialect scripts.
func corpus(t *testing.T) []string {
	files, err := filepath.Glob("../dialect/testdata/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	out := append([]string{}, setup[4:]...)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(text), "\n\n") {
			input, _, ok := strings.Cut(block, "\n----")
			if _, body, is := strings.Cut(input, "\n"); ok && is {
				for _, s := range strings.Split(body, ";\n") {
					out = append(out, strings.TrimSuffix(strings.TrimSpace(s), ";"))
				}
			}
		}
	}
	return out
}

func (g grammar) pick(s ...string) string { return s[g.IntN(len(s))] }

// statement is a statement of the grammar, or a mutation of one of the corpus.
func (g grammar) statement() string {
	for {
		var s string
		if g.IntN(3) == 0 {
			s = g.mutation()
		} else {
			s = g.fresh()
		}
		if !harmful.MatchString(s) && len(s) < 1<<20 {
			return s
		}
	}
}

var word = regexp.MustCompile("[A-Za-z_@]+|[0-9.]+|'[^']*'|`[^`]*`|.")

func (g grammar) mutation() string {
	toks := word.FindAllString(g.corpus[g.IntN(len(g.corpus))], -1)
	other := word.FindAllString(g.corpus[g.IntN(len(g.corpus))], -1)
	for range 1 + g.IntN(3) {
		if len(toks) == 0 || len(other) == 0 {
			break
		}
		i, j := g.IntN(len(toks)), g.IntN(len(other))
		switch g.IntN(6) {
		case 0:
			toks = append(toks[:i:i], toks[i+1:]...)
		case 1:
			toks[i] = other[j]
		case 2:
			toks[i] = " " + g.expr(2) + " "
		case 3:
			toks = append(append(toks[:i:i], other[j:min(len(other), j+1+g.IntN(12))]...), toks[i:]...)
		case 4:
			toks[i] = string([]byte{byte(g.IntN(256))})
		case 5:
			k := g.IntN(len(toks))
			toks[i], toks[k] = toks[k], toks[i]
		}
	}
	return strings.Join(toks, "")
}

var literals = []string{"0", "1", "-1", "NULL", "'a'", "''", "'%'", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
	"1e308", "1.5", "-0.0", "99999999999999999999999999999999999999.999", "x'ff'", "b'101'", "'2020-02-30'", "'2020-01-01 10:11:12.123456'",
	"TIMESTAMP'2020-01-01 00:00:00'", "DATE'0000-00-00'", "TIME'-10:00:00'", "'[1,{\"a\":null}]'", "'$.a[0]'", "'POINT(1 1)'", "TRUE", "_latin1'\xe9'", "'\xff\xfe'",
	"0x", "1e-400", "'838:59:59'", "'abc' COLLATE utf8mb4_bin", "@v", "@@sql_mode", "DEFAULT", "*", "?"}

func (g grammar) column() string {
	return g.pick("a", "b", "c", "d", "e", "t0.a", "t1.b", "x.a", "f", "i")
}

func (g grammar) exprs(depth, most int) string {
	parts := make([]string, g.IntN(most+1))
	for i := range parts {
		parts[i] = g.expr(depth)
	}
	return strings.Join(parts, ",")
}

func (g grammar) expr(depth int) string {
	if depth <= 0 {
		if g.IntN(2) == 0 {
			return g.column()
		}
		return literals[g.IntN(len(literals))]
	}
	d := depth - 1
	switch g.IntN(16) {
	case 0, 1:
		return g.expr(0)
	case 2:
		return "(" + g.expr(d) + g.pick("+", "-", "*", "/", " DIV ", "%", "|", "&", "^", "<<", ">>") + g.expr(d) + ")"
	case 3:
		return "(" + g.expr(d) + g.pick("=", "<>", "<=>", "<", ">=", " LIKE ", " REGEXP ", " AND ", " OR ", " XOR ", " IS NOT ", " NOT LIKE ") + g.expr(d) + ")"
	case 4:
		return g.pick("-", "NOT ", "~", "!", "BINARY ", "+") + g.expr(d)
	case 5:
		return "CASE " + g.pick("", g.expr(d)) + " WHEN " + g.expr(d) + " THEN " + g.expr(d) + g.pick("", " ELSE "+g.expr(d)) + " END"
	case 6:
		return "CAST(" + g.expr(d) + " AS " + g.pick("SIGNED", "UNSIGNED", "CHAR", "CHAR(3)", "DECIMAL(65,30)", "DATETIME(6)", "TIME", "DATE", "JSON", "BINARY(2)", "DOUBLE", "YEAR") + ")"
	case 7:
		return g.expr(d) + g.pick(" IN (", " NOT IN (") + g.expr(d) + "," + g.expr(d) + ")"
	case 8:
		return g.pick("(", "EXISTS (", g.expr(d)+" IN (", g.expr(d)+" > ALL (") + g.query(d) + ")"
	case 9:
		return g.expr(d) + " BETWEEN " + g.expr(d) + " AND " + g.expr(d)
	case 10:
		return g.expr(d) + g.pick("+", "-") + "INTERVAL " + g.expr(d) + " " + g.pick("DAY", "MICROSECOND", "YEAR_MONTH", "DAY_SECOND", "QUARTER")
	case 11:
		return g.pick("SUM", "COUNT", "ROW_NUMBER", "LAG", "FIRST_VALUE", "NTILE", "MAX") + "(" + g.exprs(d, 2) + ") OVER (" +
			g.pick("", "PARTITION BY "+g.expr(d)) + g.pick("", " ORDER BY "+g.expr(d)) + g.pick("", " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING") + ")"
	}
	return g.functions[g.IntN(len(g.functions))] + "(" + g.pick("", "", "", "DISTINCT ") + g.exprs(d, 4) + ")"
}

func (g grammar) table() string {
	return g.pick("t0", "t1", "t2", "t3", "v0", "f.t0", "information_schema.tables", "nothing")
}

func (g grammar) source(depth int) string {
	switch g.IntN(8) {
	case 0:
		return g.table() + " AS x " + g.pick("JOIN", "LEFT JOIN", "RIGHT JOIN", "CROSS JOIN", "NATURAL JOIN") + " " + g.table() + g.pick("", " ON "+g.expr(depth), " USING (a)")
	case 1:
		return "(" + g.query(depth-1) + ") AS x"
	case 2:
		return g.table() + "," + g.table() + " y"
	case 3:
		return "JSON_TABLE(" + g.expr(depth) + ", '$[*]' COLUMNS(a INT PATH '$')) AS x"
	}
	return g.table() + g.pick("", " x")
}

func (g grammar) query(depth int) string {
	if depth <= 0 {
		return "SELECT " + g.expr(0)
	}
	d := depth - 1
	q := "SELECT " + g.pick("", "", "DISTINCT ", "SQL_CALC_FOUND_ROWS ") + g.expr(d) + g.pick("", ","+g.expr(d), ",*", " AS b")
	if g.IntN(4) > 0 {
		q += " FROM " + g.source(d) + g.pick("", " WHERE "+g.expr(depth)) + g.pick("", "", " GROUP BY "+g.expr(d)+g.pick("", " WITH ROLLUP")) +
			g.pick("", "", " HAVING "+g.expr(d)) + g.pick("", " ORDER BY "+g.expr(d)+g.pick("", " DESC"))
	}
	q += g.pick("", "", " LIMIT "+g.pick("1", "0", "18446744073709551615", "1 OFFSET 18446744073709551615", "?"), " FOR UPDATE", " LOCK IN SHARE MODE")
	switch g.IntN(12) {
	case 0:
		return q + g.pick(" UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT ") + g.query(d)
	case 1:
		return "WITH x AS (" + g.query(d) + ") " + q
	case 2:
		return "WITH RECURSIVE x AS (SELECT 1 AS a UNION ALL SELECT " + g.expr(d) + " FROM x WHERE a<" + g.expr(0) + ") " + q
	}
	return q
}

func (g grammar) columnType() string {
	return g.pick("INT", "BIGINT UNSIGNED", "TINYINT(1)", "VARCHAR(10)", "CHAR(0)", "TEXT", "BLOB", "DECIMAL(65,30)", "FLOAT", "DOUBLE", "DATE", "DATETIME(6)",
		"TIMESTAMP", "TIME(2)", "YEAR", "JSON", "BIT(64)", "ENUM('a','b')", "SET('a','b')", "BINARY(3)", "VARBINARY(300)", "POINT", "GEOMETRY", "INET6", "UUID") +
		g.pick("", " NOT NULL", " PRIMARY KEY", " UNIQUE", " DEFAULT "+g.expr(1), " AS ("+g.expr(2)+")", " AUTO_INCREMENT", " CHECK ("+g.expr(1)+")", " COLLATE utf8mb4_bin")
}

func (g grammar) alteration() string {
	c := g.column()
	switch g.IntN(10) {
	case 0:
		return "ADD COLUMN n" + fmt.Sprint(g.IntN(5)) + " " + g.columnType() + g.pick("", " FIRST", " AFTER "+c)
	case 1:
		return "DROP COLUMN " + c
	case 2:
		return "MODIFY COLUMN " + c + " " + g.columnType()
	case 3:
		return "CHANGE " + c + " z " + g.columnType()
	case 4:
		return "ADD " + g.pick("INDEX", "UNIQUE", "PRIMARY KEY", "FULLTEXT") + "(" + c + g.pick("", "(3)", ","+g.column()) + ")"
	case 5:
		return g.pick("DROP PRIMARY KEY", "DROP INDEX "+c, "RENAME TO t3", "AUTO_INCREMENT=5", "ENGINE=InnoDB", "CONVERT TO CHARACTER SET latin1", "ORDER BY a")
	case 6:
		return "ADD FOREIGN KEY (" + c + ") REFERENCES " + g.table() + "(a) ON DELETE " + g.pick("CASCADE", "SET NULL", "RESTRICT")
	case 7:
		return "ALTER COLUMN " + c + g.pick(" DROP DEFAULT", " SET DEFAULT "+g.expr(1))
	case 8:
		return "ADD CONSTRAINT k CHECK (" + g.expr(1) + ")"
	}
	return "RENAME COLUMN " + c + " TO y"
}

func (g grammar) fresh() string {
	d := 1 + g.IntN(3)
	switch g.IntN(26) {
	case 0:
		return g.pick("INSERT", "REPLACE", "INSERT IGNORE") + " INTO " + g.table() + g.pick("", " (a)", "(a,b)", "()") + " VALUES (" + g.exprs(d, 3) + ")" +
			g.pick("", ",("+g.exprs(d, 2)+")") + g.pick("", " ON DUPLICATE KEY UPDATE b="+g.expr(d), " RETURNING "+g.expr(1))
	case 1:
		return "INSERT INTO " + g.table() + " " + g.query(d)
	case 2:
		return "UPDATE " + g.pick("", "IGNORE ") + g.source(1) + " SET " + g.column() + "=" + g.expr(d) + g.pick("", " WHERE "+g.expr(d)) + g.pick("", " ORDER BY b LIMIT 1")
	case 3:
		return "DELETE FROM " + g.table() + " WHERE " + g.expr(d) + g.pick("", " LIMIT 1", " RETURNING *")
	case 4:
		return "CREATE " + g.pick("", "TEMPORARY ", "OR REPLACE ") + "TABLE t3 (" + g.column() + " " + g.columnType() + "," + g.column() + " " + g.columnType() + g.pick("", ", KEY(a)", ", PRIMARY KEY(b)") + ")" + g.pick("", " AS "+g.query(d))
	case 5, 6:
		return "ALTER TABLE " + g.table() + " " + g.alteration() + g.pick("", ","+g.alteration())
	case 7:
		return g.pick("DROP TABLE IF EXISTS t3", "DROP VIEW IF EXISTS v0", "TRUNCATE "+g.table(), "RENAME TABLE t3 TO t4, t4 TO t3", "DROP TRIGGER IF EXISTS r0", "DROP PROCEDURE IF EXISTS p0", "DROP INDEX b ON t0", "DROP DATABASE IF EXISTS f2")
	case 8:
		return "CREATE OR REPLACE VIEW v0 AS " + g.query(d)
	case 9:
		return "CREATE TRIGGER r0 " + g.pick("BEFORE", "AFTER") + " " + g.pick("INSERT", "UPDATE", "DELETE") + " ON " + g.table() + " FOR EACH ROW " + g.pick("SET NEW.b="+g.expr(d), g.fresh(), "BEGIN "+g.fresh()+"; "+g.fresh()+"; END")
	case 10:
		return "CREATE PROCEDURE p0(" + g.pick("", "x INT", "INOUT a INT") + ") " + g.pick(g.fresh(), "BEGIN DECLARE v INT DEFAULT "+g.expr(1)+"; IF "+g.expr(1)+" THEN "+g.fresh()+"; END IF; "+g.fresh()+"; END", "WHILE "+g.expr(1)+" DO "+g.fresh()+"; END WHILE")
	case 11:
		return "CALL p0(" + g.exprs(1, 2) + ")"
	case 12:
		return "SET " + g.pick("@v=", "@v:=", "SESSION sql_mode=", "autocommit=", "NAMES ", "SESSION max_error_count=", "TIMESTAMP=", "time_zone=", "character_set_results=", "@@session.lc_time_names=") + g.expr(d)
	case 13:
		return "SHOW " + g.pick("TABLES", "FULL COLUMNS FROM "+g.table(), "CREATE TABLE "+g.table(), "INDEX FROM "+g.table(), "VARIABLES LIKE "+g.expr(0), "WARNINGS", "STATUS", "PROCESSLIST", "MASTER STATUS", "BINLOG EVENTS LIMIT 3", "GRANTS", "CREATE VIEW v0", "TRIGGERS", "PROCEDURE STATUS", "ENGINES", "COLLATION", "DATABASES WHERE "+g.expr(1), "TABLE STATUS", "SLAVE HOSTS", "COUNT(*) ERRORS")
	case 14:
		return g.pick("EXPLAIN ", "EXPLAIN FORMAT=JSON ", "ANALYZE ", "DESCRIBE ") + g.pick(g.query(d), g.table(), g.fresh())
	case 15:
		return g.pick("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s", "RELEASE SAVEPOINT s", "START TRANSACTION READ ONLY", "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "XA START 'x'", "COMMIT AND CHAIN", "UNLOCK TABLES")
	case 16:
		return g.pick("PREPARE s FROM '"+strings.ReplaceAll(g.fresh(), "'", "''")+"'", "EXECUTE s", "EXECUTE s USING @v,@v", "EXECUTE IMMEDIATE '"+strings.ReplaceAll(g.query(1), "'", "''")+"'", "DEALLOCATE PREPARE s")
	case 17:
		return g.pick("CHECK TABLE ", "ANALYZE TABLE ", "OPTIMIZE TABLE ", "CHECKSUM TABLE ", "REPAIR TABLE ", "FLUSH TABLES ", "FLUSH ", "HANDLER ", "USE ", "DO ", "KILL QUERY ", "HELP ") + g.pick(g.table(), g.expr(1))
	case 18:
		return "LOAD DATA LOCAL INFILE 'x' INTO TABLE " + g.table()
	case 19:
		return g.fresh() + ";" + g.fresh()
	case 20:
		return g.pick("VALUES (1),(2)", "TABLE t0", "SELECT 1 FROM DUAL WHERE", "/*!99999 x */ SELECT 1", "/*M! SELECT 1 */", "SELECT /* ", "SELECT `", "SELECT '\\", "SELECT @`", ";;", "SELECT 1--", "DELIMITER", "CREATE DATABASE f2", "CREATE SEQUENCE q", "SELECT NEXTVAL(q)", "PURGE BINARY LOGS TO 'x'", "BINLOG 'AAAA'", "CREATE FUNCTION z() RETURNS INT RETURN 1", "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1", "SIGNAL SQLSTATE '45000'", "GET DIAGNOSTICS @a=NUMBER")
	}
	return g.query(d + 1)
}
