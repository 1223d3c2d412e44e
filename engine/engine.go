package engine

import (
	"errors"

	"github.com/duramendb/duramen/logpos"
)

// Mark is what an engine stores, in the same atomic batch as the rows, to say
// up to where in the log its contents are complete.
type Mark struct {
	Position logpos.Pos
	// GTIDState is the binlog state (gtid.State's list form, as text) at Position.
	GTIDState string
}

// ErrClosed is returned by every method of a closed engine.
var ErrClosed = errors.New("engine: closed")

// ErrDamaged is matched by errors of Kind.Peek about files that are not as they were written.
var ErrDamaged = errors.New("engine: damaged files")

// Engine keeps tables and a log position, and no log of its own. It is a
// sorted map of byte keys to byte values; the layers above give the keys
// their meaning (see package catalog). An Engine is safe for concurrent use,
// except that Apply is called by one goroutine at a time, in log order.
//
// The caller's duties:
//  1. Apply is called only with changes whose log record is durable, or, with
//     relaxed durability, SyncLog in Options makes it so before the engine
//     makes anything durable on its own (log first).
//  2. Marks given to Apply never go backwards (see MarkResetter for the exception).
//  3. After a restart, everything in the log after Durable is applied again.
type Engine interface {
	// Name is the value of ENGINE= in SQL, in MariaDB's spelling.
	Name() string
	// Capabilities are what the engine can do beyond this interface. They stay the same while it is open.
	Capabilities() Capabilities
	// NewBatch returns an empty batch; it is consumed by Apply or Ingest.
	NewBatch() Batch
	// Apply makes a batch visible atomically, together with the mark. It does
	// not wait for durability.
	Apply(b Batch, m Mark) error
	// Ingest writes a batch without moving the mark, for key spaces that no
	// catalog entry refers to yet. Checkpoint makes it durable.
	Ingest(b Batch) error
	// Snapshot returns the state after the last Apply, unaffected by later ones.
	Snapshot() Snapshot
	// Get reads the current state; value is valid until the next call of
	// release, which must be called when err is nil. A missing key gives ok=false.
	Get(key []byte) (value []byte, ok bool, release func(), err error)
	// NewIter iterates over the current state between lower (inclusive) and
	// upper (exclusive).
	NewIter(lower, upper []byte) (Iterator, error)
	// Checkpoint makes everything applied before the call durable and returns
	// the mark that is then durable.
	Checkpoint() (Mark, error)
	// Applied is the mark of the last Apply; Durable is the mark that a restart
	// would find.
	Applied() Mark
	Durable() Mark
	Close() error
}

// Batch collects changes for one Apply. Keys and values are copied.
type Batch interface {
	Set(key, value []byte) error
	Delete(key []byte) error
	DeleteRange(lower, upper []byte) error
	// Len is the number of bytes the batch holds.
	Len() int
	// Discard gives up a batch that will not be applied.
	Discard()
}

// Snapshot is an immutable view of an engine. It must be closed.
type Snapshot interface {
	Get(key []byte) (value []byte, ok bool, release func(), err error)
	NewIter(lower, upper []byte) (Iterator, error)
	Close() error
}

// Iterator walks keys in order. It is not safe for concurrent use. Key and
// Value are valid until the next positioning call.
type Iterator interface {
	First() bool
	Last() bool
	SeekGE(key []byte) bool
	SeekLT(key []byte) bool
	Next() bool
	Prev() bool
	Valid() bool
	Key() []byte
	Value() []byte
	Error() error
	Close() error
}
