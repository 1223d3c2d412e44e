package twopc

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/commit/protocol/redo"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// Engine is an engine with a redo log before it. It applies what the pipeline gives it as before; the redo log belongs
// to the committer and the applier of the Protocol.
type Engine struct {
	engine.Engine
	p    *Protocol
	redo *redo.Log

	// prepared is what recovery found, and Resolve has not decided about.
	prepared map[uint64]*preparedTxn

	mu struct {
		sync.Mutex
		// open has, for each segment of the redo log, how many transactions are prepared in it and not decided about, and where
		// in the binary log the last one committed that was.
		open map[uint64]*segmentUse
		// level is the last mark of a binlog checkpoint, levelSegment where in the redo log it stands.
		level        logpos.Pos
		levelSegment uint64
	}
	missed []commitRecord // that are not in the redo log yet, in log order; belongs to the apply stage
}

type segmentUse struct {
	undecided int
	committed logpos.Pos
}

var _ engine.Engine = (*Engine)(nil)

// Capabilities are those of the engine, less what would pass by the redo log.
func (e *Engine) Capabilities() engine.Capabilities {
	c := e.Engine.Capabilities()
	c.Importer, c.Loader = nil, nil
	if c.MarkResetter != nil {
		c.MarkResetter = markResetter{e, c.MarkResetter}
	}
	return c
}

// Checkpoint is the engine's; the redo log needs nothing any more of what is durable then.
func (e *Engine) Checkpoint() (engine.Mark, error) {
	started := e.started()
	var segment uint64
	if started {
		segment = e.redo.Segment() // what comes later is not looked at
	}
	mark, err := e.Engine.Checkpoint()
	if err != nil || !started {
		return mark, err
	}
	return mark, e.trim(segment, mark)
}

// trim takes out of the redo log, before one of its segments, what is durable in the engine and in the files of the binary log.
func (e *Engine) trim(before uint64, durable engine.Mark) error {
	if e.carries() {
		if err := e.p.o.Carry.SyncFiles(); err != nil {
			return e.p.appended(err)
		}
	}
	return e.p.appended(e.redo.TrimTo(min(before, e.needed(durable.Position))))
}

func (e *Engine) started() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.open != nil
}

// carries says that the binary log is under this redo log.
func (e *Engine) carries() bool { return e.p.o.Carry != nil && e.p.carrier() == e }

// needed is the oldest segment of the redo log with a transaction that is not decided about, or that a restart would have to redo.
func (e *Engine) needed(durable logpos.Pos) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	oldest := uint64(math.MaxUint64)
	for n, use := range e.mu.open {
		if use.undecided > 0 || durable.Before(use.committed) {
			oldest = min(oldest, n)
		} else {
			delete(e.mu.open, n)
		}
	}
	if durable.Before(e.mu.level) {
		oldest = min(oldest, e.mu.levelSegment)
	}
	return oldest
}

// Close closes the redo log and the engine.
func (e *Engine) Close() error {
	var err error
	if e.redo != nil {
		if e.carries() {
			err = e.p.o.Carry.Stop()
		}
		err = errors.Join(err, e.redo.Close())
	}
	return errors.Join(err, e.Engine.Close())
}

// start begins the redo log anew: everything is in the engine.
func (e *Engine) start() error {
	mark, err := e.Engine.Checkpoint()
	if err != nil {
		return err
	}
	if applied := e.Applied(); mark != applied {
		return fmt.Errorf("%s holds everything up to %s durably, not up to %s", e.Name(), mark.Position, applied.Position)
	}
	at, segment, err := e.redo.Append([]byte{recordBegin})
	if err == nil {
		err = e.redo.Sync(at)
	}
	if err == nil {
		err = e.redo.TrimTo(segment)
	}
	if err != nil {
		return err
	}
	e.prepared = nil
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mu.open = map[uint64]*segmentUse{}
	return nil
}

// prepare appends a prepare record, which is durable after a sync of the place.
func (e *Engine) prepare(record []byte) (at redo.Place, segment uint64, err error) {
	e.mu.Lock()
	defer e.mu.Unlock() // nobody trims the segment in between
	at, segment, err = e.redo.Append(record)
	if err == nil {
		e.use(segment).undecided++
	}
	return at, segment, err
}

// use is what a segment is needed for. mu is held.
func (e *Engine) use(segment uint64) *segmentUse {
	if e.mu.open[segment] == nil {
		e.mu.open[segment] = &segmentUse{}
	}
	return e.mu.open[segment]
}

// decided notes that a transaction prepared in a segment has committed at a place, or was rolled back (the zero place).
func (e *Engine) decided(segment uint64, at logpos.Pos) {
	e.mu.Lock()
	defer e.mu.Unlock()
	u := e.use(segment)
	u.undecided--
	u.committed = logpos.Max(u.committed, at)
}

// makeDir makes a directory whose parent exists, durably.
func makeDir(fs vfs.FS, dir string) error {
	if err := fs.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	d, err := fs.OpenDir(fs.PathDir(dir))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
