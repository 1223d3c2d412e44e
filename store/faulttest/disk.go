package faulttest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Kind is a kind of operation of a file system.
type Kind int

// Kinds.
const (
	Write Kind = iota
	Sync
	Create // also links and directories
	Rename
	Remove
	Read
	Open // also directories
	Stat
	List
	Close
	kinds
)

var kindNames = [kinds]string{"write", "sync", "create", "rename", "remove", "read", "open", "stat", "list", "close"}

// String is the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// Fault says what fails.
type Fault struct {
	Kind Kind
	// N is the number, from 1 on, of the operation of that kind which fails; 0: none.
	N int
	// Forever lets all later ones of the kind fail, too.
	Forever bool
	// Err is EIO or ENOSPC.
	Err syscall.Errno
	// Short lets a write that fails write half of its bytes first.
	Short bool
	// Where restricts the fault to the files of the log ("log") or of one engine (its directory), which are then counted; "" for
	// all files.
	Where string
	// Suffix restricts it to files whose names end with it.
	Suffix string
}

// String names the fault for a report.
func (f Fault) String() string {
	times, short := "once", ""
	if f.Forever {
		times = "for ever"
	}
	if f.Short {
		short = ", half written"
	}
	return fmt.Sprintf("%s %d %s: %s, %s%s", f.Where, f.N, f.Kind, f.Err.Error(), times, short)
}

// concerns reports whether a file is where the fault is.
func (f Fault) concerns(name string) bool {
	switch f.Where {
	case "":
		return true
	case "log":
		return !slices.ContainsFunc(engineDirs, func(dir string) bool { return inDir(name, dir) })
	}
	return inDir(name, f.Where)
}

func inDir(name, dir string) bool { return strings.HasPrefix(name+"/", dataDir+"/"+dir+"/") }

// errDead is the answer to everything after the end of the process.
var errDead = errors.New("the process has ended")

// disk is a file system that fails as a Fault says.
type disk struct {
	vfs.FS
	fault Fault

	mu     sync.Mutex
	counts [kinds]int
	failed string // the first operation that failed
	dead   bool
	healed bool
}

// op is called before every operation.
func (d *disk) op(kind Kind, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return errDead
	}
	if !d.fault.concerns(name) {
		return nil
	}
	if !strings.HasSuffix(name, d.fault.Suffix) {
		return nil
	}
	d.counts[kind]++
	n := d.counts[kind]
	if d.healed || d.fault.N == 0 || kind != d.fault.Kind || n != d.fault.N && (n < d.fault.N || !d.fault.Forever) {
		return nil
	}
	if d.failed == "" {
		d.failed = fmt.Sprintf("%s %s", kind, name)
	}
	return &os.PathError{Op: kind.String(), Path: name, Err: d.fault.Err}
}

// kill is the end of the process: nothing reaches the disk any more.
func (d *disk) kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = true
}

// heal lets everything succeed from now on.
func (d *disk) heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.healed = true
}

// hit is the operation that failed, "" if there was none.
func (d *disk) hit() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

func (d *disk) wrap(kind Kind, name string, open func() (vfs.File, error)) (vfs.File, error) {
	if err := d.op(kind, name); err != nil {
		return nil, err
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	w := &file{File: f, d: d, name: name}
	if t, ok := f.(truncater); ok {
		return &cuttable{file: w, t: t}, nil
	}
	return w, nil
}

type truncater interface{ Truncate(size int64) error }

func (d *disk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return d.wrap(Create, name, func() (vfs.File, error) { return d.FS.Create(name, c) })
}

func (d *disk) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return d.wrap(Create, name, func() (vfs.File, error) { return d.FS.OpenReadWrite(name, c, opts...) })
}

func (d *disk) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return d.wrap(Create, newname, func() (vfs.File, error) { return d.FS.ReuseForWrite(oldname, newname, c) })
}

func (d *disk) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return d.wrap(Open, name, func() (vfs.File, error) { return d.FS.Open(name, opts...) })
}

func (d *disk) OpenDir(name string) (vfs.File, error) {
	return d.wrap(Open, name, func() (vfs.File, error) { return d.FS.OpenDir(name) })
}

func (d *disk) Link(oldname, newname string) error {
	if err := d.op(Create, newname); err != nil {
		return err
	}
	return d.FS.Link(oldname, newname)
}

func (d *disk) MkdirAll(name string, perm os.FileMode) error {
	if err := d.op(Create, name); err != nil {
		return err
	}
	return d.FS.MkdirAll(name, perm)
}

func (d *disk) Remove(name string) error {
	if err := d.op(Remove, name); err != nil {
		return err
	}
	return d.FS.Remove(name)
}

func (d *disk) RemoveAll(name string) error {
	if err := d.op(Remove, name); err != nil {
		return err
	}
	return d.FS.RemoveAll(name)
}

func (d *disk) Rename(oldname, newname string) error {
	if err := d.op(Rename, newname); err != nil {
		return err
	}
	return d.FS.Rename(oldname, newname)
}

func (d *disk) List(dir string) ([]string, error) {
	if err := d.op(List, dir); err != nil {
		return nil, err
	}
	return d.FS.List(dir)
}

func (d *disk) Stat(name string) (vfs.FileInfo, error) {
	if err := d.op(Stat, name); err != nil {
		return nil, err
	}
	return d.FS.Stat(name)
}

func (d *disk) Lock(name string) (io.Closer, error) {
	if err := d.op(Create, name); err != nil {
		return nil, err
	}
	return d.FS.Lock(name)
}

func (d *disk) Unwrap() vfs.FS { return d.FS }

type file struct {
	vfs.File
	d    *disk
	name string
}

// cuttable is a file of a file system that can truncate.
type cuttable struct {
	*file
	t truncater
}

func (f *cuttable) Truncate(size int64) error {
	if err := f.d.op(Write, f.name); err != nil {
		return err
	}
	return f.t.Truncate(size)
}

func (f *file) Write(p []byte) (int, error) {
	if err := f.d.op(Write, f.name); err != nil {
		n := 0
		if f.d.fault.Short && !errors.Is(err, errDead) {
			n, _ = f.File.Write(p[:len(p)/2])
		}
		return n, err
	}
	return f.File.Write(p)
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	if err := f.d.op(Write, f.name); err != nil {
		n := 0
		if f.d.fault.Short && !errors.Is(err, errDead) {
			n, _ = f.File.WriteAt(p[:len(p)/2], off)
		}
		return n, err
	}
	return f.File.WriteAt(p, off)
}

func (f *file) Preallocate(off, length int64) error {
	if err := f.d.op(Write, f.name); err != nil {
		return err
	}
	return f.File.Preallocate(off, length)
}

func (f *file) Read(p []byte) (int, error) {
	if err := f.d.op(Read, f.name); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.d.op(Read, f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (f *file) Stat() (vfs.FileInfo, error) {
	if err := f.d.op(Stat, f.name); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

func (f *file) Sync() error {
	if err := f.d.op(Sync, f.name); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *file) SyncData() error {
	if err := f.d.op(Sync, f.name); err != nil {
		return err
	}
	return f.File.SyncData()
}

func (f *file) SyncTo(length int64) (bool, error) {
	if err := f.d.op(Sync, f.name); err != nil {
		return false, err
	}
	return f.File.SyncTo(length)
}

func (f *file) Close() error {
	err := f.d.op(Close, f.name)
	if cerr := f.File.Close(); err == nil {
		err = cerr
	}
	return err
}
