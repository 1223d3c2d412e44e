package btree

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/engine"
)

var _ engine.Import = (*imported)(nil)

// imported is an import: a run in a directory beside the engine's.
type imported struct {
	e        *Engine
	path     string
	w        *runWriter // nil: nothing was written
	last     []byte
	finished bool
	done     bool // the file is gone, or the engine's
}

// NewImport starts an import. Its directory must be on the engine's file system.
func (e *Engine) NewImport(dir string) (engine.Import, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	fs := e.opts.FS
	path := fs.PathJoin(dir, fmt.Sprintf("%s-import-%06d", fs.PathBase(e.opts.Dir), e.numbers.Add(1)))
	return &imported{e: e, path: path}, nil
}

func (i *imported) Set(key, value []byte) error {
	if err := checkLengths(key, value); err != nil {
		return err
	}
	return i.add(key, value, false)
}

func (i *imported) Delete(key []byte) error {
	if err := checkLengths(key, nil); err != nil {
		return err
	}
	return i.add(key, nil, true)
}

func (i *imported) add(key, value []byte, deleted bool) error {
	if i.last != nil && bytes.Compare(key, i.last) <= 0 {
		return fmt.Errorf("%w: %x after %x", engine.ErrKeyOrder, key, i.last)
	}
	i.last = append(i.last[:0], key...)
	if i.w == nil {
		w, err := i.e.createRun(i.path)
		if err != nil {
			return fmt.Errorf("btree: import: %w", err)
		}
		i.w = w
	}
	if err := i.w.add(key, value, deleted); err != nil {
		return fmt.Errorf("btree: import: %w", err)
	}
	return nil
}

// createRun creates the file of a run.
func (e *Engine) createRun(path string) (*runWriter, error) {
	f, err := e.opts.FS.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	// The file is written back as it grows, so that its sync at the end, and those of others
	// meanwhile, find little to do.
	return &runWriter{size: e.opts.runBlockBytes, written: &e.counters.written, f: vfs.NewSyncingFile(f, vfs.SyncingFileOptions{BytesPerSync: 1 << 20})}, nil
}

func (i *imported) Finish() error {
	if i.finished {
		return nil
	}
	i.finished = true
	if i.w == nil {
		return nil
	}
	if err := errors.Join(i.w.finish(), i.w.f.Close()); err != nil {
		return fmt.Errorf("btree: import: %w", err)
	}
	return nil
}

// Discard removes the file. If that cannot be done now it goes with the directory at the next start.
func (i *imported) Discard() {
	if i.done {
		return
	}
	i.done = true
	if i.w == nil {
		return
	}
	if !i.finished {
		_ = i.w.f.Close() // nobody wants it
	}
	if err := i.e.opts.FS.Remove(i.path); err != nil {
		i.e.opts.Logger.Warn("cannot remove the file of an import that was not needed", "engine", name, "file", i.path, "error", err)
	}
}

// ApplyImport makes the import's run a layer of the next version, under a new active delta and together with the changes of
// the batch. The next checkpoint makes both durable, and the mark.
func (e *Engine) ApplyImport(i engine.Import, b engine.Batch, m engine.Mark) error {
	in, pb := i.(*imported), b.(*batch)
	defer pb.Discard()
	defer in.Discard()
	if !in.finished {
		return errors.New("btree: import: it is not finished")
	}
	if in.w == nil {
		return e.Apply(b, m)
	}
	fs := e.opts.FS
	path := fs.PathJoin(e.opts.Dir, runName(e.numbers.Add(1)))
	if err := fs.Rename(in.path, path); err != nil {
		return fmt.Errorf("btree: import at %s: %w", m.Position, err)
	}
	in.done = true
	r, err := openRun(fs, path)
	if err != nil {
		return fmt.Errorf("btree: import at %s: %w", m.Position, err)
	}
	if err := e.addRun(r, pb, m); err != nil {
		return errors.Join(err, r.f.Close(), fs.Remove(path))
	}
	return nil
}

func (e *Engine) addRun(r *run, b *batch, m engine.Mark) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	now, err := e.waitForRoomLocked(true)
	if err != nil {
		return err
	}
	if err := checkMark(now.mark, m); err != nil {
		return err
	}
	e.mu.gen++
	changes := emptyDelta.with(b, e.mu.gen)
	next := *now
	next.mark = m
	next.layers = nil
	next.active = emptyDelta
	next.layers = append(next.layers, &layer{delta: &changes, run: r, mark: m})
	if !now.active.empty() {
		next.layers = append(next.layers, &layer{delta: now.active, mark: now.mark})
	}
	next.layers = append(next.layers, now.layers...)
	next.base.hold(r)
	r.refs.Add(1) // of the layers
	e.now.Store(&next)
	e.startLocked() // what is in the run need not be applied again after a crash, and is read more slowly
	return nil
}
