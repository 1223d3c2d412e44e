package exec

import (
	"bytes"
	"context"
	"errors"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
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

// Write changes or deletes the rows of a statement. strict says that warnings about its expressions are errors; those of DELETE never are. emit is
// called for each row of RETURNING: the frame's row is the one to show.
func Write(ctx context.Context, w *plan.Write, rows txn.Rows, f *eval.Frame, strict bool, emit func() error) (counts Counts, err error) {
	s := &selection{
		p: w.Select, f: f, ctx: ctx, reader: row.NewReader(w.Source.Table.Layout), changes: true, deletes: w.Delete, collects: w.Collects(),
		virtual: newVirtual(w.Virtual, w.Source.Table, f), every: newVirtual(w.All, w.Source.Table, f),
		indexed: newVirtual(w.Indexed, w.Source.Table, f), twice: w.Twice(),
	}
	f.Rows = []*row.Reader{s.reader}
	f.Diag.Strict = nil // an earlier attempt may have set it
	none, err := s.once(w.Once)
	if none || w.Nothing() || err != nil {
		return Counts{Nothing: true}, err
	}
	if strict && !w.Delete && !w.Ignore {
		f.Diag.Strict = func(uint16) bool { return true }
	}
	s.source = source{reads: Reads{Rows: rows, Mode: txn.LockExclusive}, table: w.Source.Table.Table, access: w.Access}
	defer func() { err = errors.Join(err, s.source.close()) }()
	if err := s.prepare(); err != nil {
		return counts, err
	}
	c := &change{w: w, s: s, rows: rows, counts: &counts, emit: emit}
	if s.emit = c.delete; !w.Delete {
		to := &assign.Context{Diag: f.Diag, Zone: f.Zone, Now: f.Started}
		c.rules = newRules(w.Rules, w.Source.Table, f)
		c.changer = newChanger(&w.Changes, w.Source.Table, f, to, s.reader, c.rules)
		s.emit = c.update
	}
	err = s.ordered(s.each)
	return counts, err
}

// change makes the changes of a statement to the rows that a selection comes to.
type change struct {
	w       *plan.Write
	s       *selection
	rows    txn.Rows
	counts  *Counts
	emit    func() error // of RETURNING
	changer *changer     // of an UPDATE
	rules   *rules       // of its table
}

func (c *change) delete() error {
	c.counts.Matched++
	c.counts.Changed++
	if c.w.Items != nil {
		if err := c.emit(); err != nil {
			return err
		}
	}
	if _, err := c.s.indexed.compute(c.s.stored, false); err != nil {
		return err
	}
	return c.rows.Delete(c.s.ctx, c.w.Source.Table.Table, c.s.rowKey, c.s.stored)
}

func (c *change) update() error {
	c.counts.Matched++
	table := c.w.Source.Table
	if c.s.twice && !c.s.sorts() {
		c.s.f.Row = c.counts.Matched
		if err := c.s.reread(); err != nil {
			return err
		}
	}
	before := c.s.stored
	after, err := c.changer.updated(before)
	if err != nil || bytes.Equal(before, after) {
		return err
	}
	if allowed, err := c.rules.allow(after, c.w.Ignore); !allowed {
		c.counts.Matched--
		c.changer.refused++
		return err
	}
	if err := c.rows.Update(c.s.ctx, table.Table, c.s.rowKey, before, after); err != nil {
		if err = named(err, table, c.s.f, after); c.w.Ignore && isDuplicate(err) {
			return nil // without a warning
		}
		return err
	}
	c.counts.Changed++
	return nil
}

// isDuplicate reports whether an error is about a key that another row has.
func isDuplicate(err error) bool {
	var e *mysqlerr.Error
	return errors.As(err, &e) && e.Number == mysqlerr.DupEntry
}
