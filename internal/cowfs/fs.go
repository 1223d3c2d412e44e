// Package cowfs is a file system over another one, which it never changes: what is written, removed or
// renamed exists in memory only, and is forgotten with the FS.
//
// Whatever opens a directory by recovering it can so be run to look at one (duramen check). Memory is used for
// the blocks that are written, not for the files that they belong to.
package cowfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS is safe for concurrent use. Files that it gave out stay usable after they were removed.
type FS struct {
	base vfs.FS

	mu     sync.Mutex
	nodes  map[string]*node // by clean path: what is, or may be, different from base
	opened []io.Closer      // files of base
}

// node is a name. Exactly one of its fields is set.
type node struct {
	file *file
	dir  bool // made here: nothing that base has shows in it
	gone bool // removed
}

var _ vfs.FS = (*FS)(nil)

// New makes a file system that begins as base is now. Nobody may change base meanwhile.
func New(base vfs.FS) *FS { return &FS{base: base, nodes: map[string]*node{}} }

// Close closes the files of base. Nothing of f may be used afterwards.
func (f *FS) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, c := range f.opened {
		errs = append(errs, c.Close())
	}
	f.opened = nil
	return errors.Join(errs...)
}

func notExist(op, name string) error { return &os.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

// inBase reports whether what base has under a name shows: no directory above it was removed, or made here.
func (f *FS) inBase(name string) bool {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		if f.nodes[dir] != nil {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// find returns the node of a file, making one for a file of base; nil if there is none.
func (f *FS) find(name string) (*node, error) {
	if n := f.nodes[name]; n != nil {
		if n.gone {
			return nil, nil
		}
		return n, nil
	}
	if !f.inBase(name) {
		return nil, nil
	}
	info, err := f.base.Stat(name)
	if oserror.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return &node{dir: true}, nil // not kept: it is base's
	}
	in, err := f.base.Open(name)
	if err != nil {
		return nil, err
	}
	f.opened = append(f.opened, in)
	n := &node{file: &file{base: in, baseSize: info.Size(), size: info.Size(), modified: info.ModTime(), info: info}}
	f.nodes[name] = n
	return n, nil
}

func (f *FS) file(op, name string) (*file, error) {
	n, err := f.find(name)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, notExist(op, name)
	}
	if n.file == nil {
		return nil, &os.PathError{Op: op, Path: name, Err: syscall.EISDIR}
	}
	return n.file, nil
}

// hasDir reports an error unless the directory that name is in exists.
func (f *FS) hasDir(op, name string) error {
	n, err := f.find(filepath.Dir(name))
	if err == nil && (n == nil || !n.dir) {
		err = notExist(op, name)
	}
	return err
}

// Create implements vfs.FS.
func (f *FS) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Clean(name)
	if err := f.hasDir("create", name); err != nil {
		return nil, err
	}
	n := &node{file: &file{modified: time.Now()}}
	f.nodes[name] = n
	return n.file.open(name, true), nil
}

// Link implements vfs.FS.
func (f *FS) Link(oldname, newname string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	oldname, newname = filepath.Clean(oldname), filepath.Clean(newname)
	file, err := f.file("link", oldname)
	if err != nil {
		return err
	}
	if n, err := f.find(newname); err != nil || n != nil {
		return errors.Join(err, &os.PathError{Op: "link", Path: newname, Err: fs.ErrExist})
	}
	if err := f.hasDir("link", newname); err != nil {
		return err
	}
	f.nodes[newname] = &node{file: file}
	return nil
}

// Open implements vfs.FS.
func (f *FS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Clean(name)
	file, err := f.file("open", name)
	if err != nil {
		return nil, err
	}
	h := file.open(name, false)
	for _, o := range opts {
		o.Apply(h)
	}
	return h, nil
}

// OpenReadWrite implements vfs.FS.
func (f *FS) OpenReadWrite(name string, category vfs.DiskWriteCategory, _ ...vfs.OpenOption) (vfs.File, error) {
	f.mu.Lock()
	n, err := f.find(filepath.Clean(name))
	f.mu.Unlock()
	switch {
	case err != nil:
		return nil, err
	case n == nil:
		return f.Create(name, category)
	case n.file == nil:
		return nil, &os.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	}
	return n.file.open(name, true), nil
}

// OpenDir implements vfs.FS.
func (f *FS) OpenDir(name string) (vfs.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Clean(name)
	n, err := f.find(name)
	if err != nil {
		return nil, err
	}
	if n == nil || !n.dir {
		return nil, notExist("open", name)
	}
	return directory{name: name}, nil
}

// Remove implements vfs.FS.
func (f *FS) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Clean(name)
	n, err := f.find(name)
	if err != nil {
		return err
	}
	if n == nil {
		return notExist("remove", name)
	}
	if n.dir {
		names, err := f.list(name)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			return &os.PathError{Op: "remove", Path: name, Err: syscall.ENOTEMPTY}
		}
	}
	f.nodes[name] = &node{gone: true}
	return nil
}

// RemoveAll implements vfs.FS.
func (f *FS) RemoveAll(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Clean(name)
	n, err := f.find(name)
	if err != nil || n == nil {
		return err
	}
	for path := range f.nodes {
		if strings.HasPrefix(path, name+string(filepath.Separator)) {
			delete(f.nodes, path)
		}
	}
	f.nodes[name] = &node{gone: true}
	return nil
}

// Rename implements vfs.FS, for files.
func (f *FS) Rename(oldname, newname string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	oldname, newname = filepath.Clean(oldname), filepath.Clean(newname)
	file, err := f.file("rename", oldname)
	if err != nil {
		return err
	}
	if err := f.hasDir("rename", newname); err != nil {
		return err
	}
	if n, err := f.find(newname); err != nil {
		return err
	} else if n != nil && n.dir {
		return &os.PathError{Op: "rename", Path: newname, Err: syscall.EISDIR}
	}
	f.nodes[newname] = &node{file: file}
	if oldname != newname {
		f.nodes[oldname] = &node{gone: true}
	}
	return nil
}

// ReuseForWrite implements vfs.FS.
func (f *FS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.Rename(oldname, newname); err != nil {
		return nil, err
	}
	return f.OpenReadWrite(newname, category)
}

// MkdirAll implements vfs.FS.
func (f *FS) MkdirAll(dir string, _ os.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		n, err := f.find(dir)
		switch {
		case err != nil:
			return err
		case n != nil && !n.dir:
			return &os.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		case n != nil:
			return nil
		}
		f.nodes[dir] = &node{dir: true}
	}
}

// Lock locks the file of base, so that nobody who respects its lock changes base meanwhile. Of a file
// system that is mounted read-only no lock is needed.
func (f *FS) Lock(name string) (io.Closer, error) {
	lock, err := f.base.Lock(name)
	if errors.Is(err, syscall.EROFS) {
		return io.NopCloser(nil), nil
	}
	return lock, err
}

// List implements vfs.FS.
func (f *FS) List(dir string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir = filepath.Clean(dir)
	n, err := f.find(dir)
	if err != nil {
		return nil, err
	}
	if n == nil || !n.dir {
		return nil, notExist("open", dir)
	}
	return f.list(dir)
}

func (f *FS) list(dir string) ([]string, error) {
	var names []string
	if f.inBase(filepath.Join(dir, "x")) {
		all, err := f.base.List(dir)
		if err != nil && !oserror.IsNotExist(err) {
			return nil, err
		}
		for _, name := range all {
			if f.nodes[filepath.Join(dir, name)] == nil {
				names = append(names, name)
			}
		}
	}
	for path, n := range f.nodes {
		if !n.gone && filepath.Dir(path) == dir && path != dir {
			names = append(names, filepath.Base(path))
		}
	}
	slices.Sort(names)
	return names, nil
}

// Stat implements vfs.FS.
func (f *FS) Stat(name string) (vfs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Clean(name)
	n, err := f.find(name)
	switch {
	case err != nil:
		return nil, err
	case n == nil:
		return nil, notExist("stat", name)
	case n.dir:
		return directory{name: name}.Stat()
	}
	return n.file.stat(name), nil
}

// PathBase implements vfs.FS.
func (f *FS) PathBase(path string) string { return f.base.PathBase(path) }

// PathJoin implements vfs.FS.
func (f *FS) PathJoin(elem ...string) string { return f.base.PathJoin(elem...) }

// PathDir implements vfs.FS.
func (f *FS) PathDir(path string) string { return f.base.PathDir(path) }

// GetDiskUsage says that there is room: nothing is written to base's disk.
func (f *FS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: 1 << 50, TotalBytes: 1 << 51, UsedBytes: 1 << 50}, nil
}

// Unwrap returns nil: whoever writes to what it would return would write to base.
func (f *FS) Unwrap() vfs.FS { return nil }
