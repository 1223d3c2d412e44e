package lsm

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/duramendb/duramen/engine"
)

var _ engine.Kind = Kind{}

// Kind is this kind of engine, for data directories. Its fields are those of Options.
type Kind struct {
	CacheBytes    int64
	MemTableBytes uint64
	OpenFilesMax  int
	NoCompactions bool
}

// Name is MariaDB's name of its LSM engine.
func (Kind) Name() string { return name }

// Dir is "lsm".
func (Kind) Dir() string { return "lsm" }

func (k Kind) options(o engine.Options) Options {
	return Options{
		FS: o.FS, Dir: o.Dir, SyncLog: o.SyncLog, Fatal: o.Fatal, Logger: o.Logger,
		CacheBytes: k.CacheBytes, MemTableBytes: k.MemTableBytes, OpenFilesMax: k.OpenFilesMax, NoCompactions: k.NoCompactions,
	}
}

// Peek is Peek.
func (k Kind) Peek(o engine.Options, key []byte) (m engine.Mark, there bool, err error) {
	m, there, err = Peek(k.options(o), key)
	if pebble.IsCorruptionError(err) { // its mark is not one that package errors finds
		err = damaged{err}
	}
	return m, there, err
}

// Open is Open.
func (k Kind) Open(o engine.Options) (engine.Engine, error) {
	e, err := Open(k.options(o))
	if err != nil {
		return nil, err
	}
	return e, nil
}

// damaged is an error of Pebble that is engine.ErrDamaged as well.
type damaged struct{ error }

func (d damaged) Is(target error) bool { return target == engine.ErrDamaged }
func (d damaged) Unwrap() error        { return d.error }
