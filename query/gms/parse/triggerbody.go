package parse

import (
	"reflect"
	"regexp"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// SearchedCases makes CASE a WHEN b ... END CASE of a trigger CASE WHEN a = b ... END CASE: go-mysql-server compares the values without the rules for
// their types, and finds NULL equal to NULL.
func SearchedCases(ast sqlparser.Statement) {
	d, ok := ast.(*sqlparser.DDL)
	if !ok || d.TriggerSpec == nil || d.TriggerSpec.Body == nil {
		return
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		c, ok := n.(*sqlparser.CaseStatement)
		if !ok || c.Expr == nil {
			return true, nil
		}
		for i := range c.Cases {
			value, _ := copyTree(reflect.ValueOf(&c.Expr).Elem()).Interface().(sqlparser.Expr)
			c.Cases[i].Case = &sqlparser.ComparisonExpr{Operator: sqlparser.EqualStr, Left: value, Right: c.Cases[i].Case}
		}
		c.Expr = nil
		return true, nil
	}, d.TriggerSpec.Body)
}

// unquotedName is a name that needs no quotes.
var unquotedName = regexp.MustCompile(`^[0-9A-Za-z_$]+$`)

// SetsNoColumn has SET @a and SET a of a trigger mean the variables: go-mysql-server finds the column a of the trigger's table first.
func SetsNoColumn(ast sqlparser.Statement) {
	d, ok := ast.(*sqlparser.DDL)
	if !ok || d.TriggerSpec == nil || d.TriggerSpec.Body == nil {
		return
	}
	declared := map[string]bool{"names": true, "charset": true, "transaction": true} // or words of SET's own
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if v, ok := n.(*sqlparser.Declare); ok && v.Variables != nil {
			for _, name := range v.Variables.Names {
				declared[name.Lowered()] = true
			}
		}
		return true, nil
	}, d.TriggerSpec.Body)
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		v, ok := n.(*sqlparser.SetVarExpr)
		if !ok || v.Name == nil || !v.Name.Qualifier.IsEmpty() || !unquotedName.MatchString(v.Name.Name.String()) {
			return true, nil
		}
		switch name := v.Name.Name.String(); {
		case v.Scope == sqlparser.SetScope_User:
			v.Name = sqlparser.NewColName("@" + name)
		case v.Scope == sqlparser.SetScope_None && !declared[v.Name.Name.Lowered()]:
			v.Name = sqlparser.NewColName("@@" + name)
		}
		return true, nil
	}, d.TriggerSpec.Body)
}

// SelectedValues makes INSERT ... VALUES with a subquery, in a trigger, INSERT ... SELECT: go-mysql-server has the subquery of VALUES read other columns of
// the trigger's row.
func SelectedValues(ast sqlparser.Statement) {
	d, ok := ast.(*sqlparser.DDL)
	if !ok || d.TriggerSpec == nil || d.TriggerSpec.Body == nil {
		return
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		insert, ok := n.(*sqlparser.Insert)
		if !ok {
			return true, nil
		}
		rows, ok := insert.Rows.(*sqlparser.AliasedValues)
		if !ok || len(rows.Values) != 1 || !asks(rows.Values[0]) {
			return true, nil
		}
		from, err := sqlparser.Parse("SELECT 1")
		if err != nil {
			return false, err
		}
		query, ok := from.(*sqlparser.Select)
		if !ok {
			return true, nil
		}
		query.SelectExprs = nil
		for _, e := range rows.Values[0] {
			query.SelectExprs = append(query.SelectExprs, &sqlparser.AliasedExpr{Expr: e})
		}
		insert.Rows = query
		return true, nil
	}, d.TriggerSpec.Body)
}

// asks reports whether there is a subquery in values, none of which is DEFAULT.
func asks(values sqlparser.ValTuple) (found bool) {
	for _, e := range values {
		if _, ok := e.(*sqlparser.Default); ok {
			return false
		}
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		_, subquery := n.(*sqlparser.Subquery)
		found = found || subquery
		return !found, nil
	}, values)
	return found
}

// copyTree copies all of a tree that may be changed in its place.
func copyTree(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(copyTree(v.Elem()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(copyTree(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(copyTree(v.Index(i)))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(copyTree(v.Field(i)))
			}
		}
	}
	return out
}
