package parse

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// FirstQueries makes a derived table of a set operation with a LIMIT that is the first query of another one: go-mysql-server takes its ORDER BY and
// LIMIT for those of the whole. Its ORDER BY alone means nothing.
func FirstQueries(ast sqlparser.Statement) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.DDL:
			for _, body := range Bodies(n) {
				FirstQueries(body)
			}
		case *sqlparser.SetOp:
			first, ok := unpacked(n.Left).(*sqlparser.SetOp)
			switch {
			case !ok || first == n.Left:
			case first.Limit != nil:
				n.Left = &sqlparser.Select{
					SelectExprs: sqlparser.SelectExprs{&sqlparser.StarExpr{}},
					From:        sqlparser.TableExprs{&sqlparser.AliasedTableExpr{Expr: &sqlparser.Subquery{Select: first}, As: sqlparser.NewTableIdent("first query")}},
				}
			case len(n.OrderBy) > 0:
				first.OrderBy = nil
			}
		}
		return true, nil
	}, ast)
}

// unpacked is a query without the parentheses around it.
func unpacked(q sqlparser.SelectStatement) sqlparser.SelectStatement {
	for {
		p, ok := q.(*sqlparser.ParenSelect)
		if !ok {
			return q
		}
		q = p.Select
	}
}
