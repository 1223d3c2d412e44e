package dialect

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// outfile is a SELECT INTO OUTFILE, what it writes, and its warnings.
type outfile struct {
	before, items, clauses string
	want                   string
	warnings               []string
	back                   bool // LOAD DATA reads the same rows from the file
}

const (
	ambiguous = "Warning 1475 First character of the FIELDS TERMINATED string is ambiguous; please use non-optional and non-empty FIELDS ENCLOSED BY"
	notASCII  = "Warning 1638 Non-ASCII separator arguments are not fully supported"
)

var outfiles = []outfile{
	{items: "*", want: "1\t1.50\ta,b\\\tc\t\x00\xfc\x00\xf1\ta,b\t2001\n-2\t\\N\t\\N\t\\N\t\\N\t\\N\n3\t2.25\tnt\"q\\\\\\\n\t\x00a\x00b\tx\t0000\n", back: true},
	{
		items: "*", clauses: `FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' LINES STARTING BY '>' TERMINATED BY '\r\n'`,
		want: ">1,1.50,\"a,b\tc\",\"\x00\xfc\x00\xf1\",\"a,b\",2001\r\n>-2,\\N,\\N,\\N,\\N,\\N\r\n>3,2.25,\"nt\\\"q\\\\\n\",\"\x00a\x00b\",\"x\",0000\r\n", back: true,
	},
	{items: "id, n, s, y", clauses: "FIELDS TERMINATED BY ''", want: "1          1.50        a,b\tc               2001\n" +
		"-2" + strings.Repeat(" ", 45) + "\n3          2.25        nt\"q\\\\\\\n              0000\n"},
	{items: "s, id", clauses: "FIELDS TERMINATED BY 'n'", want: "a,b\tcn1\n\\Nn-2\nnt\"q\\\\\\\nn3\n", warnings: []string{ambiguous}},
	{items: "s, id", clauses: "FIELDS TERMINATED BY '1'", want: "a,b\tc11\n\\N1-2\nnt\"q\\\\\\\n13\n", warnings: []string{ambiguous}},
	{items: "id, s", clauses: "FIELDS ENCLOSED BY '1'", want: "1\\11\t1a,b\tc1\n1-21\t\\N\n131\t1nt\"q\\\\\\\n1\n"},
	{items: "id, s", clauses: "FIELDS TERMINATED BY 'ü'", want: "1üa,b\tc\n-2ü\\N\n3ünt\"q\\\\\\\n\n", warnings: []string{notASCII}},
	{items: "id, s", clauses: "FIELDS TERMINATED BY ';;' LINES TERMINATED BY ''", want: "1;;a,b\tc;;-2;;\\N;;3;;nt\"q\\\\\n;;"},
	{items: "id, s", before: "SET sql_mode='NO_BACKSLASH_ESCAPES'", want: "1\ta,b\tc\n-2\tNULL\n3\tnt\"q\\\n\n"},
	{items: "id, s", before: "SET sql_mode='NO_BACKSLASH_ESCAPES'", clauses: `FIELDS ESCAPED BY '\'`, want: "1\ta,b\\\tc\n-2\t\\N\n3\tnt\"q\\\\\\\n\n"},
	{items: "id, u", clauses: "CHARACTER SET utf8mb4", want: "1\tüñ\n-2\t\\N\n3\tab\n", back: true},
	{items: "id, u", clauses: "CHARACTER SET latin1", want: "1\t\xfc\xf1\n-2\t\\N\n3\tab\n", back: true},
	{items: "id, s", clauses: "CHARACTER SET ucs2", want: "\x001\t\x00a\x00,\x00b\x00\t\x00c\n\x00-\x002\t\\N\n\x003\t\x00n\x00t\x00\"\x00q\x00\\\x00\n\n"},
	{items: "id, u AS x", clauses: "CHARACTER SET ascii", want: "1\t??\n-2\t\\N\n3\tab\n", warnings: []string{"Warning 1366 Data truncated for column 'x' at row 1"}},
	{
		items: "id, s", before: "SET collation_connection=ucs2_general_ci", clauses: "FIELDS TERMINATED BY ','", want: "1\x00,a,b\tc\n-2\x00,\\N\n3\x00,nt\"q\\\\\\\n\n",
		warnings: []string{notASCII, ambiguous},
	},
	{items: "CONCAT(id, s), y + 1, NULL, DATE('2001-02-03')", clauses: "FIELDS OPTIONALLY ENCLOSED BY '|'", want: "|1a,b\tc|\t2002\t\\N\t|2001-02-03|\n" +
		"\\N\t\\N\t\\N\t|2001-02-03|\n|3nt\"q\\\\\\\n|\t1\t\\N\t|2001-02-03|\n"},
}

// TestOutfileDuramen and TestOutfileMariaDB look at the files that INTO OUTFILE and INTO DUMPFILE make, and read them back.
func TestOutfileDuramen(t *testing.T) { outfileOn(t, peer.Duramen) }

func TestOutfileMariaDB(t *testing.T) {
	peer.RequireMariaDB(t)
	outfileOn(t, peer.MariaDB)
}

func outfileOn(t *testing.T, kind peer.Kind) {
	dir := t.TempDir()
	c := peer.Start(t, peer.Options{Kind: kind, Args: []string{"--secure-file-priv=" + dir}}).DB("")
	defer c.Close()
	c.SetMaxOpenConns(1)
	run := func(q string) {
		t.Helper()
		_, err := c.Exec(q)
		require.NoError(t, err, q)
	}
	const table = "(id INT, n DECIMAL(10,2), s VARCHAR(20), u VARCHAR(10) CHARACTER SET ucs2, e ENUM('a,b','x'), y YEAR) CHARACTER SET latin1"
	for _, q := range []string{
		"CREATE DATABASE d", "USE d", "CREATE TABLE t " + table, "CREATE TABLE back " + table, "SET NAMES utf8mb4",
		`INSERT INTO t VALUES (1, 1.5, 'a,b\tc', 'üñ', 'a,b', 2001), (-2, NULL, NULL, NULL, NULL, NULL), (3, 2.25, 'nt"q\\\n', 'ab', 'x', 0)`,
	} {
		run(q)
	}
	for i, o := range outfiles {
		file := filepath.Join(dir, "f"+string(rune('a'+i)))
		run("SET NAMES utf8mb4, sql_mode=DEFAULT")
		if o.before != "" {
			run(o.before)
		}
		if kind == peer.Duramen {
			run("SET native_sql='ONLY'")
		}
		run("SELECT " + o.items + " INTO OUTFILE '" + file + "' " + o.clauses + " FROM t")
		require.Equal(t, o.warnings, unquoted(peer.MustRows(t, c, "SHOW WARNINGS")), "%+v", o)
		require.Equal(t, o.want, content(t, file), "%+v", o)
		if kind == peer.Duramen {
			run("SET native_sql=DEFAULT")
		}
		if !o.back {
			continue
		}
		run("DELETE FROM back")
		charset, columns := "CHARACTER SET binary ", o.items
		clauses := o.clauses
		if strings.HasPrefix(clauses, "CHARACTER") {
			charset = ""
		}
		if columns == "*" {
			columns = "id, n, s, u, e, y"
		}
		run("LOAD DATA INFILE '" + file + "' INTO TABLE back " + charset + clauses + " (" + columns + ")")
		require.Equal(t, peer.MustRows(t, c, "SELECT "+columns+" FROM t ORDER BY id"), peer.MustRows(t, c, "SELECT "+columns+" FROM back ORDER BY id"), "%+v", o)
	}
	run("SET NAMES utf8mb4, sql_mode=DEFAULT")
	outfileEnds(t, c, dir, kind)
}

// outfileEnds looks at what is left in files when statements fail, and at counts.
func outfileEnds(t *testing.T, c *sql.DB, dir string, kind peer.Kind) {
	if kind == peer.Duramen {
		_, err := c.Exec("SET native_sql='ONLY'")
		require.NoError(t, err)
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, s := range []struct{ q, err, name, want string }{
		{"SELECT id, s INTO DUMPFILE '%' FROM t WHERE id < 3", "", "two", "1a,b\tc-2\x00"},
		{"SELECT id INTO DUMPFILE '%' FROM t", "1172", "three", "1-2"},
		{"SELECT 1 INTO OUTFILE '%' FIELDS ENCLOSED BY 'ab'", "1083", "enclosed", ""},
		{"SELECT 1 INTO OUTFILE '%'", "1086", "enclosed", ""},
		{"SELECT id INTO OUTFILE '%' FROM t WHERE id > 100", "", "none", ""},
		{"SELECT id INTO OUTFILE '%' FROM t FOR UPDATE", "", "locked", "1\n-2\n3\n"},
		{"SELECT nothing INTO OUTFILE '%' FROM t", "1054", "unknown", "-"},
		{"SELECT 1 INTO OUTFILE '%/x'", "1290", "nodir", "-"},
	} {
		_, err := c.Exec(strings.ReplaceAll(s.q, "%", file(s.name)))
		if s.err == "" {
			require.NoError(t, err, s.q)
		} else {
			require.ErrorContains(t, err, "Error "+s.err, s.q)
		}
		got := "-"
		if _, err := os.Stat(file(s.name)); err == nil {
			got = content(t, file(s.name))
		}
		require.Equal(t, s.want, got, s.q)
	}
	counts := func(q string) []string {
		res, err := c.Exec(q)
		require.NoError(t, err)
		n, err := res.RowsAffected()
		require.NoError(t, err)
		return append(unquoted(peer.MustRows(t, c, "SELECT FOUND_ROWS(), ROW_COUNT(), "+string(rune('0'+n)))), q)
	}
	for i, s := range []struct{ q, want string }{
		{"SELECT 1 INTO OUTFILE '%'", "0 1 1"}, {"SELECT id INTO OUTFILE '%' FROM t LIMIT 2", "2 2 2"},
		{"SELECT SQL_CALC_FOUND_ROWS id INTO OUTFILE '%' FROM t LIMIT 2", "3 2 2"}, {"SELECT id INTO OUTFILE '%' FROM t WHERE id > 9", "0 0 0"},
	} {
		q := strings.ReplaceAll(s.q, "%", file("counted"+string(rune('a'+i))))
		require.Equal(t, []string{s.want, q}, counts(q))
	}
}

// unquoted are rows without the quotation marks around their values.
func unquoted(rows []string) (out []string) {
	for _, row := range rows {
		out = append(out, strings.ReplaceAll(row, `"`, ""))
	}
	return out
}
