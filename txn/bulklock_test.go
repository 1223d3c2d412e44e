package txn

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
)

// A keyFilter has what was added, and little else.
func TestKeyFilter(t *testing.T) {
	var f keyFilter
	const n = 200_000
	hash := func(i int) uint64 { x := uint64(i) * 0x9e3779b97f4a7c15; return x ^ x>>29 }
	for i := range n {
		f.add(hash(i))
	}
	wrong := 0
	for i := range n {
		require.True(t, f.has(hash(i)))
		if f.has(hash(n + i)) {
			wrong++
		}
	}
	require.Less(t, wrong, n/500)
	bytes := 0
	for _, p := range f.parts {
		bytes += 64 * len(p.lines)
	}
	require.Less(t, bytes, n*6)
	t.Logf("%d hashes in %d bytes, %d of %d others are claimed", f.count, bytes, wrong, n)
}

// A hashSet has exactly what was added.
func TestHashSet(t *testing.T) {
	var s hashSet
	const n = 300_000
	hash := func(i int) uint64 { x := uint64(i) * 0x9e3779b97f4a7c15; return x ^ x>>29 }
	for i := range n {
		s.add(hash(i))
		s.add(hash(i / 2))
	}
	require.Equal(t, n, s.size)
	for i := range n {
		require.True(t, s.has(hash(i)))
		require.False(t, s.has(hash(n+i)))
	}
	for _, r := range s.runs {
		require.LessOrEqual(t, len(r), hashRunMax)
	}
}

// Locks in a set keep others out, show up in deadlocks and time-outs, and are released.
func TestBulkLocks(t *testing.T) {
	h := newHarness(t)
	h.m.locks.bulkMin = 10
	tbl := h.create(accounts())
	big := h.begin(Options{})
	for i := range 1000 {
		h.insert(big, tbl, acc(i, i, nil)...)
	}
	require.Equal(t, 1000, big.LockCount())
	table := 0
	for i := range h.m.locks.shards {
		table += len(h.m.locks.shards[i].locks)
	}
	require.Less(t, table, 20)
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
	waits := h.m.locks.waits.Load()
	go func() { done <- small.Insert(ctx, tbl, image(t, tbl, acc(998, 1, nil)...)) }()
	require.Eventually(t, func() bool { return h.m.locks.waits.Load() > waits }, 10*time.Second, time.Millisecond)
	require.ErrorIs(t, big.Insert(ctx, tbl, image(t, tbl, acc(5000, 1, nil)...)), ErrDeadlock)
	h.commit(big)
	var d *DuplicateKeyError
	require.ErrorAs(t, <-done, &d)
	small.Rollback()
	require.Len(t, h.table(tbl), 1000)
	require.Nil(t, h.m.locks.bulks.Load())
}

// A waiter whose lock goes into a set, between its look and its wait, looks again.
func TestBulkLocksRace(t *testing.T) {
	h := newHarness(t)
	h.m.locks.bulkMin = 1
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
