package lsm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/duramendb/duramen/engine"
)

const name = "RocksDB"

var (
	_ engine.Engine   = (*Engine)(nil)
	_ engine.Batch    = (*batch)(nil)
	_ engine.Snapshot = (*snapshot)(nil)
	_ engine.Iterator = (*iterator)(nil)
)

// Engine is an engine.Engine on Pebble.
type Engine struct {
	opts   Options
	db     *pebble.DB
	pebble *pebble.Options
	// imports numbers the imports.
	imports atomic.Uint64

	closed   atomic.Bool
	quit     chan struct{} // closed by Close
	backoff  *backoff
	room     room
	dropped  dropped
	counters counters
	scans    scans
	// ingested says that a batch without a mark was written since the last
	// checkpoint: then a checkpoint has work to do though the mark has not moved.
	ingested atomic.Bool

	checkpoint sync.Mutex // one Checkpoint at a time
	commits    commits

	mu struct {
		sync.Mutex
		// applied is the mark of the last Apply that returned; applying is of the
		// last that began. durable <= applied <= applying.
		applied, applying, durable engine.Mark
	}
}

// Open opens the engine in o.Dir, creating it if need be.
func Open(o Options) (*Engine, error) {
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	quit := make(chan struct{})
	e := &Engine{opts: o, quit: quit, backoff: &backoff{log: o.Logger, quit: quit}}
	e.dropped.ctx, e.dropped.stop = context.WithCancel(context.Background())
	e.pebble = e.pebbleOptions()
	compactions := newScheduler()
	e.pebble.Experimental.CompactionScheduler = compactions
	e.pebble.EnsureDefaults()
	db, err := pebble.Open(o.Dir, e.pebble)
	if err != nil {
		return nil, fmt.Errorf("open %s engine in %s: %w", name, o.Dir, err)
	}
	e.db = db
	m, err := e.readDurable()
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	e.mu.applied, e.mu.applying, e.mu.durable = m, m, m
	compactions.opened() // last: a compaction asks for the marks before it writes a MANIFEST
	return e, nil
}

// Name is MariaDB's name of its LSM engine.
func (e *Engine) Name() string { return name }

// Capabilities are all there are.
func (e *Engine) Capabilities() engine.Capabilities {
	return engine.Capabilities{Importer: e, Loader: e, MarkResetter: e, Exporter: e, Pressed: e}
}

// beforeManifest is called before a MANIFEST is written.
func (e *Engine) beforeManifest() error {
	if e.opts.SyncLog == nil {
		return nil
	}
	e.mu.Lock()
	pos, durable := e.mu.applying.Position, e.mu.durable.Position
	e.mu.Unlock()
	if pos == durable {
		return nil
	}
	if err := e.opts.SyncLog(pos); err != nil {
		return fmt.Errorf("sync log up to %s before the engine's own flush: %w", pos, err)
	}
	return nil
}

// Apply writes the batch and the mark as one Pebble batch.
func (e *Engine) Apply(b engine.Batch, m engine.Mark) error {
	if e.closed.Load() {
		return engine.ErrClosed
	}
	pb := b.(*batch)
	defer pb.Discard()
	if err := e.awaitRoom(pb.b); err != nil {
		return err
	}
	if err := e.beginApply(m); err != nil {
		return err
	}
	return e.applyMarked(pb, m)
}

// beginApply notes that everything up to m may become durable from now on.
func (e *Engine) beginApply(m engine.Mark) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if m.Position.Before(e.mu.applying.Position) {
		return fmt.Errorf("lsm: apply at %s after %s", m.Position, e.mu.applying.Position)
	}
	e.mu.applying = m
	return nil
}

func (e *Engine) endApply(m engine.Mark) {
	e.mu.Lock()
	e.mu.applied = m
	e.mu.Unlock()
}

func (e *Engine) applyMarked(pb *batch, m engine.Mark) error {
	var buf [128]byte
	if err := pb.b.Set(markKey, appendMark(buf[:0], m), nil); err != nil {
		return fmt.Errorf("lsm: apply at %s: %w", m.Position, err)
	}
	if err := e.commit(pb.b); err != nil {
		return fmt.Errorf("lsm: apply at %s: %w", m.Position, err)
	}
	e.dropped.add(pb.deleted)
	e.endApply(m)
	return nil
}

// Ingest writes the batch without a mark.
func (e *Engine) Ingest(b engine.Batch) error {
	if e.closed.Load() {
		return engine.ErrClosed
	}
	pb := b.(*batch)
	defer pb.Discard()
	if pb.b.Empty() {
		return nil
	}
	if err := e.Writable(); err != nil {
		return err
	}
	if err := e.awaitRoom(pb.b); err != nil {
		return err
	}
	e.ingested.Store(true)
	if err := e.commit(pb.b); err != nil {
		return fmt.Errorf("lsm: ingest: %w", err)
	}
	e.dropped.add(pb.deleted)
	return nil
}

// Checkpoint flushes the memtables. When a flush fails it returns the error; Pebble tries
// again in the background, and a later Checkpoint finds that done.
func (e *Engine) Checkpoint() (engine.Mark, error) {
	e.checkpoint.Lock()
	defer e.checkpoint.Unlock()
	if e.closed.Load() {
		return engine.Mark{}, engine.ErrClosed
	}
	applied := e.Applied()
	if !e.ingested.Swap(false) && applied == e.Durable() {
		return applied, nil
	}
	// What failed before is tried again without being asked; to ask is one more memtable.
	err := e.backoff.afterRetry()
	if err == nil {
		err = e.flush()
	}
	if err != nil {
		e.ingested.Store(true)
		return engine.Mark{}, fmt.Errorf("lsm: checkpoint at %s: %w", applied.Position, err)
	}
	e.setDurable(applied)
	e.compactDropped()
	return applied, nil
}

// flush writes the memtables.
func (e *Engine) flush() error {
	failed := e.backoff.nextFlushFailure()
	flushed, err := e.asyncFlush()
	if err != nil {
		return err
	}
	select {
	case <-flushed:
		return nil
	case <-failed: // it is tried for ever, which nobody can wait for
		return e.backoff.lastFlushError()
	case <-e.quit:
		return engine.ErrClosed
	}
}

// Writable returns an error when flushes fail and memory is nearly full of what they should have written.
func (e *Engine) Writable() error {
	if !e.backoff.failing.Load() || e.closed.Load() {
		return nil
	}
	if size := e.db.Metrics().MemTable.Size; size < (memTablesMax-memTablesReserve)*e.opts.MemTableBytes {
		return nil
	}
	return fmt.Errorf("lsm: the storage engine cannot write its files: %w", e.backoff.lastFlushError())
}

// Applied is the mark of the last Apply.
func (e *Engine) Applied() engine.Mark {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.applied
}

// Durable reads the mark out of what Pebble guarantees to be durable: its own
// flushes move it as well as checkpoints.
func (e *Engine) Durable() engine.Mark {
	if !e.closed.Load() {
		if m, err := e.readDurable(); err == nil {
			e.setDurable(m)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.durable
}

func (e *Engine) setDurable(m engine.Mark) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.mu.durable.Position.Before(m.Position) {
		e.mu.durable = m
	}
}

func (e *Engine) readDurable() (m engine.Mark, err error) {
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: markKey,
		UpperBound: append(markKey[:len(markKey):len(markKey)], 0), OnlyReadGuaranteedDurable: true})
	if err != nil {
		return engine.Mark{}, fmt.Errorf("lsm: read mark: %w", err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	if !it.First() {
		return engine.Mark{}, it.Error()
	}
	v, err := it.ValueAndErr()
	if err != nil {
		return engine.Mark{}, fmt.Errorf("lsm: read mark: %w", err)
	}
	return parseMark(v)
}

// Close ends the engine without a checkpoint: what was not flushed is
// applied again from the log at the next start. Snapshots and iterators must
// have been closed. Closing twice is no error.
func (e *Engine) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	close(e.quit)
	e.room.leave()
	e.checkpoint.Lock() // wait for a running checkpoint
	defer e.checkpoint.Unlock()
	e.dropped.close()
	if err := e.db.Close(); err != nil {
		return fmt.Errorf("lsm: close: %w", err)
	}
	return nil
}
