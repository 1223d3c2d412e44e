package exec

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/txn"
)

// Counts are how many rows a statement has found, and how many of them it has changed.
type Counts struct {
	Matched, Changed uint64
	// Nothing says that no row was looked for, because none can be what is asked for.
	Nothing bool
	// Gone is how many rows of each table cascades have deleted, by the table's id.
	Gone map[uint32]int64
}

// Write changes or deletes the rows of a statement. strict says that warnings about its expressions are errors; those of DELETE never are. emit is
// called for each row of RETURNING: the frame's row is the one to show.
func Write(ctx context.Context, w *plan.Write, rows txn.Rows, f *eval.Frame, strict bool, emit func() error) (counts Counts, err error) {
	r := writers.Get().(*writer)
	if counts, err = r.run(ctx, w, rows, f, strict, emit); err == nil { // who has called one that has failed may look at its rows still
		r.selection, r.change, r.changer, r.keeper, r.to = selection{}, change{}, changer{}, keeper{}, assign.Context{}
		writers.Put(r)
	}
	return counts, err
}

// writer is what an UPDATE or DELETE is made of, to be used again.
type writer struct {
	selection selection
	change    change
	changer   changer
	keeper    keeper
	to        assign.Context
	out       relation.Image
}

var writers = sync.Pool{New: func() any { return new(writer) }}

func (r *writer) run(ctx context.Context, w *plan.Write, rows txn.Rows, f *eval.Frame, strict bool, emit func() error) (counts Counts, err error) {
	s := &r.selection
	*s = selection{
		p: w.Select, f: f, ctx: ctx, reader: f.Reader(w.Source.Table.Layout), changes: true, deletes: w.Delete, collects: w.Collects(),
		leavesOut: w.Delete && w.Keys != nil,
		virtual:   newVirtual(w.Virtual, w.Source.Table, f), every: newVirtual(w.All, w.Source.Table, f),
		indexed: newVirtual(w.Indexed, w.Source.Table, f), twice: w.Twice(),
	}
	if w.Delete && w.Keys != nil && w.Keys.Returns && len(w.Order) > 0 {
		s.collects = true // as MariaDB does, so that it is known which rows are asked for before cascades change others
	}
	f.Rows = append(f.Rows[:0], s.reader)
	f.Diag.Strict = nil // an earlier attempt may have set it
	none, err := s.once(w.Once)
	if none || w.Nothing() || err != nil {
		return Counts{Nothing: true}, err
	}
	if strict && !w.Delete && !w.Ignore {
		f.Diag.Strict = always
	}
	s.source = source{reads: Reads{Rows: rows, Mode: txn.LockExclusive}, table: w.Source.Table.Table, access: w.Access, partitions: selected(w.Source)}
	defer func() { err = errors.Join(err, s.source.close()) }()
	if err := s.prepare(); err != nil {
		return counts, err
	}
	if err := s.countMatches(); err != nil {
		return counts, err
	}
	c := &r.change
	r.keeper = newKeeper(w.Keys, rows, f)
	*c = change{places: newPlaces(w.Source), w: w, s: s, keys: &r.keeper, emit: emit}
	defer func() { counts = c.counts; counts.Gone = c.keys.gone }()
	if s.emit = c.delete; !w.Delete {
		r.to = assign.Context{Diag: f.Diag, Zone: f.Zone, Now: f.Started}
		c.rules = newRules(w.Rules, w.Source.Table, f)
		r.out.Renew(w.Source.Table)
		r.changer = changer{how: &w.Changes, table: w.Source.Table, f: f, to: &r.to, reader: s.reader, before: f.Reader(w.Source.Table.Layout), out: &r.out, rules: c.rules}
		c.changer = &r.changer
		s.emit = c.update
	}
	if s.sorts() {
		return counts, s.ordered(s.each)
	}
	return counts, s.ended(s.each(s.show))
}

func always(uint16) bool { return true }

// change makes the changes of a statement to the rows that a selection comes to.
type change struct {
	w       *plan.Write
	s       *selection
	keys    *keeper
	counts  Counts
	emit    func() error // of RETURNING
	changer *changer     // of an UPDATE
	rules   *rules       // of its table
	places  *places      // of its partitions
}

func (c *change) delete() error {
	if there, err := c.again(); err != nil {
		return err
	} else if !there {
		return errLeftOut
	}
	if c.w.Items != nil {
		if err := c.emit(); err != nil {
			return err
		}
	}
	if _, err := c.s.indexed.compute(c.s.stored, false); err != nil {
		return err
	}
	if err := c.remove(); c.w.Ignore && (isForeign(err) || isTooDeep(err)) {
		c.s.f.Diag.Warnf(number(err), "%s", message(err))
		return errLeftOut
	} else if err != nil {
		return err
	}
	c.counts.Matched++
	c.counts.Changed++
	return nil
}

// remove deletes the row. Nothing is left of that if it fails and the row is left out.
func (c *change) remove() error {
	table, key, image := c.w.Source.Table, c.s.rowKey, c.s.stored
	if c.w.Ignore && c.w.Keys != nil {
		return c.keys.whole(func() error { return c.keys.delete(c.s.ctx, table, key, image) })
	}
	return c.keys.delete(c.s.ctx, table, key, image)
}

// again looks what has become of a row that was read before others were deleted; there says that cascades have not deleted it.
func (c *change) again() (there bool, err error) {
	if c.w.Keys == nil || !c.w.Keys.Returns || !c.s.sorts() {
		return true, nil
	}
	image, there, err := c.keys.rows.Get(c.s.ctx, c.w.Source.Table.Table, c.s.rowKey, txn.LockExclusive, txn.Wait)
	if err != nil || !there {
		return false, err
	}
	c.s.stored = image
	c.s.set(image)
	return true, c.s.reread()
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
	if err := c.places.allow(after); err != nil {
		if c.w.Ignore && isPlace(err) {
			return nil // without a warning
		}
		return err
	}
	if c.w.Ignore && c.w.Keys != nil {
		err = c.keys.whole(func() error { return c.keys.update(c.s.ctx, table, c.s.rowKey, before, after, nil) })
	} else {
		err = c.keys.update(c.s.ctx, table, c.s.rowKey, before, after, nil)
	}
	if err != nil {
		if err = Named(err, table, c.s.f, after); c.w.Ignore && (isDuplicate(err) || isForeign(err)) {
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
