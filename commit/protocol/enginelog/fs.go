package enginelog

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/commit/protocol/redo"
	"github.com/duramendb/duramen/logpos"
)

// FS is the file system of a binary log under a redo log. Until Start it is the one that it stands on.
type FS struct {
	vfs.FS
	dir, basename string
	redo          atomic.Pointer[redo.Log]

	mu struct {
		sync.Mutex
		// open are the files that somebody has opened for writing, by path. They may get another name meanwhile.
		open map[string]*node
		// unsynced has, by name, what was written since the file was last synced.
		unsynced map[string]written
		// live is the newest segment that was written to, and where that ended. Those before are still finished in the background.
		live    string
		liveEnd uint64
	}
	syncing sync.Mutex // held by SyncFiles and Stop
	// using is held, shared, by who writes or syncs a file by the redo log, until both have it: Stop waits for them, since the redo log
	// may be closed afterwards. The log's own background still writes then. using -> mu.
	using sync.RWMutex
}

var _ vfs.FS = (*FS)(nil)

// ErrSyncFailed is wrapped by errors of SyncFiles after which nobody knows what is in a file: the process has to end.
var ErrSyncFailed = errors.New("enginelog: a file of the binary log could not be synced")

// node is a file that is open for writing. FS.mu guards it.
type node struct {
	name string // of a segment, or ""
	refs int
}

// written is where writes to a file have ended, and how many there were: one that ends where another did counts as well.
type written struct{ end, count uint64 }

// New makes the file system for a binary log in a directory.
func New(fs vfs.FS, dir, basename string) *FS {
	f := &FS{FS: fs, dir: dir, basename: basename}
	f.mu.open, f.mu.unsynced = map[string]*node{}, map[string]written{}
	return f
}

// segment is the name of a segment that a path has, or "".
func (fs *FS) segment(path string) string {
	name := fs.PathBase(path)
	if _, ok := logpos.ParseFileName(fs.basename, name); !ok || path != fs.PathJoin(fs.dir, name) {
		return ""
	}
	return name
}

// number is that of a segment.
func (fs *FS) number(name string) uint64 {
	n, _ := logpos.ParseFileName(fs.basename, name)
	return n
}

// standingBytes are reserved in the redo log for what is no group: records of a rotation, of a checkpoint, and of the end.
const standingBytes = 2048

// Reserve makes sure that so many bytes of groups can be written, with what belongs to them. An error leaves everything as it was.
func (fs *FS) Reserve(bytes int64) error {
	log := fs.redo.Load()
	if log == nil {
		return nil
	}
	return log.Reserve(int(bytes) + standingBytes)
}

// Start makes the redo log the one of the binary log. The live segment is durable up to an offset, all others as a whole.
func (fs *FS) Start(log *redo.Log, live string, end uint64) error {
	if err := log.Reserve(standingBytes); err != nil {
		return err
	}
	if _, _, err := log.AppendReserved(appendPlace(nil, recordDurable, live, end)); err != nil {
		return err
	}
	// What is written to the files from here on must not be taken for durable.
	if err := log.SyncAll(); err != nil {
		return err
	}
	fs.mu.Lock()
	fs.mu.live, fs.mu.liveEnd = live, end
	fs.mu.Unlock()
	fs.redo.Store(log)
	return nil
}

// Stop is the end of a binary log that is about to be closed or replaced, and is not written to any more: its files are durable
// without the redo log.
func (fs *FS) Stop() error {
	fs.syncing.Lock()
	defer fs.syncing.Unlock() // nobody may note a file as durable after the release
	fs.using.Lock()
	defer fs.using.Unlock()
	log := fs.redo.Load()
	if log == nil {
		return nil
	}
	if err := fs.syncFiles(log); err != nil {
		return err
	}
	fs.redo.Store(nil)
	return Release(log)
}

// Release notes in a redo log that the files are right without it.
func Release(log *redo.Log) error {
	at, _, err := log.AppendReserved([]byte{recordRelease})
	if err != nil {
		return err
	}
	return log.Sync(at)
}

// SyncFiles makes the files durable, and notes it in the redo log. What was appended there before the call is not needed for
// them any more.
func (fs *FS) SyncFiles() error {
	fs.syncing.Lock()
	defer fs.syncing.Unlock()
	log := fs.redo.Load()
	if log == nil {
		return nil
	}
	return fs.syncFiles(log)
}

// syncFiles is SyncFiles; syncing is held.
func (fs *FS) syncFiles(log *redo.Log) error {
	fs.mu.Lock()
	files := maps.Clone(fs.mu.unsynced)
	if _, ok := files[fs.mu.live]; !ok {
		// The last such record is trimmed with what it was noted for: without one, the file would count up to its header only.
		files[fs.mu.live] = written{end: fs.mu.liveEnd}
	}
	fs.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := fs.syncFile(name)
		if err == nil {
			_, _, err = log.AppendReserved(appendPlace(nil, recordDurable, name, files[name].end))
		}
		if err != nil && !oserror.IsNotExist(err) { // it may have been purged
			return err
		}
		fs.mu.Lock()
		if fs.mu.unsynced[name] == files[name] {
			delete(fs.mu.unsynced, name)
		}
		fs.mu.Unlock()
	}
	return log.SyncAll()
}

func (fs *FS) syncFile(name string) error {
	path := fs.PathJoin(fs.dir, name)
	if _, err := fs.FS.Stat(path); err != nil { // OpenReadWrite would create it
		return err
	}
	f, err := fs.FS.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrSyncFailed, path, err)
	}
	return nil
}

// wrap makes a file that is open for writing one of this file system.
func (fs *FS) wrap(path string, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n := fs.mu.open[path]
	if n == nil {
		n = &node{name: fs.segment(path)}
		fs.mu.open[path] = n
	}
	n.refs++
	out := &file{File: f, fs: fs, node: n}
	if t, ok := f.(truncater); ok {
		return &cuttable{out, t}, nil
	}
	return out, nil
}

// Create wraps files.
func (fs *FS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	fs.mu.Lock()
	delete(fs.mu.open, name) // another file had the name
	fs.mu.Unlock()
	f, err := fs.FS.Create(name, c)
	return fs.wrap(name, f, err)
}

// OpenReadWrite wraps files.
func (fs *FS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.FS.OpenReadWrite(name, c, opts...)
	return fs.wrap(name, f, err)
}

// Rename takes open files along. The name of a segment is durable afterwards: records of the redo log will have it. With the name of
// the file that begins a RESET MASTER all segments are worthless: what the redo log has of them would go into new files of
// the same names.
func (fs *FS) Rename(from, to string) error {
	if to == fs.PathJoin(fs.dir, fs.basename+resetSuffix) {
		if err := fs.Stop(); err != nil {
			return err
		}
	}
	if err := fs.FS.Rename(from, to); err != nil {
		return err
	}
	if fs.redo.Load() != nil && fs.segment(to) != "" {
		if err := fs.syncDir(); err != nil {
			return err
		}
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	delete(fs.mu.open, to)
	if n := fs.mu.open[from]; n != nil {
		delete(fs.mu.open, from)
		n.name = fs.segment(to)
		fs.mu.open[to] = n
	}
	return nil
}

func (fs *FS) syncDir() error {
	d, err := fs.OpenDir(fs.dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Remove forgets a file.
func (fs *FS) Remove(name string) error {
	fs.mu.Lock()
	delete(fs.mu.open, name)
	delete(fs.mu.unsynced, fs.segment(name))
	fs.mu.Unlock()
	return fs.FS.Remove(name)
}

// Unwrap returns the file system below.
func (fs *FS) Unwrap() vfs.FS { return fs.FS }

// resetSuffix is that of the file with which package binlog replaces a log.
const resetSuffix = ".reset"

type file struct {
	vfs.File
	fs   *FS
	node *node
}

type truncater interface{ Truncate(size int64) error }

// cuttable is a file with the method Truncate.
type cuttable struct {
	*file
	truncater
}

// zerosMin is the size from which zeros are taken for the filling of a file.
const zerosMin = 512

// WriteAt writes into the file, and then into the redo log: what is there is in the file, for SyncFiles to sync.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	f.fs.using.RLock()
	defer f.fs.using.RUnlock()
	n, err := f.File.WriteAt(p, off)
	log := f.fs.redo.Load()
	if err != nil || log == nil || len(p) >= zerosMin && len(bytes.TrimLeft(p, "\x00")) == 0 {
		return n, err
	}
	name := f.wrote(uint64(off) + uint64(len(p)))
	if name == "" {
		return n, nil
	}
	if _, _, err := log.AppendReserved(append(appendPlace(nil, recordWrite, name, uint64(off)), p...)); err != nil {
		return 0, err
	}
	return n, nil
}

// wrote notes that a segment has to be synced, and returns its name.
func (f *file) wrote(end uint64) string {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	name := f.node.name
	if name == "" {
		return ""
	}
	w := f.fs.mu.unsynced[name]
	f.fs.mu.unsynced[name] = written{end: max(w.end, end), count: w.count + 1}
	switch {
	case name == f.fs.mu.live:
		f.fs.mu.liveEnd = max(f.fs.mu.liveEnd, end)
	case f.fs.number(name) > f.fs.number(f.fs.mu.live):
		f.fs.mu.live, f.fs.mu.liveEnd = name, end
	}
	return name
}

func (f *file) isSegment() bool {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.node.name != ""
}

// SyncData syncs the redo log in place of a segment.
func (f *file) SyncData() error {
	f.fs.using.RLock()
	defer f.fs.using.RUnlock()
	if log := f.fs.redo.Load(); log != nil && f.isSegment() {
		return log.SyncAll()
	}
	return f.File.SyncData()
}

// Sync syncs the redo log and the file.
func (f *file) Sync() error {
	f.fs.using.RLock()
	defer f.fs.using.RUnlock()
	if log := f.fs.redo.Load(); log != nil && f.isSegment() {
		if err := log.SyncAll(); err != nil {
			return err
		}
	}
	return f.File.Sync()
}

// Close forgets the file when it is open no more.
func (f *file) Close() error {
	f.fs.mu.Lock()
	if f.node.refs--; f.node.refs == 0 {
		maps.DeleteFunc(f.fs.mu.open, func(_ string, n *node) bool { return n == f.node })
	}
	f.fs.mu.Unlock()
	return f.File.Close()
}
