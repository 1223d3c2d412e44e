package viewtext

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
)

// fake has tables by their names, in the database d, and views.
type fake struct {
	tables map[string]string
	views  map[string]string
}

func (f fake) Temporary(_, name string) bool { return name == "tmp" }

func (f fake) Table(db, name string) ([]string, bool) {
	columns, ok := f.tables[db+"."+name]
	return strings.Fields(columns), ok
}

func (f fake) View(db, name string) (string, dialect.Mode, bool) {
	text, ok := f.views[db+"."+name]
	return text, dialect.Mode{}, ok
}

var made = fake{
	tables: map[string]string{"d.t": "a b c", "d.u": "a x b", "d.w": "x y a", "e.t": "p q"},
	views: map[string]string{
		"d.v": "CREATE VIEW v AS SELECT a AS m, b + 1, t.* FROM t", "d.w2": "CREATE VIEW w2 (k, l) AS SELECT 1, 2",
		"d.ring": "CREATE VIEW ring AS SELECT * FROM ring",
	},
}

func TestSettle(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"SELECT * FROM t", "SELECT `t`.`a` AS `a`,`t`.`b` AS `b`,`t`.`c` AS `c` FROM t"},
		{"SELECT * FROM e.t", "SELECT `e`.`t`.`p` AS `p`,`e`.`t`.`q` AS `q` FROM e.t"},
		{"SELECT q.*, 1 FROM t q", "SELECT `q`.`a` AS `a`,`q`.`b` AS `b`,`q`.`c` AS `c`, 1 AS `1` FROM t q"},
		{"SELECT * FROM v", "SELECT `v`.`m` AS `m`,`v`.`b + 1` AS `b + 1`,`v`.`a` AS `a`,`v`.`b` AS `b`,`v`.`c` AS `c` FROM v"},
		{"SELECT * FROM w2", "SELECT `w2`.`k` AS `k`,`w2`.`l` AS `l` FROM w2"},
		{"SELECT * FROM t NATURAL JOIN w", "SELECT `t`.`a` AS `a`,`t`.`b` AS `b`,`t`.`c` AS `c`,`w`.`x` AS `x`,`w`.`y` AS `y` FROM t  JOIN w USING (`a`)"},
		{"SELECT * FROM u RIGHT JOIN w USING (a)", "SELECT `w`.`a` AS `a`,`w`.`x` AS `x`,`w`.`y` AS `y`,`u`.`x` AS `x`,`u`.`b` AS `b` FROM u RIGHT JOIN w USING (a)"},
		{"SELECT 1 FROM t WHERE a IN (SELECT * FROM (SELECT a FROM u) q)", "SELECT 1 AS `1` FROM t WHERE a IN (SELECT `q`.`a` AS `a` FROM (SELECT a FROM u) q)"},
		{"SELECT 1 FROM t WHERE EXISTS (SELECT * FROM u WHERE x IN (SELECT * FROM w2))", "SELECT 1 AS `1` FROM t WHERE EXISTS (SELECT * FROM u WHERE x IN (SELECT `w2`.`k` AS `k`,`w2`.`l` AS `l` FROM w2))"},
		{"WITH q AS (SELECT a FROM t) SELECT * FROM q", "WITH q AS (SELECT a FROM t) SELECT `q`.`a` AS `a` FROM q"},
		{"WITH RECURSIVE q AS (SELECT 1 n UNION ALL SELECT * FROM q) SELECT * FROM q",
			"WITH RECURSIVE q AS (SELECT 1 n UNION ALL SELECT `q`.`n` AS `n` FROM q) SELECT `q`.`n` AS `n` FROM q"},
		{"SELECT b'1', b'101' + a FROM t", "SELECT 0x01 AS `b'1'`, b'101' + a AS `b'101' + a` FROM t"},
		{"SELECT DATE'2026-1-2' d FROM t", "SELECT CAST('2026-01-02' AS DATE) d FROM t"},
		{"SELECT 'x', 'x', (a), 'ab ' FROM t", "SELECT 'x' AS `x`, 'x' AS `My_exp_x`, (a) AS `a`, 'ab ' AS `Name_exp_4` FROM t"},
	} {
		got, err := Settle("CREATE VIEW made AS "+c.query, dialect.Mode{}, "d", made)
		require.NoError(t, err, c.query)
		require.Equal(t, "CREATE VIEW made AS "+c.want, got)
		again, err := Settle(got, dialect.Mode{}, "d", made)
		require.NoError(t, err, got)
		require.Equal(t, got, again, "a text that is settled stays as it is")
	}
}

func TestSettleRefuses(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT * FROM tmp":                    "refers to a temporary table 'tmp'",
		"SELECT * FROM nosuch":                 "'d.nosuch' doesn't exist",
		"SELECT nosuch.* FROM t":               "Unknown table 'd.nosuch'",
		"SELECT a FROM made":                   "'d.made' doesn't exist",
		"SELECT @a":                            "contains a variable",
		"SELECT *":                             "No tables used",
		"SELECT * FROM ring":                   "'d.ring' references invalid",
		"SELECT * FROM (VALUES (1)) q":         "VALUES as a table",
		"SELECT DATE'26-01-02'":                "not written so",
		"SELECT 1 FROM t WHERE a = (SELECT ?)": "contains a variable",
	} {
		_, err := Settle("CREATE VIEW made AS "+query, dialect.Mode{}, "d", made)
		require.ErrorContains(t, err, want, query)
	}
	_, err := Settle("CREATE VIEW made (a, b) AS SELECT 1", dialect.Mode{}, "d", made)
	require.ErrorContains(t, err, "different column counts")
}

// TestDoubled reads views each of which names the one below it twice.
func TestDoubled(t *testing.T) {
	deep := fake{tables: map[string]string{"d.v0": "a"}, views: map[string]string{}}
	for i := 1; i < viewsDeepest; i++ {
		deep.views[fmt.Sprintf("d.v%d", i)] = fmt.Sprintf("CREATE VIEW v%d AS SELECT x.* FROM v%d x JOIN v%d y", i, i-1, i-1)
	}
	got, err := Settle(fmt.Sprintf("CREATE VIEW made AS SELECT * FROM v%d", viewsDeepest-1), dialect.Mode{}, "d", deep)
	require.NoError(t, err)
	require.Equal(t, "CREATE VIEW made AS SELECT `v31`.`a` AS `a` FROM v31", got)
}

func TestJoined(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SELECT * FROM t", "SELECT * FROM t"},
		{"SELECT * FROM t JOIN u ON t.a = u.a", "SELECT * FROM t JOIN u ON t.a = u.a"},
		{"SELECT u.* FROM t NATURAL JOIN u", "SELECT `u`.`a`,`u`.`x`,`u`.`b` FROM t NATURAL JOIN u"},
		{"SELECT * FROM t, u NATURAL JOIN w", "SELECT `t`.`a`,`t`.`b`,`t`.`c`,`u`.`a`,`u`.`x`,`u`.`b`,`w`.`y` FROM t, u NATURAL JOIN w"},
		{"INSERT INTO t SELECT * FROM u JOIN (SELECT * FROM w2) q ON k = a WHERE x IN (SELECT * FROM u NATURAL JOIN w)",
			"INSERT INTO t SELECT * FROM u JOIN (SELECT * FROM w2) q ON k = a WHERE x IN (SELECT `u`.`a`,`u`.`x`,`u`.`b`,`w`.`y` FROM u NATURAL JOIN w)"},
		{"SELECT * FROM nosuch NATURAL JOIN t", "SELECT * FROM nosuch NATURAL JOIN t"},
		{"SELECT b'1', * FROM", "SELECT b'1', * FROM"},
	} {
		got, err := Joined(c.text, dialect.Mode{}, "d", made)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got)
	}
}
