package txn

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/invariants"
	"github.com/duramendb/duramen/txn/lock"
)

// Cursor walks the rows of a Scan. It must be closed. It sees the
// transaction's own writes as they were when it was opened; a locking cursor returns
// rows as they are when it has locked them.
type Cursor struct {
	t    *Txn
	ctx  context.Context // a cursor lives inside one statement's context
	spec ScanSpec
	lock lock.Mode
	walk merged
	// view is set for reads of the read view, own is the write set when it was opened.
	view *view
	own  *ownView
	rows lookup // of the view, for the rows of entries
	// only is the engine of a walk over the rows of the view that meets nothing else.
	only *engineSource
	// sequenced and writes tell whether anything can have changed since the
	// cursor was opened: Manager.sequenced and the mark of own writes at that time.
	sequenced uint64
	writes    writeMark
	moves     uint64 // Txn.Moves of the rows when the cursor was opened

	rowKey, image []byte
	err           error
	closed        bool
	lent          invariants.Lent
}

// Scan reads a range of a table or index in key order.
func (t *Txn) Scan(ctx context.Context, spec ScanSpec) (*Cursor, error) {
	if t.finished {
		return nil, ErrFinished
	}
	tbl := spec.Table
	if spec.Index >= 0 && !tbl.Indexes[spec.Index].Stored {
		return nil, fmt.Errorf("index %s of %s.%s has no entries to scan", tbl.Indexes[spec.Index].Def.Name, tbl.Def.DB, tbl.Def.Name)
	}
	lower, upper := tbl.Span(spec.Index)
	if bytes.Compare(spec.Lower, lower) < 0 {
		spec.Lower = lower
	}
	if spec.Upper == nil || bytes.Compare(spec.Upper, upper) > 0 {
		spec.Upper = upper
	}
	c := &Cursor{t: t, ctx: ctx, spec: spec, lock: t.lockModeOf(spec.Mode)}
	if bytes.Compare(spec.Lower, spec.Upper) >= 0 {
		return c, nil // empty
	}
	t.opts.Cursors.add(c)
	var err error
	if (spec.Mode == Snapshot || spec.Mode == Alone) && c.lock == lock.None {
		err = c.openView()
	} else {
		err = c.openLatest()
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// openView walks own writes over the read view.
func (c *Cursor) openView() error {
	mode := c.spec.Mode
	if c.spec.Index >= 0 {
		mode = Snapshot // its rows are looked up beside its entries
	}
	c.view = c.t.useView(mode)
	if err := c.view.check(c.t, c.spec.Table, c.spec.Index); err != nil {
		return err
	}
	it, err := c.view.snap.NewIter(c.spec.Lower, c.spec.Upper)
	if err != nil {
		return err
	}
	c.rows = lookup{snap: c.view.snap, tbl: c.spec.Table}
	c.addOwn()
	c.addEngine(it)
	c.walk.reverse, c.walk.both = c.spec.Reverse, c.spec.Index >= 0
	if c.own == nil && c.spec.Index < 0 {
		c.only, _ = c.walk.sources[0].(*engineSource)
	}
	return nil
}

// openLatest walks own writes over sequenced writes over the engine's state. The
// last two are taken between applies, so that they fit: otherwise a row that a later transaction
// moved could be missed in its old place and in its new one.
func (c *Cursor) openLatest() error {
	if c.t.opts.Line != nil {
		c.t.opts.Line.Placed()
	}
	c.addOwn()
	c.moves = c.t.Moves(c.spec.Table, -1)
	var it engine.Iterator
	var err error
	c.t.m.cfg.Committer.ApplyBarrier(func() {
		c.sequenced = c.t.m.sequenced.Load()
		for _, l := range c.t.m.pending.copy() {
			c.walk.sources = append(c.walk.sources, newTreeSource(l.tree, l.seq, c.spec.Lower, c.spec.Upper, c.spec.Reverse))
		}
		it, err = c.t.m.cfg.Engine.NewIter(c.spec.Lower, c.spec.Upper)
	})
	if err != nil {
		return err
	}
	c.addEngine(it)
	c.walk.reverse = c.spec.Reverse
	return nil
}

func (c *Cursor) addOwn() {
	c.own, c.writes = c.t.writes.now()
	if c.own != nil {
		c.walk.sources = append(c.walk.sources, c.own.source(c.spec.Lower, c.spec.Upper, c.spec.Reverse))
	}
}

func (c *Cursor) addEngine(it engine.Iterator) {
	c.walk.sources = append(c.walk.sources, &engineSource{it: it, reverse: c.spec.Reverse})
}

// Next moves to the next row; false at the end or on an error, which is ErrRowChanged if the
// scan cannot be sure to meet a row that another transaction has moved meanwhile (see moved.go).
func (c *Cursor) Next() bool {
	c.recall()
	if c.closed || c.err != nil {
		return false
	}
	if c.only != nil {
		return c.nextOnly()
	}
	for n := 0; c.walk.next(); n++ {
		if n&255 == 255 && c.ctx.Err() != nil { // many rows skipped
			c.err = context.Cause(c.ctx)
			return false
		}
		ok, err := c.fetch()
		if c.walk.newest > 0 {
			c.t.unapplied.saw(c.walk.newest)
		}
		if err != nil {
			c.err = err
			return false
		}
		if ok {
			return true
		}
	}
	if c.walk.newest > 0 {
		c.t.unapplied.saw(c.walk.newest)
	}
	c.err = c.walk.err()
	return false
}

// nextOnly is Next where every key of the engine is a row for the reader.
func (c *Cursor) nextOnly() bool {
	s, w := c.only, &c.walk
	switch {
	case !w.started:
		w.started, w.current = true, s
		s.first()
	case s.ok:
		s.next()
	}
	if !s.ok {
		c.err = s.it.Error()
		return false
	}
	c.rowKey, c.image = s.it.Key(), s.value()
	return true
}

// recall ends the lifetime of what the cursor lends. Another row may get the memory then.
func (c *Cursor) recall() {
	c.lent.Recall()
	if c.lock == lock.Exclusive {
		c.t.locked.forget()
	}
}

// fetch finds the row at the walk's current place; false if there is none for
// the reader.
func (c *Cursor) fetch() (bool, error) {
	key := c.walk.current.key()
	if c.spec.Index < 0 {
		c.rowKey = key
		if c.lock == lock.None {
			c.image = c.walk.current.value()
			return true, nil
		}
		return c.lockRow()
	}
	var err error
	c.rowKey, err = c.spec.Table.EntryRowKey(c.rowKey[:0], c.spec.Index, key, c.walk.current.value())
	if err != nil {
		return false, err
	}
	switch {
	case c.lock != lock.None:
		return c.lockRow()
	case c.view != nil:
		return c.rowInView()
	}
	return c.rowLatest()
}

// rowInView looks up the row of an entry in own writes, then in the view. A
// row that the transaction has written itself may not have the entry that the
// view has for it.
func (c *Cursor) rowInView() (ok bool, err error) {
	if c.own != nil {
		image, written, err := c.own.get(c.rowKey)
		if err != nil {
			return false, err
		}
		if written {
			c.image = image
			return c.matches()
		}
	}
	if !c.walk.fromEngine() {
		return false, nil
	}
	c.image, ok, err = c.rows.get(c.rowKey)
	if err == nil && !ok {
		err = c.dangling()
	}
	return ok, err
}

func (c *Cursor) dangling() error {
	ix := c.spec.Table.Indexes[c.spec.Index].Def
	return fmt.Errorf("%w: index %s of %s.%s has entry %x of a row that does not exist", catalog.ErrCorruptKey,
		ix.Name, c.spec.Table.Def.DB, c.spec.Table.Def.Name, c.walk.current.key())
}

// rowLatest looks up the newest row of an entry, which may have lost it meanwhile.
func (c *Cursor) rowLatest() (ok bool, err error) {
	if c.image, ok, err = c.t.latest(c.rowKey); err != nil {
		return false, err
	} else if !ok {
		return false, c.gone()
	}
	return c.matches()
}

// lockRow locks the row, and reads it again unless nothing can have changed.
func (c *Cursor) lockRow() (bool, error) {
	if _, err := c.t.lockRow(c.ctx, c.rowKey, c.lock, c.spec.Wait); err != nil {
		if c.spec.Wait == SkipLocked && errors.Is(err, ErrNoWait) {
			return false, nil
		}
		return false, rowError(c.spec.Table, err)
	}
	if c.spec.Index < 0 && c.unchanged() {
		c.image = c.walk.current.value()
		c.t.locked.note(c.rowKey, c.image, c.lock)
		return true, nil
	}
	var ok bool
	var err error
	if c.image, ok, err = c.t.latest(c.rowKey); err != nil {
		return false, err
	} else if !ok {
		return false, c.gone()
	}
	c.t.locked.note(c.rowKey, c.image, c.lock)
	if c.spec.Index < 0 {
		return true, nil
	}
	return c.matches()
}

// unchanged reports that no transaction was sequenced, and this one wrote nothing, since
// the cursor was opened.
func (c *Cursor) unchanged() bool {
	if c.t.m.sequenced.Load() != c.sequenced {
		return false
	}
	return c.t.writes.mark() == c.writes
}

func (c *Cursor) matches() (bool, error) {
	if c.image == nil {
		return false, nil
	}
	same, err := c.spec.Table.Matches(c.spec.Index, c.walk.current.key(), c.walk.current.value(), c.image, c.rowKey)
	if same || err != nil {
		return same, err
	}
	return false, c.elsewhere()
}

// RowKey is the row's full key; valid until Next.
func (c *Cursor) RowKey() []byte { return c.lent.Lend(c.rowKey) }

// Image is the row image; valid until Next.
func (c *Cursor) Image() []byte { return c.lent.Lend(c.image) }

// Key is the full key of the index entry (of the row, if Index is -1); valid until Next.
func (c *Cursor) Key() []byte { return c.lent.Lend(c.walk.current.key()) }

// Err is the error that ended the walk, if any.
func (c *Cursor) Err() error { return c.err }

// Close frees the cursor. Closing twice is no error.
func (c *Cursor) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	c.recall()
	c.t.opts.Cursors.remove(c)
	err := errors.Join(c.walk.close(), c.rows.close())
	if c.own != nil {
		c.own.release()
	}
	if c.view != nil {
		c.view.unref()
	}
	return err
}
