package lsm

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// TestCompactionsRun: small files are merged, while the engine works and after it was opened again.
func TestCompactionsRun(t *testing.T) {
	fs := vfs.NewMem()
	merged := func(e *Engine) func() bool {
		return func() bool { return e.db.Metrics().Levels[0].TablesCount < 5 }
	}
	e, err := Open(Options{FS: fs, Dir: "data"})
	require.NoError(t, err)
	for n := 1; n <= 40; n++ {
		set(t, e, n, 100)
		_, err := e.Checkpoint()
		require.NoError(t, err)
	}
	require.Eventually(t, merged(e), 30*time.Second, time.Millisecond)
	require.NoError(t, e.Close())

	e, err = Open(Options{FS: fs, Dir: "data", NoCompactions: true})
	require.NoError(t, err)
	for n := 41; n <= 60; n++ {
		set(t, e, n, 100)
		_, err := e.Checkpoint()
		require.NoError(t, err)
	}
	require.False(t, merged(e)())
	require.NoError(t, e.Close())

	e, err = Open(Options{FS: fs, Dir: "data"})
	require.NoError(t, err)
	require.Eventually(t, merged(e), 30*time.Second, time.Millisecond)
	require.NoError(t, e.Close())
}
