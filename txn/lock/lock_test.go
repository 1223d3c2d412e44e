package lock

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// locker runs a script: "a S 1" (a locks the row 1 shared), "b X 1 waits", "a X 1 deadlock",
// "c X 1 nowait" (refused), "a release", "b got" (its wait has ended), "b blocked" (it has not).
// "a IX t" is about the name t, "a IX everything" about the global lock; "first" and "yields" at the end are those of Request.
// "a.tables" is another owner of a's session.
type locker struct {
	t      *testing.T
	m      *Manager
	owners map[string]*Owner
	waits  map[string]chan error
}

var ctx = context.Background()

// row asks for the lock on a row.
func row(key uint64, mode Mode, timeout time.Duration) Request {
	return Request{Class: Rows, Key: binary.BigEndian.AppendUint64(nil, key), Mode: mode, Timeout: timeout}
}

func (l *locker) owner(name string) *Owner {
	if l.owners[name] == nil {
		l.owners[name] = &Owner{}
		if session, _, of := strings.Cut(name, "."); of {
			l.owners[name].Waiter = l.owner(session).waiter()
			l.owner(session).Waiter = l.owners[name].Waiter
		}
	}
	return l.owners[name]
}

func (l *locker) run(line string) {
	f := strings.Fields(line)
	o := l.owner(f[0])
	switch f[1] {
	case "release":
		l.release(o)
		return
	case "got":
		select {
		case err := <-l.waits[f[0]]:
			require.NoError(l.t, err, line)
		case <-time.After(30 * time.Second):
			l.t.Fatalf("%s: still waiting", line)
		}
		return
	case "blocked":
		l.m.graph.Lock()
		r := o.waiter().waiting
		l.m.graph.Unlock()
		require.NotNil(l.t, r, line)
		s := l.m.shard(r.hash)
		s.Lock()
		defer s.Unlock()
		require.False(l.t, r.done, line)
		return
	}
	r := Request{Class: Metadata, Key: []byte(f[2]), Mode: Mode(slices.Index(modeNames[:], f[1])), Timeout: time.Hour}
	switch {
	case f[2] == "everything":
		r.Class = Global
	case f[2] <= "9":
		r.Class = Rows
	}
	want := ""
	for _, word := range f[3:] {
		switch word {
		case "first":
			r.First = true
		case "yields":
			r.Yields = true
		default:
			want = word
		}
	}
	if want == "nowait" {
		r.Timeout = -1
	}
	if want != "waits" {
		_, err := l.m.Lock(ctx, o, r)
		switch want {
		case "":
			require.NoError(l.t, err, line)
		case "nowait":
			require.ErrorIs(l.t, err, ErrNoWait, line)
		case "deadlock":
			require.ErrorIs(l.t, err, ErrDeadlock, line)
		}
		return
	}
	waits := l.m.waits.Load()
	ch := make(chan error, 1)
	l.waits[f[0]] = ch
	go func() {
		_, err := l.m.Lock(ctx, o, r)
		ch <- err
	}()
	require.Eventually(l.t, func() bool { return l.m.waits.Load() > waits }, 30*time.Second, 100*time.Microsecond, line)
}

func (l *locker) release(o *Owner) {
	for class := range classes {
		l.m.Release(o, class)
	}
}

// runAll runs scripts, whose lines are divided by semicolons, each with a manager of its own.
func runAll(t *testing.T, scripts map[string]string) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			l := &locker{t: t, m: NewManager(Options{}), owners: map[string]*Owner{}, waits: map[string]chan error{}}
			for line := range strings.SplitSeq(script, ";") {
				l.run(strings.TrimSpace(line))
			}
			for _, o := range l.owners {
				l.release(o)
			}
			require.Zero(t, l.m.Count())
			require.Zero(t, l.m.global.strong)
			for i := range l.m.global.lists {
				require.Nil(t, l.m.global.lists[i].first)
				require.False(t, l.m.global.lists[i].closed)
			}
		})
	}
}

func TestLocks(t *testing.T) {
	runAll(t, map[string]string{
		"shared locks go together": `a S 1; b S 1; c X 1 nowait; a release; c X 1 nowait; b release; c X 1`,
		"exclusive locks do not":   `a X 1; b S 1 nowait; b X 1 nowait; a release; b X 1; a S 1 nowait`,
		"a lock held is had again": `a X 1; a S 1; a X 1; b S 1 nowait; a release; b S 1`,
		"upgrade":                  `a S 1; a X 1; b S 1 nowait`,
		"upgrade waits for other holders": `a S 1; b S 1; a X 1 waits; c S 1 nowait; b release; a got; c S 1 nowait;
			a release; c S 1`,
		"upgrade goes before the queue":                  `a S 1; b S 1; c X 1 waits; a X 1 waits; b release; a got; c blocked; a release; c got`,
		"two upgrades are a deadlock":                    `a S 1; b S 1; a X 1 waits; b X 1 deadlock; b release; a got`,
		"first come first served":                        `a X 1; b X 1 waits; c S 1 waits; d S 1 waits; e X 1 waits; a release; b got; c blocked; b release; c got; d got; e blocked; c release; e blocked; d release; e got`,
		"nobody passes a waiting writer":                 `a S 1; b X 1 waits; c S 1 nowait; a S 1; a release; b got`,
		"deadlock of two":                                `a X 1; b X 2; a X 2 waits; b X 1 deadlock; b release; a got`,
		"deadlock of three":                              `a X 1; b X 2; c X 3; a X 2 waits; b X 3 waits; c S 1 deadlock; c release; b got; b release; a got`,
		"deadlock through the queue":                     `a S 1; b X 1 waits; c X 2; c S 1 waits; a X 2 deadlock; a release; b got; b release; c got`,
		"deadlock through a reader's place in the queue": `a X 2; h S 1; b X 1 waits; a S 1 waits; h X 2 deadlock; h release; b got; b release; a got`,
		"deadlock through several places of one queue":   `a X 1; b X 2; c X 1 waits; d X 1 waits; b S 1 waits; a X 2 deadlock; a release; c got; c release; d got; d release; b got`,
		"deadlock late in a queue":                       `a X 1; c X 1 waits; d X 1 waits; e X 2; e X 1 waits; f X 3; f X 2 waits; a X 3 deadlock; a release; c got; c release; d got; d release; e got; e release; f got`,
		"a reader in front is waited for":                `a S 1; b X 1 waits; c X 2; d X 2 waits; c S 1 waits; b blocked; a release; b got; b release; c got; c release; d got`,
		"no deadlock between readers":                    `a S 1; b S 2; a S 2; b S 1; a release; b X 1; b X 2`,
		"no deadlock in a chain":                         `a X 1; b X 2; b X 1 waits; c X 2 waits; d X 2 waits; a release; b got; b release; c got; c release; d got`,
		"a victim leaves the queue":                      `a X 1; b X 2; a X 2 waits; b X 1 deadlock; c X 1 nowait; b release; a got; a release; c X 1`,
	})
}

func TestLockWaitEnds(t *testing.T) {
	m := NewManager(Options{})
	var a, b, c Owner
	_, err := m.Lock(ctx, &a, row(1, Shared, -1))
	require.NoError(t, err)
	_, err = m.Lock(ctx, &b, row(1, Exclusive, time.Millisecond))
	require.ErrorIs(t, err, ErrWaitTimeout)
	require.Equal(t, uint64(1), m.timeouts.Load())

	killed, kill := context.WithCancel(ctx)
	cause := make(chan error)
	go func() {
		_, err := m.Lock(killed, &b, row(1, Exclusive, time.Hour))
		cause <- err
	}()
	require.Eventually(t, func() bool { return m.waits.Load() == 2 }, 30*time.Second, time.Millisecond)
	got := make(chan error)
	go func() { // waits for b only
		_, err := m.Lock(ctx, &c, row(1, Shared, time.Hour))
		got <- err
	}()
	require.Eventually(t, func() bool { return m.waits.Load() == 3 }, 30*time.Second, time.Millisecond)
	kill()
	require.ErrorIs(t, <-cause, context.Canceled)
	require.NoError(t, <-got)
}

// Exclusive means exclusive, shared excludes exclusive, and every wait ends: by
// the lock or by a deadlock, never by the timeout.
func TestLocksUnderLoad(t *testing.T) {
	m := NewManager(Options{})
	const keys = 8
	var state [keys]atomic.Int64 // number of readers, or -1
	var deadlocks atomic.Int64
	var wg sync.WaitGroup
	for w := range 12 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			rnd := rand.New(rand.NewPCG(uint64(w), 1))
			for range 400 {
				var o Owner
				held := map[uint64]Mode{}
				for range 1 + rnd.IntN(4) {
					runtime.Gosched() // let others come in between
					key, mode := rnd.Uint64N(keys), []Mode{Shared, Exclusive}[rnd.IntN(2)]
					_, err := m.Lock(ctx, &o, row(key, mode, time.Minute))
					if errors.Is(err, ErrDeadlock) {
						deadlocks.Add(1)
						break
					}
					if err != nil {
						t.Errorf("lock: %v", err)
						break
					}
					switch {
					case held[key] >= mode:
					case mode == Shared:
						if state[key].Add(1) <= 0 {
							t.Error("shared lock beside an exclusive one")
						}
					case held[key] == Shared:
						if !state[key].CompareAndSwap(1, -1000) {
							t.Error("upgrade beside another reader")
						}
					default:
						if !state[key].CompareAndSwap(0, -1000) {
							t.Error("exclusive lock beside another one")
						}
					}
					held[key] = max(held[key], mode)
				}
				for key, mode := range held {
					if mode == Shared {
						state[key].Add(-1)
					} else {
						state[key].Store(0)
					}
				}
				m.Release(&o, Rows)
			}
		}()
	}
	wg.Wait()
	require.Zero(t, m.timeouts.Load())
	t.Log("deadlocks:", deadlocks.Load(), "waits:", m.waits.Load())
	require.Zero(t, m.Count())
}

// A transaction that locked many rows leaves little behind.
func TestReleasedLocksAreFreed(t *testing.T) {
	m := NewManager(Options{})
	var o Owner
	for key := range uint64(shardCount * (keptPeakMax + 200)) {
		_, err := m.Lock(ctx, &o, row(key, Shared, -1))
		require.NoError(t, err)
	}
	m.Release(&o, Rows)
	kept := 0
	for i := range m.shards {
		require.LessOrEqual(t, m.shards[i].freeCount, freeLocksMax)
		if m.shards[i].peak > keptPeakMax {
			kept++
		}
	}
	require.Zero(t, kept, "maps that were large are kept")
}

// The set of an owner with many locks is exclusive, is waited for, and ends with its owner's locks.
func TestSets(t *testing.T) {
	m := NewManager(Options{})
	m.SetEscalationMinForTesting(2)
	var a, b Owner
	for key := range uint64(10) {
		_, err := m.Lock(ctx, &a, row(key, Exclusive, -1))
		require.NoError(t, err)
	}
	require.Equal(t, 10, m.RowCount(&a))
	require.Equal(t, 3, m.Count(), "two locks and the gate")
	r, err := m.Lock(ctx, &a, row(9, Exclusive, -1))
	require.NoError(t, err)
	require.True(t, r.Had)
	_, err = m.Lock(ctx, &b, row(9, Shared, -1))
	require.ErrorIs(t, err, ErrNoWait)
	_, err = m.Lock(ctx, &b, row(20, Exclusive, -1))
	require.NoError(t, err)

	done := make(chan error)
	go func() { _, err := m.Lock(ctx, &b, row(9, Exclusive, time.Hour)); done <- err }()
	require.Eventually(t, func() bool { return m.Stats().Waits == 1 }, 30*time.Second, time.Millisecond)
	_, err = m.Lock(ctx, &a, row(20, Shared, time.Hour))
	require.ErrorIs(t, err, ErrDeadlock)
	m.Release(&a, Rows)
	require.NoError(t, <-done)
	m.Release(&b, Rows)
	require.Nil(t, m.escalated.Load())
	require.Zero(t, m.Count())
}

// The timeout is that of the whole wait: the clock goes on when a lock that was waited for has
// gone to the next owner, in its set, before the waiter came.
func TestTimeoutOfTheWholeWait(t *testing.T) {
	var m *Manager
	var first, second, waiter Owner
	handedOver := false
	m = NewManager(Options{WokenForTesting: func(context.Context) {
		if handedOver {
			return
		}
		handedOver = true
		for key := range uint64(10) {
			_, err := m.Lock(ctx, &second, row(key, Exclusive, -1))
			require.NoError(t, err)
		}
	}})
	m.SetEscalationMinForTesting(1)
	expired := make(chan time.Time, 1)
	var clocks []time.Duration
	m.newTimer = func(d time.Duration) *timer {
		clocks = append(clocks, d)
		return &timer{expired: expired, stop: func() bool { return true }}
	}
	for key := range uint64(10) {
		_, err := m.Lock(ctx, &first, row(key, Exclusive, -1))
		require.NoError(t, err)
	}
	done := make(chan error)
	go func() { _, err := m.Lock(ctx, &waiter, row(9, Shared, time.Hour)); done <- err }()
	require.Eventually(t, func() bool { return m.Stats().Waits == 1 }, 30*time.Second, time.Millisecond)
	m.Release(&first, Rows)
	require.Eventually(t, func() bool { return m.Stats().Waits == 2 }, 30*time.Second, time.Millisecond)
	expired <- time.Time{}
	require.ErrorIs(t, <-done, ErrWaitTimeout)
	require.Equal(t, []time.Duration{time.Hour}, clocks)
	m.Release(&second, Rows)
	require.Zero(t, m.Count())
}

// Owners that share a waiter are one in the wait-for graph: neither waits for the other's locks for ever.
func TestSharedWaiter(t *testing.T) {
	m := NewManager(Options{})
	var session Waiter
	named, tx, other := Owner{Waiter: &session}, Owner{Waiter: &session}, Owner{}
	name := Request{Class: Named, Key: []byte("name"), Mode: Exclusive, Timeout: time.Hour}
	_, err := m.Lock(ctx, &named, name)
	require.NoError(t, err)
	_, err = m.Lock(ctx, &other, row(1, Exclusive, time.Hour))
	require.NoError(t, err)
	done := make(chan error)
	go func() { _, err := m.Lock(ctx, &tx, row(1, Shared, time.Hour)); done <- err }()
	require.Eventually(t, func() bool { return m.Stats().Waits == 1 }, 30*time.Second, time.Millisecond)
	_, err = m.Lock(ctx, &other, name)
	require.ErrorIs(t, err, ErrDeadlock)
	require.Len(t, m.LastDeadlock().Waits, 2)
	m.Release(&other, Rows)
	require.NoError(t, <-done)
	m.ReleaseOne(&named, Named, name.Key)
	_, held := m.Holder(name.Key)
	require.False(t, held)
	m.Release(&tx, Rows)
	require.Zero(t, m.Count())
}
