package txn

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
)

// Locks in a set keep others out, show up in deadlocks and time-outs, and are released.
func TestLockEscalation(t *testing.T) {
	h := newHarness(t)
	h.m.locks.SetEscalationMinForTesting(10)
	tbl := h.create(accounts())
	big := h.begin(Options{})
	for i := range 1000 {
		h.insert(big, tbl, acc(i, i, nil)...)
	}
	require.Equal(t, 1000, big.LockCount())
	require.Less(t, h.m.locks.Count(), 20)
	for _, id := range []int{0, 999} { // in the table, and in the set
		other := h.begin(Options{LockWaitTimeout: -1})
		require.ErrorIs(t, other.Insert(ctx, tbl, image(t, tbl, acc(id, 1, nil)...)), ErrLockWaitTimeout)
		_, _, err := other.Get(ctx, tbl, rowKey(t, tbl, id), LockShared, NoWait)
		require.ErrorIs(t, err, ErrNoWait)
		_, ok, err := other.Get(ctx, tbl, rowKey(t, tbl, id), LockShared, SkipLocked)
		require.NoError(t, err)
		require.False(t, ok)
		other.Rollback()
	}
	h.update(big, tbl, 999, acc(999, 5, nil)...) // its own
	require.Equal(t, 1000, big.LockCount())

	// A circle through a set.
	small := h.begin(Options{})
	h.insert(small, tbl, acc(5000, 1, nil)...)
	done := make(chan error, 1)
	waits := h.m.Stats().LockWaits
	go func() { done <- small.Insert(ctx, tbl, image(t, tbl, acc(998, 1, nil)...)) }()
	require.Eventually(t, func() bool { return h.m.Stats().LockWaits > waits }, 10*time.Second, time.Millisecond)
	require.ErrorIs(t, big.Insert(ctx, tbl, image(t, tbl, acc(5000, 1, nil)...)), ErrDeadlock)
	h.commit(big)
	var d *DuplicateKeyError
	require.ErrorAs(t, <-done, &d)
	small.Rollback()
	require.Len(t, h.table(tbl), 1000)
}

// A waiter whose lock goes into a set, between its look and its wait, looks again.
func TestLockEscalationRace(t *testing.T) {
	h := newHarness(t)
	h.m.locks.SetEscalationMinForTesting(1)
	tbl := h.create(accounts())
	for i := range 30 {
		h.load(tbl, acc(i, 0, nil))
	}
	done := make(chan error, 4)
	for range cap(done) {
		go func() {
			for n := range 200 {
				x := h.begin(Options{})
				var err error
				for i := range 10 {
					id := (n*7 + i) % 30
					if err = h.tryUpdate(x, tbl, id, increment(h, x, tbl, id)...); err != nil {
						break
					}
				}
				if err != nil {
					x.Rollback()
					if !errors.Is(err, ErrDeadlock) {
						done <- err
						return
					}
					continue
				}
				if _, err := x.Commit(ctx); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
}

func increment(h *harness, x *Txn, tbl *catalog.Table, id int) []any {
	image, ok, err := x.Get(ctx, tbl, rowKey(h, tbl, id), LockExclusive, Wait)
	if err != nil || !ok {
		return acc(id, 0, nil)
	}
	v := values(h, tbl, image)
	return acc(id, int(v[1].(int64))+1, nil)
}
