package plan

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
)

// Loaded is what becomes of the fields of a file (LOAD DATA). Insert.Columns are those that fields go to, in their order, then those that SET sets.
type Loaded struct {
	Insert *Insert
	Fields []Field
	// Sets are the cells of SET.
	Sets []Cell
	// Variables are the user variables that fields go to, as they are named.
	Variables []string
	// Text is the type of their values.
	Text types.Type
}

// Field is what a column or a user variable gets of one field.
type Field struct {
	// Variable is the place in Loaded.Variables; -1 for a column.
	Variable int

	column *assign.Column
	assign *assign.Assigner
	auto   bool
	// missing is what the column gets if the line has no field for it.
	missing types.Value
}

// CompileLoad makes the plan of a LOAD DATA. The file is of a character set.
func CompileLoad(b *bind.Binder, n *tree.Load, src *Source, set *charset.Set) (*Loaded, error) {
	if err := changeable(src); err != nil {
		return nil, err
	}
	c := &inserting{compiler: compiler{b: b, scope: scope{src: src}, forgiving: n.Ignore}, assigners: map[assignerKey]*assign.Assigner{},
		plainAssigners: map[plainKey]*assign.Assigner{}}
	t := src.Table
	c.p = &Insert{Source: src, Auto: t.AutoIncrement, Reads: map[int]bool{}, Zero: b.Env.Mode&types.NoAutoValueOnZero != 0, Loads: true}
	var err error
	if c.p.Rules, err = rules(b, src); err != nil {
		return nil, err
	}
	if c.p.Rules != nil || t.Virtual {
		return nil, bind.Refusal("LOAD DATA into a table with constraints or generated columns")
	}
	out := &Loaded{Insert: c.p}
	names, err := out.names(b, n.Fields, set)
	if err != nil {
		return nil, err
	}
	if len(n.Fields) == 0 || len(names) > 0 {
		if err := c.columns(names, "SELECT", true); err != nil {
			return nil, err
		}
	}
	c.p.Replace, c.p.LastUnique = n.Replace, lastUnique(t)
	c.p.Ignore = n.Ignore || n.Local && !n.Replace // it cannot end in the middle of what the client sends
	if len(n.Fields) == 0 {
		out.Fields = slices.Repeat([]Field{{Variable: -1}}, len(c.p.Columns))
	}
	from := assign.Source{Type: types.StringType(1, set.Default(), charset.Coercible, false)}
	next := 0
	for i := range out.Fields {
		if out.Fields[i].Variable < 0 {
			if err := c.field(&out.Fields[i], c.p.Columns[next], from); err != nil {
				return nil, err
			}
			next++
		}
	}
	if err := c.loadSets(out, n.Set); err != nil {
		return nil, err
	}
	for i := range t.Columns {
		d := DefaultOf(t, i)
		if t.Columns[i].Def.Invisible || !slices.Contains(c.p.Columns, i) && (d.None || d.Computed) {
			return nil, bind.Refusal("LOAD DATA without a value for this column")
		}
	}
	return out, c.others()
}

// names sorts out where fields go: to columns, whose names are returned, and to user variables.
func (l *Loaded) names(b *bind.Binder, fields []tree.Expr, set *charset.Set) (columns []tree.Expr, err error) {
	for _, n := range fields {
		switch n := n.(type) {
		case *tree.ColumnRef:
			columns = append(columns, n)
			l.Fields = append(l.Fields, Field{Variable: -1})
		case *tree.UserVariable:
			at := slices.IndexFunc(l.Variables, func(name string) bool { return strings.EqualFold(name, n.Name) })
			if at < 0 {
				at = len(l.Variables)
				l.Variables = append(l.Variables, n.Name)
			}
			l.Fields = append(l.Fields, Field{Variable: at})
		default:
			return nil, bind.Refusal("LOAD DATA into this")
		}
	}
	if len(l.Variables) == 0 {
		return columns, nil
	}
	c := b.Env.Database
	if c.Set() != set { // expressions are of the one, values of the other
		return nil, bind.Refusal("LOAD DATA of another character set into variables")
	}
	const most = 1<<24 - 1 // see eval.SessionInfo: as that of any user variable that is text
	l.Text = types.StringType(most, c, charset.Implicit, false)
	l.Text.Kind, l.Text.Nullable, l.Text.Octets = types.Longtext, true, most
	b.Loaded = map[string]types.Type{}
	for _, name := range l.Variables {
		b.Loaded[strings.ToLower(name)] = l.Text
	}
	return columns, nil
}

// field makes what a column gets of a field.
func (c *inserting) field(f *Field, at int, from assign.Source) (err error) {
	t := c.scope.src.Table
	col := &t.Columns[at]
	if !loads(col.Type) || col.Def.Generated != "" {
		return bind.Refusal("LOAD DATA into this type of column")
	}
	f.auto = at == c.p.Auto
	f.column = &assign.Column{Type: col.Type, Database: t.Def.DB, Table: t.Def.Name, Name: col.Def.Name}
	if f.assign, err = assign.New(c.b.Env.Mode, f.column, from); err != nil {
		return err
	}
	d := DefaultOf(t, at)
	if d.Refused != "" || col.Type.Nullable && (d.Computed || d.Present) {
		return bind.Refusal("LOAD DATA into a column with this default")
	}
	f.missing = f.zero()
	if f.auto || col.Type.Nullable && d.Value.Null {
		f.missing = types.Value{Null: true}
	}
	return nil
}

// loadSets binds SET, whose assignments see the fields, and those before them.
func (c *inserting) loadSets(l *Loaded, list []*tree.Assignment) error {
	c.in("SELECT", nil) // sic, in messages about names
	for _, n := range list {
		if len(bind.Assigned(n.Value)) > 0 || setsLastInsertID(n.Value) || numbered(n.Value) {
			return bind.Refusal("LOAD DATA with such an expression")
		}
		at, err := c.scope.ordinal(n.Column)
		if err != nil {
			return err
		}
		if at < 0 {
			return c.scope.unknown(n.Column)
		}
		col := &c.scope.src.Table.Columns[at]
		if col.Unknown != "" || !loads(col.Type) || col.Def.Generated != "" {
			return bind.Refusal("LOAD DATA that sets this column")
		}
		c.p.Columns = append(c.p.Columns, at)
	}
	defer c.bindsRows()()
	c.scope.clause = "SELECT"
	for i, n := range list {
		cell, err := c.cell(c.p.Columns[len(c.p.Columns)-len(list)+i], n.Value)
		if err != nil {
			return err
		}
		l.Sets = append(l.Sets, cell)
	}
	return nil
}

// loads reports whether what a type makes of a field is known.
func loads(t types.Type) bool {
	switch {
	case t.JSON || t.Kind.Address() || t.Kind == types.Bit:
		return false
	}
	return t.Collation == nil || t.Collation.Set().MinLen() == 1
}

// zero is what a column that is NOT NULL has without a value: not its default, but its type's zero.
func (f *Field) zero() types.Value {
	if f.column.Kind == types.Enum {
		return types.Value{}
	}
	return f.column.Implicit()
}

// Cell is what the column gets of the text of a field, which it does not keep beyond the row.
func (f *Field) Cell(text []byte) Cell {
	return Cell{Plain: true, Value: types.Value{Text: text}, Assign: f.assign}
}

// Null is the cell of a field that is NULL. Row is its row, for messages.
func (f *Field) Null(fr *eval.Frame, row uint64) Cell {
	switch {
	case f.column.Nullable || f.auto:
		return Cell{Plain: true, Value: types.Value{Null: true}}
	case f.column.Kind == types.Timestamp:
		return Cell{Plain: true, Value: Present(f.column.Type, fr)}
	}
	return Cell{Plain: true, Value: f.zero(), Problem: mysqlerr.New(mysqlerr.WarnNullToNotNull, f.column.Name, row)}
}

// Missing is the cell of a column for which the line has no field.
func (f *Field) Missing(fr *eval.Frame, row uint64) Cell {
	v := f.missing
	if f.column.Kind == types.Timestamp && !f.column.Nullable {
		v = Present(f.column.Type, fr)
	}
	return Cell{Plain: true, Value: v, Problem: mysqlerr.New(mysqlerr.WarnTooFewRecords, row)}
}
