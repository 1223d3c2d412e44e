package lsm

import (
	"log/slog"
	"sync"
	"time"
)

// backoff slows down background work that fails. Pebble tries a failed flush or
// compaction again at once and for ever, which on a full disk would use a processor
// and fill the error log.
type backoff struct {
	log  *slog.Logger
	quit chan struct{}

	mu       sync.Mutex
	failedAt time.Time
	loggedAt time.Time
	skipped  int // messages since loggedAt
}

const (
	// backoffTime is how long a new table file waits if there was a failure within that time.
	backoffTime = 250 * time.Millisecond
	// backoffLogTime is the least time between two messages.
	backoffLogTime = 10 * time.Second
)

// failed notes a failure. It is called with Pebble's mutex held.
func (b *backoff) failed(err error) {
	now := time.Now()
	b.mu.Lock()
	b.failedAt = now
	quiet := now.Sub(b.loggedAt) < backoffLogTime
	skipped := b.skipped
	if quiet {
		b.skipped++
	} else {
		b.loggedAt, b.skipped = now, 0
	}
	b.mu.Unlock()
	if !quiet {
		b.log.Error("background work of the storage engine failed; it is tried again until it succeeds",
			"engine", name, "error", err.Error(), "failures_before", skipped) // Error(): Pebble's errors print a stack otherwise
	}
}

// wait is called before a table file is created, without Pebble's mutex.
func (b *backoff) wait() {
	b.mu.Lock()
	recent := time.Since(b.failedAt) < backoffTime
	b.mu.Unlock()
	if !recent {
		return
	}
	timer := time.NewTimer(backoffTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.quit:
	}
}
