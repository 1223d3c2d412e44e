package txn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn/lock"
	"github.com/duramendb/duramen/txn/rowlog"
)

// Txn is one transaction. Its methods are called by one goroutine at a time,
// except that reads (Get, Scan, and cursors of their own) may run concurrently
// with each other.
type Txn struct {
	// Global is the transaction's hold on the global lock. It is the caller's for a statement; Commit takes it if need be.
	Global GlobalLock

	m     *Manager
	id    uint64
	opts  Options
	owner lock.Owner
	// locking serialises the waits of concurrent reads: an owner waits for one lock at a time.
	locking sync.Mutex
	name    [64]byte // memory of names that are locked
	locked  lockedRow
	newest  bool        // the last call of lockRow got a lock that can be given back
	waited  atomic.Bool // for a row lock: FLWaited
	// unapplied are the rows that were read before they were durable.
	unapplied pendingReads
	finished  bool
	started   time.Time // for Info
	seqNo     uint64    // see SetSeqNo
	strict    bool
	logEmpty  bool // see LogEmpty

	log rowlog.Log
	// writes are the changes of rows; stmt is their mark at the start of the running statement.
	writes ownWrites
	stmt   writeMark

	ddl *event.Query
	// ddlFlags are for the header of the DDL's Query event.
	ddlFlags uint16
	bulk     []*BulkWriter
	// touched are the auto-increment counters to persist at commit.
	touched    map[uint32]*counter
	savepoints savepoints
	gap        gap
	moved      moveSet // what updates have moved within indexes; see moved.go

	mu struct {
		sync.Mutex
		view *view // of the transaction (RR) or of the statement (RC); nil until the first read
		// snapshotAt is the place in the log of StartSnapshot; zero without.
		snapshotAt logpos.Pos
	}

	own struct { // own changes of the catalog
		change  catalog.Change
		base    *catalog.Snapshot // the version that current was made from
		current *catalog.Snapshot
	}
}

// ID is a number that no other transaction of this process has.
func (t *Txn) ID() uint64 { return t.id }

// Options are those of Begin.
func (t *Txn) Options() Options { return t.opts }

// SetLockWaitTimeout changes Options.LockWaitTimeout for what follows.
func (t *Txn) SetLockWaitTimeout(d time.Duration) { t.opts.LockWaitTimeout = d }

// SetRowImage changes Options.RowImage for what follows.
func (t *Txn) SetRowImage(r RowImage) {
	t.opts.RowImage = r
	t.log.SetImage(r)
}

// SetTimestamp fixes the time of the events that follow, in whole seconds: set it before a statement and
// before Commit, whose time the GTID event and the XID carry. The zero time means the clock.
func (t *Txn) SetTimestamp(at time.Time) { t.log.SetTime(at) }

// Catalog is the current catalog, with this transaction's own changes.
func (t *Txn) Catalog() *catalog.Snapshot {
	cur := t.m.cfg.Catalog.Current()
	if t.own.current == nil {
		return cur
	}
	if t.own.base != cur {
		next, err := cur.Apply(t.own.change, t.m.cfg.Catalog.Collations())
		if err != nil { // another DDL took a name meanwhile: Commit will report it
			return t.own.current
		}
		t.own.base, t.own.current = cur, next
	}
	return t.own.current
}

// NewTableID hands out the id for a table that this transaction creates.
func (t *Txn) NewTableID() uint32 { return t.m.cfg.Catalog.NewTableID() }

// ChangeCatalog adds a change of the catalog to the transaction. It is
// visible through Catalog at once and to others after Commit.
func (t *Txn) ChangeCatalog(c catalog.Change) error {
	if err := t.writable(); err != nil {
		return err
	}
	change := t.own.change.Clone()
	change.Merge(c)
	base := t.m.cfg.Catalog.Current()
	next, err := base.Apply(change, t.m.cfg.Catalog.Collations())
	if err != nil {
		return fmt.Errorf("change catalog: %w", err)
	}
	if err := t.m.cfg.Engine.Place(c.Tables...); err != nil {
		return fmt.Errorf("change catalog: %w", err)
	}
	t.own.change, t.own.base, t.own.current = change, base, next
	return nil
}

// SetDDL sets the statement that replicas will run. A transaction that also
// changed rows logs it before those. Thread id and XID are filled in if they
// are 0. headerFlags are added to the Query event's (event.FlagSuppressUse for
// statements about databases).
func (t *Txn) SetDDL(q event.Query, headerFlags ...uint16) {
	if q.ThreadID == 0 {
		q.ThreadID = t.opts.ThreadID
	}
	if q.XID == 0 {
		q.XID = t.id
	}
	t.ddl, t.ddlFlags = &q, 0
	for _, f := range headerFlags {
		t.ddlFlags |= f
	}
	t.log.StartClock(t.m.cfg.Now)
}

func (t *Txn) writable() error {
	if t.finished {
		return ErrFinished
	}
	if t.opts.ReadOnly {
		return ErrReadOnly
	}
	return nil
}

// LockTable takes a metadata lock on a table name until the end of the transaction. What another owner of the same
// Options.Waiter has, the transaction has too.
func (t *Txn) LockTable(ctx context.Context, db, table string, mode LockMode) error {
	return t.LockObject(ctx, "t", db, table, mode)
}

// LockDatabase takes a metadata lock on a database name until the end of the transaction.
func (t *Txn) LockDatabase(ctx context.Context, db string, mode LockMode) error {
	return t.LockObject(ctx, "d", db, "", mode)
}

// LockObject takes a metadata lock on a name until the end of the transaction: "t" is a table, "d" a database, and other
// objects are of kinds with longer names. The key cannot be that of a row: it starts with the
// table id of the meta space.
func (t *Txn) LockObject(ctx context.Context, kind, db, table string, mode LockMode) error {
	if t.finished {
		return ErrFinished
	}
	t.locking.Lock()
	defer t.locking.Unlock()
	_, err := t.m.locks.Lock(ctx, &t.owner, lock.Request{Class: lock.Metadata, Key: appendNameKey(t.name[:0], kind, db, table), Mode: mode,
		Timeout: t.opts.MetadataTimeout, Statement: t.log.Statement()})
	if err != nil {
		return fmt.Errorf("metadata lock on %s.%s: %w", db, table, err)
	}
	return nil
}

// lockRow locks a row key or the key of a unique index entry. had says that
// the transaction held the lock before.
func (t *Txn) lockRow(ctx context.Context, key []byte, mode lock.Mode, wait WaitPolicy) (had bool, err error) {
	timeout := t.opts.LockWaitTimeout
	if wait != Wait {
		timeout = -1
	}
	t.locking.Lock()
	defer t.locking.Unlock()
	r, err := t.m.locks.Lock(ctx, &t.owner, lock.Request{Class: lock.Rows, Key: key, Mode: mode, Timeout: timeout, Statement: t.log.Statement()})
	if r.Waited {
		t.waited.Store(true)
	}
	t.newest = r.Newest
	if errors.Is(err, ErrNoWait) && wait == Wait { // innodb_lock_wait_timeout=0
		err = ErrLockWaitTimeout
	}
	return r.Had, err
}

// Disregard says that the row with this key, which was read just now, is not one that its statement asks for: where rows are
// read as they are now (READ COMMITTED), a lock that the transaction did not have before is given back.
func (t *Txn) Disregard(rowKey []byte) {
	if t.opts.Isolation != ReadCommitted && t.opts.Isolation != ReadUncommitted {
		return
	}
	t.locking.Lock()
	defer t.locking.Unlock()
	t.locked.forget()
	if t.newest {
		t.newest = false
		t.m.locks.ReleaseNewest(&t.owner, rowKey)
	}
}

// Changed reports whether the transaction has anything to log.
func (t *Txn) Changed() bool {
	return !t.log.Empty() || t.ddl != nil || !t.own.change.Empty() || t.logEmpty
}

// LockCount is the number of row locks held (trx_rows_locked).
func (t *Txn) LockCount() int { return t.m.locks.RowCount(&t.owner) }
