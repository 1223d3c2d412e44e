package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// OneTable reports whether a FROM clause is one table.
func OneTable(from sqlparser.TableExprs) bool {
	if len(from) != 1 {
		return false
	}
	_, ok := from[0].(*sqlparser.AliasedTableExpr)
	return ok
}

// refuseAssigned refuses an UPDATE of several tables in which a value names a column that another assignment sets. MariaDB reads that column as it was, or
// as it is set, by the order in which it joins the tables.
func refuseAssigned(n *sqlparser.Update) error {
	if OneTable(n.TableExprs) {
		return nil
	}
	var err error
	for i, set := range n.Exprs {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			switch node := node.(type) {
			case *sqlparser.Subquery:
				return false, nil
			case *sqlparser.ColName:
				for j, other := range n.Exprs {
					if j != i && mayBeSame(node, other.Name) {
						err = mysqlerr.NotYet("UPDATE of several tables in which a value names a column that another assignment sets")
					}
				}
			}
			return err == nil, nil
		}, set.Expr)
	}
	return err
}

// mayBeSame reports whether two names may be those of one column.
func mayBeSame(a, b *sqlparser.ColName) bool {
	if !a.Name.Equal(b.Name) {
		return false
	}
	x, y := a.Qualifier.Name.String(), b.Qualifier.Name.String()
	return x == "" || y == "" || strings.EqualFold(x, y)
}
