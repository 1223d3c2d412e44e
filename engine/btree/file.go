package btree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"
	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/duramendb/duramen/engine"
)

const (
	fileName  = "base.bolt"
	lockName  = "LOCK"
	tmpSuffix = ".tmp"
	// pageSize is that of new files.
	pageSize = 4096
	// mapBytesMin is the least address space that Open tries.
	mapBytesMin = 1 << 30
)

// The buckets of the file.
var (
	rowsBucket  = []byte("rows")
	stateBucket = []byte("state2")
	markKey     = []byte("mark")
	endsKey     = []byte("ends")
)

// oldStateBucket is what the state's bucket was called where values had no checksums.
const oldStateBucket = "state"

var errOldFile = errors.New("the file was written by an earlier version, whose rows have no checksums: dump the tables with that version and load them again")

// file is bbolt on the base's file.
type file struct {
	db     *bolt.DB
	mirror *mirror // nil: on the operating system's file system
	vfs    vfs.File
	temp   *os.File
	// pacer is in the way of bbolt's writes, nil: with a mirror.
	pacer *pacer
	// hurry is how many wait for a checkpoint.
	hurry atomic.Int32
	// own is what bbolt has open.
	own *os.File
	// stuck says that bbolt panicked while it had locks of its own: whoever asks for one waits for ever.
	stuck atomic.Bool
}

var errStuck = fmt.Errorf("%w: it was given up", ErrCorrupt)

// locking runs what takes and gives up bbolt's own locks.
func (f *file) locking(do func() error) error {
	if f.stuck.Load() {
		return errStuck
	}
	done := false
	defer func() {
		if !done {
			f.stuck.Store(true)
		}
	}()
	err := do()
	done = true
	return err
}

// begin begins a transaction. Whatever is read in it may panic, so it is ended by a defer: bbolt does not close
// before.
func (f *file) begin(writable bool) (tx *bolt.Tx, err error) {
	err = f.locking(func() (err error) {
		tx, err = f.db.Begin(writable)
		return err
	})
	return tx, err
}

// end ends a transaction without a commit.
func (f *file) end(tx *bolt.Tx) error { return f.locking(tx.Rollback) }

// close closes what can be closed: of a bbolt that is stuck the mapping stays.
func (f *file) close() error {
	var errs []error
	switch {
	case f.db != nil && !f.stuck.Load():
		errs = append(errs, f.db.Close())
	case f.own != nil && f.stuck.Load():
		// The mapping would keep the lock.
		errs = append(errs, os.NewSyscallError("flock", syscall.Flock(int(f.own.Fd()), syscall.LOCK_UN)), f.own.Close())
	}
	f.db, f.own = nil, nil
	if f.temp != nil {
		errs = append(errs, f.temp.Close())
	}
	if f.vfs != nil {
		errs = append(errs, f.vfs.Close())
	}
	return errors.Join(errs...)
}

// createFile makes the file, without anything in it. bbolt's own beginning can be torn by a crash; here the file gets its
// name when it is durable.
func createFile(o *Options) (err error) {
	temp, err := unnamed()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	db, err := bolt.Open(fileName, 0o600, &bolt.Options{OpenFile: openDup(temp), NoSync: true, PageSize: pageSize, NoStatistics: true})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		_, err1 := tx.CreateBucket(rowsBucket)
		_, err2 := tx.CreateBucket(stateBucket)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		return putEnds(tx)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	info, err := temp.Stat()
	if err != nil {
		return err
	}
	path := o.FS.PathJoin(o.Dir, fileName)
	f, err := o.FS.Create(path+tmpSuffix, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(temp, 0, info.Size()))
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := o.FS.Rename(path+tmpSuffix, path); err != nil {
		return err
	}
	return syncDir(o.FS, o.Dir)
}

func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makeDir makes a directory and those above it, durably.
func makeDir(fs vfs.FS, dir string) error {
	var missing []string
	for d := dir; ; d = fs.PathDir(d) {
		if _, err := fs.Stat(d); err == nil {
			break
		} else if !oserror.IsNotExist(err) || fs.PathDir(d) == d {
			return err
		}
		missing = append(missing, d)
	}
	if len(missing) == 0 {
		return nil
	}
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, d := range missing {
		if err := syncDir(fs, fs.PathDir(d)); err != nil {
			return err
		}
	}
	return nil
}

// removeLeftovers removes what a crash has left in the middle of being made.
func removeLeftovers(o *Options) error {
	names, err := o.FS.List(o.Dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if strings.HasSuffix(n, tmpSuffix) {
			if err := o.FS.Remove(o.FS.PathJoin(o.Dir, n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// openDup lets bbolt have a file, which it closes, and keeps it.
func openDup(f *os.File) func(string, int, os.FileMode) (*os.File, error) {
	return func(string, int, os.FileMode) (*os.File, error) {
		fd, err := syscall.Dup(int(f.Fd()))
		if err != nil {
			return nil, os.NewSyscallError("dup", err)
		}
		syscall.CloseOnExec(fd)
		return os.NewFile(uintptr(fd), f.Name()), nil
	}
}

// openFile opens the file, which is there, and looks whether it can be what was written. Of a file that is read
// only nothing is changed.
func openFile(o *Options, readOnly bool) (f *file, m engine.Mark, err error) {
	f = &file{}
	defer func() {
		if err != nil {
			_ = f.close() // the error tells what happened
		}
	}()
	options := bolt.Options{Timeout: time.Nanosecond, ReadOnly: true, NoStatistics: true, FreelistType: bolt.FreelistMapType}
	path := o.FS.PathJoin(o.Dir, fileName)
	info, err := o.FS.Stat(path)
	if err != nil {
		return f, m, err
	}
	if o.NoMerge && sameFile(path, info) {
		readOnly = true
	} else if o.FS != vfs.Default {
		options.FreelistType = bolt.FreelistArrayType // the other one takes pages in the order of a map, and runs do not repeat
		if readOnly {
			f.vfs, err = o.FS.Open(path)
		} else {
			f.vfs, err = o.FS.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
		}
		if err != nil {
			return f, m, err
		}
		if f.temp, err = load(f.vfs); err != nil {
			return f, m, err
		}
		options.OpenFile = openDup(f.temp)
		options.NoSync = true
	}
	err = guard(func() error {
		if err := f.openBolt(path, options); err != nil {
			return err
		}
		m, err = f.inspect(info.Size())
		return err
	})
	if err != nil || readOnly {
		return f, m, err
	}
	db := f.db
	f.db = nil
	if err = db.Close(); err != nil {
		return f, m, err
	}
	return f, m, f.openToWrite(path, o, options)
}

// sameFile says that the operating system has a file at a path, of the same size.
func sameFile(path string, info vfs.FileInfo) bool {
	own, err := os.Stat(path)
	return err == nil && own.Size() == info.Size()
}

func (f *file) openToWrite(path string, o *Options, options bolt.Options) error {
	options.ReadOnly = false
	for options.InitialMmapSize = o.MapBytes; ; options.InitialMmapSize /= 2 {
		options.MaxSize = options.InitialMmapSize - 1
		err := guard(func() error { return f.openBolt(path, options) })
		if errors.Is(err, syscall.ENOMEM) && options.InitialMmapSize/2 >= mapBytesMin {
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	if options.InitialMmapSize < o.MapBytes {
		o.Logger.Warn("less address space than wanted: the file of the storage engine cannot grow beyond it", "engine", name, "bytes", options.InitialMmapSize)
	}
	f.db.AllocSize = o.GrowBytes
	if f.temp == nil {
		f.pace()
		return nil
	}
	info, err := f.temp.Stat()
	if err != nil {
		return err
	}
	f.mirror = &mirror{vfs: f.vfs, temp: f.temp, size: info.Size()}
	return f.mirror.install(f.db, f.db.Info().PageSize)
}

// pace has bbolt write by a pacer, if that can be done.
func (f *file) pace() {
	if writeAt, err := writeAtOf(f.db); err == nil {
		f.pacer = &pacer{file: f.own, hurry: &f.hurry, writeOut: writeOut}
		*writeAt = f.pacer.writeAt
	}
}

// openBolt tells damage from other errors.
func (f *file) openBolt(path string, options bolt.Options) error {
	open := options.OpenFile
	if open == nil {
		open = os.OpenFile
	}
	options.OpenFile = func(path string, flag int, mode os.FileMode) (own *os.File, err error) {
		f.own, err = open(path, flag, mode)
		return f.own, err
	}
	err := f.locking(func() (err error) {
		f.db, err = bolt.Open(path, 0o644, &options)
		return err
	})
	var pathError *fs.PathError
	var errno syscall.Errno
	switch {
	case err == nil:
		return nil
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("%s is locked: another process has it open", path)
	case errors.As(err, &pathError), errors.As(err, &errno):
		return err
	}
	return fmt.Errorf("%w: %s: %w", ErrCorrupt, path, err)
}

// inspect reads the mark, and refuses a file that lacks a part.
func (f *file) inspect(size int64) (m engine.Mark, err error) {
	tx, err := f.begin(false)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, f.end(tx)) }()
	if size < tx.Size() {
		return m, fmt.Errorf("%w: %d bytes of %d are there", ErrCorrupt, size, tx.Size())
	}
	var r retired
	b, err := r.newBase(f)
	if err != nil {
		return m, err
	}
	defer func() {
		b.release()
		_, rerr := r.end()
		err = errors.Join(err, rerr)
	}()
	if err := b.pages.free(tx); err != nil {
		return m, err
	}
	if err := b.checkEnds(); err != nil {
		return m, err
	}
	v, ok, err := b.stateOf(markKey)
	if !ok || err != nil {
		return m, err
	}
	return parseMark(v)
}

// guard makes errors of what bbolt finds out by panics and page faults.
func guard(f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrCorrupt, p)
		}
	}()
	return f()
}

func fileExists(o *Options) (bool, error) {
	_, err := o.FS.Stat(o.FS.PathJoin(o.Dir, fileName))
	if oserror.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}
