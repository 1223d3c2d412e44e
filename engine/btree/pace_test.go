package btree

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

// TestPacer: what it writes is there, it is written out in pieces, and at once when somebody waits.
func TestPacer(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	require.NoError(t, err)
	var hurry atomic.Int32
	written := int64(0)
	p := &pacer{file: f, hurry: &hurry, writeOut: func(f *os.File, from, size int64) error {
		require.Equal(t, written, from)
		written += size
		return writeOut(f, from, size)
	}}
	page := make([]byte, pageSize)
	for i := range int64(3 * paceBytes / pageSize) {
		page[0] = byte(i)
		_, err := p.writeAt(page, i*pageSize)
		require.NoError(t, err)
	}
	require.EqualValues(t, 3*paceBytes, written)
	hurry.Store(1)
	for i := range int64(3 * paceBytes / pageSize) {
		_, err := p.writeAt(page, i*pageSize)
		require.NoError(t, err)
	}
	require.EqualValues(t, 3*paceBytes, written)
	_, err = f.ReadAt(page, 2*pageSize)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// TestFailedWriteOutIsFatal: a sync would not tell such an error once more.
func TestFailedWriteOutIsFatal(t *testing.T) {
	var fatal error
	e, err := Open(Options{FS: vfs.Default, Dir: t.TempDir(), MapBytes: smallMap, Fatal: func(err error) { fatal = err }})
	require.NoError(t, err)
	require.NotNil(t, e.file.pacer)
	e.file.pacer.writeOut = func(*os.File, int64, int64) error { return syscall.EIO }
	for n := range uint64(2 * paceBytes / 1000) {
		set(t, e, n+1, 1000)
	}
	_, err = e.Checkpoint()
	require.ErrorIs(t, err, syscall.EIO)
	require.ErrorIs(t, fatal, syscall.EIO)
	require.Equal(t, engine.Mark{}, e.Durable())
	require.Error(t, e.Apply(e.NewBatch(), markAt(1000)))
	require.NoError(t, e.Close())
}
