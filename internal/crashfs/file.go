package crashfs

import (
	"errors"
	"io"
	"os"
	"path"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var errReadOnly = errors.New("crashfs: file was opened for reading")

// file is an open file or directory. Writing to it and syncing it are for one goroutine at a time.
type file struct {
	fs       *FS
	n        *node
	name     string
	pos      int
	writable bool
	closed   atomic.Bool
}

// cuttable is a file with the method Truncate.
type cuttable struct{ *file }

func (f *file) Close() error {
	if f.closed.Swap(true) {
		return os.ErrClosed
	}
	return nil
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, int64(f.pos))
	f.pos += n
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if f.closed.Load() {
		return 0, os.ErrClosed
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.n.isDir() {
		return 0, syscall.EISDIR
	}
	if off >= int64(len(f.n.data)) {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	n := copy(p, f.n.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Write writes where the last Write ended.
func (f *file) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, int64(f.pos))
	f.pos += n
	return n, err
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	switch {
	case f.closed.Load():
		return 0, os.ErrClosed
	case !f.writable || f.n.isDir():
		return 0, errReadOnly
	}
	if err := f.fs.before(Op{Kind: Write, Name: f.name, Offset: off, Len: int64(len(p)), Data: p}); err != nil {
		var short *ShortWrite
		if errors.As(err, &short) {
			f.write(p[:short.N], off)
			return short.N, err
		}
		return 0, err
	}
	f.write(p, off)
	return len(p), nil
}

func (f *file) write(p []byte, off int64) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.n.write(p, int(off))
}

// Truncate cuts the file, or makes it longer by zeros.
func (f *cuttable) Truncate(size int64) error {
	if f.closed.Load() {
		return os.ErrClosed
	}
	if err := f.fs.before(Op{Kind: Truncate, Name: f.name, Len: size}); err != nil {
		return err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.n.truncate(int(size))
	return nil
}

func (f *file) Sync() error {
	if f.closed.Load() {
		return os.ErrClosed
	}
	kind := Sync
	if f.n.isDir() {
		kind = SyncDir
	}
	if err := f.fs.before(Op{Kind: kind, Name: f.name}); err != nil {
		return err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.n.sync()
	return nil
}

func (f *file) SyncData() error { return f.Sync() }

// SyncTo promises nothing, and does nothing.
func (f *file) SyncTo(int64) (bool, error) { return false, nil }

func (f *file) Stat() (vfs.FileInfo, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.n.info(path.Base(f.name)), nil
}

func (f *file) Preallocate(int64, int64) error { return nil }
func (f *file) Prefetch(int64, int64) error    { return nil }
func (f *file) Fd() uintptr                    { return vfs.InvalidFd }
