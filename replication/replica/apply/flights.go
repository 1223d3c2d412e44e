package apply

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/txn"
)

// flight is a group whose commit was started, or that needs none.
type flight struct {
	part *primary.Part
	// wait is the rest of the commit; nil if there is none.
	wait func() (txn.CommitInfo, error)
	// ended, if not nil, is told whether the group is durable.
	ended func(durable bool)
}

// flights waits for commits, oldest first, in a goroutine of its own.
type flights struct {
	report Report
	queue  chan flight
	done   chan struct{}
	// bytes is how much is under way; freed says that it has become less.
	bytes atomic.Int64
	freed chan struct{}

	open sync.WaitGroup // groups that were added, and are not through

	mu struct {
		sync.Mutex
		failed error
	}
}

func newFlights(report Report) *flights {
	f := &flights{report: report, queue: make(chan flight, inFlightGroups), done: make(chan struct{}), freed: make(chan struct{}, 1)}
	go f.run()
	return f
}

func (f *flights) run() {
	defer close(f.done)
	for x := range f.queue {
		f.end(x)
	}
}

// end waits for the commit of a group. After one that has failed all later ones have, too.
func (f *flights) end(x flight) {
	defer f.open.Done()
	var info txn.CommitInfo
	var err error
	if x.wait != nil {
		if info, err = x.wait(); err != nil {
			f.fail(commitError(x.part, err))
		}
	}
	if x.ended != nil {
		x.ended(err == nil)
	}
	f.free(x.part.Bytes)
	if f.failure() != nil {
		return
	}
	f.report.Executed(x.part)
	if x.part.Acknowledge != nil {
		x.part.Acknowledge(info.End)
	}
}

// drain returns when all that were added are through.
func (f *flights) drain() { f.open.Wait() }

func (f *flights) free(bytes int) {
	f.bytes.Add(int64(-bytes))
	select {
	case f.freed <- struct{}{}:
	default:
	}
}

// room waits until a group of so many bytes may be added.
func (f *flights) room(ctx context.Context, bytes int) error {
	for f.bytes.Load() > 0 && f.bytes.Load()+int64(bytes) > inFlightBytes {
		select {
		case <-f.freed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return f.failure()
}

// add adds a group, after room.
func (f *flights) add(x flight) {
	f.bytes.Add(int64(x.part.Bytes))
	f.open.Add(1)
	f.queue <- x
}

func (f *flights) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mu.failed == nil {
		f.mu.failed = err
	}
}

// failure is the error of the first commit that failed; nil if none has.
func (f *flights) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mu.failed
}

func (f *flights) close() {
	close(f.queue)
	<-f.done
}
