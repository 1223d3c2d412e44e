package txn

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/txn/spill"
)

// Entries of indexes that are added to a table come in the order of its rows. They are sorted (txn/spill) and go into the engine in their own order: as
// files that it takes over, if it can (engine.Loader), else batch by batch. So nothing is looked up or moved again to find a place for them, and equal
// keys of a unique index are neighbours.

// sortMemoryMost bounds what the sorting of an index has in memory, in bytes.
const sortMemoryMost = 64 << 20

// sortMemory is how much the sorting of an index may have in memory.
func (m *Manager) sortMemory() int64 {
	switch {
	case m.cfg.SpillFS == nil:
		return math.MaxInt64 // there is no place for files
	case m.cfg.WriteSetMemory > 0:
		return int64(m.cfg.WriteSetMemory)
	}
	return min(m.sizes.threshold.Load(), sortMemoryMost)
}

// addEntries takes the entries of a row.
func (w *BulkWriter) addEntries(rowKey, image []byte) error {
	for _, i := range w.indexes {
		e, err := w.tbl.EntryIn(w.key, i, image, rowKey)
		if err != nil {
			return err
		}
		w.key = e.Key
		if len(e.Key) > KeyBytesMax {
			return keyError(w.tbl, len(e.Key))
		}
		if err := w.sorted.Add(e.Key, e.Value); err != nil {
			return err
		}
	}
	return nil
}

// writeEntries writes all entries, unless two have one unique key.
func (w *BulkWriter) writeEntries(ctx context.Context) error {
	to, err := w.newEntryWriter()
	if err != nil {
		return err
	}
	defer to.discard()
	var last []byte
	var first spill.Version // of the key last
	var dup *doubled
	n := 0
	err = w.sorted.Each(func(v *spill.Version) error {
		if n++; n&1023 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if n > 1 && bytes.Equal(v.Key, last) {
			if dup == nil || v.Seq < dup.seq {
				dup = &doubled{bytes.Clone(v.Key), bytes.Clone(first.Value), v.Seq}
			}
			return nil
		}
		last = append(last[:0], v.Key...)
		first.Value = append(first.Value[:0], v.Value...)
		if dup != nil {
			return nil
		}
		return to.set(v.Key, v.Value)
	})
	if err != nil {
		return err
	}
	w.sorted.Free()
	if dup != nil {
		return w.duplicateEntry(dup)
	}
	return to.finish()
}

// doubled is a unique key that two rows have, of all such the one whose second row came first.
type doubled struct {
	key, value []byte
	seq        uint64
}

func (w *BulkWriter) duplicateEntry(d *doubled) error {
	for _, i := range w.indexes {
		lower, upper := catalog.KeySpace{Table: w.tbl.ID(), Index: w.tbl.Indexes[i].Def.ID}.Span()
		if bytes.Compare(d.key, lower) >= 0 && bytes.Compare(d.key, upper) < 0 {
			return w.duplicate(i, d.key, d.value, nil)
		}
	}
	return fmt.Errorf("bulk write of %s.%s: %w: %x", w.tbl.Def.DB, w.tbl.Def.Name, catalog.ErrCorruptKey, d.key)
}

// entryWriter writes sorted entries.
type entryWriter struct {
	w      *BulkWriter
	loader engine.Loader // nil: entries go into batches
	files  engine.Import
	wrote  bool
}

func (w *BulkWriter) newEntryWriter() (*entryWriter, error) {
	to := &entryWriter{w: w, loader: w.engine.Capabilities().Loader}
	if to.loader == nil {
		return to, nil
	}
	var err error
	to.files, err = to.loader.NewImport(w.t.m.space.Dir())
	return to, err
}

func (to *entryWriter) set(key, value []byte) error {
	to.wrote = true
	if to.files != nil {
		return to.files.Set(key, value)
	}
	w := to.w
	if err := w.batch.Set(key, value); err != nil {
		return err
	}
	if w.added++; w.batch.Len() >= bulkBatchBytes {
		return w.flush()
	}
	return nil
}

// finish makes what was written visible. Entries of batches are durable when BulkWriter.Finish is done.
func (to *entryWriter) finish() error {
	if to.files == nil || !to.wrote {
		return nil
	}
	err := to.files.Finish()
	if err == nil {
		err = to.w.all.Load(to.loader, to.files)
		to.files = nil
	}
	if err != nil {
		return fmt.Errorf("bulk write of %s.%s: %w", to.w.tbl.Def.DB, to.w.tbl.Def.Name, err)
	}
	return nil
}

// discard removes files that were not loaded.
func (to *entryWriter) discard() {
	if to.files != nil {
		to.files.Discard()
	}
}
