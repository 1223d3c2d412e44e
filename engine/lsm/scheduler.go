package lsm

import (
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// scheduler schedules compactions as Pebble's own scheduler does, but none before Open has
// succeeded: when Open fails, Pebble closes its caches without waiting for compactions that it has begun, and
// these panic.
type scheduler struct {
	// Of the two schedulers this one has no goroutine that looks for work ten times a second, which would go
	// on after a failed Open. Every flush and every end of a compaction looks for work, too.
	*pebble.ConcurrencyLimitScheduler
	db   pebble.DBForCompaction
	open atomic.Bool
}

func newScheduler() *scheduler {
	return &scheduler{ConcurrencyLimitScheduler: pebble.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest()}
}

// Register is called by Pebble's Open.
func (s *scheduler) Register(goroutines int, db pebble.DBForCompaction) {
	s.db = db
	s.ConcurrencyLimitScheduler.Register(goroutines, db)
}

// TrySchedule is called when there may be something to compact.
func (s *scheduler) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	if !s.open.Load() {
		return false, nil
	}
	return s.ConcurrencyLimitScheduler.TrySchedule()
}

// opened allows compactions, and starts the one that Open wanted.
func (s *scheduler) opened() {
	s.open.Store(true)
	if waiting, _ := s.db.GetWaitingCompaction(); !waiting {
		return
	}
	if granted, handle := s.TrySchedule(); granted && !s.db.Schedule(handle) {
		handle.Done()
	}
}
