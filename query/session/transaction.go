package session

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/txn"
)

// InTransaction reports whether the next statement runs in the transaction of
// the last one.
func (s *Session) InTransaction() bool {
	return s.explicit || s.Tx != nil && !s.autocommit
}

// EnsureTxn returns the session's transaction and begins one if there is none.
func (s *Session) EnsureTxn() *txn.Txn {
	if s.Tx != nil {
		return s.Tx
	}
	opts := txn.Options{
		Isolation:       s.isolation(),
		ReadOnly:        s.ReadOnlyTransaction(),
		Autocommit:      s.autocommit && !s.explicit,
		LockWaitTimeout: Seconds(s.Vars.Value(VarLockWait)),
		MetadataTimeout: Seconds(s.Vars.Value(varMDLWait)),
		SkipBinlog:      s.Vars.Value(VarSQLLogBin) == int8(0),
		RowImage:        rowImage(s.Vars.Value(varRowImage)),

		MemoryTableBytes: int64(min(UintOf(s.Vars.Value(varHeapTableSize)), math.MaxInt64)),
		Domain:           uint32(UintOf(s.Vars.Value(varDomainID))),
		ServerID:         uint32(UintOf(s.Vars.Value(varServerID))),
		ThreadID:         s.Info.ID,
		Waiter:           &s.waiter,
		Cursors:          &s.cursors,
	}
	if s.Replicated != nil {
		s.Replicated.options(&opts)
	}
	s.Tx = s.Server.Store.Txns().Begin(opts)
	s.Running.Store(s.Tx)
	return s.Tx
}

// Seconds converts a timeout variable; 0 means no waiting, which txn says by a negative duration.
func Seconds(v any) time.Duration {
	n := UintOf(v)
	if n == 0 {
		return -1
	}
	return time.Duration(min(n, 1<<31)) * time.Second
}

func UintOf(v any) uint64 {
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
	switch {
	case s.explicit:
		return s.Current.Isolation
	case s.Tx != nil:
		return s.Tx.Options().Isolation
	case s.Next.HasIsolation:
		return s.Next.Isolation
	}
	return usualIsolation(s.Vars)
}

// usualIsolation is that of transactions which nothing else is said about.
func usualIsolation(vars *sysvar.Session) txn.Isolation {
	text, _ := vars.Value(varIsolation).(string)
	level, _ := parseIsolation(text)
	return level
}

// ReadOnlyTransaction reports whether the running transaction may change nothing, or one that began now might not.
func (s *Session) ReadOnlyTransaction() bool {
	switch {
	case s.explicit:
		return s.Current.ReadOnly
	case s.Tx != nil:
		return s.Tx.Options().ReadOnly
	case s.Next.HasAccess:
		return s.Next.ReadOnly
	}
	return usualReadOnly(s.Vars)
}

func usualReadOnly(vars *sysvar.Session) bool { return vars.Value(varReadOnlyTx) == int8(1) }

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

// Serializable reports whether plain reads lock: they do in SERIALIZABLE, but
// not as a transaction of their own.
func (s *Session) Serializable() bool {
	return s.InTransaction() && s.isolation() == txn.Serializable
}

// StartTransaction is BEGIN: what is open is committed, then LOCK TABLES ends. What chars leaves open is as SET TRANSACTION
// has said, unless that was for the transaction that is committed.
func (s *Session) StartTransaction(ctx context.Context, chars NextTransaction, snapshot bool) error {
	next := s.Next
	if s.InTransaction() {
		next = NextTransaction{}
	}
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	s.releaseTables()
	if !chars.HasIsolation && next.HasIsolation {
		chars.Isolation, chars.HasIsolation = next.Isolation, true
	}
	if !chars.HasAccess && next.HasAccess {
		chars.ReadOnly, chars.HasAccess = next.ReadOnly, true
	}
	s.Chain(chars)
	if snapshot {
		return s.EnsureTxn().StartSnapshot()
	}
	return nil
}

// CommitAll commits the session's transaction, if there is one, and ends it
// whatever comes of it.
func (s *Session) CommitAll(ctx context.Context) error {
	tx := s.Tx
	if s.Replicated != nil {
		if err := s.Replicated.mayCommit(tx, s.explicit); err != nil {
			s.RollbackAll()
			return err
		}
	}
	s.endTransaction()
	if tx == nil {
		return nil
	}
	if s.Replicated != nil {
		s.Replicated.numbered(tx, s.Server.Globals.On("gtid_strict_mode"))
	}
	if !tx.Changed() {
		tx.Rollback()
		s.Temp.Commit()
		return nil
	}
	chosen := UintOf(s.Vars.Value(varSeqNo))
	if chosen != 0 {
		tx.SetSeqNo(chosen, s.Server.Globals.On("gtid_strict_mode"))
	}
	tx.SetTimestamp(s.Clock.of(ctx))
	info, err := commitShown(ctx, s, tx)
	if chosen != 0 && (info.GTID.Seq != 0 || err != nil) {
		s.Vars.Store(varSeqNo, uint64(0)) // it was for one transaction
	}
	if err != nil {
		tx.Rollback()
		s.Temp.Rollback()
		var order *commit.OutOfOrderError
		if errors.As(err, &order) {
			return outOfOrder(order.GTID, order.Last)
		}
		return err
	}
	s.Temp.Commit()
	if s.Replicated != nil {
		s.Replicated.committed(info)
	}
	if info.GTID.Seq != 0 {
		s.lastGTID = info.GTID.String()
	}
	return nil
}

// commitShown commits, and lets SHOW PROCESSLIST show what for if a replica's acknowledgement will be waited for.
func commitShown(ctx context.Context, s *Session, tx *txn.Txn) (txn.CommitInfo, error) {
	if s.Server.SemiSync.Waits() {
		before := s.Proc.Info()
		s.Proc.SetState(before.Command, "Waiting for semi-sync ACK from slave")
		defer s.Proc.SetState(before.Command, before.State)
	}
	return tx.Commit(ctx)
}

// RollbackAll rolls the session's transaction back, if there is one.
func (s *Session) RollbackAll() {
	tx := s.Tx
	s.endTransaction()
	if tx != nil {
		tx.Rollback()
		s.Temp.Rollback()
	}
}

// EndIdle ends a transaction of a statement that is over, when it belongs to that alone.
func (s *Session) EndIdle() {
	if s.Tx != nil && !s.InTransaction() {
		next := s.unusedNext()
		s.RollbackAll()
		s.Next = next
	}
}

// EndStatementTransaction commits a transaction that was begun for one statement, if it was.
func (s *Session) EndStatementTransaction(ctx context.Context, st *statement.Statement) error {
	if s.InTransaction() {
		return nil
	}
	next := NextTransaction{}
	if len(st.Tables) == 0 { // who names a table has used it, also if nothing is left to see of that
		next = s.unusedNext()
	}
	err := s.CommitAll(ctx)
	s.Next = next
	return err
}

// unusedNext is what SET TRANSACTION has said, if the transaction that ends has not come to use it: SELECT 1 does not.
func (s *Session) unusedNext() NextTransaction {
	if s.Next == (NextTransaction{}) || s.Tx != nil && s.Tx.Info().Used {
		return NextTransaction{}
	}
	return s.Next
}

func (s *Session) endTransaction() {
	s.Tx, s.explicit = nil, false
	s.Running.Store(nil)
	s.Current = NextTransaction{}
	s.Next = NextTransaction{}
}

// Chain begins a transaction like the one that just ended (AND CHAIN). What chars leaves open is as the session's variables say now:
// to set them changes later transactions only.
func (s *Session) Chain(chars NextTransaction) {
	if !chars.HasIsolation {
		chars.Isolation, chars.HasIsolation = usualIsolation(s.Vars), true
	}
	if !chars.HasAccess {
		chars.ReadOnly, chars.HasAccess = usualReadOnly(s.Vars), true
	}
	s.Current, s.explicit = chars, true
}

// beginStatement opens the scope that a failed statement is rolled back to.
func (s *Session) beginStatement(at time.Time, st *statement.Statement) *txn.Txn {
	tx := s.EnsureTxn()
	tx.SetTimestamp(at)
	text, annotate := st.Text, st.Kind == statement.Write && s.Vars.Value(varAnnotate) == int8(1)
	if annotate {
		text = TextsOf(s).ToClient(text)
	}
	tx.BeginStatement(text, annotate)
	s.Temp.BeginStatement()
	return tx
}

func (s *Session) endStatement(tx *txn.Txn) {
	tx.EndStatement()
	s.Temp.EndStatement()
}

// failStatement rolls back what a failed statement did, as far as its error
// asks for: the whole transaction after a deadlock.
func (s *Session) failStatement(tx *txn.Txn, err error) {
	if errors.Is(err, txn.ErrDeadlock) {
		s.RollbackAll()
		return
	}
	if partly(s) && !errors.Is(err, txn.ErrRowChanged) {
		s.endStatement(tx)
		return
	}
	tx.RollbackStatement()
	s.Temp.RollbackStatement()
}

// CreateSavepoint is SAVEPOINT name.
func (s *Session) CreateSavepoint(name string) error {
	if !s.InTransaction() && s.autocommit {
		return nil // a savepoint of a transaction that ends with the statement
	}
	s.EnsureTxn().Savepoint(name)
	s.Temp.Savepoint(name)
	return nil
}

// RollbackToSavepoint is ROLLBACK TO name.
func (s *Session) RollbackToSavepoint(name string) error {
	if s.Tx == nil {
		return mysqlerr.New(mysqlerr.SPDoesNotExist, "SAVEPOINT", name)
	}
	if err := s.Tx.RollbackTo(name); err != nil {
		return savepointError(err, name)
	}
	s.Temp.RollbackTo(name)
	return nil
}

// ReleaseSavepoint is RELEASE SAVEPOINT name.
func (s *Session) ReleaseSavepoint(name string) error {
	if s.Tx == nil {
		return mysqlerr.New(mysqlerr.SPDoesNotExist, "SAVEPOINT", name)
	}
	s.Temp.Release(name)
	return savepointError(s.Tx.Release(name), name)
}

func savepointError(err error, name string) error {
	if errors.Is(err, txn.ErrNoSavepoint) {
		return mysqlerr.New(mysqlerr.SPDoesNotExist, "SAVEPOINT", name).WithCause(err)
	}
	return err
}
