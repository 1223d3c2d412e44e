package parse

import "github.com/dolthub/vitess/go/vt/sqlparser"

// jsonTablesBeside gives LEFT JOIN JSON_TABLE(...) ON TRUE a condition that names a column: go-mysql-server makes a cross join of it, which has no rows of
// the other table where the document has none.
func jsonTablesBeside(ast sqlparser.Statement) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		j, ok := n.(*sqlparser.JoinTableExpr)
		if !ok || j.Join != sqlparser.LeftJoinStr || j.Condition.On == nil {
			return true, nil
		}
		if t, ok := j.RightExpr.(*sqlparser.JSONTableExpr); ok {
			if c := firstColumn(t, t.Spec); c != nil {
				one := sqlparser.NewIntVal([]byte("1"))
				whatever := &sqlparser.CaseExpr{Whens: []*sqlparser.When{{Cond: c, Val: one}}, Else: one} // which is not simplified
				j.Condition.On = &sqlparser.AndExpr{Left: &sqlparser.ParenExpr{Expr: j.Condition.On}, Right: whatever}
			}
		}
		return true, nil
	}, ast)
}

func firstColumn(t *sqlparser.JSONTableExpr, spec *sqlparser.JSONTableSpec) *sqlparser.ColName {
	for _, c := range spec.Columns {
		if c.Spec == nil {
			return &sqlparser.ColName{Name: c.Name, Qualifier: sqlparser.TableName{Name: t.Alias}}
		}
		if found := firstColumn(t, c.Spec); found != nil {
			return found
		}
	}
	return nil
}
