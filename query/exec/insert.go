package exec

import (
	"bytes"
	"context"
	"errors"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// Numbering is how AUTO_INCREMENT values of a session follow each other: auto_increment_increment and auto_increment_offset.
type Numbering struct {
	Increment, Offset uint64
	// First is asked when the first value is needed. One that is not 0 is where they begin (SET insert_id).
	First func() uint64
}

// Inserted is what an INSERT or REPLACE has done.
type Inserted struct {
	// Rows are how many there were, of which New were added, and for which Deleted others have gone. Of those that were there before, ON
	// DUPLICATE KEY UPDATE has met Found, and changed Updated; and REPLACE has left Same as they were.
	Rows, New, Deleted, Found, Updated, Same uint64
	// Refused are those of Rows that a constraint does not allow.
	Refused uint64
	// Gone is how many rows of each table cascades have deleted, by the table's id.
	Gone map[uint32]int64
	// Generated is the first AUTO_INCREMENT value that was made for a row that was added, 0 for none; Last the one of the last row.
	Generated, Last uint64
}

// Insert adds the rows of an INSERT or REPLACE to those of its table. reads is how its query reads, emit is called for each row of RETURNING: the frame's first row is
// the one to show. strict says that warnings are errors.
func Insert(
	ctx context.Context, p *plan.Insert, into txn.Rows, reads Reads, f *eval.Frame, by Numbering, strict bool, emit func() error,
) (Inserted, error) {
	if f.Diag.Strict = nil; strict && !p.Ignore {
		f.Diag.Strict = func(uint16) bool { return true }
	}
	in := &insertion{
		p: p, into: into, f: f, by: by, emit: emit, out: relation.NewImage(p.Source.Table),
		to: &assign.Context{Diag: f.Diag, Zone: f.Zone, Now: f.Started, NullFails: p.Count == 1 && !p.Ignore},
	}
	in.indexed = newVirtual(p.Indexed, p.Source.Table, f)
	in.rules = newRules(p.Rules, p.Source.Table, f)
	keys := newKeeper(p.Keys, into, f)
	in.keys = &keys
	in.places = newPlaces(p.Source)
	in.done.Gone = in.keys.gone
	f.Rows = []*row.Reader{row.NewReader(p.Source.Table.Layout), row.NewReader(p.Source.Table.Layout), nil}
	if p.Sees {
		if err := in.begin(); err != nil {
			return in.done, err
		}
	}
	if p.OnDuplicate != nil {
		in.changer = newChanger(p.OnDuplicate, p.Source.Table, f, in.to, f.Rows[0], in.rules)
	}
	for _, none := range []bool{true, false} { // first those that are missing
		for _, other := range p.Others {
			if other.Column != p.Auto && !other.Silent && other.Default.None == none {
				complain(f, p.Source.Table, other.Column, other.Default)
			}
		}
	}
	if err := f.Diag.Failed(); err != nil {
		return in.done, err
	}
	if p.Query != nil {
		return in.done, in.query(ctx, reads)
	}
	if p.Each != nil {
		err := p.Each(func(cells []plan.Cell) error { return in.next(ctx, cells) })
		return in.done, err
	}
	for _, cells := range p.Rows {
		f.Reset()
		if err := in.next(ctx, cells); err != nil {
			return in.done, err
		}
	}
	return in.done, nil
}

// next adds the next row that is written out.
func (in *insertion) next(ctx context.Context, cells []plan.Cell) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	in.f.Row = in.done.Rows + 1
	in.f.Accepted = in.f.Row
	return in.row(ctx, cells)
}

// insertion is a running INSERT.
type insertion struct {
	p    *plan.Insert
	into txn.Rows
	f    *eval.Frame
	by   Numbering
	out  *relation.Image
	to   *assign.Context
	auto txn.Reservation
	// numbered is whether a value was made.
	numbered bool

	base *row.Reader // a row before anything was set, for those who see it
	// reserved is for how many rows AUTO_INCREMENT values were reserved together the last time.
	reserved uint64
	done     Inserted
	emit     func() error // of RETURNING
	early    []byte       // the row that RETURNING shows instead of the one that is stored; see plan.Insert

	indexed *virtual // see plan.Insert
	changer *changer // of ON DUPLICATE KEY UPDATE
	rules   *rules
	keys    *keeper
	places  *places
}

// row adds one row.
func (in *insertion) row(ctx context.Context, cells []plan.Cell) error {
	in.to.Reset()
	in.to.Row = in.f.Row
	in.out.Reset()
	auto := types.Value{Null: true}
	in.done.Rows++
	for i := range cells {
		column := in.p.Columns[i]
		if cells[i].Sees {
			if err := in.show(auto); err != nil {
				return err
			}
		}
		v, err := in.value(column, &cells[i])
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
	for i := range in.p.Others {
		other := &in.p.Others[i]
		if other.Column == in.p.Auto {
			continue
		}
		if err := in.standard(other, auto); err != nil {
			return err
		}
	}
	if allowed, err := in.allowed(auto); !allowed {
		return err
	}
	generated, err := in.number(auto)
	if err != nil {
		if in.p.Ignore && number(err) == rangeOfAutoIncrement {
			return in.leftOut(err)
		}
		return err
	}
	if in.p.Early {
		if in.early, err = in.out.Append(nil, nil); err != nil {
			return err
		}
	}
	if err := in.rules.last(in.out, nil); err != nil {
		return err
	}
	image, err := in.out.Append(nil, nil)
	if err != nil {
		return err
	}
	if err := in.places.allow(image); err != nil {
		if generated != 0 {
			in.auto.Back()
		}
		if in.p.Ignore && isPlace(err) {
			return in.leftOut(err)
		}
		return err
	}
	return in.add(ctx, image, generated)
}

// add adds a row, if no other one has its keys. generated is its AUTO_INCREMENT value if that was made for it.
func (in *insertion) add(ctx context.Context, image []byte, generated uint64) error {
	table := in.p.Source.Table
	for {
		inserted := in.store(ctx, image)
		if inserted == nil {
			in.done.New++
			in.generated(generated)
			return in.returned(image)
		}
		var dup *txn.DuplicateKeyError
		if !errors.As(inserted, &dup) {
			if in.p.Ignore && isForeign(inserted) {
				if generated != 0 {
					in.auto.Back()
				}
				return in.leftOut(inserted)
			}
			return inserted
		}
		var err error
		existing := dup.Existing
		if in.p.Replace || in.p.OnDuplicate != nil {
			if existing, err = in.rules.again(existing, in.to); err != nil {
				return err
			}
		}
		switch {
		case in.p.Replace && dup.Index == in.p.LastUnique && !in.p.Referred:
			in.generated(generated)
			return in.replace(ctx, dup, existing, image)
		case in.p.Replace:
			if _, err := in.indexed.compute(dup.Existing, true); err != nil {
				return err
			}
			if err := in.keys.delete(ctx, table, dup.RowKey, dup.Existing); err != nil {
				return err
			}
			in.done.Deleted++
			continue
		}
		if generated != 0 {
			in.auto.Back()
		}
		if in.p.OnDuplicate != nil {
			return in.update(ctx, dup, existing, image)
		}
		err = Named(inserted, table, in.f, image)
		if !in.p.Ignore {
			return err
		}
		return in.leftOut(err)
	}
}

// store adds a row. Nothing is left of that if it fails and the row is left out.
func (in *insertion) store(ctx context.Context, image []byte) error {
	if in.p.Ignore && in.keys.p != nil {
		return in.keys.whole(func() error { return in.keys.insert(ctx, in.p.Source.Table, image) })
	}
	return in.keys.insert(ctx, in.p.Source.Table, image)
}

// change is store for a row that is there.
func (in *insertion) change(ctx context.Context, key, before, after []byte) error {
	if in.p.Ignore && in.keys.p != nil {
		return in.keys.whole(func() error { return in.keys.update(ctx, in.p.Source.Table, key, before, after, nil) })
	}
	return in.keys.update(ctx, in.p.Source.Table, key, before, after, nil)
}

// leftOut warns of an error for which a row is left out.
func (in *insertion) leftOut(err error) error {
	in.f.Diag.Warnf(number(err), "%s", message(err))
	return failed(in.f)
}

// number is the number of an error that the client is told of.
func number(err error) uint16 {
	var e *mysqlerr.Error
	if errors.As(err, &e) {
		return e.Number
	}
	return mysqlerr.UnknownError
}

// message is what the client is told of an error.
func message(err error) string {
	var e *mysqlerr.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// generated notes the AUTO_INCREMENT value that was made for a row that was added, 0 for none.
func (in *insertion) generated(n uint64) {
	if in.done.Generated == 0 {
		in.done.Generated = n
	}
}

// replace puts a row in the place of the only one that has a key of it. If it is the same, none is deleted: existing is that row with what is computed,
// which depends on the session's time zone.
func (in *insertion) replace(ctx context.Context, dup *txn.DuplicateKeyError, existing, image []byte) error {
	table := in.p.Source.Table
	if err := in.keys.update(ctx, table, dup.RowKey, dup.Existing, image, nil); err != nil {
		return Named(err, table, in.f, image)
	}
	if bytes.Equal(existing, image) {
		in.done.Same++
	} else {
		in.done.New++
		in.done.Deleted++
	}
	return in.returned(image)
}

// update is ON DUPLICATE KEY UPDATE of a row that is there; shown is how expressions see it.
func (in *insertion) update(ctx context.Context, dup *txn.DuplicateKeyError, shown, image []byte) error {
	table := in.p.Source.Table
	in.f.Rows[0].Set(shown)
	in.f.Rows[1].Set(image)
	nulls := in.to.NullFails
	in.to.NullFails = nulls || in.p.Query != nil && !in.p.Ignore
	before := dup.Existing
	in.fills(in.p.Ignore)
	after, err := in.changer.updated(before)
	in.fills(false)
	in.to.NullFails = nulls
	if err != nil {
		return err
	}
	if allowed, err := in.rules.allow(after, in.p.Ignore); !allowed {
		return err
	}
	if in.p.Auto >= 0 {
		if in.done.Last, err = table.AutoIncrementValue(after); err != nil {
			return err
		}
	}
	if !bytes.Equal(before, after) {
		err := in.places.allow(after)
		if err == nil {
			err = in.change(ctx, dup.RowKey, before, after)
		}
		if err != nil {
			err = Named(err, table, in.f, after)
			if !in.p.Ignore || !isDuplicate(err) && !isForeign(err) && !isPlace(err) {
				return err
			}
			in.done.Found++
			return in.leftOut(err)
		}
		in.done.Updated++
	}
	in.done.Found++
	return in.returned(after)
}

// fills is eval.Frame.Fills for what is computed of a row and for its generated columns.
func (in *insertion) fills(on bool) {
	if in.f.Fills = on; in.rules != nil {
		in.rules.f.Fills = on
	}
}

// value is what a column gets of a cell. NULL is one that the AUTO_INCREMENT column may be given.
func (in *insertion) value(column int, cell *plan.Cell) (types.Value, error) {
	f := in.f
	if cell.Generated != plan.NotGenerated {
		if ignores(f, in.p.Source.Table, column, cell.Generated); cell.X == nil || failed(f) != nil {
			return types.Value{Null: true}, failed(f)
		}
	}
	switch {
	case cell.Plain:
		return in.plain(column, cell), failed(f)
	case cell.X == nil && column == in.p.Auto:
		return types.Value{Null: true}, nil
	case cell.X == nil:
		return defaultOf(f, in.p.Source.Table, column), failed(f)
	}
	f.Fills = in.p.Query != nil && !in.p.Kept
	v := cell.X.Compute(f)
	f.Fills = false
	if err := failed(f); err != nil || v.Null && column == in.p.Auto {
		return v, err
	}
	if a := assigner(cell.Assign, cell.Zero, v); a != nil {
		v, _ = a.Assign(in.to, v)
	}
	return v, failed(f)
}

// plain is what a column gets of a cell without an expression.
func (in *insertion) plain(column int, cell *plan.Cell) types.Value {
	v := cell.Value
	if p := cell.Problem; p != nil {
		in.f.Diag.Warnf(p.Number, "%s", p.Message)
	}
	if cell.Assign != nil && (!v.Null || column != in.p.Auto) {
		v, _ = cell.Assign.Assign(in.to, v)
	}
	return v
}

// rangeOfAutoIncrement is HA_ERR_AUTOINC_ERANGE, which comes with the text of 1264.
const rangeOfAutoIncrement = 167

// number gives the AUTO_INCREMENT column its value: what the row brings along, or the next one, which is returned.
func (in *insertion) number(given types.Value) (generated uint64, err error) {
	at := in.p.Auto
	if at < 0 {
		return 0, nil
	}
	col := &in.p.Source.Table.Columns[at]
	if !given.Null && (given.Int != 0 || in.p.Zero) {
		in.done.Last = uint64(given.Int)
		if given.Int > 0 || col.Type.Unsigned {
			in.auto.Skip(uint64(given.Int))
		}
		return 0, in.out.Set(at, given)
	}
	n, err := in.nextNumber()
	if err != nil {
		return 0, err
	}
	if n > 1<<63-1 && !col.Type.Unsigned || in.out.Set(at, types.Value{Int: int64(n)}) != nil {
		e := mysqlerr.New(mysqlerr.WarnDataOutOfRange, col.Def.Name, in.f.Row)
		e.Number = rangeOfAutoIncrement
		return 0, e
	}
	in.done.Last = n
	return n, nil
}

// nextNumber is the AUTO_INCREMENT value of a row that has none.
func (in *insertion) nextNumber() (uint64, error) {
	if !in.numbered {
		in.numbered = true
		if first := in.by.First(); first != 0 {
			in.auto.Force(first, in.by.Increment, in.by.Offset)
			return first, nil
		}
	}
	return in.auto.Next(in.into, in.p.Source.Table.Table, in.reserve(), in.by.Increment, in.by.Offset)
}
