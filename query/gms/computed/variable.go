package computed

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Variables are the types of a routine's parameters and variables, by their names in lower case. go-mysql-server puts what they hold into its statements as
// literals, which are texts for all but integers.
type Variables map[string]*sqlparser.ConvertType

// Declare notes a variable; error 1235 if two of the same name have different types, of which the statements would not know which is meant.
func (v Variables) Declare(name string, t *sqlparser.ConvertType) error {
	name = strings.ToLower(name)
	if old, ok := v[name]; ok && ((old == nil) != (t == nil) || old != nil && sqlparser.String(old) != sqlparser.String(t)) {
		return mysqlerr.NotYet("two variables " + name + " of different types in a routine; give them different names")
	}
	v[name] = t
	return nil
}

// TypeOfVariable is what the text of a variable's value is converted to; nil for types whose literals are right.
func TypeOfVariable(t sql.Type) *sqlparser.ConvertType {
	number := func(n int) *sqlparser.SQLVal { return sqlparser.NewIntVal([]byte{byte('0' + n)}) }
	switch t := t.(type) {
	case sql.DecimalType:
		return &sqlparser.ConvertType{Type: "decimal", Length: decimalDigits(t.Precision()), Scale: decimalDigits(t.Scale())}
	case sql.DatetimeType:
		if t.Type() == sqltypes.Date {
			return &sqlparser.ConvertType{Type: "date"}
		}
		if t.Precision() == 0 {
			return &sqlparser.ConvertType{Type: "datetime"}
		}
		return &sqlparser.ConvertType{Type: "datetime", Length: number(t.Precision())}
	case gmstypes.TimeType:
		return &sqlparser.ConvertType{Type: "time"}
	}
	switch t {
	case gmstypes.Float64:
		return &sqlparser.ConvertType{Type: "double"}
	case gmstypes.Float32:
		return &sqlparser.ConvertType{Type: "float"}
	}
	return nil
}

func decimalDigits(n uint8) *sqlparser.SQLVal {
	return sqlparser.NewIntVal([]byte{'0' + n/10, '0' + n%10})
}

// Typed gives the values of variables in a statement of a routine their types, and takes them away where a column of a table is meant. undo takes it back: the statement is used again.
func (v Variables) Typed(ast sqlparser.Statement) (undo func()) {
	m := &marker{}
	v.typed(m, ast)
	return m.undo
}

func (v Variables) typed(m *marker, ast sqlparser.SQLNode) {
	each := func(at *sqlparser.Expr) { v.expr(m, at) }
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.AliasedExpr:
			each(&n.Expr)
		case *sqlparser.Where:
			if n != nil {
				each(&n.Expr)
			}
		case *sqlparser.JoinTableExpr:
			if n.Condition.On != nil {
				each(&n.Condition.On)
			}
		case *sqlparser.Order:
			each(&n.Expr)
		case *sqlparser.AssignmentExpr:
			each(&n.Expr)
		case *sqlparser.SetVarExpr:
			each(&n.Expr)
		case *sqlparser.Insert:
			if rows, ok := n.Rows.(*sqlparser.AliasedValues); ok {
				for _, row := range rows.Values {
					for i := range row {
						each(&row[i])
					}
				}
			}
		case *sqlparser.ColName:
			if n.StoredProcVal != nil && !n.Qualifier.IsEmpty() { // a column that has the name of a variable
				was := n.StoredProcVal
				n.StoredProcVal = nil
				m.done = append(m.done, func() { n.StoredProcVal = was })
			}
		}
		return true, nil
	}, ast)
}

// expr gives the variables of an expression their types, but for those in its subqueries and functions, which are met later.
func (v Variables) expr(m *marker, at *sqlparser.Expr) {
	if own := v.converted(*at); own != nil {
		old := *at
		*at = own
		m.done = append(m.done, func() { *at = old })
		return
	}
	var found []*sqlparser.ColName
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.Subquery, *sqlparser.AliasedExpr:
			return false, nil
		case *sqlparser.ConvertExpr:
			if _, variable := n.Expr.(*sqlparser.ColName); variable { // it is converted anyway, if not here before
				return false, nil
			}
		case *sqlparser.ColName:
			if v.converted(n) != nil {
				found = append(found, n)
			}
		}
		return true, nil
	}, *at)
	for _, col := range found {
		own := v.converted(col)
		root := *at
		sqlparser.ReplaceExpr(root, col, own)
		m.done = append(m.done, func() { sqlparser.ReplaceExpr(root, own, col) })
	}
}

// converted is the value of a variable with its type; nil for others.
func (v Variables) converted(e sqlparser.Expr) sqlparser.Expr {
	col, ok := e.(*sqlparser.ColName)
	if !ok || col.StoredProcVal == nil || !col.Qualifier.IsEmpty() {
		return nil
	}
	t := v[col.Name.Lowered()]
	literal, ok := col.StoredProcVal.(*sqlparser.SQLVal)
	if t == nil || !ok {
		return nil
	}
	if text, _, times := strings.Cut(string(literal.Val), " +0000 UTC"); times && literal.Type == sqlparser.StrVal { // as Go prints it
		literal = sqlparser.NewStrVal([]byte(text))
	}
	return &sqlparser.ConvertExpr{Name: "cast", Expr: literal, Type: t}
}
