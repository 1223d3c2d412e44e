package logbench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/stat"
)

// contender is one of those that are compared.
type contender interface {
	// turn lets committers commit until spell has passed.
	turn(ctx context.Context, t task) (Slice, error)
	close() error
}

// task is what a turn is to do.
type task struct {
	committers int
	spell      time.Duration
	shape      shape
	meter      *device.Meter
	histograms *histograms
}

// shape is how the pipeline wrote: bare and raw imitate it.
type shape struct {
	transactionBytes float64 // with the GTID event
	markBytes        float64 // of each write
	perGroup         float64 // transactions
}

func (s shape) groupBytes() int { return int(s.markBytes + s.perGroup*s.transactionBytes + 0.5) }

// Slice is one turn of one contender.
type Slice struct {
	Bench      string    `json:"bench"`
	Time       time.Time `json:"time"`
	Round      int       `json:"round"`
	Contender  string    `json:"contender"`
	Committers int       `json:"committers"`
	// Commits are transactions. Those of raw and raw-direct are their writes times
	// the transactions in one of the pipeline's groups.
	Commits    int64 `json:"commits"`
	Groups     int64 `json:"groups"`      // writes
	EventBytes int64 `json:"event_bytes"` // see the package comment
	ZeroBytes  int64 `json:"zero_bytes"`  // filled ahead; contained in Traffic
	// SyncMethod, WriteUnit and Depth are the pipeline's: the method that is in use, the bytes of the
	// blocks that reach the device, and how many groups were in flight at the end of the turn.
	SyncMethod string `json:"sync_method,omitempty"`
	WriteUnit  int    `json:"write_unit,omitempty"`
	Depth      int    `json:"depth,omitempty"`
	// Elapsed is the time of the commits; Traffic lasts until the background work is done.
	Elapsed time.Duration `json:"elapsed_ns"`
	stat.Latency
	device.Traffic
}

// CommitsPerSecond is the rate of transactions.
func (s *Slice) CommitsPerSecond() float64 { return float64(s.Commits) / s.Elapsed.Seconds() }

// GroupsPerSecond is the rate of writes.
func (s *Slice) GroupsPerSecond() float64 { return float64(s.Groups) / s.Elapsed.Seconds() }

// histograms are kept from turn to turn: those of 1024 committers are several megabytes.
type histograms struct {
	each []stat.Histogram
	all  stat.Histogram
}

func (h *histograms) reset(n int) {
	if len(h.each) < n {
		h.each = make([]stat.Histogram, n)
	}
	for i := range h.each {
		h.each[i] = stat.Histogram{}
	}
	h.all = stat.Histogram{}
}

// drive runs t.committers goroutines until the time is over, and each at least once. commit is made for each by newCommit.
func (t *task) drive(ctx context.Context, newCommit func(n int) func() error) (started time.Time, elapsed time.Duration, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.histograms.reset(t.committers)
	commits := make([]func() error, t.committers)
	for n := range commits {
		commits[n] = newCommit(n)
	}
	started = time.Now()
	until := started.Add(t.spell)
	var wg sync.WaitGroup
	for n, commit := range commits {
		h := &t.histograms.each[n]
		wg.Go(func() {
			for before := time.Now(); ; {
				if err := commit(); err != nil {
					cancel(fmt.Errorf("commit: %w", err))
					return
				}
				now := time.Now()
				h.Record(now.Sub(before))
				if before = now; !now.Before(until) || ctx.Err() != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	elapsed = time.Since(started)
	for n := range commits {
		t.histograms.all.Merge(&t.histograms.each[n])
	}
	return started, elapsed, context.Cause(ctx)
}
