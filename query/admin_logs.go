package query

import (
	"context"
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// resetMaster is RESET MASTER TO first.
func (s *Session) resetMaster(ctx context.Context, first uint64) error {
	if first > binlog.ResetNumberMax {
		// MariaDB gives this error, too, and has no binary log afterwards.
		return mysqlerr.New(mysqlerr.NoUniqueLogFile, s.engine.store.Log().Basename())
	}
	if err := s.commitAll(ctx); err != nil {
		return err
	}
	return s.engine.resetLog(ctx, first, gtid.NewState(), false)
}

func (e *Engine) resetLog(ctx context.Context, first uint64, state *gtid.State, onlyEmpty bool) error {
	err := e.store.ResetLog(ctx, first, state, onlyEmpty)
	if errors.Is(err, commit.ErrNotEmpty) {
		return mysqlerr.New(mysqlerr.BinlogMustBeEmpty).WithCause(err)
	}
	return err
}

// parseFlushBinaryLogs is FLUSH BINARY LOGS [DELETE_DOMAIN_ID = (id, ...)].
func (s *Session) parseFlushBinaryLogs(c *dialect.Parser) adminRun {
	var domains []uint64
	if c.Accept("DELETE_DOMAIN_ID") {
		if !c.Accept("=") || !c.Accept("(") {
			return failRun(c.Syntax())
		}
		for !c.Accept(")") {
			n, ok := c.Number()
			if !ok || n > 1<<32-1 {
				return failRun(c.Syntax())
			}
			domains = append(domains, n)
			if !c.Accept(",") && !c.Peek().Is(")") {
				return failRun(c.Syntax())
			}
		}
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		state := s.engine.store.Log().StateClone()
		for _, d := range domains {
			if _, known := state.Last(uint32(d)); known {
				return mysqlerr.New(mysqlerr.NotSupportedYet, "FLUSH BINARY LOGS DELETE_DOMAIN_ID of a domain in the log; RESET MASTER forgets all domains")
			}
		}
		if err := s.flushBinaryLogs(ctx); err != nil {
			return err
		}
		for _, d := range domains {
			s.warn(&sql.Warning{Level: "Warning", Code: int(mysqlerr.BinlogCantDeleteGTIDDomain),
				Message: fmt.Sprintf("The gtid domain being deleted ('%d') is not in the current binlog state", d)})
		}
		return nil
	})
}

// flushBinaryLogs goes on to the next file, and removes those that are beyond the limits.
func (s *Session) flushBinaryLogs(ctx context.Context) error {
	if err := s.commitAll(ctx); err != nil {
		return err
	}
	if err := s.engine.store.Pipeline().Rotate(); err != nil {
		return err
	}
	_, err := s.engine.store.ApplyRetention(ctx)
	return err
}
