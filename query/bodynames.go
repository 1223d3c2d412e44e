package query

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// qualifyTrigger gives the tables and procedures that a trigger names without a database that of the trigger.
// go-mysql-server would look for them in the session's current database. The statement is one of TriggerText:
// its trigger is named with its database.
func qualifyTrigger(ast sqlparser.Statement) {
	d, ok := ast.(*sqlparser.DDL)
	if !ok || d.TriggerSpec == nil || d.TriggerSpec.TrigName.Qualifier.IsEmpty() {
		return
	}
	q := &qualifier{db: d.TriggerSpec.TrigName.Qualifier}
	q.table(&d.Table)
	q.walk(reflect.ValueOf(d.TriggerSpec.Body))
}

// qualifier writes a database before names that have none. It looks at every field of every node, because the
// parser's own walk leaves out parts of bodies.
type qualifier struct {
	db   sqlparser.TableIdent
	ctes []string // the names of common table expressions in scope
}

func (q *qualifier) table(t *sqlparser.TableName) {
	name := t.Name.String()
	if name != "" && t.DbQualifier.IsEmpty() && !slices.ContainsFunc(q.ctes, func(c string) bool { return strings.EqualFold(c, name) }) {
		t.DbQualifier = q.db
	}
}

func (q *qualifier) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		q.walk(v.Elem())
	case reflect.Pointer:
		if !v.IsNil() {
			q.node(v)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			q.walk(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				q.walk(v.Field(i))
			}
		}
	}
}

// node looks at what names tables or procedures, and then at all below it.
func (q *qualifier) node(v reflect.Value) {
	defer func(n int) { q.ctes = q.ctes[:n] }(len(q.ctes))
	if with := v.Elem().FieldByName("With"); with.IsValid() && with.Type() == reflect.TypeFor[*sqlparser.With]() && !with.IsNil() {
		for _, cte := range with.Interface().(*sqlparser.With).Ctes {
			q.ctes = append(q.ctes, cte.As.String())
		}
	}
	switch n := v.Interface().(type) {
	case *sqlparser.AliasedTableExpr:
		if t, ok := n.Expr.(sqlparser.TableName); ok && !strings.EqualFold(t.Name.String(), "dual") {
			q.table(&t)
			n.Expr = t
		}
	case *sqlparser.Insert:
		q.table(&n.Table)
	case *sqlparser.Call:
		if n.ProcName.Qualifier.IsEmpty() {
			n.ProcName.Qualifier = q.db
		}
	}
	q.walk(v.Elem())
}
