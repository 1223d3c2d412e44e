package lsm

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/engine"
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

	// flush is closed when a flush fails; flushErr is then why. ended is closed when one ends, either way.
	flush, ended chan struct{}
	flushErr     error

	failing atomic.Bool // the last flush failed
}

// nextFlushFailure is closed when a flush fails after the call.
func (b *backoff) nextFlushFailure() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.flush == nil {
		b.flush = make(chan struct{})
	}
	return b.flush
}

// nextFlushEnd is closed when a flush ends after the call.
func (b *backoff) nextFlushEnd() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended == nil {
		b.ended = make(chan struct{})
	}
	return b.ended
}

// afterRetry returns when flushes do not fail, at once or after the next attempt; the error is that of the attempt.
func (b *backoff) afterRetry() error {
	ended := b.nextFlushEnd()
	if !b.failing.Load() {
		return nil
	}
	select {
	case <-ended:
	case <-b.quit:
		return engine.ErrClosed
	}
	if b.failing.Load() {
		return b.lastFlushError()
	}
	return nil
}

// lastFlushError is why the last flush that failed did.
func (b *backoff) lastFlushError() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.flushErr
}

// emptyFlush is what Pebble reports of a flush that had nothing to write, which is no failure; it
// does not export the error.
const emptyFlush = "pebble: empty table"

// flushEnded is called with Pebble's mutex held.
func (b *backoff) flushEnded(err error) {
	failed := err != nil && err.Error() != emptyFlush
	b.mu.Lock()
	defer b.mu.Unlock()
	if failed {
		b.flushErr = err
	}
	b.failing.Store(failed)
	if failed && b.flush != nil {
		close(b.flush)
		b.flush = nil
	}
	if b.ended != nil {
		close(b.ended)
		b.ended = nil
	}
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
