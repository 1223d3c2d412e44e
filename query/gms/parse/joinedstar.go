package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// refuseJoinedStars refuses a * over a join with NATURAL or USING in a routine or trigger: go-mysql-server has the columns of such a join in another
// order, or loses some. In other statements it is written out before they are planned.
func refuseJoinedStars(body sqlparser.Statement) (err error) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		sel, ok := n.(*sqlparser.Select)
		if err != nil {
			return false, nil //nolint:nilerr // it is returned below
		}
		if !ok {
			return true, nil
		}
		for _, e := range sel.SelectExprs {
			if star, ok := e.(*sqlparser.StarExpr); ok && usesColumns(sel.From) && !(star.TableName.IsEmpty() && sharesOne(sel.From)) {
				err = mysqlerr.NotYet("* of a join with NATURAL or USING in a routine; write the columns")
			}
		}
		return err == nil, nil
	}, body)
	return err
}

// sharesOne reports whether two tables are joined by one column, whose * go-mysql-server has right.
func sharesOne(from sqlparser.TableExprs) bool {
	if len(from) != 1 {
		return false
	}
	join, ok := from[0].(*sqlparser.JoinTableExpr)
	if !ok || len(join.Condition.Using) != 1 || strings.Contains(join.Join, "right") || strings.Contains(join.Join, "natural") {
		return false
	}
	_, left := join.LeftExpr.(*sqlparser.AliasedTableExpr)
	_, right := join.RightExpr.(*sqlparser.AliasedTableExpr)
	return left && right
}

// usesColumns reports whether there is NATURAL or USING in a FROM clause.
func usesColumns(from sqlparser.TableExprs) bool {
	for _, e := range from {
		switch e := e.(type) {
		case *sqlparser.ParenTableExpr:
			if usesColumns(e.Exprs) {
				return true
			}
		case *sqlparser.JoinTableExpr:
			if len(e.Condition.Using) > 0 || strings.Contains(e.Join, "natural") || usesColumns(sqlparser.TableExprs{e.LeftExpr, e.RightExpr}) {
				return true
			}
		}
	}
	return false
}
