package binlog

import (
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// failingFS fails syncs, or everything that needs room, on demand.
type failingFS struct {
	vfs.FS
	mu      sync.Mutex
	syncErr error
	full    bool
	during  func() // called by every sync
}

func (f *failingFS) duringSync(fn func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.during = fn
}

func (f *failingFS) setSyncError(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.syncErr = err
}

func (f *failingFS) setFull(full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = full
}

func (f *failingFS) wrap(file vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &failingFile{File: file, fs: f}, nil
}

func (f *failingFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.wrap(f.FS.Create(name, c))
}

func (f *failingFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.wrap(f.FS.OpenReadWrite(name, c, opts...))
}

type failingFile struct {
	vfs.File
	fs *failingFS
}

func (f *failingFile) growable(end int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if !f.fs.full {
		return nil
	}
	if fi, err := f.Stat(); err != nil || end > fi.Size() {
		return syscall.ENOSPC
	}
	return nil
}

func (f *failingFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.growable(off + int64(len(p))); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

func (f *failingFile) Write(p []byte) (int, error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if err := f.growable(fi.Size() + int64(len(p))); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

func (f *failingFile) Sync() error {
	f.fs.mu.Lock()
	err, during := f.fs.syncErr, f.fs.during
	f.fs.mu.Unlock()
	if err != nil {
		return err
	}
	if during != nil {
		during()
	}
	return f.File.Sync()
}

func (f *failingFile) SyncData() error { return f.Sync() }
