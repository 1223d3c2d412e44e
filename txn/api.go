package txn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/set"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn/lock"
	"github.com/duramendb/duramen/txn/rowlog"
)

// Isolation is a transaction isolation level.
type Isolation uint8

// Isolation levels. ReadUncommitted behaves like ReadCommitted; Serializable
// is RepeatableRead whose plain reads lock rows in shared mode, but for Options.Autocommit.
const (
	RepeatableRead Isolation = iota
	ReadCommitted
	ReadUncommitted
	Serializable
)

// ReadMode says which version of a row a read returns and whether it locks.
type ReadMode uint8

const (
	// Snapshot reads the transaction's read view and its own writes.
	Snapshot ReadMode = iota
	// Latest reads the newest committed version without locking. What it
	// returns may not be durable yet: for checks and counters, not for clients.
	Latest
	// LockShared and LockExclusive lock the row, then read its newest version.
	LockShared
	LockExclusive
	// Alone is Snapshot for the only read of a transaction: one row, or one range of rows. Unless there is a read view already, it needs none.
	Alone
)

// WaitPolicy says what to do when a row is locked by another transaction.
type WaitPolicy uint8

const (
	// Wait waits up to the lock wait timeout.
	Wait WaitPolicy = iota
	// NoWait returns ErrNoWait.
	NoWait
	// SkipLocked leaves the row out.
	SkipLocked
)

// LockMode is the strength of a metadata lock.
type LockMode = lock.Mode

// Modes of metadata locks that transactions take: of who reads a definition only, who reads rows, who changes or locks
// them, who needs them to stay as they are, and who changes the definition.
const (
	Describe        = lock.Describe
	IntentShared    = lock.IntentShared
	IntentExclusive = lock.IntentExclusive
	Shared          = lock.Shared
	Exclusive       = lock.Exclusive
)

// KeyBytesMax is engine.KeyBytesMax.
const KeyBytesMax = engine.KeyBytesMax

// Errors of transactions. They are returned wrapped or bare; test with errors.Is.
var (
	// ErrLockWaitTimeout: the statement failed, the transaction lives on.
	ErrLockWaitTimeout = lock.ErrWaitTimeout
	// ErrDeadlock: this transaction was chosen as the victim. The caller must
	// roll the whole transaction back.
	ErrDeadlock = lock.ErrDeadlock
	// ErrRowChanged: the row is no longer what the caller read. The row is locked now; roll
	// the statement back and run it again.
	ErrRowChanged = errors.New("row changed since it was read")
	// ErrNoWait: the row is locked and the caller did not want to wait.
	ErrNoWait = lock.ErrNoWait
	// ErrReadOnly: a change in a READ ONLY transaction.
	ErrReadOnly = errors.New("transaction is read only")
	// ErrTableChanged: the table was altered after the read view was made.
	ErrTableChanged = errors.New("table definition has changed since the transaction's read view")
	// ErrNoSavepoint: RollbackTo or Release of an unknown name.
	ErrNoSavepoint = errors.New("no such savepoint")
	// ErrTooLarge: the transaction's changes exceed Config.MaxTransactionBytes.
	ErrTooLarge = errors.New("transaction is too large")
	// ErrKeyTooLong: a row's key, or the entry of an index, is longer than engine.KeyBytesMax.
	ErrKeyTooLong = errors.New("key is too long")
	// ErrFinished: the transaction was committed or rolled back before.
	ErrFinished = errors.New("transaction has ended")
	// ErrAutoIncrementExhausted: there is no further value in 64 bits.
	ErrAutoIncrementExhausted = errors.New("auto-increment counter is exhausted")
)

// DuplicateKeyError says that a row with the same primary or unique key exists.
type DuplicateKeyError struct {
	Table *catalog.Table
	// Index is the place in Table.Indexes, -1 for the primary key.
	Index int
	// Existing is the newest image of the row that is in the way, and RowKey its full
	// key. Its row is not locked (unless Index is -1): use them as the arguments of
	// Update and Delete, which find out whether it has changed meanwhile.
	Existing []byte
	RowKey   []byte
}

// TableFullError says that a table in memory would become too large.
type TableFullError struct{ Table *catalog.Table }

// Error names the table.
func (e *TableFullError) Error() string {
	return fmt.Sprintf("table %s.%s is full: it is kept in memory", e.Table.Def.DB, e.Table.Def.Name)
}

// Error names table and index.
func (e *DuplicateKeyError) Error() string {
	name := "PRIMARY"
	if e.Index >= 0 {
		name = e.Table.Indexes[e.Index].Def.Name
	}
	return fmt.Sprintf("duplicate entry in table %s.%s for key %s", e.Table.Def.DB, e.Table.Def.Name, name)
}

// Config is what a Manager needs. Engine, Committer and Catalog are required.
type Config struct {
	// Engine holds the tables, and has been told of those in the catalog.
	Engine    *set.Set
	Committer Committer
	Catalog   *catalog.Registry
	// Applied is the place in the log up to which the engine has everything, and behind which it has nothing. It stays inside ApplyBarrier.
	Applied func() logpos.Pos
	// Logger may be nil: nothing is logged.
	Logger *slog.Logger
	// MaxRowsEventBytes is binlog_row_event_max_size; 0 means 8192.
	MaxRowsEventBytes int
	// MaxTransactionBytes bounds the events of one transaction (max_binlog_cache_size);
	// 0 means MaxEventBytes, which is also the most.
	MaxTransactionBytes int64
	// BinlogCacheSize is binlog_cache_size: events beyond that go to a file made by
	// NewEventFile. 0 means 32 KiB. Without NewEventFile they stay in memory.
	BinlogCacheSize int64
	NewEventFile    func() (EventFile, error)
	// LargeCommitThreshold is binlog_large_commit_threshold: a transaction with more bytes of
	// events is handed to the Committer as a file; 0 means 16 MiB.
	LargeCommitThreshold int64
	// WriteSetMemory is how many bytes of changed rows and index entries a transaction
	// keeps in memory, 0 means LargeCommitThreshold; the rest goes to files in SpillDir, and the
	// transaction is a large one. Without SpillFS everything stays in memory.
	WriteSetMemory int
	SpillFS        vfs.FS
	SpillDir       string
	// Now is the clock of event timestamps; nil means time.Now.
	Now func() time.Time
	// WokenForTesting is called, with no mutex held, by a transaction that waited for a lock and got it, with the
	// context it waited with.
	WokenForTesting func(context.Context)
}

// RowImage is binlog_row_image.
type RowImage = rowlog.Image

// Values of binlog_row_image.
const (
	ImageFull    = rowlog.ImageFull
	ImageMinimal = rowlog.ImageMinimal
	ImageNoBlob  = rowlog.ImageNoBlob
)

// EventFile takes the events of a transaction that do not fit into memory.
type EventFile = rowlog.File

// Options of one transaction. The zero value is REPEATABLE READ, read-write,
// with the default timeouts.
type Options struct {
	Isolation Isolation
	ReadOnly  bool
	// Autocommit says that the transaction is one statement of a session with autocommit: its plain reads see one snapshot, which is an order of
	// transactions, and need no locks for that in SERIALIZABLE.
	Autocommit bool
	// LockWaitTimeout is innodb_lock_wait_timeout; 0 means 50 s, negative means no waiting.
	LockWaitTimeout time.Duration
	// MetadataTimeout is lock_wait_timeout (metadata locks); 0 means 86400 s, negative no waiting.
	MetadataTimeout time.Duration
	// SkipBinlog is sql_log_bin=0: the changes are redo for this server only.
	SkipBinlog bool
	// MemoryTableBytes is max_heap_table_size: about what a table of an engine that keeps all in memory may take; 0 means no limit.
	MemoryTableBytes int64
	RowImage         RowImage
	Domain           uint32 // gtid_domain_id
	ServerID         uint32
	// Replicated and MySQL: see CommitRequest.
	Replicated bool
	MySQL      gtid.MySQL
	// Line, if not nil, is where the transaction will be started: a Scan of the latest rows waits until all before it in the line have their places.
	Line     *Line
	ThreadID uint32 // connection id, as in Query events
	// Waiter is shared by everything of a session that waits for locks; nil: there is only the transaction.
	Waiter *lock.Waiter
	// Durable: see CommitRequest.
	Durable func(end logpos.Pos)
	// Cursors, if set, is told of the transaction's cursors.
	Cursors *CursorSet
}

// CommitInfo tells where a transaction went in the log. It is zero if the
// transaction changed nothing.
type CommitInfo struct {
	GTID gtid.GTID
	End  logpos.Pos
}

// CommitRequest is a transaction on its way into the log.
type CommitRequest struct {
	Domain, ServerID uint32
	// Seq is the sequence number that the session chose; 0 leaves it to the committer.
	// Strict refuses one that is not after the last of its domain.
	Seq    uint64
	Strict bool
	// Replicated says that the transaction came by replication: its GTID becomes a part of gtid_slave_pos.
	Replicated bool
	// MySQL is what the MySQL calls the transaction from which it came: it becomes a part of gtid_executed. Events have its private record. The zero
	// value: it came from none.
	MySQL gtid.MySQL
	// Executed, if not nil, changes gtid_executed. Events have its private record, and the request is LocalOnly.
	Executed *gtid.ExecutedChange
	// Reposition, if not nil, changes gtid_slave_pos. Events have its private record, and the request is LocalOnly.
	Reposition *gtid.Reposition
	// Line, if not nil, is the series of transactions that this one belongs to; see Committer.Start.
	Line *Line
	// Flags are those of the GTID event (event.FL...), without FLGroupCommitID.
	Flags byte
	// Timestamp is the GTID event's, in Unix seconds.
	Timestamp uint32
	// Events are all events after the GTID event, LogPos and CRC unset.
	Events []byte
	// File, if set, holds the events after Events: the transaction is a large one. It
	// is not durable yet. Of a LocalOnly transaction it holds private records.
	File EventFile
	// LocalOnly says that the transaction must not be seen by replicas
	// (sql_log_bin=0) and gets no GTID.
	LocalOnly bool
	// Write adds the transaction's changes of keys to a batch of the engine:
	// the catalog's entries first, then rows. It is called when the transaction
	// is applied, by the goroutine that applies; a committer that needs to know
	// them earlier calls it once more, before it hands the request on.
	Write func(b engine.Batch) error
	// Import, if set, holds the rows (Write then adds the rest), File is set as well, and the
	// row locks are held until the ticket is Applied or Lost.
	Import engine.Import
	// Catalog is the change of the catalog to publish when the transaction is applied; nil for none.
	Catalog *catalog.Change
	// Ticket is moved by the committer: Sequence in log order, before any transaction after it is taken from the
	// queue; then Apply, in the critical section in which the engine and the catalog get the changes (see
	// Committer.ApplyBarrier), or Lose, of all after a place in the log.
	Ticket Ticket
	// Durable, if not nil, is called with End when the request and everything before it in the log is durable, as sync_binlog has it, and nobody can
	// read it yet. It is not called for one that is lost or fails. Nothing is locked, but later requests are applied after its return: it has to
	// be short.
	Durable func(end logpos.Pos)

	// GTID and End are set by the committer before Commit returns nil.
	GTID gtid.GTID
	End  logpos.Pos
}

// Committer makes transactions durable and applies them, in one order.
type Committer interface {
	// Commit returns when the request is durable, applied and visible (its ticket is Applied). With an error, a
	// ticket that is Waiting has no place in the log and never will have one; one that is Lost had one; and if it is
	// Sequenced the outcome is unknown, and the process ends. ctx can only end the wait for a place.
	Commit(ctx context.Context, r *CommitRequest) error
	// Start is Commit that returns when the request has joined those that will get a place; wait, which has to be called once, is the rest
	// of it. Requests of a Line get their places in the order in which they were started, or not at all: after one that is refused
	// all later ones of its line are refused with ErrLine.
	Start(ctx context.Context, r *CommitRequest) (wait func() error, err error)
	// ApplyBarrier runs f while no apply is in progress: engine, catalog and
	// tickets of every applied transaction agree while f runs. f must be short.
	ApplyBarrier(f func())
	// Epoch rises whenever places in the log are lost, after their tickets were told. A request whose ticket is of
	// an earlier epoch is refused with ErrLost: it may have built on what was lost.
	Epoch() uint64
}

// ScanSpec says what Scan reads.
type ScanSpec struct {
	Table *catalog.Table
	// Index is the place in Table.Indexes, -1 for the rows in primary key order.
	Index int
	// Lower (inclusive) and Upper (exclusive) are full keys: Table.Prefix(Index) followed
	// by encoded key parts. nil means the index's own bound.
	Lower, Upper []byte
	Reverse      bool
	Mode         ReadMode
	Wait         WaitPolicy
}
