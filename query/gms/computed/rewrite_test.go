package computed

import (
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// markedIn are the texts of what is marked in a statement, in the order of the walk.
func markedIn(t *testing.T, ast sqlparser.Statement) (out []string) {
	t.Helper()
	err := sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if e, ok := n.(sqlparser.InjectedExpr); ok {
			out = append(out, e.Expression.(*source).text)
			return false, nil
		}
		return true, nil
	}, ast)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRewrite(t *testing.T) {
	for _, test := range []struct{ sql, marked string }{
		{"select a, 1, 'x', -1 from t", ""},
		{"select a + 1, sum(b * 2) + 1 from t", "a + 1; sum(b * 2) + 1"},
		{"select sum(b * 2), user(), concat(user(), 'x') from t", "b * 2; concat(user(), 'x')"},
		{"select 1 from t where a = 1 and b + 1 > 2 or c is null", "a = 1; b + 1 > 2"},
		{"select 1 from t where a in (select b + 1 from u)", "b + 1"},
		{"select (select max(b) from u) + 1, st_x(p) + 1 from t", "st_x(p) + 1"},
		{"select a from t group by upper(a) having count(*) * 2 > 1 order by length(a), 1", "upper(a); count(*) * 2 > 1; length(a)"},
		{"select t.a from t join u on t.a = u.b + 1", "t.a = u.b + 1"},
		{"insert into t values (1 + 1, a, default)", "1 + 1"},
		{"update t set a = a + 1 where b = 2", "a + 1; b = 2"},
		{"select count(distinct a + 1), group_concat(concat(a, b)), row_number() over (order by a) from t", "a + 1; concat(a, b)"},
	} {
		ast, err := sqlparser.Parse(test.sql)
		if err != nil {
			t.Fatal(err)
		}
		before := sqlparser.String(ast)
		undo := Rewrite(ast)
		if got := strings.Join(markedIn(t, ast), "; "); got != test.marked {
			t.Errorf("%s: marked %q, expected %q", test.sql, got, test.marked)
		}
		Rewrite(ast) // changes nothing
		if got := strings.Join(markedIn(t, ast), "; "); got != test.marked {
			t.Errorf("%s: marked %q the second time, expected %q", test.sql, got, test.marked)
		}
		undo()
		if after := sqlparser.String(ast); after != before || len(markedIn(t, ast)) > 0 {
			t.Errorf("%s: %s after undo, with marks %q", test.sql, after, markedIn(t, ast))
		}
	}
}

// TestPrinted holds the text for our grammar: operators in parentheses, and what go-mysql-server yields as columns.
func TestPrinted(t *testing.T) {
	for _, test := range []struct{ expr, text string }{
		{"a + b * a", "(`$0` + (`$1` * `$0`))"},
		{"t.a like concat(b, '%') escape '|'", "(`$0` like concat(`$1`, '%') escape '|')"},
		{"date_add(d, interval n day)", "date_add(`$0`, interval `$1` day)"},
		{"cast(max(a) as char(3))", "cast(`$0` as char(3))"},
		{"not (a and b is null)", "(not ((`$0` and (`$1` is null))))"},
	} {
		ast, err := sqlparser.Parse("select " + test.expr + " from t")
		if err != nil {
			t.Fatal(err)
		}
		p := printer{places: map[string]int{}}
		got := p.print(ast.(*sqlparser.Select).SelectExprs[0].(*sqlparser.AliasedExpr).Expr)
		if got != test.text || p.foreign {
			t.Errorf("%s: %s (foreign %v), expected %s", test.expr, got, p.foreign, test.text)
		}
	}
}
