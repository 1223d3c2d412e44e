package exec

import (
	"bytes"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/row"
)

// changer makes what a row is after assignments.
type changer struct {
	how   *plan.Changes
	table *relation.Table
	f     *eval.Frame
	to    *assign.Context
	// reader is the frame's: it shows the row, and from an assignment that sees those before it on what they have made of it.
	reader *row.Reader

	before *row.Reader
	out    *relation.Image
	rules  *rules
	// refused are the rows that a constraint has left out, which do not count in messages.
	refused uint64
}

func newChanger(how *plan.Changes, table *relation.Table, f *eval.Frame, to *assign.Context, reader *row.Reader, rules *rules) *changer {
	return &changer{how, table, f, to, reader, f.Reader(table.Layout), relation.NewImage(table), rules, 0}
}

// updated is the image of the row that the reader shows after the assignments; stored, as it is in the table, if they change nothing.
func (c *changer) updated(stored []byte) (after []byte, err error) {
	c.before.Set(c.reader.Image())
	c.out.Reset()
	c.to.Row = c.f.Row - c.refused
	for i := range c.how.Sets {
		if err := c.set(&c.how.Sets[i]); err != nil {
			return nil, err
		}
	}
	if err := c.rules.generate(c.out, c.to, c.before); err != nil {
		return nil, err
	}
	after, err = c.out.Append(make([]byte, 0, len(stored)+len(stored)/4), c.before)
	switch {
	case err != nil:
		return nil, err
	case bytes.Equal(stored, after) || c.rules.computes() && c.same():
		return stored, nil
	case len(c.how.OnUpdate) == 0:
		return after, nil
	}
	for _, column := range c.how.OnUpdate {
		if err := c.out.Set(column, plan.Present(c.table.Columns[column].Type, c.f)); err != nil {
			return nil, err
		}
	}
	if err := c.rules.last(c.out, c.before); err != nil {
		return nil, err
	}
	return c.out.Append(after[:0], c.before)
}

// same reports whether the assignments change nothing but generated columns, which may have other values each time they are computed.
func (c *changer) same() bool {
	for i := range c.table.Columns {
		if c.table.Columns[i].Def.Generated == "" && !c.out.Same(i, c.before) {
			return false
		}
	}
	return true
}

// set makes one assignment.
func (c *changer) set(set *plan.Set) error {
	if set.Generated != plan.NotGenerated {
		if ignores(c.f, c.table, set.Column, set.Generated); set.Assign == nil || failed(c.f) != nil {
			return failed(c.f)
		}
	}
	if set.X == nil {
		v := defaultOf(c.f, c.table, set.Column)
		if err := failed(c.f); err != nil {
			return err
		}
		return c.out.Set(set.Column, v)
	}
	if set.After { // it sees what was assigned
		now, err := c.out.Append(nil, c.before)
		if err != nil {
			return err
		}
		c.reader.Set(now)
	}
	v := set.X.Compute(c.f)
	if err := failed(c.f); err != nil {
		return err
	}
	if err := c.reader.Err(); err != nil {
		return err
	}
	if a := assigner(set.Assign, set.Zero, v); a != nil {
		v, _ = a.Assign(c.to, v)
		if err := failed(c.f); err != nil {
			return err
		}
	}
	return c.out.Set(set.Column, v)
}

// ignores says that a value for a generated column does not count, if that is to be said.
func ignores(f *eval.Frame, table *relation.Table, column int, how plan.Generation) {
	if how == plan.Said {
		f.Diag.Warn(mysqlerr.FieldIsGenerated, table.Columns[column].Def.Name, table.Def.Name)
	}
}

// assigner makes the column's value of v; nil if it is that already. zero is for a moment of a TIMESTAMP that is zero.
func assigner(all, zero *assign.Assigner, v types.Value) *assign.Assigner {
	if zero != nil && !v.Null && v.Int == 0 {
		return zero
	}
	return all
}

// failed is the error that a computation has left in the frame; nil for none.
func failed(f *eval.Frame) error {
	if err := f.Diag.Failed(); err != nil {
		return err
	}
	return nil
}

// defaultOf is the default of a column that a statement asks for, of which it says what is wrong about it.
func defaultOf(f *eval.Frame, table *relation.Table, column int) types.Value {
	d := plan.DefaultOf(table, column)
	complain(f, table, column, d)
	return valueOf(f, table, column, d)
}

// complain says what is wrong about a default: that there is none, or that sql_mode does not allow it any more.
func complain(f *eval.Frame, table *relation.Table, column int, d *relation.Default) {
	name := table.Columns[column].Def.Name
	if d.None {
		f.Diag.Warn(mysqlerr.NoDefaultForField, name)
	} else if text, is := plan.Incorrect(f.Env.Mode, &table.Columns[column], d); is {
		f.Diag.Warn(mysqlerr.InvalidDefaultValueForField, text, name)
	}
}

// valueOf is what a column is given that has a default.
func valueOf(f *eval.Frame, table *relation.Table, column int, d *relation.Default) types.Value {
	if d.Present {
		return plan.Present(table.Columns[column].Type, f)
	}
	return plan.ValueOf(d, table.Columns[column].Type, f)
}
