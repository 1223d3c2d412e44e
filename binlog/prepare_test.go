package binlog

import (
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// smallFS has as much room as it is told, and counts the bytes written to new files.
type smallFS struct {
	vfs.FS
	left    atomic.Uint64
	written atomic.Int64
}

func (fs *smallFS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: fs.left.Load()}, nil
}

func (fs *smallFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.FS.OpenReadWrite(name, c, opts...)
	return &countedFile{f, &fs.written}, err
}

type countedFile struct {
	vfs.File
	written *atomic.Int64
}

func (f *countedFile) WriteAt(p []byte, off int64) (int, error) {
	f.written.Add(int64(len(p)))
	return f.File.WriteAt(p, off)
}

// TestNoRoomForTheNextSegment: a writer that needs the next segment on a disk without room for it is refused at
// once, without filling the disk, and goes on when there is room.
func TestNoRoomForTheNextSegment(t *testing.T) {
	fs := &smallFS{FS: vfs.NewCrashableMem()}
	fs.left.Store(1 << 40)
	o := testOptions(fs)
	l, _ := mustOpen(t, o)
	fs.left.Store(uint64(o.MaxSize) / 2)
	n := uint64(0)
	var err error
	for err == nil {
		g := transaction(n+1, 3000)
		if err = l.Reserve(int64(len(g))); err == nil {
			_, _, err = l.Append(g)
			require.NoError(t, err)
			n++
		}
	}
	require.ErrorIs(t, err, ErrNoSpace)
	require.NoError(t, l.Failed())
	before := fs.written.Load()
	for range 10 {
		require.ErrorIs(t, l.Reserve(3000), ErrNoSpace)
	}
	require.Less(t, fs.written.Load()-before, o.MaxSize/2, "refusals do not fill the disk")
	fs.left.Store(1 << 40)
	commit(t, l, transaction(n+1, 3000))
	require.Equal(t, gtids(1, n+1), contentsOf(t, l))
	require.Len(t, l.Segments(), 2)
}
