package btree

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/engine"
)

const name = "BTREE"

var (
	_ engine.Engine   = (*Engine)(nil)
	_ engine.Batch    = (*batch)(nil)
	_ engine.Snapshot = (*snapshot)(nil)
	_ engine.Iterator = (*iterator)(nil)
)

// Engine is an engine.Engine on bbolt.
type Engine struct {
	opts     Options
	lock     io.Closer
	file     *file
	retired  retired
	counters counters
	// numbers numbers the files of runs.
	numbers atomic.Uint64

	// now is the newest version. It changes under mu, and is read without.
	now atomic.Pointer[version]

	// checkpoint lets one checkpoint run at a time.
	checkpoint sync.Mutex

	quit    chan struct{} // closed by Close
	workers sync.WaitGroup

	mu struct {
		sync.Mutex
		// changed is signalled when an Apply that waits should look again.
		changed sync.Cond
		closed  bool
		// broken is why the engine cannot go on.
		broken  error
		gen     uint64 // of the last delta
		durable engine.Mark
		// working says that a checkpoint runs, or waits to be tried again, in the background.
		working bool
		// failing is the error of the last checkpoint, nil if it succeeded.
		failing  error
		loggedAt time.Time
	}
}

// Open opens the engine in o.Dir, creating it if need be.
func Open(o Options) (*Engine, error) {
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	e := &Engine{opts: o, quit: make(chan struct{})}
	e.mu.changed.L = &e.mu.Mutex
	if err := e.open(); err != nil {
		return nil, fmt.Errorf("open %s engine in %s: %w", name, o.Dir, err)
	}
	return e, nil
}

func (e *Engine) open() (err error) {
	o := &e.opts
	if err := makeDir(o.FS, o.Dir); err != nil {
		return err
	}
	if e.lock, err = o.FS.Lock(o.FS.PathJoin(o.Dir, lockName)); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.lock.Close())
		}
	}()
	if err := removeLeftovers(o); err != nil {
		return err
	}
	there, err := fileExists(o)
	if err == nil && !there {
		err = createFile(o)
	}
	if err != nil {
		return err
	}
	f, m, err := openFile(o, false)
	if err != nil {
		return err
	}
	b, err := e.retired.newBase(f)
	if err != nil {
		return errors.Join(err, f.close())
	}
	e.file = f
	e.mu.durable = m
	first := &version{active: emptyDelta, base: b, mark: m}
	err = openDebts(o, first)
	if err == nil {
		if err = e.removeRuns(first); err != nil {
			first.releaseLayers()
		}
	}
	if err != nil {
		b.release()
		_, rerr := e.retired.end()
		return errors.Join(err, rerr, f.close())
	}
	e.now.Store(first)
	if first.oldestDebt() != nil {
		e.mu.Lock()
		e.startLocked()
		e.mu.Unlock()
	}
	return nil
}

// Name is the engine's own name: MariaDB has none like it.
func (e *Engine) Name() string { return name }

// Capabilities are all there are.
func (e *Engine) Capabilities() engine.Capabilities {
	return engine.Capabilities{Importer: e, MarkResetter: e, Exporter: e, Pressed: e}
}

// Apply puts the next version in the place of the newest.
func (e *Engine) Apply(b engine.Batch, m engine.Mark) error {
	err := e.change(b.(*batch), func(now *version) (engine.Mark, error) {
		return m, checkMark(now.mark, m)
	}, true)
	return err
}

func checkMark(now, next engine.Mark) error {
	if next.Position.Before(now.Position) {
		return fmt.Errorf("btree: apply at %s after %s", next.Position, now.Position)
	}
	return nil
}

// Ingest is Apply with the mark that there is. It does not wait for a failing disk.
func (e *Engine) Ingest(b engine.Batch) error {
	pb := b.(*batch)
	if len(pb.All()) == 0 {
		return e.usable()
	}
	return e.change(pb, func(now *version) (engine.Mark, error) { return now.mark, nil }, false)
}

func (e *Engine) usable() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.usableLocked()
}

func (e *Engine) usableLocked() error {
	if e.mu.closed {
		return engine.ErrClosed
	}
	return e.mu.broken
}

// change makes the next version. patient says to wait for a failing disk.
func (e *Engine) change(b *batch, mark func(now *version) (engine.Mark, error), patient bool) error {
	defer b.Discard()
	e.mu.Lock()
	defer e.mu.Unlock()
	now, err := e.waitForRoomLocked(patient)
	if err != nil {
		return err
	}
	m, err := mark(now)
	if err != nil {
		return err
	}
	next := &struct { // one piece of memory
		version
		delta delta
	}{version: *now}
	next.mark = m
	if len(b.All()) > 0 {
		e.mu.gen++
		next.delta = now.active.with(b, e.mu.gen)
		next.active = &next.delta
	}
	e.now.Store(&next.version)
	if e.due(next.active) {
		e.startLocked()
	}
	return nil
}

// waitForRoomLocked returns the newest version when something may be added to it. e.mu is held, and released while it waits.
func (e *Engine) waitForRoomLocked(patient bool) (*version, error) {
	for {
		if err := e.usableLocked(); err != nil {
			return nil, err
		}
		now := e.now.Load()
		if e.room(now) {
			return now, nil
		}
		if !patient && e.mu.failing != nil {
			return nil, fmt.Errorf("btree: the storage engine cannot write its file: %w", e.mu.failing)
		}
		e.startLocked()
		e.file.hurry.Add(1)
		e.mu.changed.Wait()
		e.file.hurry.Add(-1)
	}
}

// due says that the delta is so large that a checkpoint should begin.
func (e *Engine) due(d *delta) bool {
	return d.bytes >= e.opts.DeltaBytes || d.keys >= e.opts.DeltaKeys
}

// room says that something may be added.
func (e *Engine) room(v *version) bool {
	d := v.active
	return e.opts.NoMerge || d.bytes < waitFactor*e.opts.DeltaBytes && d.keys < waitFactor*e.opts.DeltaKeys && v.backlog() < backlogMax
}

const (
	// waitFactor is how many times the size at which a checkpoint begins the active delta may have while it runs.
	waitFactor = 2
	// backlogMax is how many layers may wait for a checkpoint, or have runs.
	backlogMax = 12
)

// Applied is the mark of the last Apply.
func (e *Engine) Applied() engine.Mark { return e.now.Load().mark }

// Durable is the mark in the file.
func (e *Engine) Durable() engine.Mark {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.durable
}

// Writable returns an error when checkpoints fail and the delta is nearly full of what they should have written.
func (e *Engine) Writable() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.mu.failing == nil || e.mu.closed {
		return nil
	}
	// What is under way has the other half of the room.
	v := e.now.Load()
	if d := v.active; 2*d.bytes < 3*e.opts.DeltaBytes && 2*d.keys < 3*e.opts.DeltaKeys && v.backlog() < backlogMax/2 {
		return nil
	}
	return fmt.Errorf("btree: the storage engine cannot write its file: %w", e.mu.failing)
}

// Close ends the engine without a checkpoint: what is in the delta is applied again from the log at the next start.
// Snapshots and iterators must have been closed; those that were not are an error, and keep the file open for ever.
// Closing twice is no error.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.mu.closed {
		e.mu.Unlock()
		return nil
	}
	e.mu.closed = true
	e.file.hurry.Add(1) // nothing waits longer than it must for a running checkpoint
	close(e.quit)
	e.mu.changed.Broadcast()
	e.mu.Unlock()
	e.workers.Wait()
	e.checkpoint.Lock() // wait for a running checkpoint
	defer e.checkpoint.Unlock()
	last := e.now.Load()
	last.base.release()
	last.releaseLayers()
	open, err := e.retired.end()
	if open > 0 {
		return errors.Join(fmt.Errorf("btree: close: snapshots or iterators are open on %d states of the file", open), err, e.lock.Close())
	}
	if err := errors.Join(err, e.file.close(), e.lock.Close()); err != nil {
		return fmt.Errorf("btree: close: %w", err)
	}
	return nil
}

// acquire is the newest version, with its base acquired; nil if the engine is closed.
func (e *Engine) acquire() *version { return e.acquireFrom(e.now.Load()) }

// acquireFrom is acquire for who has found v to be the newest version, whose base may be given up since: for another one, or for good. An engine that
// is broken only since goes on to be read.
func (e *Engine) acquireFrom(v *version) *version {
	for !v.base.acquire() {
		e.mu.Lock()
		was := v
		v = e.now.Load()
		ended := e.mu.closed || e.mu.broken != nil && v == was
		e.mu.Unlock()
		if ended {
			return nil
		}
	}
	return v
}
