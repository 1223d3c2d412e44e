package plan

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/eval/operator"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// View is a view of one table that a statement names: the names are the view's, the rows its table's.
type View struct {
	DB, Name string
	Columns  []ViewColumn
	// Where are the conditions of the view and of those below it. A row that is to be stored must meet Checks, those with CHECK OPTION. Names in
	// both are the table's (OfTable).
	Where, Checks []tree.Expr
	// Named are the columns that the statement names, by the table's ordinals.
	Named map[int]bool
	// Reads says that a SELECT reads it. Asked are then the columns that it names, by their places among Columns.
	Reads bool
	Asked map[int]bool
}

// ViewColumn is a column of a view: one of the table, by its ordinal, or an expression, -1. X is that of a view that may be read: its names are the
// table's (OfTable).
type ViewColumn struct {
	Name    string
	Ordinal int
	X       tree.Expr
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
	if v.Reads {
		v.Asked[at] = true
		if column < 0 && v.Columns[at].X == nil {
			return -1, errUnknownOfView
		}
		return column, nil
	}
	if column < 0 {
		return -1, bind.Refusal("an expression of a view, in a statement that changes rows")
	}
	v.Named[column] = true
	return column, nil
}

var errUnknownOfView = bind.Refusal("an expression of a view that is not understood")

// readThrough are the place and the expression of a view's column that a name means, nil for none and for a column of the table.
func (s *scope) readThrough(n *tree.ColumnRef) (at int, x tree.Expr) {
	if s.src == nil || s.src.View == nil || !s.src.View.Reads || n.Table.Text == tableMark || !s.src.called(n.DB.Text, n.Table.Text) {
		return -1, nil
	}
	v := s.src.View
	if at = v.Find(n.Name.Text); at >= 0 && v.Columns[at].Ordinal < 0 {
		v.Asked[at] = true
		x = v.Columns[at].X
	}
	return at, x
}

// ofView is the expression that a name means of a view that is read; nil for none.
func (s *scope) ofView(n *tree.ColumnRef) (*eval.Expr, error) {
	_, x := s.readThrough(n)
	if x == nil {
		return nil, nil //nolint:nilnil // see above
	}
	return s.bind(x)
}

// allOfView are the columns of a view that is read.
func allOfView(c *compiler) ([]*Item, error) {
	v := c.scope.src.View
	var out []*Item
	for i := range v.Columns {
		col := &v.Columns[i]
		v.Asked[i] = true
		n := col.X
		if col.Ordinal < 0 && n == nil {
			return nil, errUnknownOfView
		}
		if col.Ordinal >= 0 {
			n = OfTable(c.scope.src.Table.Columns[col.Ordinal].Def.Name)
		}
		x, err := c.b.Expr(n)
		if err != nil {
			return nil, err
		}
		item := &Item{X: x, Name: col.Name, View: col.Name}
		if col.Ordinal >= 0 {
			item.Column = &c.scope.src.Table.Columns[col.Ordinal]
			item.Described = item.Column
		}
		out = append(out, item)
	}
	return out, nil
}

// readable refuses what is not understood of a SELECT of a view.
func readable(p *Select, n *tree.Select) error {
	v := p.Source.View
	for _, item := range p.Items {
		if item.View != "" && item.Column == nil && (item.X.Is(eval.Volatile) || item.X.Is(eval.Constant) && p.Temporary || item.X.Type.Kind == types.Timestamp) {
			return bind.Refusal("such a column of a view")
		}
	}
	if p.Temporary && p.Group != nil && slices.ContainsFunc(p.Group.Aggregates, ofBlobs) {
		return bind.Refusal("MIN and MAX of a TEXT of a view in a temporary table") // MariaDB makes it longer
	}
	if n.Rollup || n.Lock != nil || len(p.Outer) > 0 || p.Limit.Examined != nil || slices.ContainsFunc(v.Columns, func(c ViewColumn) bool { return c.Ordinal < 0 && c.X == nil }) {
		return bind.Refusal("such a SELECT of a view")
	}
	return nil
}

// ofBlobs reports whether a function is MIN or MAX of a TEXT or BLOB.
func ofBlobs(fn *aggregate.Func) bool {
	x, _, ok := fn.Extreme()
	return ok && x.Type.Kind.Blob()
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
