package lsm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/engine"
)

var _ engine.Import = (*tables)(nil)

// tableBytes is the size of the table files of an import. A table's index and
// filter are kept in memory while it is written.
const tableBytes = 32 << 20

// tables is an import: sorted table files that do not overlap, in a directory
// beside the engine's. Pebble links them into its own directory when they are ingested.
type tables struct {
	e     *Engine
	dir   string
	id    uint64
	files []string
	w     *sstable.Writer
	size  uint64 // about, of the table being written
	first []byte // key of the whole import
	last  []byte
	done  bool
}

// NewImport starts an import. Its directory must be on the engine's file system.
func (e *Engine) NewImport(dir string) (engine.Import, error) {
	if e.closed.Load() {
		return nil, engine.ErrClosed
	}
	return &tables{e: e, dir: dir, id: e.imports.Add(1)}, nil
}

// create starts the next table file.
func (e *Engine) createTable(path string) (*sstable.Writer, error) {
	fs := e.opts.FS
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("lsm: create %s: %w", path, err)
	}
	// The file is written back as it grows, so that its sync at the end, and those of others
	// meanwhile, find little to do.
	f = vfs.NewSyncingFile(&countedFile{File: f, written: &e.counters.writtenBytes}, vfs.SyncingFileOptions{BytesPerSync: 1 << 20})
	// Not the options of the lowest level, where a writer marks deletes as obsolete.
	o := e.pebble.MakeWriterOptions(0, e.db.TableFormat())
	return sstable.NewWriter(objstorageprovider.NewFileWritable(f), o), nil
}

func (t *tables) Set(key, value []byte) error {
	w, err := t.writer(key, len(key)+len(value))
	if err != nil {
		return err
	}
	if err := w.Set(key, value); err != nil {
		return fmt.Errorf("lsm: import: %w", err)
	}
	return nil
}

func (t *tables) Delete(key []byte) error {
	w, err := t.writer(key, len(key))
	if err != nil {
		return err
	}
	if err := w.Delete(key); err != nil {
		return fmt.Errorf("lsm: import: %w", err)
	}
	return nil
}

// writer finds the table that takes the next n bytes, for key.
func (t *tables) writer(key []byte, n int) (*sstable.Writer, error) {
	if t.first == nil {
		t.first = bytes.Clone(key)
	} else if bytes.Compare(key, t.last) <= 0 {
		return nil, fmt.Errorf("%w: %x after %x", engine.ErrKeyOrder, key, t.last)
	}
	t.last = append(t.last[:0], key...)
	if t.w != nil && t.size >= tableBytes {
		if err := t.closeTable(); err != nil {
			return nil, err
		}
	}
	if t.w == nil {
		path := t.path(len(t.files))
		w, err := t.e.createTable(path)
		if err != nil {
			return nil, err
		}
		t.w, t.size, t.files = w, 0, append(t.files, path)
	}
	t.size += uint64(n)
	return t.w, nil
}

func (t *tables) path(n int) string {
	return t.e.opts.FS.PathJoin(t.dir, fmt.Sprintf("%s-import-%06d-%04d.sst", t.e.opts.FS.PathBase(t.e.opts.Dir), t.id, n))
}

// closeTable completes and syncs the table being written.
func (t *tables) closeTable() error {
	w := t.w
	t.w = nil
	if err := w.Close(); err != nil {
		return fmt.Errorf("lsm: import: write %s: %w", t.files[len(t.files)-1], err)
	}
	return nil
}

func (t *tables) Finish() error {
	if t.w == nil {
		return nil
	}
	return t.closeTable()
}

// Discard removes the files. What cannot be removed now goes with the directory at the next start.
func (t *tables) Discard() {
	if t.done {
		return
	}
	t.done = true
	if t.w != nil {
		_ = t.w.Close()
		t.w = nil
	}
	for _, path := range t.files {
		if err := t.e.opts.FS.Remove(path); err != nil {
			t.e.opts.Logger.Warn("cannot remove a table file that was not needed", "file", path, "error", err)
		}
	}
}

// ApplyImport ingests the tables together with one more, which holds the batch
// and the mark: a Pebble ingestion is atomic. It takes its place in the order of
// memtables like a memtable of its own (the mark is in every one of them, so the ingestion
// overlaps with them), hence becomes durable after everything applied before, and before
// everything applied later.
func (e *Engine) ApplyImport(i engine.Import, b engine.Batch, m engine.Mark) error {
	if e.closed.Load() {
		return engine.ErrClosed
	}
	t, pb := i.(*tables), b.(*batch)
	defer pb.Discard()
	defer t.Discard()
	if t.w != nil {
		return errors.New("lsm: import: it is not finished")
	}
	changes, mergeable, err := pb.sorted()
	if err != nil {
		return fmt.Errorf("lsm: import at %s: %w", m.Position, err)
	}
	if len(changes) > 0 && t.first != nil && bytes.Compare(changes[len(changes)-1].key, t.first) >= 0 {
		mergeable = false
	}
	if err := e.beginApply(m); err != nil {
		return err
	}
	if !mergeable {
		// Ranges are deleted: the tables go in first, then the batch with the mark. A crash
		// in between leaves rows behind that the log brings again.
		e.ingested.Store(true)
		if _, err := e.ingestFiles(t.files); err != nil {
			return fmt.Errorf("lsm: import at %s: %w", m.Position, err)
		}
		t.done = true
		return e.applyMarked(pb, m)
	}
	path := t.path(len(t.files))
	t.files = append(t.files, path)
	if err := e.writeMarkTable(path, changes, m); err != nil {
		return fmt.Errorf("lsm: import at %s: %w", m.Position, err)
	}
	if _, err := e.ingestFiles(t.files); err != nil {
		return fmt.Errorf("lsm: import at %s: %w", m.Position, err)
	}
	t.done = true // Pebble has removed the files
	e.endApply(m)
	return nil
}

// ingestFiles ingests tables. queued says that some overlap with memtables, and become part of the database together with these.
func (e *Engine) ingestFiles(paths []string) (queued bool, err error) {
	if len(paths) == 0 {
		return false, nil
	}
	// It waits for a flush of what it overlaps, and a flush that fails is tried for ever: that
	// is a failure of the import, with which the caller ends the process.
	failed := e.backoff.nextFlushFailure()
	done := make(chan error, 1)
	var overlapping atomic.Int64
	go func() {
		defer e.commits.mayRotate()()
		stats, err := e.db.IngestWithStats(context.Background(), paths)
		overlapping.Store(int64(stats.MemtableOverlappingFiles))
		done <- err
	}()
	select {
	case err = <-done:
		return overlapping.Load() > 0, err
	case <-failed:
	}
	select { // the flush that failed may not be the one that it waits for
	case err = <-done:
		return overlapping.Load() > 0, err
	case <-e.backoff.nextFlushFailure():
		return false, e.backoff.lastFlushError()
	}
}

// Load ingests the tables. If none overlaps with a memtable Pebble makes them part of the database at once, durably; else they are queued behind it, as
// those of ApplyImport, and a checkpoint makes both durable.
func (e *Engine) Load(i engine.Import) error {
	if e.closed.Load() {
		return engine.ErrClosed
	}
	t := i.(*tables)
	defer t.Discard()
	if t.w != nil {
		return errors.New("lsm: load: the import is not finished")
	}
	if err := e.Writable(); err != nil {
		return err
	}
	queued, err := e.ingestFiles(t.files)
	if err != nil {
		return fmt.Errorf("lsm: load: %w", err)
	}
	t.done = true // Pebble has removed the files
	if !queued {
		return nil
	}
	e.ingested.Store(true)
	_, err = e.Checkpoint()
	return err
}

// writeMarkTable writes the table that holds the mark and what goes with it.
func (e *Engine) writeMarkTable(path string, changes []change, m engine.Mark) error {
	mark := change{key: markKey, value: appendMark(nil, m)}
	at, _ := slices.BinarySearchFunc(changes, mark, compareChanges)
	changes = slices.Insert(changes, at, mark)
	w, err := e.createTable(path)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.value == nil {
			err = w.Delete(c.key)
		} else {
			err = w.Set(c.key, c.value)
		}
		if err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}

// change is one change of a key; a nil value deletes it.
type change struct{ key, value []byte }

func compareChanges(a, b change) int { return bytes.Compare(a.key, b.key) }

// sorted returns the changes of a batch in key order, the last of each key. ok is false if
// there are others than of single keys.
func (b *batch) sorted() (changes []change, ok bool, err error) {
	r := b.b.Reader()
	for {
		kind, key, value, more, err := r.Next()
		if err != nil {
			return nil, false, err
		}
		if !more {
			break
		}
		switch kind {
		case pebble.InternalKeyKindSet:
			changes = append(changes, change{key: key, value: append([]byte{}, value...)})
		case pebble.InternalKeyKindDelete:
			changes = append(changes, change{key: key})
		default:
			return nil, false, nil
		}
	}
	slices.SortStableFunc(changes, compareChanges)
	last := changes[:0]
	for i, c := range changes {
		if i+1 == len(changes) || !bytes.Equal(c.key, changes[i+1].key) {
			last = append(last, c)
		}
	}
	return last, true, nil
}
