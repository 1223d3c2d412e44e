package query

import (
	"context"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
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
func (s answering) beginTransaction(ctx context.Context, st dialect.StartTransaction) error {
	return s.startTransaction(ctx, nextTransaction{readOnly: st.Access == dialect.ReadOnly, hasAccess: st.Access != ""}, st.Snapshot)
}

// commit is COMMIT.
func (s answering) commit(ctx context.Context, then dialect.Completion) error {
	chars := s.current
	if err := s.commitAll(ctx); err != nil {
		return err
	}
	s.completed(then, chars)
	return nil
}

// rollback is ROLLBACK.
func (s answering) rollback(then dialect.Completion) error {
	chars := s.current
	s.rollbackAll()
	s.completed(then, chars)
	return nil
}

// completed does what a statement asked for after the end of a transaction with these characteristics.
func (s answering) completed(then dialect.Completion, chars nextTransaction) {
	if then.Chain {
		s.chain(chars)
	}
	if then.Release && s.info.Kill != nil {
		s.info.Kill()
	}
}

// setTransaction is SET TRANSACTION.
func (s answering) setTransaction(ctx context.Context, st dialect.SetTransaction) error {
	if st.Scope == dialect.NextTransaction {
		if s.inTransaction() {
			return mysqlerr.Newf(1568, "Transaction characteristics can't be changed while a transaction is in progress")
		}
		if st.Isolation != "" {
			s.next.isolation, s.next.hasIsolation = isolations[st.Isolation].level, true
		}
		if st.Access != "" {
			s.next.readOnly, s.next.hasAccess = st.Access == dialect.ReadOnly, true
		}
		return nil
	}
	set := s.vars.Set
	if st.Scope == dialect.GlobalScope {
		set = s.engine.globals.Set
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
func (s answering) lockNamed(ctx context.Context, st dialect.LockTables) error {
	var want []statement.Ref
	for _, t := range st.Tables {
		r := statement.Ref{DB: t.Table.DB, Table: t.Table.Name, Alias: t.Alias, Write: t.Write}
		if r.Alias == "" {
			r.Alias = r.Table
		}
		want = append(want, r)
	}
	timeout := s.metadataTimeout()
	if st.Wait.Given {
		timeout = seconds(st.Wait.Seconds)
	}
	return s.lockTables(ctx, want, timeout)
}

// unlockAll is UNLOCK TABLES.
func (s answering) unlockAll(ctx context.Context) error {
	if s.tabLocks != nil {
		if err := s.commitAll(ctx); err != nil {
			return err
		}
	}
	s.unlockTables()
	return nil
}
