package parse

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// groupByConstants keeps constants in GROUP BY that are no integers: go-mysql-server takes every literal there for the
// position of a column, and refuses those that cannot be one.
func groupByConstants(ast sqlparser.Statement) {
	eachGroup(ast, func(group *sqlparser.Expr) {
		if v, ok := (*group).(*sqlparser.SQLVal); ok && v.Type != sqlparser.IntVal && v.Type != sqlparser.ValArg {
			*group = &sqlparser.ParenExpr{Expr: v}
		}
	})
}

// HoldGroupParameters makes constants of the parameters in GROUP BY until release is called: while a statement is
// prepared they have no values yet, and so they are no positions.
func HoldGroupParameters(ast sqlparser.Statement) (release func()) {
	var undo []func()
	eachGroup(ast, func(group *sqlparser.Expr) {
		if v, ok := (*group).(*sqlparser.SQLVal); ok && v.Type == sqlparser.ValArg {
			*group = &sqlparser.ParenExpr{Expr: v}
			undo = append(undo, func() { *group = v })
		}
	})
	return func() {
		for _, u := range undo {
			u()
		}
	}
}

func eachGroup(ast sqlparser.Statement, do func(*sqlparser.Expr)) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if s, ok := n.(*sqlparser.Select); ok {
			for i := range s.GroupBy {
				do(&s.GroupBy[i])
			}
		}
		return true, nil
	}, ast)
}
