package query

import (
	"context"
	"fmt"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// showMasterStatus is SHOW MASTER STATUS: the end of what readers can see.
func (s *Session) showMasterStatus(ctx context.Context) (*adminRows, error) {
	log := s.engine.store.Log()
	pos := log.Visible()
	// A copy of the data that is taken now, for a replica that starts from here, must not be ahead of
	// the log after a loss of power: with relaxed durability the log is synced first.
	if err := s.engine.store.Pipeline().SyncLog(); err != nil {
		return nil, err
	}
	return &adminRows{
		names: []string{"File", "Position", "Binlog_Do_DB", "Binlog_Ignore_DB"},
		types: []byte{0, mysql.MYSQL_TYPE_LONGLONG}, unsigned: true,
		rows: [][]any{{log.SegmentName(pos.Segment), pos.Offset, "", ""}},
	}, nil
}

// showBinaryLogs is SHOW BINARY LOGS.
func (s *Session) showBinaryLogs(ctx context.Context) (*adminRows, error) {
	out := &adminRows{names: []string{"Log_name", "File_size"}, types: []byte{0, mysql.MYSQL_TYPE_LONGLONG}, unsigned: true}
	for _, seg := range s.engine.store.Log().Segments() {
		out.rows = append(out.rows, []any{seg.Name, seg.Size})
	}
	return out, nil
}

// parseBinlogEvents is SHOW BINLOG EVENTS [IN 'file'] [FROM pos] [LIMIT [offset,] count].
func (s *Session) parseBinlogEvents(c *dialect.Parser) adminRun {
	file, from, offset, limit := "", uint64(4), uint64(0), ^uint64(0)
	var ok bool
	if c.Accept("IN") {
		if file, ok = c.StringLiteral(); !ok {
			return failRun(c.Syntax())
		}
	}
	if c.Accept("FROM") {
		if from, ok = c.Number(); !ok {
			return failRun(c.Syntax())
		}
	}
	if c.Accept("LIMIT") {
		if limit, ok = c.Number(); !ok {
			return failRun(c.Syntax())
		}
		if c.Accept(",") {
			offset = limit
			limit, ok = c.Number()
		} else if c.Accept("OFFSET") {
			offset, ok = c.Number()
		}
		if !ok {
			return failRun(c.Syntax())
		}
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return rowsRun(func(ctx context.Context) (*adminRows, error) {
		return s.binlogEvents(ctx, file, from, offset, limit)
	})
}

func (s *Session) binlogEvents(ctx context.Context, file string, from, offset, limit uint64) (*adminRows, error) {
	log := s.engine.store.Log()
	segments := log.Segments()
	if len(segments) == 0 {
		return nil, mysqlerr.New(mysqlerr.NoBinaryLogging)
	}
	number := segments[0].Segment
	if file != "" {
		var ok bool
		if number, ok = log.SegmentByName(file); !ok || log.SegmentName(number) != file {
			return nil, eventsError("Could not find target log", nil)
		}
	}
	name := log.SegmentName(number)
	out := &adminRows{
		names: []string{"Log_name", "Pos", "Event_type", "Server_id", "End_log_pos", "Info"},
		types: []byte{0, mysql.MYSQL_TYPE_LONGLONG, 0, mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_LONGLONG}, unsigned: true,
	}
	seen := uint64(0)
	if size := s.readableSize(number); from > size {
		return nil, eventsError(fmt.Sprintf("Invalid pos specified. Requested from pos:%d is greater than actual file size:%d", from, size), nil)
	}
	err := log.ReadSegment(logpos.At(number, from), func(raw []byte, at logpos.Pos) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, context.Cause(ctx)
		}
		if seen++; seen <= offset {
			return true, nil
		}
		if uint64(len(out.rows)) >= limit {
			return false, nil
		}
		ev, err := event.Decode(raw)
		if err != nil {
			return false, err
		}
		out.rows = append(out.rows, []any{name, at.Offset, ev.Header.Type.String(), ev.Header.ServerID,
			at.Offset + uint64(len(raw)), event.Describe(ev)})
		return true, nil
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, eventsError("Wrong offset or I/O error", err)
	}
	return out, nil
}

// eventsError is MariaDB's error of SHOW BINLOG EVENTS.
func eventsError(reason string, cause error) error {
	e := mysqlerr.New(mysqlerr.ErrorWhenExecutingCommand, "SHOW BINLOG EVENTS", reason)
	if cause != nil {
		return e.WithCause(cause)
	}
	return e
}

// readableSize is how much of a segment SHOW BINARY LOGS shows.
func (s *Session) readableSize(number uint64) uint64 {
	for _, seg := range s.engine.store.Log().Segments() {
		if seg.Segment == number {
			return uint64(seg.Size)
		}
	}
	return 0
}

// showSlaveHosts is SHOW SLAVE HOSTS.
func (s *Session) showSlaveHosts(ctx context.Context) (*adminRows, error) {
	out := &adminRows{names: []string{"Server_id", "Host", "Port", "Master_id"}, types: []byte{mysql.MYSQL_TYPE_LONG, 0, mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_LONG}, unsigned: true}
	for _, r := range s.engine.replicas.all() {
		if r.MasterID == 0 { // replicas leave it to the server, as MariaDB's own do
			r.MasterID = uint32(s.engine.GlobalUint("server_id"))
		}
		out.rows = append(out.rows, []any{r.ServerID, r.Host, r.Port, r.MasterID})
	}
	return out, nil
}

// parsePurge is PURGE {BINARY|MASTER} LOGS {TO 'file' | BEFORE time}.
func (s *Session) parsePurge(c *dialect.Parser) adminRun {
	if !c.AcceptAny("BINARY", "MASTER") || !c.Accept("LOGS") {
		return failRun(c.Syntax())
	}
	log := s.engine.store.Log()
	switch {
	case c.Accept("TO"):
		file, ok := c.StringLiteral()
		if !ok || !c.End() {
			return failRun(c.Syntax())
		}
		return okRun(func(ctx context.Context) error {
			number, ok := log.SegmentByName(file)
			if !ok || log.SegmentName(number) != file {
				return mysqlerr.New(mysqlerr.UnknownTargetBinlog)
			}
			_, err := s.engine.store.PurgeLog(ctx, number)
			return err
		})
	case c.Accept("BEFORE"):
		expr := c.Rest()
		return okRun(func(ctx context.Context) error {
			t, ok, err := s.evalTime(ctx, expr)
			if err != nil || !ok {
				return err
			}
			number, err := log.WrittenSince(t)
			if err != nil {
				return err
			}
			_, err = s.engine.store.PurgeLog(ctx, number)
			return err
		})
	}
	return failRun(c.Syntax())
}

// evalTime evaluates a date expression; false if it is no date (before which there is nothing).
func (s *Session) evalTime(ctx context.Context, expr string) (time.Time, bool, error) {
	rows, err := s.queryRows(s.newContext(ctx, expr), "SELECT UNIX_TIMESTAMP(CAST(CONCAT("+expr+") AS DATETIME))")
	if err != nil {
		return time.Time{}, false, err
	}
	if len(rows) != 1 || rows[0][0] == nil {
		return time.Time{}, false, nil
	}
	var seconds float64
	if _, err := fmt.Sscan(fmt.Sprint(rows[0][0]), &seconds); err != nil {
		return time.Time{}, false, mysqlerr.New(mysqlerr.WrongArguments, "PURGE LOGS BEFORE")
	}
	return time.Unix(int64(seconds), 0), seconds > 0, nil
}

// parseReset is RESET {QUERY CACHE | SLAVE [ALL] | MASTER [TO n]}.
func (s *Session) parseReset(c *dialect.Parser) adminRun {
	switch {
	case c.Accept("QUERY", "CACHE"), c.Accept("SLAVE"), c.Accept("REPLICA"):
		return okRun(func(context.Context) error { return nil })
	case c.Accept("MASTER"):
		first := uint64(1)
		if c.Accept("TO") {
			var ok bool
			if first, ok = c.Number(); !ok {
				return failRun(c.Syntax())
			}
		}
		if err := c.Done(); err != nil {
			return failRun(err)
		}
		return okRun(func(ctx context.Context) error { return s.resetMaster(ctx, max(first, 1)) })
	}
	return failRun(c.Syntax())
}

// parseFlush is FLUSH.
func (s *Session) parseFlush(c *dialect.Parser) adminRun {
	if !c.Accept("NO_WRITE_TO_BINLOG") {
		c.Accept("LOCAL")
	}
	switch {
	case c.Accept("TABLES"), c.Accept("TABLE"):
		return s.parseFlushTables(c)
	case c.Accept("BINARY", "LOGS"):
		return s.parseFlushBinaryLogs(c)
	case c.Accept("LOGS"):
		if err := c.Done(); err != nil {
			return failRun(err)
		}
		return okRun(s.flushBinaryLogs)
	case c.Accept("PRIVILEGES"):
		return okRun(func(ctx context.Context) error {
			s.engine.accounts.Use.ForgiveAll()
			return nil // statements change what counts at once
		})
	case c.Accept("USER_RESOURCES"):
		return okRun(func(context.Context) error {
			s.engine.accounts.Use.Flush()
			return nil
		})
	}
	return okRun(func(context.Context) error { return nil })
}

// parseFlushTables is FLUSH TABLES [names] [WITH READ LOCK | FOR EXPORT].
func (s *Session) parseFlushTables(c *dialect.Parser) adminRun {
	var want []tableRef
	for !c.End() && !c.Peek().Is("WITH") && !c.Peek().Is("FOR") {
		use, ok := tableAt(c)
		if !ok {
			return failRun(c.Syntax())
		}
		want = append(want, tableRef{db: use.db, table: use.name, alias: use.name})
		if !c.Accept(",") {
			break
		}
	}
	lock := c.Accept("WITH", "READ", "LOCK") || c.Accept("FOR", "EXPORT")
	c.Accept("AND", "DISABLE", "CHECKPOINT")
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		switch {
		case !lock:
			return s.commitAll(ctx)
		case s.tabLocks != nil:
			return mysqlerr.New(mysqlerr.LockOrActiveTransaction)
		case len(want) > 0:
			return s.lockTables(ctx, want)
		}
		if err := s.commitAll(ctx); err != nil {
			return err
		}
		return s.engine.gate.close(ctx, s)
	})
}
