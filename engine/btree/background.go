package btree

import "time"

// startLocked starts the work in the background, unless it goes on. e.mu is held.
func (e *Engine) startLocked() {
	if e.mu.working || e.opts.NoMerge {
		return
	}
	e.mu.working = true
	e.workers.Go(e.work)
}

// retryTime is how long the background waits after a failure.
const retryTime = 250 * time.Millisecond

// work takes checkpoints while they are due, and then pays debts, until there is nothing to do.
func (e *Engine) work() {
	for e.next() {
		err := e.workOnce()
		if err == nil {
			continue
		}
		e.logFailure(err)
		timer := time.NewTimer(retryTime)
		select {
		case <-timer.C:
		case <-e.quit:
			timer.Stop()
		}
	}
}

// next says whether there is work.
func (e *Engine) next() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	v := e.now.Load()
	if e.usableLocked() != nil || !e.checkpointDue(v) && v.oldestDebt() == nil {
		e.mu.working = false
		return false
	}
	return true
}

func (e *Engine) checkpointDue(v *version) bool { return e.due(v.active) || v.waiting() != nil }

func (e *Engine) workOnce() error {
	if e.checkpointDue(e.now.Load()) {
		started := time.Now()
		m, err := e.Checkpoint()
		if err == nil {
			e.opts.Logger.Debug("checkpoint because of the size of the delta", "engine", name, "position", m.Position.String(), "duration", time.Since(started))
		}
		return err
	}
	e.checkpoint.Lock()
	defer e.checkpoint.Unlock()
	oldest := e.now.Load().oldestDebt()
	if oldest == nil || e.usable() != nil {
		return nil
	}
	err := e.pay(oldest)
	e.mu.Lock()
	e.mu.failing = err
	e.mu.changed.Broadcast()
	e.mu.Unlock()
	return err
}

// logTime is the least time between two messages of failures.
const logTime = 10 * time.Second

func (e *Engine) logFailure(err error) {
	e.mu.Lock()
	quiet := e.usableLocked() != nil || time.Since(e.mu.loggedAt) < logTime
	if !quiet {
		e.mu.loggedAt = time.Now()
	}
	e.mu.Unlock()
	if !quiet {
		e.opts.Logger.Error("background work of the storage engine failed; it is tried again until it succeeds", "engine", name, "error", err)
	}
}
