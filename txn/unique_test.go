package txn

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A key of a unique index is found with its row, which is locked; who has taken a key and not yet committed is waited for.
func TestGetUnique(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, "a"), acc(2, 20, "b"))
	index := tbl.IndexByName("u")
	require.True(t, tbl.Indexes[index].Unique)
	keyOf := func(name string) []byte {
		e, err := tbl.Entry(index, image(t, tbl, acc(9, 9, name)...), rowKey(t, tbl, 9))
		require.NoError(t, err)
		return e.Key
	}
	a, b := h.begin(Options{}), h.begin(Options{LockWaitTimeout: time.Minute})
	key, got, ok, err := a.GetUnique(ctx, tbl, index, keyOf("b"), LockShared)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, rowKey(t, tbl, 2), key)
	require.Equal(t, acc(2, 20, "b"), values(t, tbl, got))
	_, _, err = b.Get(ctx, tbl, key, LockExclusive, NoWait)
	require.ErrorIs(t, err, ErrNoWait, "the row is locked")

	_, _, ok, err = b.GetUnique(ctx, tbl, index, keyOf("nobody"), Latest)
	require.NoError(t, err)
	require.False(t, ok)

	a.Rollback()
	b.Rollback()
	_, _, _, err = b.GetUnique(ctx, tbl, index, keyOf("a"), LockShared)
	require.ErrorIs(t, err, ErrFinished)

	for _, commits := range []bool{false, true} {
		a, b := h.begin(Options{}), h.begin(Options{LockWaitTimeout: time.Minute})
		h.insert(a, tbl, acc(3, 30, "c")...)
		type answer struct {
			ok  bool
			err error
		}
		done := make(chan answer, 1)
		waits := h.m.Stats().LockWaits
		go func() {
			_, _, ok, err := b.GetUnique(ctx, tbl, index, keyOf("c"), LockShared)
			done <- answer{ok, err}
		}()
		require.Eventually(t, func() bool { return h.m.Stats().LockWaits > waits }, 30*time.Second, time.Millisecond)
		if commits {
			h.commit(a)
		} else {
			a.Rollback()
		}
		r := <-done
		require.NoError(t, r.err)
		require.Equal(t, commits, r.ok)
		b.Rollback()
	}
}
