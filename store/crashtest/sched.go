package crashtest

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"path"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/internal/crashfs"
)

// scheduler lets the goroutines of a store run one at a time, so that a run repeats exactly.
//
// Each operation that changes the file system, and each step of a client, is a stop: whoever comes there
// waits until the scheduler lets it go on. The scheduler waits until nothing runs any more, that is,
// everybody is at a stop or waits for somebody else, and then draws who is next. What happens
// between two stops happens in one goroutine, and in those that it wakes, which run to their
// next stop.
//
// That nothing runs any more is known by giving way to everybody else many times, on one processor
// (GOMAXPROCS=1) and without garbage collection. Time stands still in the bubble
// of testing/synctest in which it all happens; the scheduler lets it go on when nobody is
// inside the store.
type scheduler struct {
	rng *rand.Rand
	// operationsFirst is the percentage with which an operation of the file system goes before a client's step.
	operationsFirst int
	// tick is how far the clock is moved when it is moved.
	tick time.Duration
	// still says that it is moved only when nobody can go on, and by pace before each step: nobody may
	// wait for a mutex at a stop then.
	still bool
	pace  time.Duration
	// beforeOp is called, while everybody stands still, with the number of the operation that
	// is next, from 1.
	beforeOp func(n int)

	trace hash.Hash64
	log   io.Writer // of the trace; nil: nowhere
	ops   int       // operations of the file system so far
	steps int       // stops passed

	arrived chan struct{} // capacity 1: somebody came to a stop
	outside uint64        // goroutines that are always in system calls
	free    atomic.Bool   // everybody passes all stops
	mu      sync.Mutex
	stops   []*stop
	active  int // actors that have not ended
	errs    []error
}

// stop is somebody who waits to go on.
type stop struct {
	label string
	isOp  bool
	// outside: nobody was in the middle of something when this was drawn, so that the clock may move: it does not
	// while somebody waits for a mutex.
	outside bool
	pass    chan struct{}
}

func newScheduler(rng *rand.Rand) *scheduler {
	return &scheduler{rng: rng, trace: fnv.New64a(), arrived: make(chan struct{}, 1), outside: goroutinesOutside(), operationsFirst: 90, tick: time.Second}
}

// op is the hook of the file system.
func (s *scheduler) op(op crashfs.Op) error {
	if s.free.Load() {
		return nil
	}
	if differs(op.Name) {
		op.Sum = 0
	}
	s.halt(op.String(), true)
	return nil
}

// differs names the files that are not the same in each run: Pebble lists the tables that a compaction
// replaced in the order of a map.
func differs(name string) bool { return strings.HasPrefix(path.Base(name), "MANIFEST-") }

// step is a stop of an actor.
func (s *scheduler) step(ctx context.Context) {
	if !s.free.Load() {
		s.halt(actorOf(ctx), false)
	}
}

func (s *scheduler) halt(label string, isOp bool) {
	st := &stop{label: label, isOp: isOp, pass: make(chan struct{})}
	s.mu.Lock()
	s.stops = append(s.stops, st)
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	<-st.pass
}

type actorKey struct{}

func actorOf(ctx context.Context) string {
	name, _ := ctx.Value(actorKey{}).(string)
	return name
}

// start adds an actor, whose first stop is before it begins.
func (s *scheduler) start(ctx context.Context, name string, f func(context.Context) error) {
	ctx = context.WithValue(ctx, actorKey{}, name)
	s.mu.Lock()
	s.active++
	s.mu.Unlock()
	go func() {
		s.step(ctx)
		err := f(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.active--
		if err != nil {
			s.errs = append(s.errs, fmt.Errorf("%s: %w", name, err))
		}
	}()
}

// run starts an actor and drives until it has ended.
func (s *scheduler) run(ctx context.Context, name string, f func(context.Context) error) error {
	s.start(ctx, name, f)
	return s.drive()
}

// idleMax is how often in a row the clock may be moved without anybody getting to a stop.
const idleMax = 2000

// drive lets everybody go on, one after the other, until all actors have ended, and returns their errors.
func (s *scheduler) drive() error {
	for idle := 0; ; {
		if s.free.Load() {
			return s.drain()
		}
		s.settle(24)
		if s.pace > 0 {
			time.Sleep(s.pace)
		}
		st, ended := s.next()
		if st == nil && !ended { // somebody may have been in a system call, as when something is used for the first time
			s.settle(2000)
			st, ended = s.next()
		}
		switch {
		case ended:
			s.mu.Lock()
			defer s.mu.Unlock()
			err := errors.Join(s.errs...)
			s.errs = nil
			return err
		case st == nil && idle == idleMax:
			buf := make([]byte, 1<<20)
			return fmt.Errorf("everybody waits for somebody else:\n%s", buf[:runtime.Stack(buf, true)])
		case st == nil:
			idle++
			s.wait()
		default:
			idle = 0
			if st.outside && !s.still && s.rng.IntN(40) == 0 {
				s.wait()
			}
			s.note(st.label)
			if st.isOp {
				s.ops++
				s.beforeOp(s.ops)
			}
			close(st.pass)
		}
	}
}

// wait lets the clock move, until somebody comes to a stop.
func (s *scheduler) wait() {
	s.note("tick")
	select {
	case <-s.arrived:
	default:
	}
	timer := time.NewTimer(s.tick)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.arrived:
	}
	s.settle(24)
}

// drain lets everybody go at once.
func (s *scheduler) drain() error {
	for {
		s.mu.Lock()
		for _, st := range s.stops {
			close(st.pass)
		}
		s.stops = nil
		active, err := s.active, errors.Join(s.errs...)
		s.mu.Unlock()
		if active == 0 {
			return err
		}
		time.Sleep(s.tick)
	}
}

// settle gives way to everybody else so often that they stand still then. A goroutine in a system call or
// in C (where Pebble gets its memory from, with cgo) does not run, but will.
func (s *scheduler) settle(times int) {
	for range 1000 {
		for range times {
			runtime.Gosched()
		}
		if goroutinesOutside() <= s.outside {
			return
		}
	}
}

// goroutinesOutside is the number of goroutines in system calls or in C.
func goroutinesOutside() uint64 {
	sample := []metrics.Sample{{Name: "/sched/goroutines/not-in-go:goroutines"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// next draws who goes on: nobody if nobody is at a stop.
func (s *scheduler) next() (st *stop, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == 0 {
		return nil, true
	}
	slices.SortStableFunc(s.stops, func(a, b *stop) int {
		if a.isOp != b.isOp {
			if a.isOp {
				return -1
			}
			return 1
		}
		return strings.Compare(a.label, b.label)
	})
	ops := 0
	for ops < len(s.stops) && s.stops[ops].isOp {
		ops++
	}
	from, to := 0, ops
	if ops == 0 || ops < len(s.stops) && s.rng.IntN(100) >= s.operationsFirst {
		from, to = ops, len(s.stops)
	}
	if from == to {
		return nil, false
	}
	i := from + s.rng.IntN(to-from)
	st = s.stops[i]
	st.outside = ops == 0
	s.stops = slices.Delete(s.stops, i, i+1)
	return st, false
}

// note adds a line to the trace.
func (s *scheduler) note(label string) {
	s.steps++
	_, _ = io.WriteString(s.trace, label)
	_, _ = s.trace.Write([]byte{'\n'})
	if s.log != nil {
		_, _ = fmt.Fprintf(s.log, "%5d %5d %s\n", s.steps, s.ops, label)
	}
}
