package commit

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// ErrNoReset says that an engine cannot follow the log to a new one.
var ErrNoReset = errors.New("commit: the engine cannot be moved to a new log")

// ErrNotEmpty is returned by ResetLog for a log that it must not replace.
var ErrNotEmpty = errors.New("commit: the log is not empty")

// ResetLog replaces the log by an empty one whose first file has the number first, and
// whose GTID state is state: RESET MASTER TO first. The engine is checkpointed before, because it could not recover from
// the old log any more. With onlyEmpty, a log that has a GTID state already is refused (ErrNotEmpty). Nobody
// commits meanwhile. Until the new log is decided upon, an error leaves everything as it was; later
// ones are fatal, and the next start goes on from there.
func (p *Pipeline) ResetLog(first uint64, state *gtid.State, onlyEmpty bool) error {
	applier := p.applier.Resetter()
	if applier == nil {
		return ErrNoReset
	}
	log, ok := p.log.(segmented)
	if !ok {
		return errors.ErrUnsupported
	}
	p.logMu.Lock()
	defer p.logMu.Unlock()
	p.placing.Lock()
	defer p.placing.Unlock()
	p.leaveLog(p.window.begin(), nil, func() {}) // nobody gets a place meanwhile
	defer p.applyMu.Unlock()
	if err := p.broken.Load(); err != nil {
		return *err
	}
	if onlyEmpty && p.build.point.State.Len() > 0 {
		return ErrNotEmpty
	}
	if err := p.checkpointAtEnd(applier); err != nil {
		return err
	}
	p.barrier.Lock()
	defer p.barrier.Unlock()
	err := log.Reset(first, state, func(start logpos.Pos) error {
		return applier.ResetMark(engine.Mark{Position: start, GTIDState: p.build.point.At(state).String()})
	})
	if errors.Is(err, binlog.ErrSyncFailed) {
		return p.fatal(fmt.Errorf("replacing the log: %w", err))
	}
	if err != nil {
		return fmt.Errorf("replacing the log: %w", err)
	}
	p.build.init(p.log, p.cfg.ServerID, p.build.point)
	p.queue.renumber(p.build.point.State)
	p.positions.set(p.log, p.log.End())
	if forget := p.tuning.semiSync.Load().Reset; forget != nil {
		forget()
	}
	p.queue.settle(p.room())
	return nil
}

// checkpointAtEnd makes everything durable in the engine up to the log's end, where its mark is
// afterwards. logMu and applyMu are held, and no group is under way.
func (p *Pipeline) checkpointAtEnd(applier Resetter) error {
	end := p.log.End()
	mark := p.applier.Applied()
	if mark.Position.Before(end) {
		mark.Position = end
		p.barrier.Lock()
		err := p.applier.Apply(mark)
		p.barrier.Unlock()
		if err != nil {
			return p.fatal(fmt.Errorf("moving the mark to %s: %w", end, err))
		}
	}
	durable, err := applier.Checkpoint()
	if err != nil {
		return err
	}
	if durable.Position != end {
		return fmt.Errorf("checkpoint: everything up to %s is durable, not up to %s", durable.Position, end)
	}
	return nil
}
