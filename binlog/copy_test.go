package binlog

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// requireCopied reads a copy into another file system, and opens the log there: it has the transactions from first to last, and ends where it was to.
func requireCopied(t *testing.T, c *Copy, to logpos.Pos, first, last uint64) {
	t.Helper()
	fs := vfs.NewMem()
	require.NoError(t, fs.MkdirAll(testDir, 0o755))
	for _, file := range c.Files {
		var b bytes.Buffer
		require.NoError(t, file.Copy(&b))
		require.Equal(t, file.Bytes, int64(b.Len()), file.Name)
		writeFile(t, fs, file.Name, b.Bytes())
	}
	require.NoError(t, c.Close())
	l, rec := mustOpen(t, testOptions(fs))
	require.Equal(t, to, rec.End)
	require.Zero(t, rec.TornBytes)
	require.Equal(t, gtids(first, last), contentsOf(t, l))
	require.NoError(t, l.Close())
}

// A copy of the log ends at a group, wherever that is, and stays readable when the log goes on, is purged, or is replaced.
func TestCopy(t *testing.T) {
	l, _ := mustOpen(t, testOptions(vfs.NewMem()))
	const count = 20
	type taken struct {
		c     *Copy
		to    logpos.Pos
		first uint64 // GTID
		last  uint64
	}
	var all []taken
	began := map[uint64]uint64{} // segment: its first transaction
	for n := uint64(1); n <= count; n++ {
		end := commit(t, l, transaction(n, 10<<10))
		if _, ok := began[end.Segment]; !ok {
			began[end.Segment] = n
		}
		for _, from := range []uint64{1, max(end.Segment, 2) - 1, end.Segment} {
			c, err := l.OpenCopy(from, end)
			require.NoError(t, err)
			all = append(all, taken{c, end, began[from], n})
		}
	}
	require.Greater(t, len(began), 2, "segments")
	end := l.End()
	require.NoError(t, l.Rotate())
	l.SetVisible(l.End())
	require.NoError(t, l.AwaitClosed())
	c, err := l.OpenCopy(1, end) // in a segment that is closed
	require.NoError(t, err)
	all = append(all, taken{c, end, 1, count})
	c, err = l.OpenCopy(end.Segment, l.End()) // in one without a group
	require.NoError(t, err)
	all = append(all, taken{c, l.End(), began[end.Segment], count})

	l.SetRecoveryStart(l.End())
	gone, err := l.PurgeTo(end.Segment)
	require.NoError(t, err)
	require.NotEmpty(t, gone, "copies hold nothing")
	_, err = l.OpenCopy(1, end)
	require.ErrorIs(t, err, ErrPurged)
	_, err = l.OpenCopy(end.Segment, logpos.At(end.Segment+9, 4))
	require.ErrorIs(t, err, ErrPosition)
	require.NoError(t, l.Reset(1, gtid.NewState(), func(logpos.Pos) error { return nil }))
	commit(t, l, transaction(1, 100))
	for _, x := range all {
		requireCopied(t, x.c, x.to, x.first, x.last)
	}
}
