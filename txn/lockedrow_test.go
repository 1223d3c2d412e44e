package txn

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/set"
)

// counting counts the reads of an engine.
type counting struct {
	engine.Engine
	gets atomic.Int64
}

func (c *counting) Get(key []byte) ([]byte, bool, func(), error) {
	c.gets.Add(1)
	return c.Engine.Get(key)
}

// A row that was locked and read is not read again when it is changed; what the transaction itself has changed since is noticed.
func TestLockedRowIsReadOnce(t *testing.T) {
	h := &harness{TB: t, fs: vfs.NewMem()}
	var counted *counting
	h.config = func(c *Config) {
		counted = &counting{Engine: h.eng}
		var err error
		c.Engine, err = set.New(counted)
		require.NoError(t, err)
	}
	h.open()
	t.Cleanup(h.close)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, nil), acc(2, 20, nil), acc(3, 30, nil))
	counted.gets.Store(0)
	a := h.begin(Options{})
	key := rowKey(t, tbl, 1)
	read := func() []byte {
		image, ok, err := a.Get(ctx, tbl, key, LockExclusive, Wait)
		require.NoError(t, err)
		require.True(t, ok)
		return image
	}
	before := read()
	was := counted.gets.Load()
	require.EqualValues(t, 1, was)
	require.NoError(t, a.Update(ctx, tbl, key, before, image(t, tbl, acc(1, 11, nil)...)))
	require.Equal(t, was, counted.gets.Load(), "it was read again")

	require.ErrorIs(t, a.Update(ctx, tbl, key, before, image(t, tbl, acc(1, 12, nil)...)), ErrRowChanged, "it is another one since")
	changed := read()
	a.RollbackStatement()
	a.BeginStatement("", false)
	require.ErrorIs(t, a.Delete(ctx, tbl, key, changed), ErrRowChanged, "it was taken back")
	a.Savepoint("s")
	require.NoError(t, a.Update(ctx, tbl, key, read(), image(t, tbl, acc(1, 13, nil)...)))
	changed = read()
	require.NoError(t, a.RollbackTo("s"))
	require.ErrorIs(t, a.Update(ctx, tbl, key, changed, before), ErrRowChanged, "it was taken back")
	require.NoError(t, a.Delete(ctx, tbl, key, read()))
	h.commit(a)
	require.Equal(t, rows(acc(2, 20, nil), acc(3, 30, nil)), h.table(tbl))

	// A row that was only read, or locked by others too, may be changed by them.
	b := h.begin(Options{})
	shared, _, err := b.Get(ctx, tbl, rowKey(t, tbl, 2), LockShared, Wait)
	require.NoError(t, err)
	was = counted.gets.Load()
	require.NoError(t, b.Update(ctx, tbl, rowKey(t, tbl, 2), shared, image(t, tbl, acc(2, 21, nil)...)))
	require.Greater(t, counted.gets.Load(), was)
	b.Rollback()
}

// A lock that was given back is taken again, and the row read again.
func TestLockedRowGivenBack(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, nil))
	a := h.begin(Options{Isolation: ReadCommitted})
	key := rowKey(t, tbl, 1)
	before, _, err := a.Get(ctx, tbl, key, LockExclusive, Wait)
	require.NoError(t, err)
	a.Disregard(key)
	b := h.begin(Options{})
	h.update(b, tbl, 1, acc(1, 11, nil)...)
	h.commit(b)
	require.ErrorIs(t, a.Update(ctx, tbl, key, before, image(t, tbl, acc(1, 12, nil)...)), ErrRowChanged)
	a.Rollback()
}

// GetPresent locks rows that are there, and gives what they are when it has locked them.
func TestGetPresent(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, nil), acc(3, 30, nil))
	a, b := h.begin(Options{}), h.begin(Options{LockWaitTimeout: time.Millisecond})
	get := func(tx *Txn, id int, wait WaitPolicy) ([]byte, bool) {
		image, ok, err := tx.GetPresent(ctx, tbl, rowKey(t, tbl, id), LockExclusive, wait)
		require.NoError(t, err)
		return image, ok
	}
	_, ok := get(a, 2, Wait)
	require.False(t, ok)
	h.insert(b, tbl, acc(2, 20, nil)...)
	image1, ok := get(a, 1, Wait)
	require.True(t, ok)
	require.ErrorIs(t, h.tryUpdate(b, tbl, 1, acc(1, 11, nil)...), ErrLockWaitTimeout)
	_, ok = get(a, 2, Wait)
	require.False(t, ok, "it is not committed")
	h.commit(b)
	_, ok = get(a, 2, Wait)
	require.True(t, ok)
	require.NoError(t, a.Update(ctx, tbl, rowKey(t, tbl, 1), image1, image(t, tbl, acc(1, 12, nil)...)))

	c := h.begin(Options{})
	_, ok = get(c, 1, SkipLocked)
	require.False(t, ok)
	waits := h.m.Stats().LockWaits
	got := make(chan []byte)
	go func() {
		image, _, err := c.GetPresent(ctx, tbl, rowKey(t, tbl, 1), LockExclusive, Wait)
		if err != nil {
			t.Error(err)
		}
		got <- image
	}()
	require.Eventually(t, func() bool { return h.m.Stats().LockWaits > waits }, waitMax, waitTick)
	h.commit(a)
	require.Equal(t, image(t, tbl, acc(1, 12, nil)...), <-got, "what it was before the lock")
	h.commit(c)
}
