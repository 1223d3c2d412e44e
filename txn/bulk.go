package txn

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/set"
	"github.com/duramendb/duramen/txn/spill"
)

// bulkBatchBytes is the size of the batches that a BulkWriter writes.
const bulkBatchBytes = 1 << 20

// BulkWriter writes rows and index entries straight into the engine, past the
// log: into key spaces that no catalog version refers to yet. Finish makes
// them durable before the DDL that publishes them can be logged. They are removed if the
// transaction is rolled back; after a crash recovery finds them by
// catalog.Snapshot.Orphans.
type BulkWriter struct {
	t        *Txn
	tbl      *catalog.Table
	all      *set.Set
	engine   engine.Engine // of the table
	rows     bool
	indexes  []int
	batch    engine.Batch
	inBatch  map[string][]byte // unique keys in batch
	last     [][]byte          // highest unique key so far: of the rows, then of each index
	rowID    uint64
	added    int  // rows since the last flush
	written  bool // something went into the engine
	finished bool
	sorted   *spill.Sorter // takes entries if no rows are written; see bulkentries.go
	key      []byte        // memory of the entry that is made
	// cleared says that something was removed from the key spaces.
	cleared bool
}

// BulkWriter returns a writer that fills a table, or some of its indexes,
// that no catalog version refers to yet (ALTER TABLE by copy, CREATE INDEX). The
// caller holds the table's metadata lock exclusively. indexes are places in
// tbl.Indexes; rows says whether to write the rows too.
func (t *Txn) BulkWriter(tbl *catalog.Table, rows bool, indexes []int) (*BulkWriter, error) {
	if err := t.writable(); err != nil {
		return nil, err
	}
	if err := t.m.cfg.Engine.Place(tbl.Def); err != nil {
		return nil, err
	}
	e, err := t.m.cfg.Engine.For(tbl.Def)
	if err != nil {
		return nil, err
	}
	w := &BulkWriter{t: t, tbl: tbl, all: t.m.cfg.Engine, engine: e, rows: rows, batch: t.m.cfg.Engine.NewBatch(), inBatch: map[string][]byte{},
		last: make([][]byte, 1+len(tbl.Indexes))}
	for _, i := range indexes {
		if tbl.Indexes[i].Stored {
			w.indexes = append(w.indexes, i)
		}
	}
	if !rows && len(w.indexes) > 0 {
		w.sorted = spill.NewSorter(t.m.space, t.m.sortMemory(), catalog.PrefixLen)
	}
	t.bulk = append(t.bulk, w)
	// An earlier attempt that was rolled back, or an index of the same id that
	// died with the server, may have left something.
	if err := w.clear(); err != nil {
		return nil, err
	}
	return w, nil
}

// Add writes one row. rowKey may be nil: it is made from the image, or a new
// row id is taken. Neither is kept. A row that is the second with a primary or unique key is
// reported as *DuplicateKeyError, by Finish if only indexes are written.
func (w *BulkWriter) Add(rowKey, image []byte) error {
	if w.sorted != nil && rowKey != nil {
		return w.addEntries(rowKey, image)
	}
	rowKey, err := w.rowKey(rowKey, image)
	if err != nil {
		return err
	}
	if w.sorted != nil {
		return w.addEntries(rowKey, image)
	}
	if w.rows {
		if !w.tbl.Keyless() {
			if err := w.unique(-1, rowKey, bytes.Clone(image), image); err != nil {
				return err
			}
		}
		if err := w.set(rowKey, image); err != nil {
			return err
		}
		if err := w.t.observeAutoIncrement(w.tbl, image); err != nil {
			return err
		}
	}
	for _, i := range w.indexes {
		e, err := w.tbl.Entry(i, image, rowKey)
		if err != nil {
			return err
		}
		if e.Unique {
			if err := w.unique(i, e.Key, e.Value, image); err != nil {
				return err
			}
		}
		if err := w.set(e.Key, e.Value); err != nil {
			return err
		}
	}
	w.added++
	if w.batch.Len() >= bulkBatchBytes {
		return w.flush()
	}
	return nil
}

func (w *BulkWriter) set(key, value []byte) error {
	if len(key) > KeyBytesMax {
		return keyError(w.tbl, len(key))
	}
	return w.batch.Set(key, value)
}

func (w *BulkWriter) rowKey(rowKey, image []byte) ([]byte, error) {
	if rowKey != nil {
		return bytes.Clone(rowKey), nil
	}
	if !w.tbl.Keyless() {
		return w.tbl.PrimaryKey(nil, image)
	}
	w.rowID++ // the table is new, and nobody else writes to it
	return w.tbl.RowIDKey(nil, w.rowID), nil
}

// unique reports a duplicate of key. Keys that come in ascending order need no look-up.
func (w *BulkWriter) unique(index int, key, value, image []byte) error {
	last := &w.last[index+1]
	if bytes.Compare(key, *last) > 0 {
		*last = append((*last)[:0], key...)
	} else {
		existing, ok := w.inBatch[string(key)]
		if !ok {
			var err error
			if existing, ok, err = read(w.engine, key); err != nil {
				return err
			}
		}
		if ok {
			return w.duplicate(index, key, existing, image)
		}
	}
	w.inBatch[string(key)] = value
	return nil
}

// duplicate describes a duplicate. The other row may not be found if only an index is
// written: then the new image, which has the same key, stands for it.
func (w *BulkWriter) duplicate(index int, key, existing, image []byte) error {
	d := &DuplicateKeyError{Table: w.tbl, Index: index, Existing: existing, RowKey: key}
	if index < 0 {
		return d
	}
	var err error
	if d.RowKey, err = w.tbl.EntryRowKey(nil, index, key, existing); err != nil {
		return err
	}
	var ok bool
	if d.Existing, ok = w.inBatch[string(d.RowKey)]; ok {
		return d
	}
	if d.Existing, ok, err = w.t.latest(d.RowKey); err != nil {
		return err
	}
	if !ok {
		d.Existing = image
	}
	return d
}

func (w *BulkWriter) flush() error {
	room, bounded, err := w.t.roomInMemory(w.tbl)
	if err != nil {
		return err
	}
	if bounded && int64(w.batch.Len()) > room {
		return &TableFullError{w.tbl}
	}
	w.written, w.added = true, 0
	b := w.batch
	w.batch = w.all.NewBatch()
	clear(w.inBatch)
	if err := w.all.Ingest(b); err != nil {
		return fmt.Errorf("bulk write of %s.%s: %w", w.tbl.Def.DB, w.tbl.Def.Name, err)
	}
	return nil
}

// Finish writes what is left and makes it durable. It ends with the cause if ctx does.
func (w *BulkWriter) Finish(ctx context.Context) error {
	if w.finished {
		return nil
	}
	if w.sorted != nil {
		if err := w.writeEntries(ctx); err != nil {
			return err
		}
	}
	if w.added > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.written || w.cleared {
		if _, err := w.engine.Checkpoint(); err != nil {
			return fmt.Errorf("bulk write of %s.%s: %w", w.tbl.Def.DB, w.tbl.Def.Name, err)
		}
	}
	w.close()
	return nil
}

// close lets go of what the writer has in memory and in files of its own.
func (w *BulkWriter) close() {
	w.batch.Discard()
	if w.sorted != nil {
		w.sorted.Free()
	}
	w.finished = true
}

// spaces are the key spaces that the writer fills.
func (w *BulkWriter) spaces() []catalog.KeySpace {
	var out []catalog.KeySpace
	if w.rows {
		out = append(out, catalog.KeySpace{Table: w.tbl.ID(), Index: catalog.RowsIndex})
	}
	for _, i := range w.indexes {
		out = append(out, catalog.KeySpace{Table: w.tbl.ID(), Index: w.tbl.Indexes[i].Def.ID})
	}
	return out
}

// clear removes what is in the key spaces.
func (w *BulkWriter) clear() error {
	for _, k := range w.spaces() {
		lower, upper := k.Span()
		it, err := w.engine.NewIter(lower, upper)
		if err != nil {
			return err
		}
		found := it.First()
		if err := errors.Join(it.Error(), it.Close()); err != nil {
			return err
		}
		if !found {
			continue
		}
		b := w.all.NewBatch()
		if err := b.DeleteRange(lower, upper); err != nil {
			return err
		}
		if err := w.all.Ingest(b); err != nil {
			return err
		}
		w.cleared = true
	}
	return nil
}

// discard undoes everything: the transaction is rolled back.
func (w *BulkWriter) discard() {
	if !w.finished {
		w.close()
	}
	if err := w.clear(); err != nil {
		// Nothing refers to these keys; the next start removes them.
		w.t.m.cfg.Logger.Warn("cannot remove the rows of a table change that was rolled back",
			"table", w.tbl.Def.DB+"."+w.tbl.Def.Name, "error", err)
	}
}
