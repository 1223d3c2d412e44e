package txn

import (
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// fullFS has no room for new files of large transactions while full is set.
type fullFS struct {
	vfs.FS
	full atomic.Bool
}

func (f *fullFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if f.full.Load() && strings.Contains(name, "tmp/") {
		return nil, syscall.ENOSPC
	}
	return f.FS.OpenReadWrite(name, c, opts...)
}

// A statement for which there is no room on the disk fails, leaves nothing, and the transaction
// goes on when there is room.
func TestSpillNoSpace(t *testing.T) {
	full := &fullFS{FS: vfs.NewMem()}
	var failing atomic.Bool // of the event file
	h := &harness{TB: t, fs: full}
	h.config = func(c *Config) {
		h.spilling(c)
		newFile := c.NewEventFile
		c.NewEventFile = func() (EventFile, error) {
			if failing.Load() {
				return nil, syscall.ENOSPC
			}
			return newFile()
		}
	}
	h.open()
	t.Cleanup(h.close)
	tbl := h.create(accounts())
	for _, what := range []*atomic.Bool{&full.full, &failing} {
		x := h.begin(Options{})
		h.insert(x, tbl, acc(1, 1, "first")...)
		x.EndStatement()
		x.BeginStatement("", false)
		what.Store(true)
		var err error
		n := 100
		for ; err == nil; n++ {
			require.Less(t, n, 10_000)
			err = x.Insert(ctx, tbl, image(t, tbl, acc(n, n, nil)...))
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		x.RollbackStatement()
		require.Equal(t, rows(acc(1, 1, "first")), h.scan(x, tbl, -1, Snapshot))
		what.Store(false)
		x.BeginStatement("", false)
		for i := 200; i < 300; i++ {
			h.insert(x, tbl, acc(i, i, nil)...)
		}
		h.commit(x)
		require.Len(t, h.table(tbl), 101)
		x = h.begin(Options{})
		for _, r := range h.scan(x, tbl, -1, Snapshot) {
			h.delete(x, tbl, int(r[0].(int64)))
		}
		h.commit(x)
		require.Empty(t, h.table(tbl))
	}
	require.EqualValues(t, 4, h.m.Stats().LargeCommits)
}

// Without room at the commit the transaction is rolled back.
func TestLargeCommitNoSpace(t *testing.T) {
	h := newSpillingHarness(t)
	tbl := h.create(accounts())
	x := h.begin(Options{})
	for i := range 100 {
		h.insert(x, tbl, acc(i, i, nil)...)
	}
	h.files.last.Load().fail = syscall.ENOSPC
	_, err := x.Commit(ctx)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Zero(t, h.m.Stats().LargeCommits)
	require.Empty(t, h.table(tbl))
	h.load(tbl, acc(1, 1, nil)) // its locks are free
}

// A cursor outlives the transaction whose spilled writes it walks.
func TestCursorOutlivesLargeTransaction(t *testing.T) {
	h := newSpillingHarness(t)
	tbl := h.create(accounts())
	x := h.begin(Options{})
	for i := range 200 {
		h.insert(x, tbl, acc(i, i, nil)...)
	}
	c, err := x.Scan(ctx, ScanSpec{Table: tbl, Index: -1})
	require.NoError(t, err)
	require.True(t, c.Next())
	h.commit(x)
	n := 1
	for c.Next() {
		n++
	}
	require.NoError(t, c.Err())
	require.NoError(t, c.Close())
	require.Equal(t, 200, n)
}
