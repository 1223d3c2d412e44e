package plan

import (
	"bytes"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// standard is the default of a column that is an expression, over the row that the clause is about.
func (c *compiler) standard(at int) (*eval.Expr, error) {
	d, err := newDefinition(c.b, c.scope.src, c.scope.place(), c.scope.below)
	if err != nil {
		return nil, err
	}
	return d.expr(c.scope.src.Table.Columns[at].Def.Default)
}

// defaultOf is DEFAULT(column): bind.Binder.Default.
func (c *compiler) defaultOf(n *tree.ColumnRef) (*eval.Expr, error) {
	if c.scope.src != nil && c.scope.src.View != nil && c.scope.src.View.Reads {
		return nil, bind.Refusal("the default of a view's column")
	}
	at, err := c.scope.ordinal(n)
	if err != nil {
		return nil, err
	}
	if at < 0 && c.scope.items != nil {
		item, err := c.scope.item(c.scope.items, n)
		if err != nil {
			return nil, err
		}
		if item != nil {
			return defaultOfItem(c, n, item.X)
		}
	}
	if at < 0 {
		return nil, c.scope.unknown(n)
	}
	return c.defaultAt(at)
}

// defaultOfItem is DEFAULT of a name that means an item of the select list.
func defaultOfItem(c *compiler, n *tree.ColumnRef, x *eval.Expr) (*eval.Expr, error) {
	_, at, ok := x.Column()
	if !ok {
		return nil, mysqlerr.New(mysqlerr.NoDefaultForField, n.Name.Text)
	}
	return c.defaultAt(at)
}

func (c *compiler) defaultAt(at int) (*eval.Expr, error) {
	if c.scope.used != nil {
		c.scope.used[at] = true // it needs the privileges of one that reads the column
	}
	t := c.scope.src.Table
	col := &t.Columns[at]
	d := DefaultOf(t, at)
	switch {
	case d.Refused != "":
		return nil, bind.Refusal(d.Refused)
	case col.Def.AutoIncrement:
		return nil, bind.Refusal("the default of an AUTO_INCREMENT column")
	case d.None:
		return nil, mysqlerr.New(mysqlerr.NoDefaultForField, col.Def.Name)
	case !col.Def.HasDefault && !col.Type.Nullable:
		return nil, bind.Refusal("the default of an ENUM that has none")
	}
	if _, incorrect := Incorrect(c.b.Env.Mode, col, d); incorrect {
		return nil, bind.Refusal("a default that sql_mode does not allow any more")
	}
	if d.Present {
		return column(c.b.Env, "default", col, func(f *eval.Frame) types.Value { return Present(col.Type, f) }), nil
	}
	if !d.Computed {
		return column(c.b.Env, "default", col, func(*eval.Frame) types.Value { return d.Value }), nil
	}
	x, err := c.standard(at)
	if err != nil {
		return nil, err
	}
	return c.stored("default", at, x)
}

// stored is the value that a column makes of an expression.
func (c *compiler) stored(name string, at int, x *eval.Expr) (*eval.Expr, error) {
	col, to := &c.scope.src.Table.Columns[at], target(c.scope.src, at)
	_, _, isColumn := x.Column()
	a, err := assign.New(c.b.Env.Mode, to, assign.Source{Type: x.Type, Column: isColumn})
	if err != nil {
		return nil, err
	}
	if a.Mismatch != nil {
		return nil, bind.Refusal("a value of a type that the column does not take")
	}
	slot := c.b.Slot() // several sessions may compute it at once
	return column(c.b.Env, name, col, func(f *eval.Frame) types.Value {
		into := eval.StateOf[assign.Context](f, slot)
		into.Reset()
		into.Diag, into.Zone, into.Now, into.Row = f.Diag, f.Zone, f.Started, f.Row
		v, _ := a.Assign(into, x.Compute(f))
		return v
	}, x), nil
}

// column is a node of a column's type, of a function that makes values of the column.
func column(env *types.Env, name string, col *relation.Column, value func(*eval.Frame) types.Value, args ...*eval.Expr) *eval.Expr {
	var x *eval.Expr
	switch col.Type.Class() {
	case types.ClassInt:
		x = eval.New(name, col.Type, func(f *eval.Frame) (int64, bool) { v := value(f); return v.Int, v.Null }, args...)
	case types.ClassFloat:
		x = eval.New(name, col.Type, func(f *eval.Frame) (float64, bool) { v := value(f); return v.Float, v.Null }, args...)
	case types.ClassDec:
		x = eval.New(name, col.Type, func(f *eval.Frame) (decimal.Dec, bool) { v := value(f); return v.Dec, v.Null }, args...)
	case types.ClassTime:
		moment := col.Type.Kind == types.Timestamp
		x = eval.New(name, col.Type, func(f *eval.Frame) (temporal.Packed, bool) {
			v := value(f)
			if moment && !v.Null {
				return f.Zone.DateTime(temporal.Stamp(v.Int)), false
			}
			return v.Time, v.Null
		}, args...)
		if moment {
			x.At(eval.New(name, types.BigintType(20, false).OrNull(), func(f *eval.Frame) (int64, bool) { v := value(f); return v.Int, v.Null }, args...))
		}
	default:
		x = eval.New(name, col.Type, textOf(env, col, value), args...)
	}
	return x.With(eval.Volatile) // it may be another one for each row
}

// textOf is a text as the column shows it: without the spaces at the end of a CHAR, and with the zeros of a BINARY.
func textOf(env *types.Env, col *relation.Column, value func(*eval.Frame) types.Value) eval.Func[[]byte] {
	length := int(col.Type.Length)
	fixed := col.Type.Kind == types.Char
	spaces := fixed && !col.Type.Binary() && !env.Mode.Has(types.PadCharToFullLength)
	zeros := fixed && col.Type.Binary()
	return func(f *eval.Frame) ([]byte, bool) {
		v := value(f)
		text := append(f.Buffer(max(length, len(v.Text))), v.Text...)
		if spaces {
			text = bytes.TrimRight(text, " ")
		}
		for zeros && len(text) < length {
			text = append(text, 0)
		}
		return text, v.Null
	}
}

// computed is the cell of a column whose default is an expression.
func (c *inserting) computed(at int) (Cell, error) {
	c.scope.source = 1
	c.sees()
	x, err := c.standard(at)
	if err != nil {
		return Cell{}, err
	}
	return c.seeing(at, x)
}

// sees notes from now on what a cell reads.
func (c *inserting) sees() {
	if c.scope.used == nil || c.scope.below == nil || len(c.scope.used)+len(c.scope.below) > 0 {
		c.scope.used, c.scope.below = map[int]bool{}, map[int]bool{}
	}
}

// seeing is the cell of a column whose value is made of what the row has so far.
func (c *inserting) seeing(at int, x *eval.Expr) (Cell, error) {
	set := Set{Column: at, X: x, Reads: c.scope.used}
	if err := c.assigner(&set); err != nil {
		return Cell{}, err
	}
	cell := Cell{X: set.X, Assign: set.Assign, Zero: set.Zero, Sees: len(c.scope.used)+len(c.scope.below) > 0}
	c.p.Sees = c.p.Sees || cell.Sees
	c.noteReads()
	return cell, nil
}

// noteReads notes the columns that a cell names.
func (c *inserting) noteReads() {
	for i := range c.scope.used {
		c.p.Reads[i] = true
	}
}
