package commit

import (
	"sync"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/sabotage"
)

// cursors are positions that the invariants speak of. The log keeps the
// others: visible, synced, written.
type cursors struct {
	mu struct {
		sync.Mutex
		// applied: the engine's rows are complete up to here.
		applied binlog.Pos
	}
	// groupsUnsynced counts groups since the last sync, for sync_binlog=N. It
	// belongs to the holder of logMu.
	groupsUnsynced uint64
}

// advance moves applied, and shows readers of the log everything up to there.
// It is called in the apply stage, so positions come in order.
func (c *cursors) advance(log *binlog.Log, end binlog.Pos) {
	c.mu.Lock()
	c.mu.applied = end
	c.mu.Unlock()
	log.SetVisible(end)
}

func (c *cursors) applied() binlog.Pos {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.applied
}

// syncGroup makes the group that was just written durable, if sync_binlog asks
// for it. logMu is held.
func (p *Pipeline) syncGroup(members int) error {
	p.cursors.groupsUnsynced++
	if n := p.tuning.syncBinlog.Load(); n == 0 || p.cursors.groupsUnsynced < n {
		return nil
	}
	p.cursors.groupsUnsynced = 0
	if p.cfg.SabotageForTesting == sabotage.SkipSync {
		return nil
	}
	p.stats.syncs.Add(1)
	started := time.Now()
	err := p.log.Sync()
	ended := time.Now()
	p.gather.synced(ended.Sub(started), members, ended)
	return err
}

// SyncLog makes everything durable that was written to the log before the
// call. It is cheap when there is nothing to sync.
func (p *Pipeline) SyncLog() error { return p.SyncTo(enginePosition(p.log.End())) }

// SyncTo makes the log durable at least up to pos. Whoever is about to overtake
// the log calls it first: an engine before it makes a flush durable. It needs
// the lock of neither stage, because Apply may be waiting for that flush.
func (p *Pipeline) SyncTo(pos engine.Position) error {
	if err := p.broken.Load(); err != nil {
		return *err
	}
	if p.cfg.SabotageForTesting != sabotage.None || !p.log.Synced().Less(logPosition(pos)) {
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
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
		}
		// With sync_binlog=1 there is nothing to do, unless it was changed to that after the last
		// group. A leader that is about to sync finds it done.
		if p.SyncLog() != nil {
			return // fatal was called
		}
	}
}
