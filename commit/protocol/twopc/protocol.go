package twopc

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/commit/protocol/enginelog"
	"github.com/duramendb/duramen/commit/protocol/redo"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/set"
)

// Options of a Protocol. FS is required.
type Options struct {
	FS vfs.FS
	// Eager makes one transaction commit after the other, and syncs the engine's commit record as well.
	Eager bool
	// Carry puts the binary log under the redo log of the first engine; it is the file system of the binary log then. nil: the
	// binary log is synced by itself.
	Carry *enginelog.FS
	// Position says which engine keeps a table of replication positions; nil: none does. ServerID tells transactions of this
	// server, which have none, from those of others.
	Position *PositionIn
	ServerID uint32
	// SegmentBytes and NoPreallocate are those of the redo logs; see redo.Options.
	SegmentBytes  int64
	NoPreallocate bool
	// Checkpoint makes a checkpoint of the engines, to make room in their redo logs; nil: commits without room are refused.
	Checkpoint func() error
	// Fatal is called when a redo log failed and the process has to end; nil logs the error and exits with status 1.
	Fatal  func(error)
	Logger *slog.Logger // nil means slog.Default()
}

// Protocol is two-phase commit between the engines of a store and its binary log. It is used in this order: Kinds, and
// Peek and Open of these; Resolve for each engine; Start; Applier and Committer. Close comes after the engines' Close.
type Protocol struct {
	o     Options
	kinds []*Kind // nil for one that keeps nothing over a restart

	engines  []*Engine // as Kinds; nil for one that keeps nothing over a restart
	set      *set.Set
	log      *binlog.Log
	pipeline *commit.Pipeline

	// committing is held, shared, by who prepares, until that is decided about, and by binlog checkpoints.
	committing         sync.RWMutex
	eager              sync.Mutex    // held from the first sync of a transaction to its last, with Options.Eager
	ownXID             atomic.Uint64 // the last one given to transactions that have none
	subID              atomic.Uint64 // the last one given to a row of positions
	foreign, madeMulti atomic.Uint64 // see PositionStats
	applying           []*flight     // added since the last Apply; belongs to the apply stage
	marks              marks

	checkpoints chan struct{} // capacity 1: the binary log has gone on to another file
	stop        chan struct{}
	stopped     sync.WaitGroup
	stopOnce    sync.Once
}

// New makes a protocol for a store that is about to be opened.
func New(o Options) *Protocol {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Protocol{o: o, checkpoints: make(chan struct{}, 1), stop: make(chan struct{})}
}

// Kinds puts a redo log before each engine that keeps something over a restart.
func (p *Protocol) Kinds(kinds []engine.Kind) []engine.Kind {
	out := make([]engine.Kind, len(kinds))
	p.kinds, p.engines = make([]*Kind, len(kinds)), make([]*Engine, len(kinds))
	for i, k := range kinds {
		if out[i] = k; !k.Volatile() {
			p.kinds[i] = &Kind{Kind: k, p: p, index: i}
			out[i] = p.kinds[i]
		}
	}
	return out
}

// carrier is the engine under whose redo log the binary log is, with Options.Carry.
func (p *Protocol) carrier() *Engine { return p.engines[0] }

// CompleteLog makes the files of the binary log what they have to be, before anything looks at them. dir is where the files of the
// first engine are.
func (p *Protocol) CompleteLog(dir string) error {
	if p.o.Carry == nil {
		return nil
	}
	k := p.kinds[0]
	c, err := k.read(dir)
	if err != nil {
		return err
	}
	changed, err := p.o.Carry.Complete(&c.log)
	if err != nil || !changed {
		return err
	}
	if k.opened, err = k.openRedo(dir); err != nil {
		return err
	}
	return enginelog.Release(k.opened)
}

// Close closes what CompleteLog has opened, if the engine was not opened after it.
func (p *Protocol) Close() error {
	for _, k := range p.kinds {
		if k != nil && k.opened != nil {
			return k.opened.Close()
		}
	}
	return nil
}

// RedoDir is where the redo log of an engine lies, whose files are in another directory.
func RedoDir(engineDir string) string { return engineDir + redoSuffix }

const redoSuffix = ".redo"

// Start is the end of recovery: all engines are at the end of the log, and their redo logs begin anew.
func (p *Protocol) Start(engines *set.Set, log *binlog.Log) error {
	p.set, p.log = engines, log
	if err := p.startPositions(); err != nil {
		return err
	}
	for _, e := range p.engines {
		if e == nil {
			continue
		}
		if err := e.start(); err != nil {
			return err
		}
	}
	if p.o.Carry != nil {
		if err := p.o.Carry.Start(p.carrier().redo, log.SegmentName(log.End().Segment), log.End().Offset); err != nil {
			return err
		}
	}
	p.marks.segment = log.End().Segment
	p.stopped.Add(1)
	go p.checkpointInBackground()
	return nil
}

// SetPipeline tells of the pipeline, which is made with Applier.
func (p *Protocol) SetPipeline(pipeline *commit.Pipeline) { p.pipeline = pipeline }

// Stop ends the background work. Nobody commits any more.
func (p *Protocol) Stop() {
	p.stopOnce.Do(func() { close(p.stop) })
	p.stopped.Wait()
}

// fatal ends the process after a redo log failed: what is prepared nobody knows.
func (p *Protocol) fatal(err error) error {
	if p.o.Fatal != nil {
		p.o.Fatal(err)
		return err
	}
	p.o.Logger.Error("the server cannot continue safely and ends now; what was acknowledged will be there after a restart", "error", err)
	os.Exit(1)
	return err
}

// appended judges an error of a redo log's Append or Sync.
func (p *Protocol) appended(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, redo.ErrNoSpace):
		return fmt.Errorf("%w: %w", binlog.ErrNoSpace, err)
	case errors.Is(err, redo.ErrFailed), errors.Is(err, enginelog.ErrSyncFailed):
		return p.fatal(err)
	}
	return err
}

// Stats are those of all redo logs.
func (p *Protocol) Stats() (sum redo.Stats) {
	for _, e := range p.engines {
		if e != nil && e.redo != nil {
			s := e.redo.Stats()
			sum.Syncs += s.Syncs
			sum.Bytes += s.Bytes
		}
	}
	return sum
}
