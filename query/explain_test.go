package query_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
)

// EXPLAIN of a statement on one table says how it is read, and whether it is bound for each run.
func TestExplain(t *testing.T) {
	srv := newServer(t)
	c := srv.connect()
	t.Cleanup(c.Close)
	c.exec("CREATE DATABASE d; USE d; CREATE TABLE t (id INT PRIMARY KEY, k INT, c CHAR(20), KEY k (k), UNIQUE KEY u (c)); CREATE TABLE g (a INT, b INT AS (a + 1), c INT DEFAULT (a * 2), CHECK (a > 0)); CREATE TABLE h (a INT, b CHAR(36) DEFAULT (UUID()))")
	for _, test := range []struct{ text, want string }{
		{"SELECT c FROM t WHERE id = 5", "1|SIMPLE|t|const|PRIMARY|PRIMARY|4|const|1|direct"},
		{"SELECT id FROM t AS x WHERE c = 'x'", "1|SIMPLE|x|const|u|u|81|const|1|direct"},
		{"SELECT c FROM t WHERE id BETWEEN 5 AND 10 ORDER BY c", "1|SIMPLE|t|range|PRIMARY|PRIMARY|4|NULL|NULL|Using where; Using filesort; direct"},
		{"SELECT c FROM t WHERE k = 5 AND id > 3", "1|SIMPLE|t|ref|PRIMARY,k|k|5|const|NULL|Using where; direct"},
		{"SELECT c FROM t", "1|SIMPLE|t|ALL|NULL|NULL|NULL|NULL|1|direct"},
		{"SELECT c FROM t ORDER BY id DESC", "1|SIMPLE|t|index|NULL|PRIMARY|4|NULL|1|direct"},
		{"SELECT c FROM t WHERE id IN (1, 2, 3)", "1|SIMPLE|t|range|PRIMARY|PRIMARY|4|NULL|3|Using where; direct"},
		{"SELECT k, COUNT(*) FROM t GROUP BY k", "1|SIMPLE|t|ALL|NULL|NULL|NULL|NULL|1|Using temporary; direct"},
		{"SELECT c FROM t WHERE id = NULL", "1|SIMPLE|NULL|NULL|NULL|NULL|NULL|NULL|NULL|Impossible WHERE; direct"},
		{"SELECT c FROM t WHERE 1 = 0", "1|SIMPLE|NULL|NULL|NULL|NULL|NULL|NULL|NULL|Impossible WHERE; direct"},
		{"DELETE FROM t WHERE 'a' = 'b'", "1|SIMPLE|NULL|NULL|NULL|NULL|NULL|NULL|NULL|Impossible WHERE; direct"},
		{"SELECT MAX(id) FROM t", "1|SIMPLE|NULL|NULL|NULL|NULL|NULL|NULL|NULL|Select tables optimized away; general: ROLLUP, or MIN and MAX at the ends of an index"},
		{"SELECT id, NOW() FROM t WHERE id = 1", "1|SIMPLE|t|const|PRIMARY|PRIMARY|4|const|1|direct"},
		{"SELECT UPPER(c), CASE k WHEN 1 THEN CAST(id AS CHAR) END FROM t WHERE id = 1", "1|SIMPLE|t|const|PRIMARY|PRIMARY|4|const|1|direct"},
		{"SELECT UPPER(USER()) FROM t WHERE id = 1", "1|SIMPLE|t|const|PRIMARY|PRIMARY|4|const|1|general: the function USER"},
		{"SELECT id FROM t WHERE id = @a", "1|SIMPLE|t|const|PRIMARY|PRIMARY|4|const|1|general: @`a`"},
		{"SELECT b FROM g", "1|SIMPLE|g|ALL|NULL|NULL|NULL|NULL|1|direct"},
		{"INSERT INTO g (a) VALUES (1)", "1|INSERT|g|ALL|NULL|NULL|NULL|NULL|NULL|direct"},
		{"INSERT INTO h (a) VALUES (1)", "1|INSERT|h|ALL|NULL|NULL|NULL|NULL|NULL|general: the function UUID"},
		{"UPDATE t SET k = 1 WHERE id = 5", "1|SIMPLE|t|const|PRIMARY|PRIMARY|4|const|1|direct"},
		{"DELETE FROM t WHERE k = 5", "1|SIMPLE|t|ref|k|k|5|const|NULL|Using where; direct"},
		{"INSERT INTO t VALUES (1, 2, 'x')", "1|INSERT|t|ALL|NULL|NULL|NULL|NULL|NULL|direct"},
	} {
		if test.text == "SELECT id FROM t WHERE id = @a" {
			c.exec("SET @a = 1")
		}
		require.Equal(t, test.want, c.query("EXPLAIN %s", test.text), test.text)
		require.Equal(t, test.want, c.query("DESC %s", test.text), test.text)
		stmt, err := c.Prepare(context.Background(), "EXPLAIN "+test.text)
		require.NoError(t, err)
		require.Len(t, stmt.Columns, 10)
		var r recorder
		require.NoError(t, c.ExecuteStmt(context.Background(), stmt, nil, &r))
		require.Equal(t, test.want, r.sets[0].text(), test.text)
		require.Equal(t, stmt.Columns, r.sets[0].cols)
	}
	require.Equal(t, "0", c.query("SELECT COUNT(*) FROM t"), "a statement was run")
	c.exec("SET duramen_direct_path = OFF")
	require.Equal(t, "1|SIMPLE|t|const|PRIMARY|PRIMARY|4|const|1|general: duramen_direct_path=OFF", c.query("EXPLAIN SELECT c FROM t WHERE id = 5"))

	c.exec("CREATE USER u; GRANT SELECT ON d.g TO u")
	u := srv.connect(func(ci *session.ConnInfo) { ci.User = "u" })
	t.Cleanup(u.Close)
	for _, text := range []string{"EXPLAIN SELECT c FROM d.t", "EXPLAIN DELETE FROM d.g"} {
		_, err := u.run(text)
		var e *mysqlerr.Error
		require.ErrorAs(t, err, &e, text)
		require.Equal(t, uint16(1142), e.Number, text)
	}
}

// EXPLAIN of what the fallback runs has the tables of the statement, and says why it is not run by SQL of our own.
func TestExplainGeneral(t *testing.T) {
	c := newServer(t).connect()
	t.Cleanup(c.Close)
	c.exec("CREATE DATABASE d; USE d; CREATE TABLE t (id INT PRIMARY KEY, k INT); CREATE TABLE s (id INT PRIMARY KEY)")
	const none = "|NULL|NULL|NULL|NULL|NULL|NULL|"
	for _, test := range []struct{ text, want string }{
		{"SELECT a.id FROM t a, s", "1|SIMPLE|a" + none + "general: several tables\n1|SIMPLE|s" + none},
		{"UPDATE t JOIN s ON t.id = s.id SET k = 3", "1|SIMPLE|t" + none + "general: several tables\n1|SIMPLE|s" + none},
		{"SELECT * FROM t WHERE id IN (SELECT id FROM s)", "1|PRIMARY|t" + none + "general: a subquery\n2|SUBQUERY|s" + none},
		{"SELECT * FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.id = t.id)", "1|PRIMARY|t" + none + "general: a subquery\n2|DEPENDENT SUBQUERY|s" + none},
		{"SELECT * FROM (SELECT id FROM t) x", "1|PRIMARY|<derived2>|ALL|NULL|NULL|NULL|NULL|NULL|general: a query in FROM\n2|DERIVED|t" + none},
		{"WITH q AS (SELECT id FROM t) SELECT * FROM q, q r", "1|PRIMARY|<derived2>|ALL|NULL|NULL|NULL|NULL|NULL|general: WITH\n1|PRIMARY|<derived2>|ALL|NULL|NULL|NULL|NULL|NULL|\n2|DERIVED|t" + none},
		{"SELECT 1 UNION SELECT id FROM s", "1|PRIMARY|NULL" + none + "No tables used; general: UNION\n2|UNION|s" + none + "\nNULL|UNION RESULT|<union1,2>|ALL|NULL|NULL|NULL|NULL|NULL|"},
		{"SELECT 1 UNION ALL SELECT id FROM s", "1|PRIMARY|NULL" + none + "No tables used; general: UNION\n2|UNION|s" + none},
		{"INSERT INTO s SELECT id FROM t", "1|SIMPLE|t" + none + "general: INSERT ... SELECT"},
		{"SELECT 1", "1|SIMPLE|NULL" + none + "No tables used"},
	} {
		require.Equal(t, test.want, c.query("EXPLAIN %s", test.text), test.text)
		require.Equal(t, test.want, c.query("EXPLAIN %s", test.text), test.text)
		stmt, err := c.Prepare(context.Background(), "EXPLAIN "+test.text)
		require.NoError(t, err, test.text)
		var r recorder
		require.NoError(t, c.ExecuteStmt(context.Background(), stmt, nil, &r))
		require.Equal(t, test.want, r.sets[0].text(), test.text)
	}
	require.Equal(t, "0", c.query("SELECT COUNT(*) FROM s"), "a statement was run")
	c.fails(mysqlerr.NoSuchTable, "EXPLAIN SELECT * FROM t, nowhere")
	c.fails(mysqlerr.Parse, "EXPLAIN SELECT * FROM t, s WHERE s.id = ?")
}
