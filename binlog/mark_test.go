package binlog

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
)

func TestPaddingSize(t *testing.T) {
	m := event.Meta{Timestamp: 1, ServerID: 1}
	for _, size := range []int{MinPadding, MinPadding + 1, 4096, 1 << 20} {
		b := AppendPadding([]byte("before"), m, size)
		require.Len(t, b, len("before")+size)
		ev := b[len("before"):]
		require.NoError(t, event.Finalize(ev, 0))
		require.NoError(t, event.Verify(ev))
		require.True(t, IsPadding(ev))
		require.False(t, IsWriteMark(ev))
		next, rest, err := event.Next(ev)
		require.NoError(t, err)
		require.Len(t, next, size)
		require.Empty(t, rest)
	}
	require.Panics(t, func() { AppendPadding(nil, m, MinPadding-1) })
	require.False(t, IsPadding(appendMark(nil, m, 0, 0)))
}

// TestPaddingBetweenGroups reads and recovers a log with padding records.
func TestPaddingBetweenGroups(t *testing.T) {
	fs := vfs.NewCrashableMem()
	l, _ := mustOpen(t, testOptions(fs))
	m := event.Meta{Timestamp: 1_700_000_000, ServerID: 1}
	groups := AppendPadding(transaction(1, 10), m, 100)
	groups = append(groups, transaction(2, 10)...)
	end := commit(t, l, AppendPadding(groups, m, MinPadding))
	require.Equal(t, gtids(1, 2), contentsOf(t, l))

	l, rec := mustOpen(t, testOptions(fs.CrashClone(vfs.CrashCloneCfg{})))
	require.Zero(t, rec.TornBytes)
	require.Equal(t, end, rec.End)
	require.Equal(t, gtids(1, 2), contentsOf(t, l))
}
