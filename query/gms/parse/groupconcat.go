package parse

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// joinGroups makes one text of the values that GROUP_CONCAT joins for a row: go-mysql-server takes the first of them alone.
func joinGroups(ast sqlparser.Statement) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if ddl, ok := n.(*sqlparser.DDL); ok {
			for _, body := range Bodies(ddl) {
				joinGroups(body)
			}
		}
		g, ok := n.(*sqlparser.GroupConcatExpr)
		if !ok || len(g.Exprs) < 2 || g.Distinct != "" {
			return true, nil
		}
		call := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent("concat"), Exprs: g.Exprs}
		g.Exprs = sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: call}}
		return true, nil
	}, ast)
}

// refuseGroupConcat refuses what go-mysql-server leaves out of GROUP_CONCAT.
func refuseGroupConcat(g *sqlparser.GroupConcatExpr) error {
	if len(g.Exprs) > 1 { // see joinGroups
		return mysqlerr.NotYet("GROUP_CONCAT(DISTINCT ...) of several values; make one text of them by CONCAT_WS")
	}
	for _, o := range g.OrderBy {
		if v, ok := o.Expr.(*sqlparser.SQLVal); ok && (v.Type == sqlparser.IntVal || v.Type == sqlparser.ValArg) {
			return mysqlerr.NotYet("GROUP_CONCAT(... ORDER BY a position); write the value")
		}
	}
	return nil
}

// refuseAggregates refuses aggregate functions in conditions of rows: in a subquery they are those of the query around it.
func refuseAggregates(where *sqlparser.Where) error {
	if where == nil || where.Type != sqlparser.WhereStr {
		return nil
	}
	return sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.Subquery:
			return false, nil
		case *sqlparser.GroupConcatExpr:
			return false, aggregateInCondition()
		case *sqlparser.FuncExpr:
			if n.Over == nil && n.IsAggregate() {
				return false, aggregateInCondition()
			}
		}
		return true, nil
	}, where.Expr)
}

func aggregateInCondition() error {
	return mysqlerr.NotYet("an aggregate function in WHERE, which is that of the query around it; compute it in a derived table")
}
