package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// RefuseStars refuses * over joins that share columns, where go-mysql-server shows other columns, or the same in another order: of more than two
// tables, and t.* of any.
func RefuseStars(n *sqlparser.Select) error {
	shared, tables := false, 0
	var count func(e sqlparser.TableExpr)
	count = func(e sqlparser.TableExpr) {
		switch e := e.(type) {
		case *sqlparser.JoinTableExpr:
			shared = shared || len(e.Condition.Using) > 0 || strings.Contains(e.Join, "natural")
			count(e.LeftExpr)
			count(e.RightExpr)
		case *sqlparser.ParenTableExpr:
			for _, inner := range e.Exprs {
				count(inner)
			}
		default:
			tables++
		}
	}
	for _, e := range n.From {
		count(e)
	}
	if !shared {
		return nil
	}
	for _, e := range n.SelectExprs {
		if s, ok := e.(*sqlparser.StarExpr); ok && (tables > 2 || !s.TableName.IsEmpty()) {
			return mysqlerr.NotYet("* over NATURAL joins, or joins with USING, of several tables; name the columns")
		}
	}
	return nil
}
