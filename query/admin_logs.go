package query

import (
	"context"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// resetMaster is RESET MASTER TO first.
func (s answering) resetMaster(ctx context.Context, first uint64) error {
	if first > binlog.ResetNumberMax {
		// MariaDB gives this error, too, and has no binary log afterwards.
		return mysqlerr.New(mysqlerr.NoUniqueLogFile, s.engine.Store.Log().Basename())
	}
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	return s.engine.resetLog(ctx, first, gtid.NewState(), false)
}

func (e *Engine) resetLog(ctx context.Context, first uint64, state *gtid.State, onlyEmpty bool) error {
	err := e.Store.ResetLog(ctx, first, state, onlyEmpty)
	if errors.Is(err, commit.ErrNotEmpty) {
		return mysqlerr.New(mysqlerr.BinlogMustBeEmpty).WithCause(err)
	}
	return err
}

// flush is FLUSH of anything but tables. What has no case here, the server does not have: there is nothing to empty.
func (s answering) flush(ctx context.Context, st dialect.Flush) error {
	for _, what := range st.What {
		var err error
		switch what {
		case dialect.FlushedLogs:
			err = s.flushBinaryLogs(ctx)
		case dialect.FlushedBinaryLogs:
			err = s.flushBinaryLogsWithout(ctx, st.DeleteDomains)
		case dialect.FlushedPrivileges: // statements change what counts at once
			s.engine.Accounts.Use.ForgiveAll()
		case dialect.FlushedUserResources:
			s.engine.Accounts.Use.Flush()
		case dialect.FlushedMaster:
			err = mysqlerr.NotYet("FLUSH MASTER")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// flushBinaryLogsWithout is FLUSH BINARY LOGS DELETE_DOMAIN_ID = (...).
func (s answering) flushBinaryLogsWithout(ctx context.Context, domains []uint64) error {
	state := s.engine.Store.Log().StateClone()
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
func (s answering) flushBinaryLogs(ctx context.Context) error {
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	if err := s.engine.Store.Pipeline().Rotate(); err != nil {
		return err
	}
	_, err := s.engine.Store.ApplyRetention(ctx)
	return err
}

// flushTables is FLUSH TABLES.
func (s answering) flushTables(ctx context.Context, st dialect.FlushTables) error {
	switch {
	case st.Lock == "":
		return s.CommitAll(ctx)
	case s.Confined():
		return mysqlerr.New(mysqlerr.LockOrActiveTransaction)
	case len(st.Tables) > 0:
		var want []statement.Ref
		for _, t := range st.Tables {
			want = append(want, statement.Ref{DB: t.DB, Table: t.Name, Alias: t.Name})
		}
		return s.LockTables(ctx, want, s.sql.BelowViews, s.MetadataTimeout())
	}
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	return s.ReadLock.Acquire(ctx, s.MetadataTimeout())
}
