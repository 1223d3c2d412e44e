package exec

import (
	"context"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/txn"
)

// Numbering is how AUTO_INCREMENT values of a session follow each other: auto_increment_increment and auto_increment_offset.
type Numbering struct{ Increment, Offset uint64 }

// Inserted is what an INSERT has done.
type Inserted struct {
	Rows uint64
	// Generated is the first AUTO_INCREMENT value that was made, 0 for none; Given the last one that a row brought along.
	Generated, Given uint64
}

// Insert adds the rows of a statement. strict says that warnings are errors.
func Insert(ctx context.Context, p *plan.Insert, tx *txn.Txn, f *eval.Frame, by Numbering, strict bool) (Inserted, error) {
	f.Rows = nil
	if f.Diag.Strict = nil; strict {
		f.Diag.Strict = func(uint16) bool { return true }
	}
	in := &insertion{
		p: p, tx: tx, f: f, by: by, out: relation.NewImage(p.Source.Table),
		to: &assign.Context{Diag: f.Diag, Zone: f.Zone, Now: f.Started, NullFails: len(p.Rows) == 1},
	}
	for _, none := range []bool{true, false} { // first those that are missing
		for _, other := range p.Others {
			if other.Column != p.Auto && other.Default.None == none {
				in.complain(other.Column, other.Default)
			}
		}
	}
	if err := f.Diag.Failed(); err != nil {
		return in.done, err
	}
	for i, row := range p.Rows {
		if ctx.Err() != nil {
			return in.done, context.Cause(ctx)
		}
		f.Reset()
		in.to.Reset()
		f.Row = uint64(i) + 1
		in.to.Row = f.Row
		if err := in.row(ctx, row); err != nil {
			return in.done, err
		}
	}
	return in.done, nil
}

// insertion is a running INSERT.
type insertion struct {
	p    *plan.Insert
	tx   *txn.Txn
	f    *eval.Frame
	by   Numbering
	out  *relation.Image
	to   *assign.Context
	auto txn.Reservation
	done Inserted
}

// row adds one row.
func (in *insertion) row(ctx context.Context, row []plan.Cell) error {
	table := in.p.Source.Table
	in.out.Reset()
	auto := types.Value{Null: true}
	for i := range row {
		column := in.p.Columns[i]
		v, err := in.value(column, &row[i])
		if err != nil {
			return err
		}
		if column == in.p.Auto {
			auto = v
			continue
		}
		if err := in.out.Set(column, v); err != nil {
			return err
		}
	}
	for _, other := range in.p.Others {
		if other.Column == in.p.Auto {
			continue
		}
		if err := in.out.Set(other.Column, in.byDefault(other.Column, other.Default)); err != nil {
			return err
		}
	}
	generated, err := in.number(auto)
	if err != nil {
		return err
	}
	image, err := in.out.Append(nil, nil)
	if err != nil {
		return err
	}
	if err := in.tx.Insert(ctx, table.Table, image); err != nil {
		return named(err, table, in.f, image)
	}
	in.done.Rows++
	if in.done.Generated == 0 {
		in.done.Generated = generated
	}
	return nil
}

// value is what a column gets of a cell. NULL is one that the AUTO_INCREMENT column may be given.
func (in *insertion) value(column int, cell *plan.Cell) (types.Value, error) {
	f := in.f
	if cell.X == nil {
		d := in.p.Default(column)
		if column != in.p.Auto {
			in.complain(column, d)
		}
		return in.byDefault(column, d), failed(f)
	}
	v := cell.X.Compute(f)
	if err := failed(f); err != nil || v.Null && column == in.p.Auto {
		return v, err
	}
	v, _ = cell.Assign.Assign(in.to, v)
	return v, failed(f)
}

// failed is the error that a computation has left in the frame; nil for none.
func failed(f *eval.Frame) error {
	if err := f.Diag.Failed(); err != nil {
		return err
	}
	return nil
}

// complain says what is wrong about a default: that there is none, or not any more.
func (in *insertion) complain(column int, d *relation.Default) {
	name := in.p.Source.Table.Columns[column].Def.Name
	if d.None {
		in.f.Diag.Warn(mysqlerr.NoDefaultForField, name)
	} else if text, is := in.p.Incorrect(column, d); is {
		in.f.Diag.Warn(mysqlerr.InvalidDefaultValueForField, text, name)
	}
}

// byDefault is what a column is given that has a default.
func (in *insertion) byDefault(column int, d *relation.Default) types.Value {
	if d.Present {
		return plan.Present(in.p.Source.Table.Columns[column].Type, in.f)
	}
	return d.Value
}

// number gives the AUTO_INCREMENT column its value: what the row brings along, or the next one, which is returned.
func (in *insertion) number(given types.Value) (generated uint64, err error) {
	at := in.p.Auto
	if at < 0 {
		return 0, nil
	}
	col := &in.p.Source.Table.Columns[at]
	if !given.Null && (given.Int != 0 || in.p.Zero) {
		in.done.Given = uint64(given.Int)
		if given.Int > 0 || col.Type.Unsigned {
			in.auto.Skip(uint64(given.Int))
		}
		return 0, in.out.Set(at, given)
	}
	n, err := in.auto.Next(in.tx, in.p.Source.Table.Table, uint64(len(in.p.Rows)), in.by.Increment, in.by.Offset)
	if err != nil {
		return 0, err
	}
	if n > 1<<63-1 && !col.Type.Unsigned || in.out.Set(at, types.Value{Int: int64(n)}) != nil {
		const rangeOfAutoIncrement = 167 // HA_ERR_AUTOINC_ERANGE, with the text of 1264
		e := mysqlerr.New(mysqlerr.WarnDataOutOfRange, col.Def.Name, in.f.Row)
		e.Number = rangeOfAutoIncrement
		return 0, e
	}
	return n, nil
}
