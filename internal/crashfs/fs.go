package crashfs

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Kind is what an operation does.
type Kind uint8

// Kinds of operations that change the file system.
const (
	Create Kind = iota + 1
	Write
	Sync
	SyncDir
	Truncate
	Link
	Rename
	Remove
	Mkdir
)

var kindNames = [...]string{Create: "create", Write: "write", Sync: "sync", SyncDir: "syncdir", Truncate: "truncate", Link: "link", Rename: "rename", Remove: "remove", Mkdir: "mkdir"}

// String is the kind's name.
func (k Kind) String() string { return kindNames[k] }

// Op is one operation that changes the file system, about to be done.
type Op struct {
	Kind Kind
	Name string
	// To is the new name of a link or rename.
	To string
	// Offset and Len, in bytes, are where a write goes, or how long a truncated file will be. Sum is a checksum of
	// what is written.
	Offset, Len int64
	Sum         uint32
	// Data is what is written. It must not be kept or changed.
	Data []byte
}

// String formats the operation for traces.
func (o Op) String() string {
	switch o.Kind {
	case Write:
		return fmt.Sprintf("%s %s at %d len %d sum %08x", o.Kind, o.Name, o.Offset, o.Len, o.Sum)
	case Truncate:
		return fmt.Sprintf("%s %s to %d", o.Kind, o.Name, o.Len)
	case Link, Rename:
		return fmt.Sprintf("%s %s to %s", o.Kind, o.Name, o.To)
	}
	return fmt.Sprintf("%s %s", o.Kind, o.Name)
}

// FS is a vfs.FS that can lose power. It is safe for concurrent use.
type FS struct {
	mu    sync.Mutex
	root  *node
	locks map[string]bool
	hook  atomic.Pointer[func(Op) error] // set while an engine works in the background
	cut   bool                           // files can be truncated
}

var _ vfs.FS = (*FS)(nil)

// New makes an empty file system.
func New() *FS {
	return &FS{root: newDir(), locks: map[string]bool{}, cut: true}
}

// ShortWrite is the error of a hook that lets the first N bytes of a write arrive.
type ShortWrite struct {
	N   int
	Err error
}

// Error tells both.
func (e *ShortWrite) Error() string { return fmt.Sprintf("only %d bytes were written: %v", e.N, e.Err) }

// Unwrap is Err.
func (e *ShortWrite) Unwrap() error { return e.Err }

// SetHook makes every operation that changes something call hook first. If it returns an error the
// operation fails with it, and is not done. nil removes the hook. An operation under way may still call the
// hook there was.
func (fs *FS) SetHook(hook func(Op) error) {
	if hook == nil {
		fs.hook.Store(nil)
		return
	}
	fs.hook.Store(&hook)
}

// SetTruncate says whether files have the method Truncate (they do, at first). Without it a user has to copy.
func (fs *FS) SetTruncate(can bool) { fs.cut = can }

// castagnoli, and not the polynomial of the log's events: the checksum of an event that ends with its own
// checksum is the same for all events.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (fs *FS) before(op Op) error {
	hook := fs.hook.Load()
	if hook == nil {
		return nil
	}
	if op.Kind == Write {
		op.Sum = crc32.Checksum(op.Data, castagnoli)
	}
	if err := (*hook)(op); err != nil {
		return &os.PathError{Op: op.Kind.String(), Path: op.Name, Err: err}
	}
	return nil
}

func notExist(op, name string) error {
	return &os.PathError{Op: op, Path: name, Err: syscall.ENOENT}
}

func split(name string) (dir, base string) {
	name = path.Clean("/" + name)
	return path.Dir(name), path.Base(name)
}

// find walks to a node. mu is held.
func (fs *FS) find(name string) *node {
	n := fs.root
	for part := range strings.SplitSeq(path.Clean("/"+name), "/") {
		if part == "" {
			continue
		}
		if n == nil || n.entries == nil {
			return nil
		}
		n = n.entries[part]
	}
	return n
}

// parent finds the directory of name. mu is held.
func (fs *FS) parent(op, name string) (dir *node, base string, err error) {
	d, base := split(name)
	dir = fs.find(d)
	if dir == nil || !dir.isDir() {
		return nil, "", notExist(op, name)
	}
	return dir, base, nil
}

func (fs *FS) handle(name string, n *node, writable bool) vfs.File {
	f := &file{fs: fs, n: n, name: path.Clean("/" + name), writable: writable}
	if fs.cut && writable {
		return &cuttable{f}
	}
	return f
}

// Create makes a new file; one of the same name is removed first.
func (fs *FS) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	if err := fs.before(Op{Kind: Create, Name: name}); err != nil {
		return nil, err
	}
	return fs.create(name)
}

func (fs *FS) create(name string) (vfs.File, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	dir, base, err := fs.parent("create", name)
	if err != nil {
		return nil, err
	}
	if old := dir.entries[base]; old != nil {
		if old.isDir() {
			return nil, &os.PathError{Op: "create", Path: name, Err: syscall.EISDIR}
		}
		dir.remove(base)
	}
	n := &node{}
	dir.add(base, n)
	return fs.handle(name, n, true), nil
}

// Open opens a file or directory for reading.
func (fs *FS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n := fs.find(name)
	if n == nil {
		return nil, notExist("open", name)
	}
	f := fs.handle(name, n, false)
	for _, o := range opts {
		o.Apply(f)
	}
	return f, nil
}

// OpenReadWrite opens a file, and makes it if there is none.
func (fs *FS) OpenReadWrite(name string, _ vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	fs.mu.Lock()
	n := fs.find(name)
	fs.mu.Unlock()
	var f vfs.File
	if n != nil {
		f = fs.handle(name, n, true)
	} else {
		if err := fs.before(Op{Kind: Create, Name: name}); err != nil {
			return nil, err
		}
		var err error
		if f, err = fs.create(name); err != nil {
			return nil, err
		}
	}
	for _, o := range opts {
		o.Apply(f)
	}
	return f, nil
}

// OpenDir opens a directory, to sync it.
func (fs *FS) OpenDir(name string) (vfs.File, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n := fs.find(name)
	if n == nil || !n.isDir() {
		return nil, notExist("open", name)
	}
	return fs.handle(name, n, false), nil
}

// Link gives a file one more name.
func (fs *FS) Link(oldname, newname string) error {
	if err := fs.before(Op{Kind: Link, Name: oldname, To: newname}); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n := fs.find(oldname)
	if n == nil {
		return notExist("link", oldname)
	}
	dir, base, err := fs.parent("link", newname)
	if err != nil {
		return err
	}
	if dir.entries[base] != nil {
		return &os.LinkError{Op: "link", Old: oldname, New: newname, Err: syscall.EEXIST}
	}
	dir.add(base, n)
	return nil
}

// Remove removes a file or an empty directory.
func (fs *FS) Remove(name string) error {
	fs.mu.Lock()
	missing := fs.find(name) == nil
	fs.mu.Unlock()
	if missing {
		return notExist("remove", name)
	}
	if err := fs.before(Op{Kind: Remove, Name: name}); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	dir, base, err := fs.parent("remove", name)
	if err != nil {
		return err
	}
	n := dir.entries[base]
	switch {
	case n == nil:
		return notExist("remove", name)
	case len(n.entries) > 0:
		return &os.PathError{Op: "remove", Path: name, Err: syscall.ENOTEMPTY}
	}
	dir.remove(base)
	return nil
}

// RemoveAll removes a file or a directory with what is in it, as one operation.
func (fs *FS) RemoveAll(name string) error {
	if err := fs.before(Op{Kind: Remove, Name: name}); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if dir, base, err := fs.parent("remove", name); err == nil && dir.entries[base] != nil {
		dir.remove(base)
	}
	return nil
}

// Rename gives a file another name, which may be that of another file.
func (fs *FS) Rename(oldname, newname string) error {
	if err := fs.before(Op{Kind: Rename, Name: oldname, To: newname}); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	from, oldbase, err := fs.parent("rename", oldname)
	if err != nil {
		return err
	}
	to, newbase, err := fs.parent("rename", newname)
	if err != nil {
		return err
	}
	n := from.entries[oldbase]
	if n == nil {
		return notExist("rename", oldname)
	}
	if from != to {
		to.add(newbase, n)
		from.remove(oldbase)
		return nil
	}
	from.rename(oldbase, newbase)
	return nil
}

// ReuseForWrite renames a file and opens it.
func (fs *FS) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := fs.Rename(oldname, newname); err != nil {
		return nil, err
	}
	return fs.OpenReadWrite(newname, c)
}

// MkdirAll makes a directory and those above it.
func (fs *FS) MkdirAll(dir string, _ os.FileMode) error {
	fs.mu.Lock()
	n := fs.find(dir)
	fs.mu.Unlock()
	if n != nil {
		if !n.isDir() {
			return &os.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil
	}
	if err := fs.before(Op{Kind: Mkdir, Name: dir}); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n = fs.root
	for part := range strings.SplitSeq(path.Clean("/"+dir), "/") {
		if part == "" {
			continue
		}
		if !n.isDir() {
			return &os.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		next := n.entries[part]
		if next == nil {
			next = newDir()
			n.add(part, next)
		}
		n = next
	}
	return nil
}

// Lock takes a lock file, which goes away with the process: it is not durable.
func (fs *FS) Lock(name string) (io.Closer, error) {
	name = path.Clean("/" + name)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	dir, base, err := fs.parent("lock", name)
	if err != nil {
		return nil, err
	}
	if fs.locks[name] {
		return nil, syscall.EAGAIN
	}
	if dir.entries[base] == nil {
		dir.entries[base] = &node{}
	}
	fs.locks[name] = true
	return unlocker{fs, name}, nil
}

type unlocker struct {
	fs   *FS
	name string
}

// Close releases the lock.
func (u unlocker) Close() error {
	u.fs.mu.Lock()
	defer u.fs.mu.Unlock()
	delete(u.fs.locks, u.name)
	return nil
}

// List names what is in a directory, sorted.
func (fs *FS) List(dir string) ([]string, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n := fs.find(dir)
	if n == nil || !n.isDir() {
		return nil, notExist("list", dir)
	}
	return n.names(), nil
}

// Stat describes a file or directory.
func (fs *FS) Stat(name string) (vfs.FileInfo, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n := fs.find(name)
	if n == nil {
		return nil, notExist("stat", name)
	}
	return n.info(path.Base(name)), nil
}

// PathBase is path.Base.
func (*FS) PathBase(p string) string { return path.Base(p) }

// PathJoin is path.Join.
func (*FS) PathJoin(elem ...string) string { return path.Join(elem...) }

// PathDir is path.Dir.
func (*FS) PathDir(p string) string { return path.Dir(p) }

// GetDiskUsage knows nothing.
func (*FS) GetDiskUsage(string) (vfs.DiskUsage, error) { return vfs.DiskUsage{}, vfs.ErrUnsupported }

// Unwrap returns nil: nothing is below.
func (*FS) Unwrap() vfs.FS { return nil }

// names are those of a directory's entries, sorted.
func (n *node) names() []string {
	list := make([]string, 0, len(n.entries))
	for name := range n.entries {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
