package engine

import (
	"log/slog"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/logpos"
)

// Kind is a kind of engine that a data directory can have one of. Whoever opens the directory says which kinds there are,
// each with its own settings.
type Kind interface {
	// Name is Engine.Name of its engines.
	Name() string
	// Dir is the directory of the engine's files, in the data directory. Never may two kinds have had the same.
	Dir() string
	// Volatile kinds keep nothing over a restart: their tables are empty then, and Peek is not called. A data directory
	// has at least one kind that is not, and that kind comes first.
	Volatile() bool
	// Peek returns the mark that Open will find, and whether a key will be there, and changes nothing. Without an engine
	// in the directory it is the zero mark. An error that is ErrDamaged says that the files are not as they were written.
	Peek(o Options, key []byte) (m Mark, there bool, err error)
	// Open opens the engine in a directory that exists; an empty one becomes an engine without anything.
	Open(o Options) (Engine, error)
}

// Options are what engines of all kinds are opened with. All but SyncLog are required.
type Options struct {
	FS vfs.FS
	// Dir is where the engine's files lie.
	Dir string
	// SyncLog makes the log durable up to a position. The engine calls it, from a goroutine of its own, before anything
	// applied up to that position may become durable here. It must not call the engine. nil: whatever is applied is
	// durable in the log already.
	SyncLog func(logpos.Pos) error
	// Fatal is called when the engine cannot go on. It should end the process.
	Fatal func(error)
	// Logger gets what happens in the background, at level debug, and errors.
	Logger *slog.Logger
}
