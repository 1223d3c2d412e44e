package lsm

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// logFirstFS calls the function in before first, whenever a MANIFEST file is about to be written: the write
// that makes flushed tables part of the database.
//
// It also syncs the directory before a marker file is created. Pebble creates
// a new MANIFEST and then the marker that names it, and syncs the directory
// once for both; a file system that keeps entries of its directories in any order
// could be left by a crash with the marker and without the MANIFEST. And it syncs the directory before a marker
// file is removed: Pebble creates the new one, removes the old one, and then syncs once. Without any
// marker Pebble takes the directory for an empty one and begins a new database.
type logFirstFS struct {
	vfs.FS
	before func() error
	// beforeTable is called before a table file is created.
	beforeTable func()
	// dirFailed is called when a directory cannot be synced. Pebble would panic, or try
	// again; what a failed sync leaves behind nobody knows.
	dirFailed func(error)
	// written is what was written to files.
	written *atomic.Uint64
}

// OpenDir wraps directories.
func (fs *logFirstFS) OpenDir(name string) (vfs.File, error) {
	f, err := fs.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &syncedDir{File: f, name: name, failed: fs.dirFailed}, nil
}

type syncedDir struct {
	vfs.File
	name   string
	failed func(error)
}

func (d *syncedDir) Sync() error {
	err := d.File.Sync()
	if err != nil {
		d.failed(fmt.Errorf("lsm: sync directory %s: %w", d.name, err))
	}
	return err
}

// Create wraps files.
func (fs *logFirstFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasPrefix(fs.PathBase(name), "marker.") {
		if err := fs.syncDir(fs.PathDir(name)); err != nil {
			return nil, err
		}
	}
	if strings.HasSuffix(name, ".sst") {
		fs.beforeTable()
	}
	f, err := fs.FS.Create(name, category)
	return fs.wrap(name, f), err
}

// Remove removes a marker when its successor is durable.
func (fs *logFirstFS) Remove(name string) error {
	if strings.HasPrefix(fs.PathBase(name), "marker.") {
		if err := fs.syncDir(fs.PathDir(name)); err != nil {
			return err
		}
	}
	return fs.FS.Remove(name)
}

// OpenReadWrite wraps files.
func (fs *logFirstFS) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.FS.OpenReadWrite(name, category, opts...)
	return fs.wrap(name, f), err
}

// ReuseForWrite wraps files.
func (fs *logFirstFS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.ReuseForWrite(oldname, newname, category)
	return fs.wrap(newname, f), err
}

// Unwrap returns the file system below.
func (fs *logFirstFS) Unwrap() vfs.FS { return fs.FS }

func (fs *logFirstFS) syncDir(dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (fs *logFirstFS) wrap(name string, f vfs.File) vfs.File {
	if f == nil {
		return nil
	}
	f = &countedFile{File: f, written: fs.written}
	if !strings.HasPrefix(fs.PathBase(name), "MANIFEST-") {
		return f
	}
	return &logFirstFile{File: f, before: fs.before}
}

type logFirstFile struct {
	vfs.File
	before func() error
}

func (f *logFirstFile) Write(p []byte) (int, error) {
	if err := f.before(); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

func (f *logFirstFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.before(); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}
