package twopc

import (
	"errors"
	"slices"

	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/commit/protocol/redo"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// Applier is the second phase: it writes a commit record for each engine, in log order and without a sync, and then does what
// another Applier does.
func (p *Protocol) Applier(next commit.Applier) commit.Applier { return applier{next, p} }

type applier struct {
	commit.Applier
	p *Protocol
}

// marks is what the apply stage knows of the binary log.
type marks struct{ segment uint64 }

// Apply is commit.Applier's.
func (a applier) Apply(mark engine.Mark) error {
	p := a.p
	flights := p.applying
	p.applying = p.applying[:0]
	if len(flights) > 0 {
		durable := !p.log.Synced().Before(mark.Position)
		for i, e := range p.engines {
			if e == nil {
				continue
			}
			if err := e.commit(i, flights, mark, durable); err != nil {
				return err
			}
		}
	}
	clear(flights)
	if mark.Position.Segment > p.marks.segment {
		p.marks.segment = mark.Position.Segment
		select {
		case p.checkpoints <- struct{}{}:
		default:
		}
	}
	return a.Applier.Apply(mark)
}

// commit writes the commit record of a group for one of the engines.
func (e *Engine) commit(index int, flights []*flight, mark engine.Mark, durable bool) error {
	var xids []uint64
	for _, f := range flights {
		if p := &f.parts[index]; p.done {
			xids = append(xids, f.xid)
			e.decided(p.segment, mark.Position)
		}
	}
	if len(xids) > 0 {
		e.missed = append(e.missed, commitRecord{mark: mark, durable: durable, xids: xids})
	}
	return e.appendCommits()
}

// appendCommits writes the commit records that are due. On a full disk they are put off: the binary log knows that the
// transactions have committed. Each keeps its own mark: what is durable up to there may be trimmed meanwhile, and a later mark would
// say that recovery needs it.
func (e *Engine) appendCommits() error {
	written := 0
	for ; written < len(e.missed); written++ {
		_, _, err := e.redo.Append(appendCommit(nil, &e.missed[written]))
		if errors.Is(err, redo.ErrNoSpace) {
			break
		}
		if err != nil {
			return err
		}
	}
	e.missed = slices.Delete(e.missed, 0, written)
	return nil
}

// checkpointInBackground is started by Start and ended by Stop.
func (p *Protocol) checkpointInBackground() {
	defer p.stopped.Done()
	for {
		select {
		case <-p.stop:
			return
		case <-p.checkpoints:
		}
		if err := p.checkpointLog(); err != nil {
			p.o.Logger.Error("binlog checkpoint failed; until the next one recovery scans more of the binary log", "error", err)
		}
	}
}

// checkpointLog is a binlog checkpoint: the binary log has gone on to another file, so the engines make durable that everything
// in the files before has committed. Recovery need not look for it in the log any more, and the next BINLOG_CHECKPOINT event says so.
func (p *Protocol) checkpointLog() error {
	p.committing.RLock()
	defer p.committing.RUnlock() // the log stays the one that the mark is of
	var mark engine.Mark
	p.pipeline.ApplyBarrier(func() { mark = p.set.Applied() })
	if err := p.pipeline.SyncTo(mark.Position); err != nil {
		return err
	}
	for _, e := range p.engines {
		if e == nil {
			continue
		}
		var err error
		p.pipeline.ApplyBarrier(func() {
			// What was applied meanwhile may not be durable in the log yet, and what it has written here says so by itself.
			err = e.appendLevel(mark)
		})
		if err == nil {
			err = e.redo.SyncAll()
		}
		if err != nil {
			return p.appended(err)
		}
	}
	p.log.SetRecoveryStart(logpos.At(mark.Position.Segment, 0))
	return nil
}

// errMissed puts a binlog checkpoint off: the disk was full, and there are transactions without a commit record.
var errMissed = errors.New("twopc: commit records are missing, because the disk was full")

// appendLevel says that everything up to a mark has committed. Nothing is being applied.
func (e *Engine) appendLevel(mark engine.Mark) error {
	if len(e.missed) > 0 {
		return errMissed
	}
	e.mu.Lock()
	defer e.mu.Unlock() // nobody trims the segment in between
	_, segment, err := e.redo.Append(appendCommit(nil, &commitRecord{mark: mark, durable: true}))
	if err == nil {
		e.mu.level, e.mu.levelSegment = mark.Position, segment
	}
	return err
}
