package nesting

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// TestCheck: what is too deep is refused with its number, what MariaDB answers at any length is not.
func TestCheck(t *testing.T) {
	r := strings.Repeat
	for name, c := range map[string]struct {
		sql    string
		number uint16 // 0: accepted
	}{
		"not":               {"SELECT " + r("NOT ", 450000) + "1", mysqlerr.StackOverrunNeedMore},
		"sum":               {"SELECT 1" + r("+1", 20000), mysqlerr.StackOverrunNeedMore},
		"short sum":         {"SELECT 1" + r("+1", 500), 0},
		"and":               {"SELECT * FROM t WHERE a=1" + r(" AND b=1", 20000), 0},
		"or":                {"SELECT * FROM t WHERE a=1" + r(" OR b=1", 20000), 0},
		"or of ands":        {"SELECT * FROM t WHERE a=1" + r(" OR b=1 AND c=1", 10000), 0},
		"list":              {"SELECT * FROM t WHERE a IN (1" + r(",1", 20000) + ")", 0},
		"rows":              {"INSERT INTO t VALUES (1,1)" + r(",(1,1)", 20000), 0},
		"union":             {"SELECT 1" + r(" UNION SELECT 1", 5000), mysqlerr.StackOverrunNeedMore},
		"cases":             {"SELECT " + r("CASE WHEN 1 THEN ", 5000) + "1" + r(" END", 5000), mysqlerr.StackOverrunNeedMore},
		"selects":           {"SELECT " + r("(SELECT ", 70) + "1" + r(")", 70), mysqlerr.TooHighLevelOfNestingForSelect},
		"fewer selects":     {"SELECT " + r("(SELECT ", 60) + "1" + r(")", 60), 0},
		"tables":            {"SELECT 1 FROM t" + r(", t", 61), mysqlerr.TooManyTables},
		"fewer tables":      {"SELECT 1 FROM t" + r(", t", 60), 0},
		"check":             {"CREATE TABLE t (a INT CHECK (a" + r("+1", 5000) + "))", mysqlerr.StackOverrunNeedMore},
		"view":              {"CREATE VIEW v AS SELECT 1" + r("+1", 5000), mysqlerr.StackOverrunNeedMore},
		"blocks":            {"CREATE PROCEDURE p() " + r("BEGIN ", 5000) + "SELECT 1;" + r(" END;", 5000), mysqlerr.StackOverrunNeedMore},
		"routine":           {"CREATE PROCEDURE p() SELECT 1" + r("+1", 5000), mysqlerr.StackOverrunNeedMore},
		"trigger":           {"CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1" + r("+1", 5000), mysqlerr.StackOverrunNeedMore},
		"set":               {"SET @a = 1" + r("+1", 5000), mysqlerr.StackOverrunNeedMore},
		"doubling with":     {doubling(12), mysqlerr.StackOverrunNeedMore},
		"less doubling":     {doubling(5), 0},
		"with and the like": {"WITH a AS (SELECT 1 x), b AS (SELECT 2 y) SELECT * FROM a, b", 0},
	} {
		ast, err := sqlparser.Parse(c.sql)
		require.NoError(t, err, name)
		err = Check(ast)
		if c.number == 0 {
			require.NoError(t, err, name)
			continue
		}
		var e *mysqlerr.Error
		require.ErrorAs(t, err, &e, name)
		require.Equal(t, c.number, e.Number, name)
	}
}

// doubling is a WITH clause in which each name stands for the one before it twice.
func doubling(n int) string {
	s := "WITH c0 AS (SELECT 1 x)"
	for i := 1; i <= n; i++ {
		s += fmt.Sprintf(", c%d AS (SELECT a.x FROM c%d a, c%d b)", i, i-1, i-1)
	}
	return s + fmt.Sprintf(" SELECT * FROM c%d", n)
}

// TestBalance: a balanced chain has the same terms in the same order.
func TestBalance(t *testing.T) {
	for _, op := range []string{" and ", " or "} {
		for n := range 70 {
			sql := "select * from t where x0"
			for i := 1; i <= n; i++ {
				sql += op + fmt.Sprintf("x%d", i)
			}
			ast, err := sqlparser.Parse(sql)
			require.NoError(t, err)
			require.NoError(t, Check(ast))
			require.Equal(t, sql, sqlparser.String(ast))
		}
	}
}

// TestParserNesting: the parser's own bound is reported as what it is.
func TestParserNesting(t *testing.T) {
	p := Parser{}
	_, err := p.ParseSimple("SELECT " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300))
	require.ErrorIs(t, err, mysqlerr.New(mysqlerr.StackOverrunNeedMore))
}
