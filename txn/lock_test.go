package txn

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// locker runs a script: "a S 1" (a locks 1 shared), "b X 1 waits", "a X 1 deadlock",
// "c X 1 nowait" (refused), "a release", "b got" (its wait has ended), "b blocked" (it has not).
type locker struct {
	t      *testing.T
	lm     *lockManager
	owners map[string]*lockOwner
	waits  map[string]chan error
}

func (l *locker) owner(name string) *lockOwner {
	if l.owners[name] == nil {
		l.owners[name] = &lockOwner{}
	}
	return l.owners[name]
}

func (l *locker) run(line string) {
	f := strings.Fields(line)
	o := l.owner(f[0])
	switch f[1] {
	case "release":
		l.lm.release(o, rowLocks)
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
		l.lm.graph.Lock()
		r := o.waiting
		l.lm.graph.Unlock()
		require.NotNil(l.t, r, line)
		s := l.lm.shard(r.hash)
		s.Lock()
		defer s.Unlock()
		require.False(l.t, r.done, line)
		return
	}
	mode := modeShared
	if f[1] == "X" {
		mode = modeExclusive
	}
	hash := l.lm.hash([]byte(f[2]))
	want, timeout := "", time.Hour
	if len(f) > 3 {
		want = f[3]
	}
	if want == "nowait" {
		timeout = -1
	}
	if want != "waits" {
		_, err := l.lm.lock(context.Background(), o, rowLocks, hash, mode, timeout)
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
	waits := l.lm.waits.Load()
	ch := make(chan error, 1)
	l.waits[f[0]] = ch
	go func() {
		_, err := l.lm.lock(context.Background(), o, rowLocks, hash, mode, timeout)
		ch <- err
	}()
	require.Eventually(l.t, func() bool { return l.lm.waits.Load() > waits }, 30*time.Second, 100*time.Microsecond, line)
}

func TestLocks(t *testing.T) {
	for name, script := range map[string]string{
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
		"deadlock far behind in a queue":                 `a X 1; c X 1 waits; d X 1 waits; e X 2; e X 1 waits; f X 3; f X 2 waits; a X 3 deadlock; a release; c got; c release; d got; d release; e got; e release; f got`,
		"a reader in front is waited for":                `a S 1; b X 1 waits; c X 2; d X 2 waits; c S 1 waits; b blocked; a release; b got; b release; c got; c release; d got`,
		"no deadlock between readers":                    `a S 1; b S 2; a S 2; b S 1; a release; b X 1; b X 2`,
		"no deadlock in a chain":                         `a X 1; b X 2; b X 1 waits; c X 2 waits; d X 2 waits; a release; b got; b release; c got; c release; d got`,
		"a victim leaves the queue":                      `a X 1; b X 2; a X 2 waits; b X 1 deadlock; c X 1 nowait; b release; a got; a release; c X 1`,
	} {
		t.Run(name, func(t *testing.T) {
			l := &locker{t: t, lm: newLockManager(), owners: map[string]*lockOwner{}, waits: map[string]chan error{}}
			for line := range strings.SplitSeq(script, ";") {
				l.run(strings.TrimSpace(line))
			}
			for _, o := range l.owners {
				l.lm.release(o, rowLocks)
			}
			for i := range l.lm.shards {
				require.Empty(t, l.lm.shards[i].locks)
			}
		})
	}
}

func TestLockWaitEnds(t *testing.T) {
	lm := newLockManager()
	var a, b, c lockOwner
	_, err := lm.lock(ctx, &a, rowLocks, 1, modeShared, -1)
	require.NoError(t, err)
	_, err = lm.lock(ctx, &b, rowLocks, 1, modeExclusive, time.Millisecond)
	require.ErrorIs(t, err, ErrLockWaitTimeout)
	require.Equal(t, uint64(1), lm.timeouts.Load())

	killed, kill := context.WithCancel(ctx)
	cause := make(chan error)
	go func() {
		_, err := lm.lock(killed, &b, rowLocks, 1, modeExclusive, time.Hour)
		cause <- err
	}()
	require.Eventually(t, func() bool { return lm.waits.Load() == 2 }, 30*time.Second, time.Millisecond)
	got := make(chan error)
	go func() { // waits behind b only
		_, err := lm.lock(ctx, &c, rowLocks, 1, modeShared, time.Hour)
		got <- err
	}()
	require.Eventually(t, func() bool { return lm.waits.Load() == 3 }, 30*time.Second, time.Millisecond)
	kill()
	require.ErrorIs(t, <-cause, context.Canceled)
	require.NoError(t, <-got)
}

// Exclusive means exclusive, shared excludes exclusive, and every wait ends: by
// the lock or by a deadlock, never by the timeout.
func TestLocksUnderLoad(t *testing.T) {
	lm := newLockManager()
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
				var o lockOwner
				held := map[uint64]lockMode{}
				for range 1 + rnd.IntN(4) {
					runtime.Gosched() // let others come in between
					key, mode := rnd.Uint64N(keys), lockMode(1+rnd.IntN(2))
					_, err := lm.lock(ctx, &o, rowLocks, key, mode, time.Minute)
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
					case mode == modeShared:
						if state[key].Add(1) <= 0 {
							t.Error("shared lock beside an exclusive one")
						}
					case held[key] == modeShared:
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
					if mode == modeShared {
						state[key].Add(-1)
					} else {
						state[key].Store(0)
					}
				}
				lm.release(&o, rowLocks)
			}
		}()
	}
	wg.Wait()
	require.Zero(t, lm.timeouts.Load())
	t.Log("deadlocks:", deadlocks.Load(), "waits:", lm.waits.Load())
	for i := range lm.shards {
		require.Empty(t, lm.shards[i].locks)
	}
}

func TestMetadataLocks(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 1, nil))
	a := h.begin(Options{})
	b := h.begin(Options{MetadataTimeout: time.Millisecond})
	require.NoError(t, a.LockTable(ctx, "test", "Accounts", Shared))
	require.NoError(t, b.LockTable(ctx, "TEST", "accounts", Shared))
	require.ErrorIs(t, b.LockTable(ctx, "test", "accounts", Exclusive), ErrLockWaitTimeout)
	require.NoError(t, b.LockDatabase(ctx, "test", Exclusive))
	h.update(a, tbl, 1, acc(1, 2, nil)...)
	release := h.p.hold()
	done := make(chan error, 1)
	go func() { _, err := a.Commit(ctx); done <- err }()
	require.Eventually(t, func() bool { return h.m.Stats().Pending == 1 }, 30*time.Second, time.Millisecond)
	require.ErrorIs(t, b.LockTable(ctx, "test", "accounts", Exclusive), ErrLockWaitTimeout, "kept until the commit is applied")
	release()
	require.NoError(t, <-done)
	require.NoError(t, b.LockTable(ctx, "test", "accounts", Exclusive))
	b.Rollback()
}

// A metadata lock and a row lock can wait for each other.
func TestDeadlockOfRowAndMetadata(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 1, nil))
	a, b := h.begin(Options{}), h.begin(Options{})
	require.NoError(t, a.LockTable(ctx, "test", "accounts", Shared))
	h.update(b, tbl, 1, acc(1, 2, nil)...)
	done := make(chan error)
	go func() { done <- h.tryUpdate(a, tbl, 1, acc(1, 3, nil)...) }()
	require.Eventually(t, func() bool { return h.m.Stats().LockWaits > 0 }, 30*time.Second, time.Millisecond)
	require.ErrorIs(t, b.LockTable(ctx, "test", "accounts", Exclusive), ErrDeadlock)
	b.Rollback()
	require.NoError(t, <-done)
	a.Rollback()
}

func TestWaitPolicies(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 1, nil), acc(2, 2, nil), acc(3, 3, nil))
	a, b := h.begin(Options{}), h.begin(Options{})
	h.update(a, tbl, 2, acc(2, 20, nil)...)
	for _, index := range []int{-1, byK} {
		require.Equal(t, rows(acc(1, 1, nil), acc(3, 3, nil)), h.scanSpec(b, ScanSpec{Table: tbl, Index: index, Mode: LockExclusive, Wait: SkipLocked}), fmt.Sprint("index ", index))
		c, err := b.Scan(ctx, ScanSpec{Table: tbl, Index: index, Mode: LockShared, Wait: NoWait})
		require.NoError(t, err)
		for c.Next() {
		}
		require.ErrorIs(t, c.Err(), ErrNoWait)
		require.NoError(t, c.Close())
	}
	_, ok, err := b.Get(ctx, tbl, rowKey(t, tbl, 2), LockShared, SkipLocked)
	require.NoError(t, err)
	require.False(t, ok)
	_, _, err = b.Get(ctx, tbl, rowKey(t, tbl, 2), LockShared, NoWait)
	require.ErrorIs(t, err, ErrNoWait)
	a.Rollback()
	b.Rollback()
}
