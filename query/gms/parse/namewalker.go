package parse

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// QualifyTrigger gives the tables and procedures that a trigger names without a database that of the trigger.
// go-mysql-server would look for them in the session's current database. The statement is one of TriggerText:
// its trigger is named with its database.
func QualifyTrigger(ast sqlparser.Statement) {
	d, ok := ast.(*sqlparser.DDL)
	if !ok || d.TriggerSpec == nil || d.TriggerSpec.TrigName.Qualifier.IsEmpty() {
		return
	}
	db := d.TriggerSpec.TrigName.Qualifier
	qualify := func(t *sqlparser.TableName) {
		if !t.Name.IsEmpty() && t.DbQualifier.IsEmpty() {
			t.DbQualifier = db
		}
	}
	qualify(&d.Table)
	w := &NameWalker{Table: func(t *sqlparser.AliasedTableExpr, name sqlparser.TableName) {
		qualify(&name)
		t.Expr = name
	}, insert: qualify, call: func(p *sqlparser.ProcedureName) {
		if p.Qualifier.IsEmpty() {
			p.Qualifier = db
		}
	}}
	w.Tree(d.TriggerSpec.Body)
}

// NameWalker finds the names of tables and procedures in a statement. It looks at every field of every node, because the
// parser's own walk leaves out parts of bodies. Functions that are nil are not called.
type NameWalker struct {
	Table  func(t *sqlparser.AliasedTableExpr, name sqlparser.TableName) // not of a common table expression
	insert func(t *sqlparser.TableName)                                  // the table of an INSERT
	Column func(qualifier *sqlparser.TableName)                          // of a column or of *
	call   func(p *sqlparser.ProcedureName)
	ctes   []string // the names of common table expressions in scope
}

func (w *NameWalker) Tree(node any) { w.walk(reflect.ValueOf(node)) }

func (w *NameWalker) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		w.walk(v.Elem())
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct {
			w.node(v)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				w.walk(v.Field(i))
			}
		}
	}
}

// node looks at what names something, and then at all below it.
func (w *NameWalker) node(v reflect.Value) {
	defer func(n int) { w.ctes = w.ctes[:n] }(len(w.ctes))
	if with := v.Elem().FieldByName("With"); with.IsValid() && with.Type() == reflect.TypeFor[*sqlparser.With]() && !with.IsNil() {
		for _, cte := range with.Interface().(*sqlparser.With).Ctes {
			w.ctes = append(w.ctes, cte.As.String())
		}
	}
	switch n := v.Interface().(type) {
	case *sqlparser.AliasedTableExpr:
		if t, ok := n.Expr.(sqlparser.TableName); ok && !w.elsewhere(t) {
			w.Table(n, t)
		}
	case *sqlparser.Insert:
		if w.insert != nil {
			w.insert(&n.Table)
		}
	case *sqlparser.ColName:
		if w.Column != nil {
			w.Column(&n.Qualifier)
		}
	case *sqlparser.StarExpr:
		if w.Column != nil {
			w.Column(&n.TableName)
		}
	case *sqlparser.Call:
		if w.call != nil {
			w.call(&n.ProcName)
		}
	}
	w.walk(v.Elem())
}

// elsewhere reports whether a name is that of no table: of a common table expression, or DUAL.
func (w *NameWalker) elsewhere(t sqlparser.TableName) bool {
	name := t.Name.String()
	return t.DbQualifier.IsEmpty() && (strings.EqualFold(name, "dual") || slices.ContainsFunc(w.ctes, func(c string) bool { return strings.EqualFold(c, name) }))
}
