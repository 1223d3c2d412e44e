package lsm

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/engine"
)

// Peek returns the mark that Open will find in o.Dir, and whether a key will be there, and changes nothing. A directory
// without an engine has the zero mark.
func Peek(o Options, key []byte) (m engine.Mark, there bool, err error) {
	if err := o.ensureDefaults(); err != nil {
		return engine.Mark{}, false, err
	}
	if desc, err := pebble.Peek(o.Dir, o.FS); oserror.IsNotExist(err) || err == nil && !desc.Exists {
		return engine.Mark{}, false, nil
	} else if err != nil {
		return engine.Mark{}, false, fmt.Errorf("look at %s engine in %s: %w", name, o.Dir, err)
	}
	db, err := pebble.Open(o.Dir, &pebble.Options{
		FS: readOnlyFS{o.FS}, ReadOnly: true, DisableWAL: true, FormatMajorVersion: pebble.FormatNewest, CacheSize: 1 << 20,
		MaxOpenFiles: o.OpenFilesMax, Logger: &pebbleLogger{log: o.Logger, fatal: o.Fatal},
		EventListener: &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}}, // it is returned
	})
	if err != nil {
		return engine.Mark{}, false, fmt.Errorf("look at %s engine in %s: %w", name, o.Dir, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if m, err = (&Engine{db: db}).readDurable(); err != nil {
		return engine.Mark{}, false, err
	}
	_, closer, err := db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return m, false, nil
	}
	if err != nil {
		return engine.Mark{}, false, fmt.Errorf("look at %s engine in %s: %w", name, o.Dir, err)
	}
	return m, true, closer.Close()
}

// readOnlyFS refuses every change. It does without the lock file: whoever peeks has locked the
// data directory.
type readOnlyFS struct{ vfs.FS }

var errReadOnly = errors.New("lsm: read only")

// Create is refused.
func (readOnlyFS) Create(string, vfs.DiskWriteCategory) (vfs.File, error) { return nil, errReadOnly }

// OpenReadWrite is refused.
func (readOnlyFS) OpenReadWrite(string, vfs.DiskWriteCategory, ...vfs.OpenOption) (vfs.File, error) {
	return nil, errReadOnly
}

// ReuseForWrite is refused.
func (readOnlyFS) ReuseForWrite(_, _ string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, errReadOnly
}

// Link is refused.
func (readOnlyFS) Link(_, _ string) error { return errReadOnly }

// Remove is refused.
func (readOnlyFS) Remove(string) error { return errReadOnly }

// RemoveAll is refused.
func (readOnlyFS) RemoveAll(string) error { return errReadOnly }

// Rename is refused.
func (readOnlyFS) Rename(_, _ string) error { return errReadOnly }

// MkdirAll is refused.
func (readOnlyFS) MkdirAll(string, os.FileMode) error { return errReadOnly }

// Lock locks nothing.
func (readOnlyFS) Lock(string) (io.Closer, error) { return noLock{}, nil }

type noLock struct{}

func (noLock) Close() error { return nil }
