package plan

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/operator"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// View is what a statement names that changes rows through a view: the names are the view's, the rows its table's.
type View struct {
	DB, Name string
	Columns  []ViewColumn
	// Where are the conditions of the view and of those below it. A row that is to be stored must meet Checks, those with CHECK OPTION. Names in
	// both are the table's (OfTable).
	Where, Checks []tree.Expr
	// Named are the columns that the statement names, by the table's ordinals.
	Named map[int]bool
}

// ViewColumn is a column of a view: one of the table, by its ordinal, or an expression, -1.
type ViewColumn struct {
	Name    string
	Ordinal int
}

// tableMark is the name of the table in expressions that a view's definition has: no statement can write it.
const tableMark = "\x00"

// OfTable is the name of a column of the table below a view.
func OfTable(name string) *tree.ColumnRef {
	return &tree.ColumnRef{Table: tree.Ident{Text: tableMark}, Name: tree.Ident{Text: name}}
}

// Find is the place of a column among Columns; -1 if there is none.
func (v *View) Find(name string) int {
	for i := range v.Columns {
		if strings.EqualFold(v.Columns[i].Name, name) {
			return i
		}
	}
	return -1
}

// ordinal is the column of the table that a name of the view's means, -1 for none.
func (v *View) ordinal(name string) (int, error) {
	at := v.Find(name)
	if at < 0 {
		return -1, nil
	}
	column := v.Columns[at].Ordinal
	if column < 0 {
		return -1, bind.Refusal("an expression of a view, in a statement that changes rows")
	}
	v.Named[column] = true
	return column, nil
}

// missingInView is the error about a column without a default that an INSERT through a view gives no value.
func (c *inserting) missingInView() error {
	t, v := c.scope.src.Table, c.scope.src.View
	for i := range t.Columns {
		switch {
		case v == nil || slices.Contains(c.p.Columns, i) || !DefaultOf(t, i).None:
		case c.p.Ignore || !c.b.Env.Mode.Strict():
			return bind.Refusal("an INSERT through a view that gives a column no value")
		default:
			return mysqlerr.New(mysqlerr.NoDefaultForViewField, v.DB, v.Name)
		}
	}
	return nil
}

// viewChecks binds what a view asks of the rows that are stored through it.
func (d *definition) viewChecks(r *Rules, v *View) error {
	d.scope.used = map[int]bool{}
	text := mysqlerr.New(mysqlerr.ViewCheckFailed, doubled(v.DB), doubled(v.Name)).Message
	var checks []Check
	for _, n := range v.Checks {
		x, err := d.b.Expr(n)
		if err != nil {
			return bind.Refusal("a condition of a view")
		}
		isTrue, err := operator.IsTruth(&d.b.Builder, x, true)
		if err != nil {
			return err
		}
		holds := operator.Holds(&d.b.Builder, isTrue)
		fails := func(f *eval.Frame) bool { return !holds(f) }
		checks = append(checks, Check{Fails: fails, Text: text, Number: mysqlerr.ViewCheckFailed})
	}
	if len(d.b.Scratch.Diag.Conditions) > 0 {
		return bind.Refusal("a constant with a warning")
	}
	for i := range r.Generated {
		if d.scope.used[r.Generated[i].Column] && r.Generated[i].Late {
			return bind.Refusal("a condition of a view on a column that is known last")
		}
	}
	r.Checks = append(checks, r.Checks...) // they come first
	return nil
}
