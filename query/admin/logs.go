package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// resetMaster is RESET MASTER TO first.
func (s Session) resetMaster(ctx context.Context, first uint64) error {
	if first > binlog.ResetNumberMax {
		// MariaDB gives this error, too, and has no binary log afterwards.
		return mysqlerr.New(mysqlerr.NoUniqueLogFile, s.Engine.Store.Log().Basename())
	}
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	return s.Engine.ResetLog(ctx, first, gtid.NewState(), false)
}

func (e *Server) ResetLog(ctx context.Context, first uint64, state *gtid.State, onlyEmpty bool) error {
	err := e.Store.ResetLog(ctx, first, state, onlyEmpty)
	if errors.Is(err, commit.ErrNotEmpty) {
		return mysqlerr.New(mysqlerr.BinlogMustBeEmpty).WithCause(err)
	}
	if errors.Is(err, commit.ErrNoReset) {
		return mysqlerr.NotYet("RESET MASTER with a storage engine that cannot follow to another log").WithCause(err)
	}
	return err
}

// flush is FLUSH of anything but tables. What has no case here, the server does not have: there is nothing to empty. As in MariaDB it is for replicas,
// too, unless it is about the log.
func (s Session) flush(ctx context.Context, st dialect.Flush) error {
	for _, what := range st.What {
		var err error
		switch what {
		case dialect.FlushedLogs:
			err = s.flushBinaryLogs(ctx)
		case dialect.FlushedBinaryLogs:
			err = s.flushBinaryLogsWithout(ctx, st.DeleteDomains)
		case dialect.FlushedPrivileges: // statements change what counts at once
			s.Engine.Accounts.Use.ForgiveAll()
		case dialect.FlushedUserResources:
			s.Engine.Accounts.Use.Flush()
		case dialect.FlushedMaster:
			err = mysqlerr.NotYet("FLUSH MASTER")
		}
		if err != nil {
			return err
		}
	}
	if st.Local || slices.ContainsFunc(st.What, dialect.Flushed.OfLog) {
		return nil
	}
	return s.logFlush(ctx, st)
}

// logFlush logs a statement that changes nothing but has a GTID: tools that change a primary wait for the one of FLUSH TABLES. It waits for no lock,
// not even FLUSH TABLES WITH READ LOCK.
func (s Session) logFlush(ctx context.Context, st dialect.Statement) error {
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	tx := s.EnsureTxn()
	if tx.Options().SkipBinlog { // sql_log_bin=0
		return nil
	}
	tx.SetDDL(s.QueryEvent(dialect.Logged(st, s.LexMode)))
	return s.CommitAll(ctx)
}

// flushBinaryLogsWithout is FLUSH BINARY LOGS DELETE_DOMAIN_ID = (...).
func (s Session) flushBinaryLogsWithout(ctx context.Context, domains []uint64) error {
	state := s.Engine.Store.Log().StateClone()
	for _, d := range domains {
		if _, known := state.Last(uint32(d)); known {
			return mysqlerr.NotYet("FLUSH BINARY LOGS DELETE_DOMAIN_ID of a domain in the log; RESET MASTER forgets all domains")
		}
	}
	if err := s.flushBinaryLogs(ctx); err != nil {
		return err
	}
	for _, d := range domains {
		s.Warn("Warning", mysqlerr.BinlogCantDeleteGTIDDomain, fmt.Sprintf("The gtid domain being deleted ('%d') is not in the current binlog state", d))
	}
	return nil
}

// flushBinaryLogs goes on to the next file, and removes those that are beyond the limits.
func (s Session) flushBinaryLogs(ctx context.Context) error {
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	if err := s.Engine.Store.Pipeline().Rotate(); err != nil {
		return err
	}
	_, err := s.Engine.Store.ApplyRetention(ctx)
	return err
}

// flushTables is FLUSH TABLES.
func (s Session) flushTables(ctx context.Context, st dialect.FlushTables) error {
	switch {
	case st.Lock == "" && st.Local:
		return s.CommitAll(ctx)
	case st.Lock == "":
		return s.logFlush(ctx, st)
	case s.Confined():
		return mysqlerr.New(mysqlerr.LockOrActiveTransaction)
	case len(st.Tables) > 0:
		var want []statement.Ref
		for _, t := range st.Tables {
			want = append(want, statement.Ref{DB: t.DB, Table: t.Name, Alias: t.Name})
		}
		return s.LockTables(ctx, want, s.SQL.BelowViews, s.MetadataTimeout())
	}
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	return s.ReadLock.Acquire(ctx, s.MetadataTimeout())
}
