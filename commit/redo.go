package commit

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/row"
)

// redo turns the events of log groups back into the engine changes that the
// transactions made. It reads the engine only to complete partial row images.
type redo struct {
	engine     engine.Engine
	owns       func(*catalog.TableDef) bool
	catalog    *catalog.Snapshot
	collations catalog.Collations
	batch      engine.Batch
	// written are the rows in batch by key, nil for a deleted one: what the
	// engine does not know yet.
	written map[string][]byte
	next    map[uint32]uint64 // auto-increment counters by table id, as far as they were looked at
	// tainted says that the batch may not be replayed a second time: it holds changes of the
	// catalog, or rows that were completed from the engine.
	tainted bool
	chunks  bool // parts of a group were applied without a mark
	rows    int64

	// Of the group that is being read:
	tables  map[uint64]*tableMap
	pending *pendingRows // a rows event of a keyless table, waiting for its row ids
	ids     []uint64
}

type tableMap struct {
	info  *event.TableMapInfo
	table *catalog.Table // nil: of another engine
}

type pendingRows struct {
	rows *event.RowsInfo
	tm   *tableMap
}

func newRedo(cfg *ReplayConfig) *redo {
	return &redo{engine: cfg.Engine, owns: cfg.Owns, catalog: cfg.Catalog, collations: cfg.Collations,
		written: map[string][]byte{}, next: map[uint32]uint64{}, tables: map[uint64]*tableMap{}}
}

func (r *redo) size() int {
	if r.batch == nil {
		return 0
	}
	return r.batch.Len()
}

func (r *redo) open() engine.Batch {
	if r.batch == nil {
		r.batch = r.engine.NewBatch()
	}
	return r.batch
}

// apply hands the batch to the engine.
func (r *redo) apply(m engine.Mark) error {
	b := r.open()
	if r.chunks {
		if err := b.Delete(unfinishedKey); err != nil {
			return err
		}
	}
	r.batch, r.tainted, r.chunks = nil, false, false
	clear(r.written)
	return r.engine.Apply(b, m)
}

func (r *redo) discard() {
	if r.batch != nil {
		r.batch.Discard()
		r.batch = nil
	}
}

// event processes one event inside a group.
func (r *redo) event(e event.Event) error {
	if p, ok := e.Body.(*event.Private); ok {
		switch p.Kind {
		case event.PrivateRowIDs:
			return r.rowIDs(p.Payload)
		case event.PrivateCatalog:
			return r.change(p.Payload)
		case event.PrivateLocal: // rows of tables that replicas do not have
			return r.local(p.Payload)
		default:
			return fmt.Errorf("%w: private record %d inside a group", ErrLogContent, p.Kind)
		}
	}
	if r.pending != nil {
		return fmt.Errorf("%w: rows of keyless table %s.%s without row ids", ErrLogContent, r.pending.tm.info.Schema, r.pending.tm.info.Table)
	}
	switch body := e.Body.(type) {
	case *event.TableMapInfo:
		return r.tableMap(body)
	case *event.RowsInfo:
		return r.rowsEvent(body)
	default:
		return nil // annotations
	}
}

// local processes the events inside a private record.
func (r *redo) local(payload []byte) error {
	for len(payload) > 0 {
		ev, rest, err := event.Next(payload)
		if err != nil {
			return fmt.Errorf("local rows: %w", misfit(err))
		}
		inner, err := event.Decode(ev)
		if err != nil {
			return fmt.Errorf("local rows: %w", misfit(err))
		}
		if err := r.event(inner); err != nil {
			return fmt.Errorf("local rows: %w", err)
		}
		payload = rest
	}
	return nil
}

// endGroup forgets what belongs to the group only.
func (r *redo) endGroup() error {
	if r.pending != nil {
		return fmt.Errorf("%w: rows of keyless table %s.%s without row ids", ErrLogContent, r.pending.tm.info.Schema, r.pending.tm.info.Table)
	}
	clear(r.tables)
	return nil
}

func (r *redo) tableMap(info *event.TableMapInfo) error {
	tm := &tableMap{info: info}
	t := r.catalog.TableByID(uint32(info.TableID))
	switch {
	case t == nil:
		return fmt.Errorf("%w: table %s.%s with id %d is not in the catalog", ErrLogContent, info.Schema, info.Table, info.TableID)
	case r.owns == nil || r.owns(t.Def):
		if len(t.Columns) != len(info.Columns) {
			return fmt.Errorf("%w: table %s.%s has %d columns, its table map %d", ErrLogContent, info.Schema, info.Table, len(t.Columns), len(info.Columns))
		}
		tm.table = t
	}
	r.tables[info.TableID] = tm
	return nil
}

func (r *redo) rowsEvent(rows *event.RowsInfo) error {
	if rows.TableID == event.DummyTableID {
		return nil
	}
	tm := r.tables[rows.TableID]
	if tm == nil {
		return fmt.Errorf("%w: rows for table id %d without a table map", ErrLogContent, rows.TableID)
	}
	if tm.table == nil {
		return nil
	}
	if tm.table.Keyless() {
		kept := *rows // the event's bytes are gone when the next one is read
		kept.BitmapBefore, kept.BitmapAfter, kept.Rows = bytes.Clone(rows.BitmapBefore), bytes.Clone(rows.BitmapAfter), bytes.Clone(rows.Rows)
		r.pending = &pendingRows{rows: &kept, tm: tm}
		return nil
	}
	return r.applyRows(rows, tm, nil)
}

func (r *redo) rowIDs(payload []byte) error {
	p := r.pending
	if p == nil {
		return nil // of another engine's table
	}
	r.pending = nil
	ids, err := event.RowIDs(r.ids[:0], payload)
	if err != nil {
		return misfit(err)
	}
	r.ids = ids
	return r.applyRows(p.rows, p.tm, ids)
}

// applyRows puts the changes of a rows event into the batch. ids are the hidden
// row ids, one per row, for a keyless table.
func (r *redo) applyRows(rows *event.RowsInfo, tm *tableMap, ids []uint64) error {
	t := tm.table
	it := rows.Iter(tm.info)
	for n := 0; it.Next(); n++ {
		var key []byte
		if t.Keyless() {
			if n >= len(ids) {
				return fmt.Errorf("%w: %d row ids for more rows of %s.%s", ErrLogContent, len(ids), tm.info.Schema, tm.info.Table)
			}
			key = t.RowIDKey(nil, ids[n])
		}
		before, after, err := r.complete(rows, t, key, it.Before(), it.After())
		if err != nil {
			return err
		}
		if err := t.Mutations(before, after, key, r.emit(t)); err != nil {
			return misfit(err)
		}
		if rows.IsWrite() {
			if err := r.counters(t, after); err != nil {
				return err
			}
		}
		r.rows++
	}
	return misfit(it.Err())
}

// misfit marks errors of decoding what the log holds.
func misfit(err error) error {
	if err == nil || errors.Is(err, ErrLogContent) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrLogContent, err)
}

// emit returns the function that takes the changes of keys of a table.
func (r *redo) emit(t *catalog.Table) catalog.Emit {
	b := r.open()
	return func(key, value []byte) error {
		if _, index, _, ok := catalog.ParsePrefix(key); ok && index == catalog.RowsIndex {
			r.written[string(key)] = bytes.Clone(value) // value lies in the reader's buffer
		}
		if value == nil {
			return b.Delete(key)
		}
		return b.Set(key, value)
	}
}

// complete makes full images of partial ones.
func (r *redo) complete(rows *event.RowsInfo, t *catalog.Table, key, before, after []byte) (fullBefore, fullAfter []byte, err error) {
	if rows.IsWrite() {
		if full(rows.BitmapBefore, len(t.Columns)) {
			return nil, after, nil
		}
		fullAfter, err = row.Merge(nil, t.Columns, nullImage(len(t.Columns)), after, rows.BitmapBefore)
		return nil, fullAfter, misfit(err)
	}
	fullBefore = before
	r.tainted = r.tainted || !full(rows.BitmapBefore, len(t.Columns)) || !rows.IsDelete() && !full(rows.BitmapAfter, len(t.Columns))
	if !full(rows.BitmapBefore, len(t.Columns)) {
		if key == nil {
			if key, err = r.partialKey(t, before, rows.BitmapBefore); err != nil {
				return nil, nil, err
			}
		}
		if fullBefore, err = r.stored(t, key); err != nil {
			return nil, nil, err
		}
	}
	if rows.IsDelete() || full(rows.BitmapAfter, len(t.Columns)) {
		return fullBefore, after, nil
	}
	fullAfter, err = row.Merge(nil, t.Columns, fullBefore, after, rows.BitmapAfter)
	return fullBefore, fullAfter, misfit(err)
}

// partialKey makes the row key from a partial image, which always holds the
// primary key.
func (r *redo) partialKey(t *catalog.Table, image, present []byte) ([]byte, error) {
	for _, p := range t.Primary {
		if present[p.Column/8]>>(p.Column%8)&1 == 0 {
			return nil, fmt.Errorf("%w: row image of %s.%s without its primary key", ErrLogContent, t.Def.DB, t.Def.Name)
		}
	}
	whole, err := row.Merge(nil, t.Columns, nullImage(len(t.Columns)), image, present)
	if err != nil {
		return nil, misfit(err)
	}
	key, err := t.PrimaryKey(nil, whole)
	return key, misfit(err)
}

// stored returns the row as the log up to here left it.
func (r *redo) stored(t *catalog.Table, key []byte) ([]byte, error) {
	if image, ok := r.written[string(key)]; ok && image != nil {
		return image, nil
	} else if !ok {
		image, found, release, err := r.engine.Get(key)
		if err != nil {
			return nil, err
		}
		defer release()
		if found {
			return bytes.Clone(image), nil
		}
	}
	return nil, fmt.Errorf("%w: row %x of %s.%s is to be changed, but is not there", ErrLogContent, key, t.Def.DB, t.Def.Name)
}

// nullImage is a row image whose n columns are all NULL.
func nullImage(n int) []byte {
	return bytes.Repeat([]byte{0xff}, (n+7)/8)
}

// full reports whether a column bitmap has all of n columns.
func full(bitmap []byte, n int) bool {
	count := 0
	for _, b := range bitmap {
		count += bits.OnesCount8(b)
	}
	return bitmap == nil || count >= n
}

// change applies the catalog change of a DDL statement.
func (r *redo) change(payload []byte) error {
	c, err := catalog.ParseChange(payload)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLogContent, err)
	}
	r.tainted = true
	next, err := r.catalog.Apply(c, r.collations)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLogContent, err)
	}
	if err := r.catalog.WriteChange(r.open(), c); err != nil {
		return err
	}
	r.catalog = next
	for id, n := range c.Counters {
		r.next[id] = n
	}
	for _, id := range c.DropTables {
		delete(r.next, id)
	}
	return nil
}

// counters keeps the table's auto-increment counter behind every value that
// was inserted.
func (r *redo) counters(t *catalog.Table, after []byte) error {
	if t.AutoIncrement < 0 || after == nil {
		return nil
	}
	next, known := r.next[t.ID()]
	if !known {
		value, ok, release, err := r.engine.Get(catalog.CounterKey(t.ID()))
		if err != nil {
			return err
		}
		if ok {
			next, err = catalog.DecodeCounter(value)
			release()
			if err != nil {
				return err
			}
		}
		r.next[t.ID()] = next
	}
	value, err := t.AutoIncrementValue(after)
	if err != nil || value < next {
		return misfit(err)
	}
	r.next[t.ID()] = value + 1
	return r.open().Set(catalog.CounterKey(t.ID()), catalog.EncodeCounter(value+1))
}
