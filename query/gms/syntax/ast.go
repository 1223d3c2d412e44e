package syntax

import "github.com/dolthub/vitess/go/vt/sqlparser"

// AliasedTables lists the tables of a FROM clause, without those of derived tables.
func AliasedTables(exprs sqlparser.TableExprs) []*sqlparser.AliasedTableExpr {
	var out []*sqlparser.AliasedTableExpr
	var visit func(e sqlparser.TableExpr)
	visit = func(e sqlparser.TableExpr) {
		switch e := e.(type) {
		case *sqlparser.AliasedTableExpr:
			out = append(out, e)
		case *sqlparser.JoinTableExpr:
			visit(e.LeftExpr)
			visit(e.RightExpr)
		case *sqlparser.ParenTableExpr:
			for _, inner := range e.Exprs {
				visit(inner)
			}
		}
	}
	for _, e := range exprs {
		visit(e)
	}
	return out
}

// DefinerOf is the DEFINER clause of a statement; ok is false if it makes nothing that has a definer.
func DefinerOf(ast sqlparser.Statement) (definer string, ok bool) {
	d, isDDL := ast.(*sqlparser.DDL)
	if !isDDL || d.Action != sqlparser.CreateStr {
		return "", false
	}
	switch {
	case d.ViewSpec != nil:
		return d.ViewSpec.Definer, true
	case d.ProcedureSpec != nil:
		return d.ProcedureSpec.Definer, true
	case d.TriggerSpec != nil:
		return d.TriggerSpec.Definer, true
	case d.EventSpec != nil:
		return d.EventSpec.Definer, true
	}
	return "", false
}
