package session

import (
	"context"
	"errors"
	"time"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
	"github.com/duramendb/duramen/txn/lock"
)

// readLock is a session's FLUSH TABLES WITH READ LOCK: the global lock, as Shared. Statements that change rows, LOCK
// TABLES ... WRITE and commits have it as IntentExclusive, so while somebody has it nothing changes.
type readLock struct {
	locks *lock.Manager
	owner lock.Owner
	held  bool
}

func (r *readLock) init(m *lock.Manager, connection uint32, waiter *lock.Waiter) {
	r.locks, r.owner.Thread, r.owner.Waiter = m, connection, waiter
}

// Acquire waits for statements that change something and for LOCK TABLES ... WRITE, not for transactions between
// their statements: these wait at their next one, or at COMMIT. As in MariaDB it goes before those who wait for another session's.
func (r *readLock) Acquire(ctx context.Context, timeout time.Duration) error {
	_, err := r.locks.Lock(ctx, &r.owner, lock.Request{Class: lock.Global, Key: txn.GlobalLockKey(), Mode: lock.Shared, First: true,
		Timeout: timeout, Statement: "FLUSH TABLES WITH READ LOCK"})
	r.held = r.held || err == nil
	return err
}

func (r *readLock) release() {
	if r.held {
		r.held = false
		r.locks.Release(&r.owner, lock.Global)
	}
}

// MayChange refuses a change to the session that has the read lock itself.
func (r *readLock) MayChange() error {
	if r.held {
		return mysqlerr.New(mysqlerr.CantUpdateWithReadlock)
	}
	return nil
}

// BeginChange returns when the session's transaction may change something. taken, if it is not nil, has to be unlocked at the end of the
// change. statement is for reports.
func (s *Session) BeginChange(ctx context.Context, statement string) (taken *txn.GlobalLock, err error) {
	if err := s.ReadLock.MayChange(); err != nil {
		return nil, err
	}
	tx := s.EnsureTxn()
	ok, err := tx.Global.Lock(ctx, statement)
	if err != nil && (!s.InTransaction() || errors.Is(err, txn.ErrDeadlock)) {
		s.RollbackAll()
	}
	if !ok {
		return nil, err
	}
	return &tx.Global, nil
}

// WritesTables reports whether a statement changes rows of tables that are not temporary, or locks them to
// change them.
func (s *Session) WritesTables(st *statement.Statement) bool {
	for i := range st.Tables {
		t := &st.Tables[i]
		if t.Strength != statement.Exclusive {
			continue
		}
		db := t.DB
		if db == "" {
			db = s.DB()
		}
		if !s.Temp.Has(db, t.Name) {
			return true
		}
	}
	return false
}
