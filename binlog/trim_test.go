package binlog

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// A segment that was cut in use goes on, and is recovered as it is.
func TestTrim(t *testing.T) {
	o := testOptions(vfs.Default)
	o.Dir, o.MaxSize = t.TempDir(), 24<<20
	l, _ := mustOpen(t, o)
	commit(t, l, transaction(1, 100))
	steps := 0
	for more := true; more; steps++ {
		var err error
		more, err = l.Trim(100_000)
		require.NoError(t, err)
		require.GreaterOrEqual(t, l.Room(), int64(100_000))
		commit(t, l, transaction(uint64(steps+2), 100))
	}
	require.Equal(t, 6, steps)
	fi, err := os.Stat(filepath.Join(o.Dir, l.SegmentName(l.End().Segment)))
	require.NoError(t, err)
	require.Less(t, fi.Size(), int64(5<<20))
	next := uint64(steps + 2)
	for n := range uint64(80) {
		commit(t, l, transaction(next+n, 100_000)) // it grows again
	}
	require.EqualValues(t, 1, l.End().Segment)
	_, _, err = appendLarge(l, next+80, 3, 1000)
	require.NoError(t, err)
	more, err := l.Trim(0)
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, gtids(1, next+80), contentsOf(t, l))
	require.NoError(t, l.Close())
	l, _ = mustOpen(t, o)
	require.Equal(t, gtids(1, next+80), contentsOf(t, l))
}
