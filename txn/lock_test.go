package txn

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/txn/lock"
)

func TestMetadataLocks(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 1, nil))
	a := h.begin(Options{})
	b := h.begin(Options{MetadataTimeout: time.Millisecond})
	require.NoError(t, a.LockTable(ctx, "test", "Accounts", IntentShared))
	require.NoError(t, b.LockTable(ctx, "TEST", "accounts", IntentShared))
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
	require.NoError(t, a.LockTable(ctx, "test", "accounts", IntentShared))
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

// TestDisregard: a row that is not asked for stays locked where reads repeat, if the transaction had it locked before, or if another has been locked since.
func TestDisregard(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 1, nil), acc(2, 2, nil), acc(3, 3, nil))
	for level, locked := range map[Isolation][]int{ReadUncommitted: {1, 3}, ReadCommitted: {1, 3}, RepeatableRead: {1, 2, 3}, Serializable: {1, 2, 3}} {
		a, b := h.begin(Options{Isolation: level}), h.begin(Options{})
		h.get(a, tbl, 1, LockShared)
		h.get(a, tbl, 1, LockExclusive)
		a.Disregard(rowKey(t, tbl, 1)) // it was locked before, though not exclusively
		h.get(a, tbl, 2, LockExclusive)
		h.get(a, tbl, 3, LockExclusive)
		a.Disregard(rowKey(t, tbl, 2)) // too late
		require.Equal(t, 3, a.LockCount())
		a.Rollback()

		a = h.begin(Options{Isolation: level})
		h.get(a, tbl, 1, LockExclusive)
		h.get(a, tbl, 2, LockExclusive)
		a.Disregard(rowKey(t, tbl, 2))
		a.Disregard(rowKey(t, tbl, 2)) // nor twice
		h.get(a, tbl, 3, LockExclusive)
		require.Equal(t, len(locked), a.LockCount())
		for _, id := range locked {
			_, _, err := b.Get(ctx, tbl, rowKey(t, tbl, id), LockShared, NoWait)
			require.ErrorIs(t, err, ErrNoWait, fmt.Sprint(level, id))
		}
		a.Rollback()
		b.Rollback()
	}
}

// While somebody has the global lock as Shared nothing is committed: a commit waits, no longer than its transaction waits for
// metadata locks. It does not wait for who only asks for the lock, perhaps because of this transaction's rows.
func TestCommitTakesGlobalLock(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 1, nil))
	var reader lock.Owner
	shared := lock.Request{Class: lock.Global, Key: GlobalLockKey(), Mode: lock.Shared, Timeout: time.Hour}
	_, err := h.m.Locks().Lock(ctx, &reader, shared)
	require.NoError(t, err)
	a := h.begin(Options{MetadataTimeout: time.Millisecond})
	h.update(a, tbl, 1, acc(1, 2, nil)...)
	_, err = a.Commit(ctx)
	require.ErrorIs(t, err, ErrLockWaitTimeout)
	require.Zero(t, h.m.Stats().Active)
	b := h.begin(Options{})
	require.Equal(t, rows(acc(1, 1, nil)), h.scan(b, tbl, -1, Snapshot))
	h.update(b, tbl, 1, acc(1, 3, nil)...)
	waits := h.m.Stats().LockWaits
	done := make(chan error, 1)
	go func() { _, err := b.Commit(ctx); done <- err }()
	require.Eventually(t, func() bool { return h.m.Stats().LockWaits > waits }, 30*time.Second, time.Millisecond)
	require.Equal(t, Locked{Global: true}, h.m.DescribeLock(h.m.Waits()[0].Key))
	h.m.Locks().Release(&reader, lock.Global)
	require.NoError(t, <-done)

	a, b = h.begin(Options{}), h.begin(Options{})
	taken, err := a.Global.Lock(ctx, "a statement")
	require.True(t, taken)
	require.NoError(t, err)
	taken, err = a.Global.Lock(ctx, "a statement")
	require.False(t, taken)
	require.NoError(t, err)
	go func() { _, err := h.m.Locks().Lock(ctx, &reader, shared); done <- err }()
	require.Eventually(t, func() bool { return len(h.m.Waits()) == 1 }, 30*time.Second, time.Millisecond)
	h.update(b, tbl, 1, acc(1, 4, nil)...)
	h.commit(b)
	require.Len(t, h.m.Waits(), 1)
	a.Global.Unlock()
	require.NoError(t, <-done)
	h.m.Locks().Release(&reader, lock.Global)
	require.NoError(t, a.LockTable(ctx, "test", "accounts", IntentShared))
	a.Rollback()
}
