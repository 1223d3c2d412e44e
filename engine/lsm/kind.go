package lsm

import (
	"errors"
	"syscall"

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

// Volatile is false.
func (Kind) Volatile() bool { return false }

func (k Kind) options(o engine.Options) Options {
	return Options{
		FS: o.FS, Dir: o.Dir, SyncLog: o.SyncLog, Fatal: o.Fatal, Logger: o.Logger,
		CacheBytes: k.CacheBytes, MemTableBytes: k.MemTableBytes, OpenFilesMax: k.OpenFilesMax, NoCompactions: k.NoCompactions,
	}
}

// Peek is Peek.
func (k Kind) Peek(o engine.Options, key []byte) (m engine.Mark, there bool, err error) {
	m, there, err = Peek(k.options(o), key)
	if isDamage(err) {
		err = damaged{err}
	}
	return m, there, err
}

// isDamage is whether an error is about what the files hold: about everything but reading them. Pebble calls only some
// of these errors corruption.
func isDamage(err error) bool {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno == syscall.ENOENT // a table is gone
	}
	return err != nil
}

// Open is Open.
func (k Kind) Open(o engine.Options) (engine.Engine, error) {
	e, err := Open(k.options(o))
	if err != nil {
		return nil, err
	}
	return e, nil
}

// damaged is an error that is engine.ErrDamaged as well.
type damaged struct{ error }

func (d damaged) Is(target error) bool { return target == engine.ErrDamaged }
func (d damaged) Unwrap() error        { return d.error }
