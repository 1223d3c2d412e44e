package exec

import (
	"bytes"
	"context"
	"errors"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// Counts are how many rows a statement has found, and how many of them it has changed.
type Counts struct {
	Matched, Changed uint64
	// Nothing says that no row was looked for, because none can be what is asked for.
	Nothing bool
}

// Write changes or deletes the rows of a statement. strict says that warnings about its expressions are errors; those of DELETE never are.
func Write(ctx context.Context, w *plan.Write, tx *txn.Txn, f *eval.Frame, strict bool) (counts Counts, err error) {
	s := &selection{p: w.Select, f: f, ctx: ctx, reader: row.NewReader(w.Source.Table.Layout), changes: true, collects: w.Collects()}
	f.Rows = []*row.Reader{s.reader}
	f.Diag.Strict = nil // an earlier attempt may have set it
	none, err := s.once()
	if none || w.Nothing() || err != nil {
		return Counts{Nothing: true}, err
	}
	if strict && !w.Delete {
		f.Diag.Strict = func(uint16) bool { return true }
	}
	s.source = source{reads: Reads{Tx: tx, Mode: txn.LockExclusive}, table: w.Source.Table.Table, access: w.Access}
	defer func() { err = errors.Join(err, s.source.close()) }()
	if err := s.prepare(); err != nil {
		return counts, err
	}
	c := &change{w: w, s: s, tx: tx, counts: &counts}
	if s.emit = c.delete; !w.Delete {
		c.before = row.NewReader(w.Source.Table.Layout)
		c.out = relation.NewImage(w.Source.Table)
		c.to = &assign.Context{Diag: f.Diag, Zone: f.Zone, Now: f.Started}
		s.emit = c.update
	}
	err = s.ordered(s.each)
	return counts, err
}

// change makes the changes of a statement to the rows that a selection comes to.
type change struct {
	w      *plan.Write
	s      *selection
	tx     *txn.Txn
	counts *Counts

	before *row.Reader
	out    *relation.Image
	to     *assign.Context
}

func (c *change) delete() error {
	c.counts.Matched++
	c.counts.Changed++
	return c.tx.Delete(c.s.ctx, c.w.Source.Table.Table, c.s.rowKey, c.s.reader.Image())
}

func (c *change) update() error {
	c.counts.Matched++
	image := c.s.reader.Image()
	after, err := c.updated(image)
	if err != nil || bytes.Equal(image, after) {
		return err
	}
	c.counts.Changed++
	table := c.w.Source.Table
	return named(c.tx.Update(c.s.ctx, table.Table, c.s.rowKey, image, after), table, c.s.f, after)
}

// updated is the image of a row after the assignments; the one before if they change nothing. The frame's row may be another one afterwards.
func (c *change) updated(image []byte) ([]byte, error) {
	f := c.s.f
	c.before.Set(image)
	c.out.Reset()
	c.to.Row = f.Row
	for i := range c.w.Sets {
		if err := c.set(&c.w.Sets[i]); err != nil {
			return nil, err
		}
	}
	after, err := c.out.Append(make([]byte, 0, len(image)+len(image)/4), c.before)
	if err != nil || bytes.Equal(image, after) || len(c.w.OnUpdate) == 0 {
		return after, err
	}
	for _, column := range c.w.OnUpdate {
		if err := c.out.Set(column, plan.Present(c.w.Source.Table.Columns[column].Type, f)); err != nil {
			return nil, err
		}
	}
	return c.out.Append(after[:0], c.before)
}

// set makes one assignment.
func (c *change) set(set *plan.Set) error {
	f, reader := c.s.f, c.s.reader
	if set.After { // it sees what was assigned
		now, err := c.out.Append(nil, c.before)
		if err != nil {
			return err
		}
		reader.Set(now)
	}
	v := set.X.Compute(f)
	if err := f.Diag.Failed(); err != nil {
		return err
	}
	if err := reader.Err(); err != nil {
		return err
	}
	if set.Assign != nil {
		var ok bool
		if v, ok = set.Assign.Assign(c.to, v); !ok {
			return f.Diag.Failed()
		}
	}
	return c.out.Set(set.Column, v)
}
