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

// ErrClosed is returned by every method of a closed engine that returns errors, but Close.
var ErrClosed = errors.New("engine: closed")

// ErrDamaged is matched by errors of Kind.Peek, and by those of whoever reads, about files that are not as they were written.
var ErrDamaged = errors.New("engine: damaged files")

// KeyBytesMax is how long a key may be. Who makes keys refuses longer ones before their changes are in the log: there they could
// not be applied, by any engine that a table may be moved to.
const KeyBytesMax = 32_000

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
//  4. A key has from 1 to KeyBytesMax bytes, and a value less than 1 GiB. Wherever a key is only a place, it may be empty.
//  5. Snapshots and iterators are closed before the engine is.
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
	// Snapshot returns the state after the last Apply, unaffected by later ones; of a closed engine, a ClosedSnapshot.
	Snapshot() Snapshot
	// Get reads the current state; value is valid until the next call of
	// release, which must be called when err is nil. A missing key gives ok=false.
	Get(key []byte) (value []byte, ok bool, release func(), err error)
	// NewIter iterates over the current state between lower (inclusive) and
	// upper (exclusive).
	NewIter(lower, upper []byte) (Iterator, error)
	// Checkpoint makes everything applied before the call durable and returns
	// the mark that is then durable. An error of the disk is returned, and everything else goes on; a later
	// call may succeed. When nobody can tell what the disk holds (a failed sync), Options.Fatal is called instead.
	Checkpoint() (Mark, error)
	// Applied is the mark of the last Apply; Durable is the mark that a restart
	// would find.
	Applied() Mark
	Durable() Mark
	// Size estimates how many bytes the keys between lower (inclusive) and upper (exclusive) take, as they are stored. It
	// does not read them all. nil is no bound.
	Size(lower, upper []byte) (uint64, error)
	// Stats are counters and sizes of this moment; of a closed engine they are zero.
	Stats() Stats
	Close() error
}

// Batch collects changes for one Apply. Keys and values are copied.
type Batch interface {
	Set(key, value []byte) error
	Delete(key []byte) error
	// DeleteRange deletes the keys between lower (inclusive) and upper (exclusive) that are there when its turn comes:
	// what the batch sets afterwards stays.
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
// Value are valid until the next positioning call, which may have them as its argument. Next and Prev go on from a key: they are called
// only while the iterator is Valid.
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
