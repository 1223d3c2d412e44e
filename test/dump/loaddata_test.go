package dump

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// loadCase is a file and the clauses that it is loaded with.
type loadCase struct {
	name    string
	columns string // of the table; a, b, c unless set
	before  string // a statement before
	file    string
	clauses string // after INTO TABLE t
	dup     string // IGNORE or REPLACE
	refused uint16 // what Duramen answers instead of MariaDB's answer
	other   bool   // it is the fallback's
}

const abc = "a varchar(40), b varchar(40), c varchar(40)"

var everyByte = func() string {
	var b strings.Builder
	for i := range 256 {
		switch c := byte(i); c {
		case 0:
			b.WriteString(`\0`)
		case '\t', '\n', '\\':
			b.WriteString(`\` + string(rune(c)))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}()

var loadCases = []loadCase{
	{name: "plain", file: "1\t2\t3\n4\t5\t6\n"},
	{name: "no newline at the end", file: "1\t2\t3\n4\t5\t6"},
	{name: "escaped ends", file: "a\\\nb\tc\\\td\te\\\\\nx\\\\\ty\\\\\\\nz\t\\\\\\\\\n"},
	{name: "escapes", file: `\0\b\n\r\t\Z\\` + "\t\\a\\N\\q\t\\'\\\"\n"},
	{name: "nulls", file: "\\N\tNULL\t\\N \nx\t\\NN\t\\\n"},
	{name: "null numbers", columns: "a int, b int, c varchar(5)", file: "\\N\t5\t\\N\n\\N\t\\N\t\\N\n"},
	{name: "null to not null", columns: "a int not null, b varchar(5) not null, c date", file: "\\N\tx\t\\N\n"},
	{name: "null to not null text", columns: "a int not null, b varchar(5) not null, c enum('x','y') not null", file: "1\t\\N\t\\N\n"},
	{name: "empty is not null", columns: "a int, b varchar(5), c date", file: "\t\t\n"},
	{name: "empty text", file: "\t\t\n"},
	{name: "empty lines", file: "\n\n1\t2\t3\n\n"},
	{name: "too few", file: "1\n2\tx\n", columns: "a int primary key, b varchar(10) default 'd', c int default 7"},
	{name: "too few for null", file: "1\n2\tx\n", columns: "a int primary key, b varchar(10), c date"},
	{name: "too few for not null", file: "1\n", columns: "a int primary key, b varchar(10) not null, c int not null"},
	{name: "too many", file: "1\t2\t3\t4\n5\t6\t7\t\n"},
	{name: "too many at the end", file: "1\t2\t3\t4"},
	{name: "numbers", columns: "a int, b decimal(5,2), c double", file: "12\t1.25\t1e3\n-1\t-0.5\t.5\n"},
	{name: "no numbers", columns: "a int, b decimal(5,2), c double", file: "x\t1\t1\n"},
	{name: "half numbers", columns: "a int, b decimal(5,2), c double", file: "1x\t1.255\t1\n"},
	{name: "out of range", columns: "a tinyint, b decimal(5,2), c double", file: "300\t10000\t1\n"},
	{name: "too long", columns: "a char(2), b varchar(2), c varbinary(2)", file: "abc\tx\ty\n"},
	{name: "spaces beyond the end", columns: "a char(2), b varchar(2), c varbinary(3)", file: "ab \txy \tz  \n"},
	{name: "times", columns: "a date, b datetime(3), c time", file: "2020-02-29\t2020-01-01 10:11:12.3456\t-10:00:00\n0000-00-00\t0000-00-00 00:00:00\t\\N\n"},
	{name: "bad times", columns: "a date, b datetime, c time", file: "2020-02-30\tx\tx\n"},
	{name: "enum and set", columns: "a enum('x','y'), b set('p','q'), c year", file: "x\tp,q\t2020\ny\t\t1999\n"},
	{name: "enum by number", columns: "a enum('x','y'), b set('p','q'), c year", file: "2\tp\t20\n"},
	{name: "bad enum", columns: "a enum('x','y'), b set('p','q'), c year", file: "z\tp\t2020\n"},
	{name: "bits", other: true, columns: "a bit(1), b bit(9), c bit(64)", file: "\x01\t\x01\xff\t\xff\xff\xff\xff\xff\xff\xff\xff\n\\0\t\\0\t1\n"},
	{name: "json", other: true, columns: "a json, b int, c int", file: `{"a": "x\\ny"}` + "\t1\t2\n"},
	{name: "bytes", columns: "a blob, b varbinary(300), c longblob", file: everyByte + "\t" + everyByte + "\t" + everyByte + "\n", clauses: "CHARACTER SET binary"},
	{name: "bytes in a file of utf8mb4", columns: "a blob, b varbinary(300), c text", file: "\xff\t\xc3\x28\tü\n", clauses: "CHARACTER SET utf8mb4"},
	{name: "no utf8", file: "a\xff\tb\tc\n", clauses: "CHARACTER SET utf8mb4"},
	{name: "no utf8 in binary", file: "a\xff\tb\tc\n", clauses: "CHARACTER SET binary"},
	{name: "utf8", file: "ü漢😀\tb\tc\n", clauses: "CHARACTER SET utf8mb4"},
	{name: "latin1 column from utf8", columns: "a varchar(9) character set latin1, b text, c int", file: "é\té\t1\n", clauses: "CHARACTER SET utf8mb4"},
	{name: "latin1 column from binary", columns: "a varchar(9) character set latin1, b text, c int", file: "\xe9\té\t1\n", clauses: "CHARACTER SET binary"},
	{name: "file of latin1", file: "\xe9\t\x80\tx\n", clauses: "CHARACTER SET latin1"},
	{name: "file of cp1250", file: "a\tb\tc\n", clauses: "CHARACTER SET cp1250", refused: 1235},
	{name: "enclosed", file: `"a","b,c","d""e"` + "\n" + `"x` + "\n" + `y",z,"\""` + "\n", clauses: `FIELDS TERMINATED BY ',' ENCLOSED BY '"'`},
	{name: "optionally enclosed", file: `a,"b,c",d"e` + "\n" + `1,NULL,"NULL"` + "\n" + `\N,"\N",""` + "\n", clauses: `FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"'`},
	{name: "enclosure within", file: `"a"b,"c"",x",d` + "\n", clauses: `FIELDS TERMINATED BY ',' ENCLOSED BY '"'`},
	{name: "enclosure left open", file: `a,b,c` + "\n" + `x,"y,z` + "\n", clauses: `FIELDS TERMINATED BY ',' ENCLOSED BY '"'`},
	{name: "enclosed at the end of the file", file: `a,b,"c"`, clauses: `FIELDS TERMINATED BY ',' ENCLOSED BY '"'`},
	{name: "enclosure that escapes", file: `"a""b","\n","c"` + "\n" + `x""y,"",""""` + "\n", clauses: `FIELDS TERMINATED BY ',' ENCLOSED BY '"' ESCAPED BY '"'`},
	{name: "no escapes", file: `a\,\N,NULL` + "\n", clauses: `FIELDS TERMINATED BY ',' ESCAPED BY ''`},
	{name: "no escapes, enclosed", file: `"a\",\N,NULL` + "\n", clauses: `FIELDS TERMINATED BY ',' ENCLOSED BY '"' ESCAPED BY ''`},
	{name: "own escape", file: "a^tb,^N,^,\n", clauses: `FIELDS TERMINATED BY ',' ESCAPED BY '^'`},
	{name: "escape at the end", file: `a,b,c\`, clauses: `FIELDS TERMINATED BY ','`},
	{name: "long separators", file: "a--b-c--d==e--f--g=h\\====", clauses: `FIELDS TERMINATED BY '--' LINES TERMINATED BY '=='`},
	{name: "beginnings of separators", file: "a---b--c-=-d==e", clauses: `FIELDS TERMINATED BY '--' LINES TERMINATED BY '=='`},
	{name: "same separators", file: "a,b,c,d,e,f,", clauses: `FIELDS TERMINATED BY ',' LINES TERMINATED BY ','`},
	{name: "no ends of lines", file: "a,b,c,d,e,f\n", clauses: `FIELDS TERMINATED BY ',' LINES TERMINATED BY ''`},
	{name: "no ends of lines, some skipped", file: "a,b,c,d,e,f,g,h,i", clauses: `FIELDS TERMINATED BY ',' LINES TERMINATED BY '' IGNORE 1 LINES`},
	{name: "carriage returns", file: "a,b,c\r\nd,e\r,f\r\n", clauses: `FIELDS TERMINATED BY ',' LINES TERMINATED BY '\r\n'`},
	{name: "hexadecimal separators", file: "a,'b','c;;d,e,f;;", clauses: `FIELDS TERMINATED BY 0x2C OPTIONALLY ENCLOSED BY 0x27 ESCAPED BY 0x5c LINES TERMINATED BY 0x3b3b`},
	{name: "starting", file: "xxa,b,c\nnothing\nyxxd,e,f\nxx\n", clauses: `FIELDS TERMINATED BY ',' LINES STARTING BY 'xx'`},
	{name: "starting, with its beginning", file: "xxya,b,c\nxyd,e,f", clauses: `FIELDS TERMINATED BY ',' LINES STARTING BY 'xy'`},
	{name: "ignore lines", file: "h1\th2\n1\t2\t3\n", clauses: "IGNORE 1 LINES"},
	{name: "ignore rows with escapes", file: "h1\\\nh2\n1\t2\t3\n", clauses: "IGNORE 1 ROWS"},
	{name: "ignore more than all", file: "1\t2\t3\n", clauses: "IGNORE 5 LINES"},
	{name: "ignore none", file: "1\t2\t3\n", clauses: "IGNORE 0 LINES"},
	{name: "columns", columns: "a int, b int default 5, c int", file: "1\t2\n", clauses: "(c, a)"},
	{name: "columns without default", other: true, columns: "a int, b int not null, c int", file: "1\t2\n", clauses: "(c, a)"},
	{name: "variables", columns: "a int, b varchar(20), c varchar(20) default 'd'", file: "1\tx\n\\N\ty\n3\n", clauses: "(@v, @w) SET a = @v + 1, b = concat(@w, '!')"},
	{name: "variables and columns", columns: "a int, b varchar(20), c varchar(20) default 'd'", file: "1\tx\n2\ty\tz\n", clauses: "(a, @w) SET b = upper(@w)"},
	{name: "set of columns", columns: "a int, b int, c int", file: "1\t2\n3\t4\n", clauses: "(a, b) SET c = a + b"},
	{name: "set null", columns: "a int, b varchar(9), c int", file: "1\t\n2\tx\n", clauses: "(a, @b) SET b = nullif(@b, '')"},
	{name: "set a hexadecimal text", columns: "a int, b varbinary(9), c int", file: "1\t00ff0a\n", clauses: "(a, @b) SET b = unhex(@b)"},
	{name: "a field for nobody", columns: "a int, b int, c int", file: "1\t2\t3\n", clauses: "(a, @dummy, c)"},
	{name: "variables only", columns: "a int, b varchar(20), c varchar(20) default 'd'", file: "1\tx\n2\ty\n", clauses: "(@v, @w)"},
	{name: "one variable twice", columns: "a int, b varchar(20), c int", file: "1\tx\n2\ty\n", clauses: "(@v, @V) SET b = @v"},
	{name: "a variable as a number", columns: "a int, b double, c decimal(9,2)", file: "1\t1e2\t1.255\n-7\tx\t3x\n", clauses: "(@a, @b, @c) SET a = @a, b = @b * 2, c = @c"},
	{name: "a variable as a wrong number", columns: "a int, b double, c decimal(9,2)", file: "1\n2x\n", clauses: "(@a) SET a = @a"},
	{name: "a variable as a wrong number in an expression", columns: "a int, b int, c int", file: "1\n2x\n", clauses: "(@a) SET a = @a + 0"},
	{name: "a variable beyond the range", columns: "a tinyint, b int, c int", file: "1\n300\n", clauses: "(@a) SET a = @a"},
	{name: "a variable that is too long", columns: "a int, b varchar(3), c int", file: "1\tabc\n2\tabcd\n", clauses: "(a, @b) SET b = @b"},
	{name: "a variable as a date", columns: "a int, b date, c datetime(3)", file: "1\t31.12.2020\t20:10\n2\tx\t1\n", clauses: "(a, @b, @c) SET b = STR_TO_DATE(@b, '%d.%m.%Y'), c = CONCAT('2020-01-02 ', @c, ':00.1234')"},
	{name: "NULL for a column that has none", columns: "a int, b int not null, c varchar(5) not null", file: "1\t\\N\tx\n", clauses: "(a, @b, c) SET b = @b"},
	{name: "too few for variables", columns: "a int, b varchar(9), c varchar(9)", file: "1\n2\tx\n3\tx\ty\n", clauses: "(a, @b, @c) SET b = @b, c = IFNULL(@c, 'none')"},
	{name: "too many for variables", columns: "a int, b varchar(9), c varchar(9)", file: "1\tx\ty\tz\n2\tx\n", clauses: "(a, @b) SET b = @b"},
	{name: "a column that is set after its field", columns: "a int, b int, c int", file: "1\t2\n3\t4\n", clauses: "(a, b) SET b = b + a, c = b"},
	{name: "a column that is set before another", columns: "a int default 7, b int, c int", file: "1\n3\n", clauses: "(b) SET a = a + b, c = a"},
	{name: "literals", columns: "a int, b varchar(9), c date", file: "1\n3\n", clauses: "(a) SET b = 'ü', c = '2020-02-29'"},
	{name: "a wrong literal", columns: "a int, b varchar(2), c date", file: "1\n3\n", clauses: "(a) SET b = 'abc'"},
	{name: "a default", columns: "a int, b int default 5, c varchar(9) default 'x'", file: "1\t2\n3\t4\n", clauses: "(a, @b) SET b = DEFAULT, c = DEFAULT(c)"},
	{name: "division by zero", columns: "a int, b int, c int", file: "1\t0\n", clauses: "(a, @b) SET b = a / @b"},
	{name: "division by zero, ignored", columns: "a int, b int, c int", file: "1\t0\n2\t1\n", clauses: "(a, @b) SET b = a / @b", dup: "IGNORE"},
	{name: "a column twice in SET", columns: "a int, b int, c int", file: "1\n", clauses: "(a) SET b = 1, b = b + 1"},
	{name: "an unknown column in SET", columns: "a int, b int, c int", file: "1\n", clauses: "(a) SET nosuch = 1"},
	{name: "an unknown column in an expression", columns: "a int, b int, c int", file: "1\n", clauses: "(a) SET b = nosuch"},
	{name: "another variable", columns: "a int, b int, c int", before: "SET @other = 5", file: "1\n2\n", clauses: "(@a) SET a = @a, b = @other + @a, c = @never"},
	{name: "a variable that was a number", columns: "a int, b varchar(20), c int", before: "SET @a = 5", file: "1\n2\n", clauses: "(@a) SET a = @a, b = CONCAT(@a, '!')"},
	{name: "what variables are afterwards", columns: "a int, b int, c int", file: "1\tx\n2\t\\N\n3\ty", clauses: "(a, @after)"},
	{name: "what variables are after too few", columns: "a int, b int, c int", file: "1\tx\n2\n", clauses: "(a, @after)"},
	{name: "variables of lines that are skipped", columns: "a int, b int, c int", file: "1\tx\n2\ty\n", clauses: "IGNORE 2 LINES (a, @after)", before: "SET @after = 'before'"},
	{name: "variables of rows that are skipped, without ends of lines", columns: "a varchar(9), b int, c int", before: "SET @after = 'before'", file: "a,b,c,d,", clauses: "FIELDS TERMINATED BY ',' LINES TERMINATED BY '' IGNORE 2 LINES (a, @after)"},
	{name: "variables that are enclosed", columns: "a int, b varchar(9), c varchar(9)", file: "1,\"a,b\",NULL\n2,\"x\"\"y\",\"NULL\"\n", clauses: "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' (a, @b, @c) SET b = @b, c = @c"},
	{name: "variables of another character set", other: true, columns: "a int, b varchar(9), c varchar(9)", file: "1\t\xe9\n", clauses: "CHARACTER SET latin1 (a, @b) SET b = @b, c = CONCAT(@b, 'x')"},
	{name: "variables of bytes", other: true, columns: "a int, b varbinary(9), c varchar(9)", file: "1\t\xff\xe9\n", clauses: "CHARACTER SET binary (a, @b) SET b = @b, c = HEX(@b)"},
	{name: "variables that are no text", columns: "a int, b varbinary(9), c varchar(9)", file: "1\ta\xff\n", clauses: "CHARACTER SET utf8mb4 (a, @b) SET c = HEX(@b)"},
	{name: "variables that are no text for a column", columns: "a int, b varchar(9), c varchar(9)", file: "1\ta\xff\n", clauses: "CHARACTER SET utf8mb4 (a, @b) SET b = @b"},
	{name: "variables of characters", columns: "a int, b varchar(9), c int", file: "1\tü漢😀\n", clauses: "(a, @b) SET b = UPPER(@b), c = CHAR_LENGTH(@b)"},
	{name: "the collation of a variable", columns: "a int, b varchar(40), c varchar(40)", file: "1\tx\n", clauses: "(a, @b) SET b = COLLATION(@b), c = CONCAT(COERCIBILITY(@b), ' ', @b = 'X')"},
	{name: "duplicates of what is set", columns: "a int primary key, b varchar(9), c int", before: "INSERT INTO t VALUES (2, 'old', 0)", file: "1\tx\n2\ty\n", clauses: "(@a, b) SET a = @a * 1", dup: "REPLACE"},
	{name: "duplicates of what is set, ignored", columns: "a int primary key, b varchar(9), c int", before: "INSERT INTO t VALUES (2, 'old', 0)", file: "1\tx\n2\ty\n", clauses: "(@a, b) SET a = @a * 1", dup: "IGNORE"},
	{name: "a counter that is set", columns: "a int auto_increment primary key, b varchar(9), c int", file: "5\tx\n\\N\ty\n", clauses: "(@a, b) SET a = @a + 1"},
	{name: "a counter beside variables", columns: "a int auto_increment primary key, b varchar(9), c int", file: "x\ny\n", clauses: "(@b) SET b = @b"},
	{name: "an assignment in SET", columns: "a int, b int, c int", file: "1\n2\n", clauses: "(a) SET b = (@set := a * 2)", refused: 1235},
	{name: "a subquery in SET", columns: "a int, b int, c int", file: "1\n2\n", clauses: "(a) SET b = (SELECT MAX(seq) FROM seq_1_to_3)", refused: 1235},
	{name: "duplicates", columns: "a int primary key, b varchar(9), c int", before: "INSERT INTO t VALUES (1, 'old', 0)", file: "2\tx\t1\n1\tnew\t2\n"},
	{name: "duplicates ignored", columns: "a int primary key, b varchar(9), c int", before: "INSERT INTO t VALUES (1, 'old', 0)", file: "2\tx\t1\n1\tnew\t2\n", dup: "IGNORE"},
	{name: "duplicates replaced", columns: "a int primary key, b varchar(9), c int", before: "INSERT INTO t VALUES (1, 'old', 0)", file: "2\tx\t1\n1\tnew\t2\n", dup: "REPLACE"},
	{name: "ignored errors", columns: "a tinyint, b varchar(2) not null, c date", file: "300\tabc\tx\nx\t\\N\n1\n", dup: "IGNORE"},
	{name: "counter", columns: "a int auto_increment primary key, b varchar(9), c int", file: "\\N\tx\t1\n0\ty\t2\n7\tz\t3\n\\N\tw\t4\n"},
	{name: "counter that is not in the file", columns: "a int auto_increment primary key, b varchar(9), c int", file: "x\t1\ny\t2\n", clauses: "(b, c)"},
	{name: "generated", other: true, columns: "a int primary key, b int as (a * 2) stored, c int", file: "1\t5\t10\n2\t\\N\t\\N\n"},
	{name: "generated in the list", other: true, columns: "a int primary key, b int as (a * 2) virtual, c int", file: "1\t5\t10\n2\t\\N\t\\N\n", clauses: "(a, b, c)"},
	{name: "generated without order", other: true, columns: "a int primary key, b int as (a * 2) virtual, c int", file: "1\t5\t10\n2\t\\N\t\\N\n", clauses: "(c, b, a)"},
	{name: "foreign key", other: true, columns: "a int primary key, b int references t (a), c int", file: "1\t\\N\t1\n2\t7\t1\n"},
	{name: "checked", other: true, columns: "a int check (a > 1), b int, c int", file: "2\t1\t1\n1\t1\t1\n"},
	{name: "trigger", other: true, before: "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.c = concat(NEW.a, '-', NEW.b)", file: "1\t2\t3\n4\t5\t6\n"},
	{name: "trigger after", other: true, before: "CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW SET @after = concat(ifnull(@after, ''), NEW.a)", file: "1\t2\t3\n4\t5\t6\n"},
	{name: "fixed width", file: "abc\n", clauses: "FIELDS TERMINATED BY ''", refused: 1235},
	{name: "two enclosures", other: true, file: "abc\n", clauses: "FIELDS ENCLOSED BY 'ab'"},
	{name: "two escapes", other: true, file: "abc\n", clauses: "FIELDS ESCAPED BY 'ab'"},
	{name: "no such column", file: "abc\n", clauses: "(a, nosuch)"},
}

// TestLoadData loads the same files into both servers: errors, warnings, affected rows and rows are the same.
func TestLoadData(t *testing.T) {
	peer.RequireMariaDB(t)
	dir := t.TempDir()
	both := []*peer.Server{
		peer.StartMariaDB(t, peer.Options{Args: []string{"--secure-file-priv=" + dir, "--innodb-flush-log-at-trx-commit=0"}}),
		peer.Start(t, peer.Options{Kind: peer.Duramen, Args: []string{"--secure-file-priv=" + dir}}),
	}
	conns := make([]*sql.DB, len(both))
	for i, s := range both {
		conns[i] = s.DB("")
		defer conns[i].Close()
		conns[i].SetMaxOpenConns(1) // for variables and warnings
		exec1(t, conns[i], "CREATE DATABASE loaded CHARACTER SET utf8mb4")
		exec1(t, conns[i], "USE loaded")
	}
	for _, mode := range []string{"STRICT_TRANS_TABLES", ""} {
		for _, tc := range loadCases {
			t.Run(fmt.Sprintf("%s, mode '%s'", tc.name, mode), func(t *testing.T) {
				file := filepath.Join(dir, "file")
				if err := os.WriteFile(file, []byte(tc.file), 0o644); err != nil {
					t.Fatal(err)
				}
				native := "ONLY" // it is an error in Duramen if the fallback loads the rows
				if tc.other || tc.refused != 0 {
					native = "ON"
				}
				exec1(t, conns[1], "SET native_sql = "+native)
				want, got := loaded(t, conns[0], tc, file, mode), loaded(t, conns[1], tc, file, mode)
				if tc.refused != 0 {
					want = fmt.Sprintf("error %d", tc.refused)
					got, _, _ = strings.Cut(got, ":")
				}
				if want != got {
					t.Errorf("MariaDB:\n%s\nDuramen:\n%s", want, got)
				}
			})
		}
	}
}

// loaded is all that a LOAD DATA does, as text.
func loaded(t *testing.T, c *sql.DB, tc loadCase, file, mode string) string {
	t.Helper()
	columns := tc.columns
	if columns == "" {
		columns = abc
	}
	for _, q := range []string{"SET sql_mode = '" + mode + "'", "DROP TABLE IF EXISTS t", "CREATE TABLE t (" + columns + ")", tc.before} {
		if q == "" {
			continue
		}
		exec1(t, c, q)
	}
	var out strings.Builder
	res, err := c.Exec("LOAD DATA INFILE '" + file + "' " + tc.dup + " INTO TABLE t " + tc.clauses)
	var refused *mysql.MySQLError
	switch {
	case errors.As(err, &refused):
		fmt.Fprintf(&out, "error %d: %s\n", refused.Number, refused.Message)
	case err != nil:
		t.Fatal(err)
	default:
		n, _ := res.RowsAffected()
		fmt.Fprintf(&out, "affected %d\n", n)
		warnings := peer.MustRows(t, c, "SHOW WARNINGS")
		sort.Strings(warnings) // those of a row may come in another order
		for _, line := range warnings {
			fmt.Fprintf(&out, "warning %s\n", line)
		}
	}
	for _, line := range peer.MustRows(t, c, "SELECT a, b, c, @after FROM t ORDER BY 1, 2, 3") {
		fmt.Fprintln(&out, line)
	}
	return out.String()
}

// TestBitsInFiles writes BITs of separators from Duramen, and both servers read them back.
func TestBitsInFiles(t *testing.T) {
	peer.RequireMariaDB(t)
	dir := t.TempDir()
	duramen := peer.Start(t, peer.Options{Kind: peer.Duramen, Args: []string{"--secure-file-priv=" + dir}})
	mariadb := peer.StartMariaDB(t, peer.Options{Args: []string{"--secure-file-priv=" + dir}})
	conns := map[*peer.Server]*sql.DB{duramen: duramen.DB(""), mariadb: mariadb.DB("")}
	for _, c := range conns {
		defer c.Close()
		c.SetMaxOpenConns(1)
		for _, q := range []string{"CREATE DATABASE bits", "USE bits", "CREATE TABLE t (id int, b bit(64))", "CREATE TABLE back LIKE t"} {
			exec1(t, c, q)
		}
	}
	for i, clauses := range []string{"", `FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' LINES TERMINATED BY '\r\n'`, `FIELDS TERMINATED BY ',' ENCLOSED BY '"'`} {
		file := filepath.Join(dir, fmt.Sprint("bits", i))
		exec1(t, conns[duramen], "DELETE FROM t")
		exec1(t, conns[duramen], "INSERT INTO t VALUES (1, x'0009000a5c22002c'), (2, x'220d0a2c220d0a5c'), (3, NULL), (4, 0)")
		exec1(t, conns[duramen], "SELECT * INTO OUTFILE '"+file+"' "+clauses+" FROM t ORDER BY id")
		want := peer.MustRows(t, conns[duramen], "SELECT id, b + 0 FROM t ORDER BY id")
		for s, c := range conns {
			exec1(t, c, "DELETE FROM back")
			exec1(t, c, "LOAD DATA INFILE '"+file+"' INTO TABLE back "+clauses)
			if got := peer.MustRows(t, c, "SELECT id, b + 0 FROM back ORDER BY id"); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s, %s: %q, want %q", s.Kind, clauses, got, want)
			}
		}
	}
}
