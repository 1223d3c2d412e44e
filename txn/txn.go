package txn

import (
	"context"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
)

// Manager begins transactions over one engine. It is safe for concurrent use.
type Manager struct{ cfg Config }

// NewManager makes a manager.
func NewManager(cfg Config) *Manager { return &Manager{cfg: cfg} }

// Begin starts a transaction. Nothing is read or locked yet.
func (m *Manager) Begin(o Options) *Txn { return &Txn{m: m, opts: o} }

// Catalog is the registry given to NewManager.
func (m *Manager) Catalog() *catalog.Registry { return m.cfg.Catalog }

// Txn is one transaction. Its methods are called by one goroutine at a time,
// except that reads (Get, Scan, Cursor) may run concurrently with each other.
type Txn struct {
	m    *Manager
	opts Options
}

// Options are those of Begin.
func (t *Txn) Options() Options { return t.opts }

// Catalog is the current catalog, with this transaction's own changes.
func (t *Txn) Catalog() *catalog.Snapshot { return t.m.cfg.Catalog.Current() }

// NewTableID hands out the id for a table that this transaction creates.
func (t *Txn) NewTableID() uint32 { return t.m.cfg.Catalog.NewTableID() }

// ChangeCatalog adds a change of the catalog to the transaction.
func (t *Txn) ChangeCatalog(c catalog.Change) error { return nil }

// SetDDL sets the statement that replicas will run (a Query event). Thread id
// is filled in; a transaction that also changed rows logs it in front of them.
func (t *Txn) SetDDL(q event.Query) {}

// BeginStatement starts a statement: sql is its text for the
// ANNOTATE_ROWS event, which is written if annotate is set and rows change.
func (t *Txn) BeginStatement(sql string, annotate bool) {}

// EndStatement ends a statement that succeeded.
func (t *Txn) EndStatement() {}

// RollbackStatement undoes the running statement; its locks are kept.
func (t *Txn) RollbackStatement() {}

// Savepoint sets a savepoint; one of the same name (case ignored) is replaced.
func (t *Txn) Savepoint(name string) {}

// RollbackTo undoes everything after the savepoint, which stays; locks are kept.
func (t *Txn) RollbackTo(name string) error { return nil }

// Release forgets the savepoint and those set after it.
func (t *Txn) Release(name string) error { return nil }

// LockTable takes a metadata lock on a table name until the end of the transaction.
func (t *Txn) LockTable(ctx context.Context, db, table string, mode LockMode) error { return nil }

// LockDatabase takes a metadata lock on a database name.
func (t *Txn) LockDatabase(ctx context.Context, db string, mode LockMode) error { return nil }

// Get reads the row with this full key. The image belongs to the caller.
func (t *Txn) Get(ctx context.Context, tbl *catalog.Table, rowKey []byte, mode ReadMode, wait WaitPolicy) (image []byte, ok bool, err error) {
	return nil, false, nil
}

// Scan reads a range of a table or index in key order.
func (t *Txn) Scan(ctx context.Context, spec ScanSpec) (*Cursor, error) { return nil, nil }

// Cursor walks the rows of a Scan. It must be closed.
type Cursor struct{}

// Next moves to the next row; false at the end or on an error.
func (c *Cursor) Next() bool { return false }

// RowKey is the row's full key; valid until Next.
func (c *Cursor) RowKey() []byte { return nil }

// Image is the row image; valid until Next.
func (c *Cursor) Image() []byte { return nil }

// Key is the full key of the index entry (of the row, if Index is -1); valid until Next.
func (c *Cursor) Key() []byte { return nil }

// Err is the error that ended the walk, if any.
func (c *Cursor) Err() error { return nil }

// Close frees the cursor. Closing twice is no error.
func (c *Cursor) Close() error { return nil }

// Insert adds a row. image is kept: the caller must not change it afterwards. A
// *DuplicateKeyError, and any other error, means that nothing was changed.
func (t *Txn) Insert(ctx context.Context, tbl *catalog.Table, image []byte) error { return nil }

// Update replaces a row whose image the caller has read as before. It locks
// the row and returns ErrRowChanged if it is no longer that. A nil before
// means "as it is now" and is allowed only for a row that this transaction
// had locked exclusively before. after is kept.
func (t *Txn) Update(ctx context.Context, tbl *catalog.Table, rowKey, before, after []byte) error {
	return nil
}

// Delete removes a row; before as in Update.
func (t *Txn) Delete(ctx context.Context, tbl *catalog.Table, rowKey, before []byte) error {
	return nil
}

// NextAutoIncrement reserves count values and returns the first: they follow
// each other at distance increment and are offset modulo increment
// (auto_increment_increment, auto_increment_offset; 0 means 1). Values are
// not given back by a rollback.
func (t *Txn) NextAutoIncrement(tbl *catalog.Table, count, increment, offset uint64) (first uint64, err error) {
	return 0, nil
}

// PeekAutoIncrement is the next value without taking it (SHOW TABLE STATUS).
func (t *Txn) PeekAutoIncrement(tbl *catalog.Table) (uint64, error) { return 0, nil }

// SetAutoIncrement makes next the table's next value (ALTER TABLE ...
// AUTO_INCREMENT), as part of this transaction; it never goes below what the table holds.
// Inserting a row with a higher value raises the counter by itself.
func (t *Txn) SetAutoIncrement(tbl *catalog.Table, next uint64) error { return nil }

// BulkWriter returns a writer that fills a table, or some of its indexes,
// that no catalog version refers to yet (ALTER TABLE by copy, CREATE INDEX). The
// caller holds the table's metadata lock exclusively. indexes are places in
// tbl.Indexes; rows says whether to write the rows too.
func (t *Txn) BulkWriter(tbl *catalog.Table, rows bool, indexes []int) (*BulkWriter, error) {
	return nil, nil
}

// BulkWriter writes straight into the engine. Close it before Commit; its
// contents are removed if the transaction is rolled back.
type BulkWriter struct{}

// Add writes one row. rowKey may be nil: it is made from the image, or a new
// row id is taken. A duplicate is reported by Add or by Finish as *DuplicateKeyError.
func (w *BulkWriter) Add(rowKey, image []byte) error { return nil }

// Finish writes what is left and makes it durable.
func (w *BulkWriter) Finish() error { return nil }

// Commit makes the transaction durable and visible. On an error it was rolled
// back. A transaction that changed nothing only releases its locks.
func (t *Txn) Commit(ctx context.Context) (CommitInfo, error) { return CommitInfo{}, nil }

// Rollback ends the transaction without a trace. It is harmless after Commit.
func (t *Txn) Rollback() {}

// Changed reports whether the transaction has anything to log.
func (t *Txn) Changed() bool { return false }

// StartSnapshot makes the read view now (START TRANSACTION WITH CONSISTENT SNAPSHOT).
func (t *Txn) StartSnapshot() error { return nil }

// SetLockWaitTimeout changes Options.LockWaitTimeout for what follows.
func (t *Txn) SetLockWaitTimeout(d time.Duration) {}
