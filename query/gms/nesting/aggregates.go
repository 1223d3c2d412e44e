package nesting

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// errWindowPlace is MariaDB's ER_WRONG_PLACEMENT_OF_WINDOW_FUNCTION.
const errWindowPlace = 4015

// rowless remembers the expressions of a statement that are evaluated without a query around them: go-mysql-server
// takes aggregates there, has no rows for them, and panics or goes on with what it has.
func (g *grammar) rowless(node any) {
	add := func(exprs ...sqlparser.Expr) {
		for _, e := range exprs {
			if e != nil {
				g.outside = append(g.outside, e)
			}
		}
	}
	assigned := func(all sqlparser.AssignmentExprs) {
		for _, a := range all {
			add(a.Expr)
		}
	}
	switch n := node.(type) {
	case *sqlparser.SetVarExpr:
		add(n.Expr)
	case *sqlparser.Call:
		add(n.Params...)
	case *sqlparser.Insert:
		assigned(sqlparser.AssignmentExprs(n.OnDup))
		rows, _ := n.Rows.(sqlparser.Values)
		if r, ok := n.Rows.(*sqlparser.AliasedValues); ok {
			rows = r.Values
		}
		for _, row := range rows {
			add(row...)
		}
	case *sqlparser.ValuesStatement:
		for _, row := range n.Rows {
			add(row...)
		}
	case *sqlparser.Update:
		assigned(n.Exprs)
		if n.Where != nil {
			add(n.Where.Expr)
		}
	case *sqlparser.Delete:
		if n.Where != nil {
			add(n.Where.Expr)
		}
	case *sqlparser.ColumnDefinition:
		add(n.Type.Default)
	}
}

// aggregates refuses aggregates and window functions in those expressions, except in queries within them.
func (g *grammar) aggregates() error {
	for _, e := range g.outside {
		err := sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			switch n := n.(type) {
			case sqlparser.SelectStatement:
				return false, nil
			case *sqlparser.GroupConcatExpr:
				return false, mysqlerr.New(mysqlerr.InvalidGroupFuncUse)
			case *sqlparser.FuncExpr:
				if n.Over != nil {
					return false, mysqlerr.Newf(errWindowPlace, "Window function is allowed only in SELECT list and ORDER BY clause")
				}
				if n.Qualifier.IsEmpty() && (n.IsAggregate() || n.Name.Lowered() == "any_value") {
					return false, mysqlerr.New(mysqlerr.InvalidGroupFuncUse)
				}
			}
			return true, nil
		}, e)
		if err != nil {
			return err
		}
	}
	return nil
}
