package cowfs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// blockSize is the unit in which changed contents are kept.
const blockSize = 32 << 10

// file is the contents of a file: blocks that were written, over base.
type file struct {
	mu       sync.RWMutex
	base     vfs.File // nil for a new file
	baseSize int64    // how much of base counts: a file that was cut does not get its old bytes back
	size     int64
	blocks   map[int64][]byte // by number
	modified time.Time
	info     vfs.FileInfo // of base
}

// handle is an open file.
type handle struct {
	*file
	name     string
	writable bool
	pos      int64 // of Read and Write
}

func (f *file) open(name string, writable bool) *handle {
	return &handle{file: f, name: name, writable: writable}
}

func (f *file) readAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, os.ErrInvalid
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	n := 0
	for n < len(p) && off < f.size {
		at := off % blockSize
		part := p[n:min(int64(len(p)), int64(n)+min(blockSize-at, f.size-off))]
		if b := f.blocks[off/blockSize]; b != nil {
			copy(part, b[at:])
		} else if err := f.readBase(part, off); err != nil {
			return n, err
		}
		n += len(part)
		off += int64(len(part))
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// readBase reads what base has, and zeros where it has nothing.
func (f *file) readBase(p []byte, off int64) error {
	have := max(0, min(int64(len(p)), f.baseSize-off))
	clear(p[have:])
	if have == 0 {
		return nil
	}
	n, err := f.base.ReadAt(p[:have], off)
	if int64(n) == have {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func (f *file) writeAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, os.ErrInvalid
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for n := 0; n < len(p); {
		at := off % blockSize
		b := f.blocks[off/blockSize]
		if b == nil {
			b = make([]byte, blockSize)
			if err := f.readBase(b, off-at); err != nil {
				return n, err
			}
			if f.blocks == nil {
				f.blocks = map[int64][]byte{}
			}
			f.blocks[off/blockSize] = b
		}
		c := copy(b[at:], p[n:])
		n += c
		off += int64(c)
	}
	f.size = max(f.size, off)
	f.modified = time.Now()
	return len(p), nil
}

// Truncate cuts the file, or makes it longer with zeros.
func (h *handle) Truncate(size int64) error {
	if !h.writable || size < 0 {
		return &os.PathError{Op: "truncate", Path: h.name, Err: os.ErrInvalid}
	}
	f := h.file
	f.mu.Lock()
	defer f.mu.Unlock()
	for n, b := range f.blocks {
		if at := size - n*blockSize; at < blockSize {
			clear(b[max(at, 0):])
		}
	}
	f.baseSize, f.size, f.modified = min(f.baseSize, size), size, time.Now()
	return nil
}

func (f *file) stat(name string) vfs.FileInfo {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return info{name: filepath.Base(name), size: f.size, modified: f.modified, base: f.info}
}

// ReadAt implements io.ReaderAt.
func (h *handle) ReadAt(p []byte, off int64) (int, error) { return h.readAt(p, off) }

// Read implements io.Reader.
func (h *handle) Read(p []byte) (int, error) {
	n, err := h.readAt(p, h.pos)
	h.pos += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// WriteAt implements io.WriterAt.
func (h *handle) WriteAt(p []byte, off int64) (int, error) {
	if !h.writable {
		return 0, &os.PathError{Op: "write", Path: h.name, Err: os.ErrPermission}
	}
	return h.writeAt(p, off)
}

// Write implements io.Writer.
func (h *handle) Write(p []byte) (int, error) {
	n, err := h.WriteAt(p, h.pos)
	h.pos += int64(n)
	return n, err
}

// Stat implements vfs.File.
func (h *handle) Stat() (vfs.FileInfo, error) { return h.stat(h.name), nil }

// Close implements io.Closer. The file of base stays open: other names and handles may share it.
func (h *handle) Close() error { return nil }

// Preallocate implements vfs.File.
func (h *handle) Preallocate(int64, int64) error { return nil }

// Sync implements vfs.File: nothing here outlives the process.
func (h *handle) Sync() error { return nil }

// SyncTo implements vfs.File.
func (h *handle) SyncTo(int64) (bool, error) { return true, nil }

// SyncData implements vfs.File.
func (h *handle) SyncData() error { return nil }

// Prefetch implements vfs.File.
func (h *handle) Prefetch(int64, int64) error { return nil }

// Fd implements vfs.File: nobody may go round this file.
func (h *handle) Fd() uintptr { return vfs.InvalidFd }

// directory is what OpenDir opens.
type directory struct{ name string }

func (d directory) fail(op string) error {
	return &os.PathError{Op: op, Path: d.name, Err: os.ErrInvalid}
}

func (d directory) Close() error                      { return nil }
func (d directory) Read([]byte) (int, error)          { return 0, d.fail("read") }
func (d directory) ReadAt([]byte, int64) (int, error) { return 0, d.fail("read") }
func (d directory) Write([]byte) (int, error)         { return 0, d.fail("write") }
func (d directory) WriteAt([]byte, int64) (int, error) {
	return 0, d.fail("write")
}
func (d directory) Preallocate(int64, int64) error { return d.fail("preallocate") }
func (d directory) Sync() error                    { return nil }
func (d directory) SyncTo(int64) (bool, error)     { return false, nil }
func (d directory) SyncData() error                { return nil }
func (d directory) Prefetch(int64, int64) error    { return nil }
func (d directory) Fd() uintptr                    { return vfs.InvalidFd }
func (d directory) Stat() (vfs.FileInfo, error) {
	return info{name: filepath.Base(d.name), dir: true, modified: time.Now()}, nil
}

// info implements vfs.FileInfo.
type info struct {
	name     string
	size     int64
	modified time.Time
	dir      bool
	base     vfs.FileInfo // nil for what is new
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return i.modified }
func (i info) IsDir() bool        { return i.dir }
func (i info) Sys() any           { return nil }
func (i info) Mode() os.FileMode {
	if i.dir {
		return os.ModeDir | 0o755
	}
	return 0o644
}
func (i info) DeviceID() vfs.DeviceID {
	if i.base != nil {
		return i.base.DeviceID()
	}
	return vfs.DeviceID{}
}
