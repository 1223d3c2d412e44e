package commit

import (
	"sync"
	"time"

	"github.com/duramendb/duramen/binlog"
)

// cursors are the positions that the invariants I3 speak of.
type cursors struct {
	mu struct {
		sync.Mutex
		// applied: the engines' rows are complete up to here.
		applied binlog.Pos
		// visible: what the log's readers were told. visible <= synced.
		visible binlog.Pos
	}
	// groupsUnsynced counts groups since the last sync, for sync_binlog=N. It
	// belongs to the holder of logMu.
	groupsUnsynced uint64
}

func (c *cursors) init(log *binlog.Log) {
	c.setApplied(log.End())
	c.publish(log)
}

func (c *cursors) setApplied(end binlog.Pos) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.applied = end
}

// publish shows readers of the log everything that is applied and durable.
func (c *cursors) publish(log *binlog.Log) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revealLocked(log, c.mu.applied)
}

// reveal shows readers of the log everything up to end that is durable.
func (c *cursors) reveal(log *binlog.Log, end binlog.Pos) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revealLocked(log, end)
}

func (c *cursors) revealLocked(log *binlog.Log, end binlog.Pos) {
	if synced := log.Synced(); synced.Less(end) {
		end = synced
	}
	if c.mu.visible.Less(end) {
		c.mu.visible = end
		log.SetVisible(end)
	}
}

// syncGroup makes the group that was just written durable, if sync_binlog asks
// for it. logMu is held.
func (p *Pipeline) syncGroup() error {
	p.cursors.groupsUnsynced++
	if n := p.tuning.syncBinlog.Load(); n == 0 || p.cursors.groupsUnsynced < n {
		return nil
	}
	p.cursors.groupsUnsynced = 0
	p.stats.syncs.Add(1)
	return p.log.Sync()
}

// SyncLog makes everything durable that was written to the log before the
// call, and shows it to readers of the log. Whoever is about to overtake the
// log calls it first: an engine that flushes, a checkpoint, a replica. It is
// cheap when there is nothing to sync. It needs neither stage's lock.
func (p *Pipeline) SyncLog() error {
	if err := p.broken.Load(); err != nil {
		return *err
	}
	if p.log.Synced().Less(p.log.End()) {
		p.stats.syncs.Add(1)
		if err := p.log.Sync(); err != nil {
			return p.fatal(err)
		}
	}
	p.cursors.publish(p.log)
	return nil
}

// RequestSync asks for SyncLog in the background, soon: by readers of the log
// that have nothing to read while applied groups wait for a sync.
func (p *Pipeline) RequestSync() {
	select {
	case p.syncKick <- struct{}{}:
	default:
	}
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
		case <-p.syncKick:
		}
		if p.tuning.syncBinlog.Load() == 1 {
			continue // the leader syncs; a second sync would only get into its way
		}
		if p.SyncLog() != nil {
			return // fatal was called
		}
	}
}
