package admin

import (
	"context"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
)

// isolations are the levels of statements, and how the variable tx_isolation names them.
var isolations = map[dialect.Isolation]struct {
	level    txn.Isolation
	variable string
}{
	dialect.ReadUncommitted: {txn.ReadUncommitted, "READ-UNCOMMITTED"},
	dialect.ReadCommitted:   {txn.ReadCommitted, "READ-COMMITTED"},
	dialect.RepeatableRead:  {txn.RepeatableRead, "REPEATABLE-READ"},
	dialect.Serializable:    {txn.Serializable, "SERIALIZABLE"},
}

// beginTransaction is BEGIN and START TRANSACTION.
func (s Session) beginTransaction(ctx context.Context, st dialect.StartTransaction) error {
	return s.StartTransaction(ctx, session.NextTransaction{ReadOnly: st.Access == dialect.ReadOnly, HasAccess: st.Access != ""}, st.Snapshot)
}

// commit is COMMIT.
func (s Session) commit(ctx context.Context, then dialect.Completion) error {
	chars := s.Current
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	s.completed(then, chars)
	return nil
}

// rollback is ROLLBACK.
func (s Session) rollback(then dialect.Completion) error {
	chars := s.Current
	s.RollbackAll()
	s.completed(then, chars)
	return nil
}

// completed does what a statement asked for after the end of a transaction with these characteristics.
func (s Session) completed(then dialect.Completion, chars session.NextTransaction) {
	if then.Chain {
		s.Chain(chars)
	}
	if then.Release && s.Info.Kill != nil {
		s.Info.Kill()
	}
}

// setTransaction is SET TRANSACTION.
func (s Session) setTransaction(ctx context.Context, st dialect.SetTransaction) error {
	if st.Scope == dialect.NextTransaction {
		if s.InTransaction() {
			return mysqlerr.Newf(1568, "Transaction characteristics can't be changed while a transaction is in progress")
		}
		if st.Isolation != "" {
			s.Next.Isolation, s.Next.HasIsolation = isolations[st.Isolation].level, true
		}
		if st.Access != "" {
			s.Next.ReadOnly, s.Next.HasAccess = st.Access == dialect.ReadOnly, true
		}
		return nil
	}
	set := s.Vars.Set
	if st.Scope == dialect.GlobalScope {
		set = s.Engine.Globals.Set
	}
	if st.Isolation != "" {
		if err := set(ctx, "tx_isolation", isolations[st.Isolation].variable); err != nil {
			return err
		}
	}
	if st.Access != "" {
		return set(ctx, "tx_read_only", st.Access == dialect.ReadOnly)
	}
	return nil
}

// lockNamed is LOCK TABLES.
func (s Session) lockNamed(ctx context.Context, st dialect.LockTables) error {
	var want []statement.Ref
	for _, t := range st.Tables {
		r := statement.Ref{DB: t.Table.DB, Table: t.Table.Name, Alias: t.Alias, Write: t.Write}
		if r.Alias == "" {
			r.Alias = r.Table
		}
		want = append(want, r)
	}
	timeout := s.MetadataTimeout()
	if st.Wait.Given {
		timeout = session.Seconds(st.Wait.Seconds)
	}
	return s.LockTables(ctx, want, s.SQL.BelowViews, timeout)
}

// unlockAll is UNLOCK TABLES.
func (s Session) unlockAll(ctx context.Context) error {
	if s.Confined() {
		if err := s.CommitAll(ctx); err != nil {
			return err
		}
	}
	s.UnlockTables()
	return nil
}
