package btree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"unsafe"

	"github.com/cockroachdb/pebble/v2/vfs"
	bolt "go.etcd.io/bbolt"
)

// mirror lets bbolt, which maps its file into memory and so needs one of the operating system, work on a file of any
// vfs.FS. The file is loaded into an unnamed file in memory, bbolt is opened on that one without syncs, and every write of
// bbolt is done on the vfs file first, in the same order, with the syncs where bbolt has them itself:
//
//	a commit of bbolt                     the mirror
//	truncate and sync, if it grows        truncate and sync, before the first write (no vfs.File has to have Truncate:
//	                                      without it the file grows as it is written)
//	write the pages, in order             the same
//	sync                                  sync, before the write of the meta page
//	write meta page 0 or 1                the same
//	sync                                  sync, before that write returns
//
// So what a crash between any two of these leaves in the vfs file is what it could leave in a file of bbolt's own.
// An error of the vfs is the error of bbolt's write; whether it is one that may be tried again it says itself (see failure).
//
// bbolt has no such door. Its writes go through a field that its tests replace, db.ops.writeAt, and so does the mirror, by
// reflection. If another version of bbolt has no such field, Open fails; so does a test.
type mirror struct {
	vfs  vfs.File
	temp *os.File
	size int64 // of the vfs file, as far as it was truncated
	// pageSize is bbolt's. begun says that a write of this commit was done.
	pageSize int64
	begun    bool
}

// failure is an error of a commit.
type failure struct {
	err error
	// fatal says that nobody knows what is durable: a sync failed, or the write of a meta page did in the middle.
	fatal bool
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// truncater is a file that can be truncated, which a vfs.File need not be.
type truncater interface{ Truncate(size int64) error }

// install puts the mirror in the way of db's writes.
func (m *mirror) install(db *bolt.DB, pageSize int) error {
	m.pageSize = int64(pageSize)
	writeAt, err := writeAtOf(db)
	if err != nil {
		return err
	}
	*writeAt = m.writeAt
	return nil
}

// writeAtOf finds the function that db writes with.
func writeAtOf(db *bolt.DB) (*func([]byte, int64) (int, error), error) {
	field := reflect.ValueOf(db).Elem().FieldByName("ops")
	if field.IsValid() && field.Kind() == reflect.Struct {
		field = field.FieldByName("writeAt")
	}
	var f func([]byte, int64) (int, error)
	if !field.IsValid() || field.Type() != reflect.TypeOf(f) {
		return nil, errors.New("btree: this version of bbolt has no field db.ops.writeAt: it can only be used on the operating system's file system")
	}
	return (*func([]byte, int64) (int, error))(unsafe.Pointer(field.UnsafeAddr())), nil
}

func (m *mirror) writeAt(p []byte, off int64) (int, error) {
	if !m.begun {
		if err := m.grow(); err != nil {
			return 0, err
		}
		m.begun = true
	}
	meta := off < 2*m.pageSize
	if meta {
		m.begun = false
		if err := m.vfs.Sync(); err != nil {
			return 0, &failure{fmt.Errorf("sync pages: %w", err), true}
		}
	}
	if _, err := m.vfs.WriteAt(p, off); err != nil {
		m.begun = false
		return 0, &failure{fmt.Errorf("write: %w", err), meta && !m.same(off, len(p))}
	}
	if meta {
		if err := m.vfs.Sync(); err != nil {
			return 0, &failure{fmt.Errorf("sync meta page: %w", err), true}
		}
	}
	n, err := m.temp.WriteAt(p, off)
	if err != nil {
		m.begun = false
		return n, &failure{fmt.Errorf("write the copy in memory: %w", err), meta}
	}
	return n, nil
}

// same says that a part of the vfs file is as it is in memory: a write that failed has left nothing.
func (m *mirror) same(off int64, length int) bool {
	a, b := make([]byte, length), make([]byte, length)
	_, err1 := m.vfs.ReadAt(a, off)
	_, err2 := m.temp.ReadAt(b, off)
	return err1 == nil && err2 == nil && bytes.Equal(a, b)
}

// grow follows a file that bbolt has made longer.
func (m *mirror) grow() error {
	info, err := m.temp.Stat()
	if err != nil {
		return &failure{err, false}
	}
	if info.Size() <= m.size {
		return nil
	}
	if f, ok := m.vfs.(truncater); ok {
		if err := f.Truncate(info.Size()); err != nil {
			return &failure{fmt.Errorf("grow to %d bytes: %w", info.Size(), err), false}
		}
		if err := m.vfs.Sync(); err != nil {
			return &failure{fmt.Errorf("sync the new size: %w", err), true}
		}
	}
	m.size = info.Size()
	return nil
}

// load copies a vfs file into an unnamed file.
func load(f vfs.File) (temp *os.File, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if temp, err = unnamed(); err != nil {
		return nil, err
	}
	if _, err := io.Copy(temp, io.NewSectionReader(f, 0, info.Size())); err != nil {
		return nil, errors.Join(err, temp.Close())
	}
	return temp, nil
}
