package commit

import (
	"fmt"

	"github.com/duramendb/duramen/binlog"
)

// applyGroup is the apply stage: engines, catalog, visibility. applyMu is held.
func (p *Pipeline) applyGroup(g *group) {
	if hook := p.tuning.afterSync.Load(); hook != nil {
		// The replica whose answer the hook waits for must be able to read the group.
		p.cursors.reveal(p.log, g.end)
		(*hook)(g.end)
	}
	if err := p.applyEngines(g); err != nil {
		p.failGroup(g, p.fatal(fmt.Errorf("applying the group that ends at %s: %w", g.end, err)))
		return
	}
	for m := g.members.head; m != nil; m = m.next {
		if m.req.Applied != nil {
			m.req.Applied()
		}
	}
	p.cursors.setApplied(g.end)
	p.cursors.publish(p.log)
	p.stats.commits.Add(uint64(g.members.count))
	p.stats.groupCommits.Add(1)
}

// applyEngines applies the group as one batch per engine it touches.
func (p *Pipeline) applyEngines(g *group) error {
	for m := g.members.head; m != nil; m = m.next {
		for i := range m.req.Writes {
			w := &m.req.Writes[i]
			b := p.batches[w.Engine]
			if b == nil {
				b = p.engines[w.Engine].NewBatch()
				p.batches[w.Engine] = b
			}
			if err := w.WriteTo(b); err != nil {
				return err
			}
		}
	}
	for i, b := range p.batches {
		if b == nil {
			continue
		}
		p.batches[i] = nil
		if err := p.engines[i].Apply(b, g.mark); err != nil {
			return fmt.Errorf("engine %s: %w", p.engines[i].Name(), err)
		}
	}
	if !g.ddl {
		return nil
	}
	for m := g.members.head; m != nil; m = m.next {
		if m.req.Catalog == nil {
			continue
		}
		if err := p.catalog.Apply(*m.req.Catalog); err != nil {
			return fmt.Errorf("catalog change of %s: %w", m.req.GTID, err)
		}
	}
	return nil
}

// ApplyBarrier runs f between two groups: what f sees of several engines, of
// the catalog and of the log's visible position belongs together. f must not
// commit, and should be short.
func (p *Pipeline) ApplyBarrier(f func()) {
	p.applyMu.Lock()
	defer p.applyMu.Unlock()
	f()
}

// Exclusive runs f as the log stage of an empty group: f may rotate the log
// and write events that belong to no transaction, and no group is written
// meanwhile. What f wrote becomes visible in its order.
func (p *Pipeline) Exclusive(f func(log *binlog.Log) error) error {
	p.logMu.Lock()
	if err := p.broken.Load(); err != nil {
		p.logMu.Unlock()
		return *err
	}
	err := f(p.log)
	end := p.log.End()
	p.queue.settle(p.log.Room())
	p.applyMu.Lock()
	p.logMu.Unlock()
	p.cursors.setApplied(end)
	p.cursors.publish(p.log)
	p.applyMu.Unlock()
	return err
}

// Rotate starts a new log file: FLUSH BINARY LOGS.
func (p *Pipeline) Rotate() error {
	return p.Exclusive(func(log *binlog.Log) error { return log.Rotate() })
}
