package crashtest

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// crashFS counts the operations that change its file system, and before the
// chosen one it takes a picture of what a machine that loses power at this
// moment would find afterwards. It then goes on as if nothing had happened:
// whoever uses it is told by onCrash that what comes later does not count.
type crashFS struct {
	vfs.FS
	mem *vfs.MemFS

	ops     atomic.Int64 // operations so far
	crashAt int64        // the crash is before this operation, counted from 1; 0: only by crash
	clone   vfs.CrashCloneCfg
	onCrash func() // called once, before the picture is taken

	// fullFrom and fullTo bound the operations, by number, during which the disk
	// is full: no new file of log or engine, no preallocation.
	fullFrom, fullTo atomic.Int64
	// fullTables is how many table files of the engine cannot be created then.
	// The engine waits after each before it tries again.
	fullTables atomic.Int64

	// brokenFrom is the operation, by number, from which on writes and syncs of
	// the live log fail; 0 for never.
	brokenFrom atomic.Int64

	// beforeLogSync is called ahead of every sync of the live log file.
	beforeLogSync atomic.Pointer[func()]

	crashed atomic.Bool
	image   chan *vfs.MemFS // capacity 1
}

// newCrashFS wraps mem. unsyncedPercent is the probability with which a block
// or directory entry that was not synced survives.
func newCrashFS(mem *vfs.MemFS, crashAt int64, unsyncedPercent int, rng *rand.Rand, onCrash func()) *crashFS {
	return &crashFS{
		FS: mem, mem: mem, crashAt: crashAt, onCrash: onCrash,
		clone: vfs.CrashCloneCfg{UnsyncedDataPercent: unsyncedPercent, RNG: rng},
		image: make(chan *vfs.MemFS, 1),
	}
}

// op is called before every operation that changes the file system.
func (f *crashFS) op() {
	if n := f.ops.Add(1); n == f.crashAt {
		f.crash()
	}
}

// crash takes the picture now, unless it was taken already.
func (f *crashFS) crash() {
	if !f.crashed.CompareAndSwap(false, true) {
		return
	}
	f.onCrash()
	f.image <- f.mem.CrashClone(f.clone)
}

// full is the error of an operation that needs new space while the disk is full.
func (f *crashFS) full(op, name string) error {
	if n := f.ops.Load(); n < f.fullFrom.Load() || n >= f.fullTo.Load() {
		return nil
	}
	return &os.PathError{Op: op, Path: name, Err: syscall.ENOSPC}
}

// broken is the error of a write or sync of the log on a broken disk.
func (f *crashFS) broken(op string) error {
	if from := f.brokenFrom.Load(); from == 0 || f.ops.Load() < from {
		return nil
	}
	return &os.PathError{Op: op, Path: "log", Err: syscall.EIO}
}

func (f *crashFS) isLog(name string) bool { return strings.HasPrefix(f.PathBase(name), "binlog.") }

func (f *crashFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f.op()
	// A file system without truncation cuts files by copying (.cut); a real one needs no space for that.
	if f.isLog(name) && !strings.HasSuffix(name, ".cut") || strings.HasSuffix(name, ".sst") && f.fullTables.Load() > 0 {
		if err := f.full("create", name); err != nil {
			if !f.isLog(name) {
				f.fullTables.Add(-1)
			}
			return nil, err
		}
	}
	file, err := f.FS.Create(name, c)
	return f.wrap(name, file, err)
}

func (f *crashFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f.op()
	file, err := f.FS.OpenReadWrite(name, c, opts...)
	wrapped, err := f.wrap(name, file, err)
	if w, ok := wrapped.(*crashFile); ok {
		w.isLive = w.isLog // files are written for the first time through Create
	}
	return wrapped, err
}

func (f *crashFS) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f.op()
	file, err := f.FS.ReuseForWrite(oldname, newname, c)
	return f.wrap(newname, file, err)
}

func (f *crashFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.Open(name, opts...)
	return f.wrap(name, file, err)
}

func (f *crashFS) OpenDir(name string) (vfs.File, error) {
	file, err := f.FS.OpenDir(name)
	return f.wrap(name, file, err)
}

func (f *crashFS) Link(oldname, newname string) error {
	f.op()
	return f.FS.Link(oldname, newname)
}

func (f *crashFS) Remove(name string) error {
	f.op()
	return f.FS.Remove(name)
}

func (f *crashFS) RemoveAll(name string) error {
	f.op()
	return f.FS.RemoveAll(name)
}

func (f *crashFS) Rename(oldname, newname string) error {
	f.op()
	return f.FS.Rename(oldname, newname)
}

func (f *crashFS) MkdirAll(dir string, perm os.FileMode) error {
	f.op()
	return f.FS.MkdirAll(dir, perm)
}

// Unwrap keeps vfs.Root and its users on the wrapped system.
func (f *crashFS) Unwrap() vfs.FS { return f.FS }

func (f *crashFS) wrap(name string, file vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &crashFile{File: file, fs: f, isLog: f.isLog(name)}, nil
}

// minPreallocation tells preallocation from other writes of zeros.
const minPreallocation = 512

type crashFile struct {
	vfs.File
	fs    *crashFS
	isLog bool
	// isLive: the log appends to it.
	isLive bool
}

func (f *crashFile) Write(p []byte) (int, error) {
	f.fs.op()
	return f.File.Write(p)
}

func (f *crashFile) WriteAt(p []byte, off int64) (int, error) {
	f.fs.op()
	if f.isLog && len(p) >= minPreallocation && len(bytes.Trim(p, "\x00")) == 0 { // preallocation
		if err := f.fs.full("write", "log"); err != nil {
			return 0, err
		}
	} else if f.isLive {
		if err := f.fs.broken("write"); err != nil {
			n, _ := f.File.WriteAt(p[:len(p)/2], off) // half of it arrives
			return n, err
		}
	}
	return f.File.WriteAt(p, off)
}

func (f *crashFile) Sync() error {
	f.fs.op()
	return f.File.Sync()
}

func (f *crashFile) SyncData() error {
	if before := f.fs.beforeLogSync.Load(); before != nil && f.isLog {
		(*before)()
	}
	f.fs.op()
	if f.isLive {
		if err := f.fs.broken("sync"); err != nil {
			return err
		}
	}
	return f.File.SyncData()
}

func (f *crashFile) SyncTo(length int64) (bool, error) {
	f.fs.op()
	return f.File.SyncTo(length)
}

// save copies everything in mem to a directory of the real file system, so
// that a failure can be looked at with ordinary tools and opened again.
func save(mem *vfs.MemFS, root, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	names, err := mem.List(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		from, to := mem.PathJoin(root, name), filepath.Join(dir, name)
		info, err := mem.Stat(from)
		if err != nil {
			return err
		}
		if info.IsDir() {
			err = save(mem, from, to)
		} else {
			err = saveFile(mem, from, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func saveFile(mem *vfs.MemFS, from, to string) error {
	in, err := mem.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	data := make([]byte, info.Size())
	if len(data) > 0 {
		if _, err := in.ReadAt(data, 0); err != nil {
			return err
		}
	}
	return os.WriteFile(to, data, 0o644)
}
