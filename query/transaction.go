package query

import (
	"context"
	"errors"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
)

// transaction is go-mysql-server's handle of the session's transaction.
type transaction struct{ readOnly bool }

// String implements sql.Transaction.
func (transaction) String() string { return "transaction" }

// IsReadOnly implements sql.Transaction.
func (t transaction) IsReadOnly() bool { return t.readOnly }

// inTransaction reports whether the next statement runs in the transaction of
// the last one.
func (s *Session) inTransaction() bool {
	return s.explicit || s.tx != nil && !s.autocommit
}

// ensureTxn returns the session's transaction and begins one if there is none.
func (s *Session) ensureTxn() *txn.Txn {
	if s.tx != nil {
		return s.tx
	}
	opts := txn.Options{
		Isolation:       s.isolation(),
		ReadOnly:        s.readOnlyTransaction(),
		LockWaitTimeout: seconds(s.vars.Value(varLockWait)),
		MetadataTimeout: seconds(s.vars.Value(varMDLWait)),
		SkipBinlog:      s.vars.Value(varSQLLogBin) == int8(0),
		RowImage:        rowImage(s.vars.Value(varRowImage)),
		Domain:          uint32(uintOf(s.vars.Value(varDomainID))),
		ServerID:        uint32(uintOf(s.vars.Value(varServerID))),
		ThreadID:        s.info.ID,
		Waiter:          &s.waiter,
		Cursors:         &s.cursors,
	}
	s.tx = s.engine.store.Txns().Begin(opts)
	s.running.Store(s.tx)
	return s.tx
}

// seconds converts a timeout variable; 0 means no waiting, which txn says by a negative duration.
func seconds(v any) time.Duration {
	n := uintOf(v)
	if n == 0 {
		return -1
	}
	return time.Duration(min(n, 1<<31)) * time.Second
}

func uintOf(v any) uint64 {
	n, _ := v.(uint64)
	return n
}

func rowImage(v any) txn.RowImage {
	switch v {
	case "MINIMAL":
		return txn.ImageMinimal
	case "NOBLOB":
		return txn.ImageNoBlob
	}
	return txn.ImageFull
}

func (s *Session) isolation() txn.Isolation {
	if s.explicit && s.current.hasIsolation {
		return s.current.isolation
	}
	if !s.explicit && s.next.hasIsolation {
		return s.next.isolation
	}
	text, _ := s.vars.Value(varIsolation).(string)
	level, _ := parseIsolation(text)
	return level
}

func (s *Session) readOnlyTransaction() bool {
	if s.explicit && s.current.hasAccess {
		return s.current.readOnly
	}
	if !s.explicit && s.next.hasAccess {
		return s.next.readOnly
	}
	return s.vars.Value(varReadOnlyTx) == int8(1)
}

func parseIsolation(text string) (txn.Isolation, bool) {
	switch text {
	case "READ-UNCOMMITTED":
		return txn.ReadUncommitted, true
	case "READ-COMMITTED":
		return txn.ReadCommitted, true
	case "REPEATABLE-READ":
		return txn.RepeatableRead, true
	case "SERIALIZABLE":
		return txn.Serializable, true
	}
	return txn.RepeatableRead, false
}

// serializable reports whether plain reads lock: they do in SERIALIZABLE, but
// not as a transaction of their own.
func (s *Session) serializable() bool {
	return s.inTransaction() && s.isolation() == txn.Serializable
}

// startTransaction is BEGIN: what is open is committed, then LOCK TABLES ends.
func (s *Session) startTransaction(ctx context.Context, chars nextTransaction, snapshot bool) error {
	if err := s.commitAll(ctx); err != nil {
		return err
	}
	s.releaseTables()
	if !chars.hasIsolation && s.next.hasIsolation {
		chars.isolation, chars.hasIsolation = s.next.isolation, true
	}
	if !chars.hasAccess && s.next.hasAccess {
		chars.readOnly, chars.hasAccess = s.next.readOnly, true
	}
	s.next = nextTransaction{}
	s.current, s.explicit = chars, true
	if snapshot {
		return s.ensureTxn().StartSnapshot()
	}
	return nil
}

// commitAll commits the session's transaction, if there is one, and ends it
// whatever comes of it.
func (s *Session) commitAll(ctx context.Context) error {
	tx := s.tx
	s.endTransaction()
	if tx == nil {
		return nil
	}
	if !tx.Changed() {
		tx.Rollback()
		s.temp.Commit()
		return nil
	}
	chosen := uintOf(s.vars.Value(varSeqNo))
	if chosen != 0 {
		tx.SetSeqNo(chosen, s.engine.globals.On("gtid_strict_mode"))
	}
	tx.SetTimestamp(s.clock.of(ctx))
	info, err := tx.Commit(ctx)
	if chosen != 0 && (info.GTID.Seq != 0 || err != nil) {
		s.vars.Store(varSeqNo, uint64(0)) // it was for one transaction
	}
	if err != nil {
		tx.Rollback()
		s.temp.Rollback()
		var order *commit.OutOfOrderError
		if errors.As(err, &order) {
			return outOfOrder(order.GTID, order.Last)
		}
		return err
	}
	s.temp.Commit()
	if info.GTID.Seq != 0 {
		s.lastGTID = info.GTID.String()
	}
	return nil
}

// rollbackAll rolls the session's transaction back, if there is one.
func (s *Session) rollbackAll() {
	tx := s.tx
	s.endTransaction()
	if tx != nil {
		tx.Rollback()
		s.temp.Rollback()
	}
}

func (s *Session) endTransaction() {
	s.tx, s.explicit = nil, false
	s.running.Store(nil)
	s.current = nextTransaction{}
	s.next = nextTransaction{}
}

// chain begins a transaction like the one that just ended (AND CHAIN).
func (s *Session) chain(chars nextTransaction) { s.current, s.explicit = chars, true }

// beginStatement opens the scope that a failed statement is rolled back to.
func (s *Session) beginStatement(c *sql.Context, st *syntax.Statement) *txn.Txn {
	tx := s.ensureTxn()
	tx.SetTimestamp(c.QueryTime())
	tx.BeginStatement(st.Text, st.Kind == statement.Write && s.vars.Value(varAnnotate) == int8(1))
	s.temp.BeginStatement()
	return tx
}

func (s *Session) endStatement(tx *txn.Txn) {
	tx.EndStatement()
	s.temp.EndStatement()
}

// failStatement rolls back what a failed statement did, as far as its error
// asks for: the whole transaction after a deadlock.
func (s *Session) failStatement(tx *txn.Txn, err error) {
	if errors.Is(err, txn.ErrDeadlock) {
		s.rollbackAll()
		return
	}
	tx.RollbackStatement()
	s.temp.RollbackStatement()
}

// createSavepoint is SAVEPOINT name.
func (s *Session) createSavepoint(name string) error {
	if !s.inTransaction() && s.autocommit {
		return nil // a savepoint of a transaction that ends with the statement
	}
	s.ensureTxn().Savepoint(name)
	s.temp.Savepoint(name)
	return nil
}

// rollbackToSavepoint is ROLLBACK TO name.
func (s *Session) rollbackToSavepoint(name string) error {
	if s.tx == nil {
		return mysqlerr.New(mysqlerr.SPDoesNotExist, "SAVEPOINT", name)
	}
	if err := s.tx.RollbackTo(name); err != nil {
		return savepointError(err, name)
	}
	s.temp.RollbackTo(name)
	return nil
}

// releaseSavepoint is RELEASE SAVEPOINT name.
func (s *Session) releaseSavepoint(name string) error {
	if s.tx == nil {
		return mysqlerr.New(mysqlerr.SPDoesNotExist, "SAVEPOINT", name)
	}
	s.temp.Release(name)
	return savepointError(s.tx.Release(name), name)
}

func savepointError(err error, name string) error {
	if errors.Is(err, txn.ErrNoSavepoint) {
		return mysqlerr.New(mysqlerr.SPDoesNotExist, "SAVEPOINT", name).WithCause(err)
	}
	return err
}
