package commit

import (
	"sync"
	"time"

	"github.com/duramendb/duramen/internal/invariants"
	"github.com/duramendb/duramen/logpos"
)

// positions are where the pipeline has come to. The log keeps the others that the
// invariants speak of: visible, synced, written.
type positions struct {
	mu struct {
		sync.Mutex
		// applied: the engine's rows are complete up to here.
		applied logpos.Pos
	}
	// groupsUnsynced counts groups since the last sync, for sync_binlog=N. It
	// belongs to the holder of logMu.
	groupsUnsynced uint64
}

// advance moves applied, and shows readers of the log everything up to there.
// It is called in the apply stage, so positions come in order.
func (c *positions) advance(log Log, end logpos.Pos) {
	if invariants.Enabled {
		invariants.Check(!end.Before(c.applied()), "applied goes back from %v to %v", c.applied(), end)
		invariants.Check(!log.End().Before(end), "applied up to %v, but the log ends at %v", end, log.End())
	}
	c.set(log, end)
}

// set is advance to another log as well, whose positions are not those of the one before.
func (c *positions) set(log Log, end logpos.Pos) {
	c.mu.Lock()
	c.mu.applied = end
	c.mu.Unlock()
	log.SetVisible(end)
}

// Applied is where the log ends for those who read tables: they have all groups before it, and none after it. Inside
// ApplyBarrier it stays.
func (p *Pipeline) Applied() logpos.Pos { return p.positions.applied() }

func (c *positions) applied() logpos.Pos {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.applied
}

// syncGroup makes the group that was just placed durable, if sync_binlog asks
// for it. logMu is held unless groups overlap.
func (p *Pipeline) syncGroup(g *group) {
	if g.write == nil && (!g.syncs || g.err != nil) {
		return
	}
	p.stats.syncs.Add(1)
	started := time.Now()
	var err error
	if g.write != nil {
		err = g.write.Finish()
	} else {
		err = p.log.Sync()
	}
	g.syncEnd = time.Now()
	g.syncTime = g.syncEnd.Sub(started)
	if err != nil && !g.lost.Load() {
		g.err = p.fatal(err)
	}
	if !g.overlaps {
		p.delay.synced(g.syncTime, g.members.count, g.syncEnd)
	}
}

// tune adapts the number of groups in flight. applyMu is held.
func (p *Pipeline) tune(g *group) {
	switch {
	case p.cfg.DepthForTesting > 0:
		return
	case g.write == nil:
		p.depth.Store(1)
		return
	}
	p.depth.Store(int64(p.climb.synced(g.syncTime, g.members.count, p.queue.count(), g.syncEnd)))
}

// SyncLog makes everything durable that was written to the log before the
// call. It is cheap when there is nothing to sync.
func (p *Pipeline) SyncLog() error { return p.SyncTo(p.log.End()) }

// SyncTo makes the log durable at least up to pos. Whoever is about to overtake
// the log calls it first: an engine before it makes a flush durable. It needs
// the lock of neither stage, because Apply may be waiting for that flush.
func (p *Pipeline) SyncTo(pos logpos.Pos) error {
	if err := p.broken.Load(); err != nil {
		return *err
	}
	if !p.log.Synced().Before(pos) {
		return nil
	}
	p.stats.syncs.Add(1)
	if err := p.log.Sync(); err != nil {
		return p.fatal(err)
	}
	return nil
}

// syncInBackground bounds what a crash can take with sync_binlog 0 or N. It is
// started by New and ended by Close.
func (p *Pipeline) syncInBackground() {
	defer close(p.syncDone)
	ticker := time.NewTicker(p.cfg.SyncInterval)
	defer ticker.Stop()
	var last logpos.Pos
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
		}
		var err error
		if last, err = p.syncTick(last); err != nil {
			return // fatal was called
		}
	}
}

// syncTick syncs what is due, and returns the end of the log for the next call, which is to get it as last. With
// sync_binlog=1 a group that is not durable is being synced by its leader, and a second sync would be wasted; only
// what was there at the last tick already and still is not durable was written before sync_binlog became 1.
func (p *Pipeline) syncTick(last logpos.Pos) (logpos.Pos, error) {
	end := p.log.End()
	due := end
	if p.tuning.syncBinlog.Load() == 1 {
		due = last
	}
	return end, p.SyncTo(due)
}
