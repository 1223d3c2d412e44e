package commit

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/invariants"
)

// applyGroup is the apply stage: engines, catalog, visibility. applyMu is held.
func (p *Pipeline) applyGroup(g *group) {
	if invariants.Enabled {
		invariants.Check(g.write == nil || !p.log.Synced().Before(g.end), "the group that ends at %v is applied, and the log is durable up to %v", g.end, p.log.Synced())
	}
	if hook := p.tuning.afterSync.Load(); hook != nil {
		// The replica whose answer the hook waits for must be able to read the group.
		p.log.SetVisible(g.end)
		(*hook)(g.end)
	}
	p.barrier.Lock()
	defer p.barrier.Unlock()
	if err := p.applyMembers(g); err != nil {
		p.failGroup(g, p.fatal(fmt.Errorf("applying the group that ends at %s: %w", g.end, err)))
		return
	}
	for m := g.members.head; m != nil; m = m.next {
		m.req.Ticket.Apply()
	}
	p.positions.advance(p.log, g.end)
	p.stats.commits.Add(uint64(g.members.count))
	p.stats.groupCommits.Add(1)
}

// applyMembers applies the group, with its mark. A member that changes the catalog is applied with its own mark, so
// that the next one is written by the new definitions.
func (p *Pipeline) applyMembers(g *group) error {
	for m := g.members.head; m != nil; m = m.next {
		if err := p.applier.Add(m.req); err != nil {
			return err
		}
		if m.req.Catalog == nil && m.next != nil {
			continue
		}
		mark := g.mark
		if m.next != nil {
			mark = engine.Mark{Position: m.req.End, GTIDState: m.stateText}
		}
		if err := p.applier.Apply(mark); err != nil {
			return err
		}
	}
	return nil
}

// ApplyBarrier runs f between two groups: what f sees of several engines, of
// the catalog and of the log's visible position belongs together. f must not
// commit, and should be short. Several barriers may run at the same time.
func (p *Pipeline) ApplyBarrier(f func()) {
	p.barrier.RLock()
	defer p.barrier.RUnlock()
	f()
}

// Exclusive runs f as the log stage of an empty group: f may rotate the log
// and write events that belong to no transaction, and no group is written
// meanwhile. What f wrote becomes visible in its order.
func (p *Pipeline) Exclusive(f func() error) error {
	p.logMu.Lock()
	if err := p.broken.Load(); err != nil {
		p.logMu.Unlock()
		return *err
	}
	p.placing.Lock()
	err := f()
	p.placing.Unlock()
	if errors.Is(err, binlog.ErrSyncFailed) {
		p.logMu.Unlock()
		return p.fatal(err)
	}
	end := p.log.End()
	p.queue.settle(p.room())
	p.leaveLog(p.window.begin(), nil, p.logMu.Unlock)
	defer p.applyMu.Unlock()
	p.barrier.Lock()
	defer p.barrier.Unlock()
	p.positions.advance(p.log, end)
	return err
}

// Rotate starts a new log file (FLUSH BINARY LOGS), and returns when the one before is closed. Others need not wait for that.
func (p *Pipeline) Rotate() error {
	log, ok := p.log.(segmented)
	if !ok {
		return errors.ErrUnsupported
	}
	if err := p.Exclusive(log.Rotate); err != nil {
		return err
	}
	err := log.AwaitClosed()
	if errors.Is(err, binlog.ErrNoSpace) {
		return nil // the log goes on in the new file; the log tries again to list it
	}
	return err
}

// AdvanceMark moves the engine's mark to the end of what is applied, when the
// log grew without commits (a rotation): the engine then needs nothing before.
func (p *Pipeline) AdvanceMark() error {
	p.applyMu.Lock()
	defer p.applyMu.Unlock()
	p.barrier.Lock()
	defer p.barrier.Unlock()
	if err := p.broken.Load(); err != nil {
		return *err
	}
	mark, end := p.applier.Applied(), p.positions.applied()
	if !mark.Position.Before(end) {
		return nil
	}
	mark.Position = end
	if err := p.applier.Apply(mark); err != nil {
		return p.fatal(fmt.Errorf("moving the mark to %s: %w", end, err))
	}
	return nil
}
