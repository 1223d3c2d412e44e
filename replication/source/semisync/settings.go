package semisync

import "time"

// WaitPoint is rpl_semi_sync_master_wait_point.
type WaitPoint byte

// Values of WaitPoint.
const (
	AfterSync   WaitPoint = iota // before anybody sees the transaction
	AfterCommit                  // when others see it, before its client is told
)

// Settings are the variables rpl_semi_sync_master_*. They may change at any time, and count for those who wait, too.
type Settings struct {
	Enabled bool
	// Timeout is how long a commit waits before the status becomes OFF. 0 is not to wait.
	Timeout time.Duration
	Point   WaitPoint
	// WaitNoReplica (wait_no_slave): commits wait, too, when fewer replicas than Replicas are connected.
	WaitNoReplica bool
	// Replicas (wait_for_slave_count) is how many have to acknowledge; 0 means 1.
	Replicas int
}

func (s *Settings) needed() int { return max(s.Replicas, 1) }

// Set changes the settings. Disabling lets everybody go on; enabling makes the status ON.
func (p *Primary) Set(s Settings) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.mu.settings
	p.mu.settings = s
	p.enabled.Store(s.Enabled)
	switch {
	case s.Enabled && !before.Enabled:
		p.mu.on = true
		p.log.Info("Semi-sync replication enabled on the master.")
	case !s.Enabled && before.Enabled:
		p.mu.on, p.mu.committed, p.mu.ends = false, place{}, nil
		p.releaseLocked(len(p.mu.waiting), false)
		p.log.Info("Semi-sync replication disabled on the master.")
	}
	close(p.mu.changed) // who waits looks at the time-out again
	p.mu.changed = make(chan struct{})
	p.acknowledgedLocked(nil)
	p.leaveIfAloneLocked()
}
