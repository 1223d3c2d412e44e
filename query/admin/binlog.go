package admin

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// showMasterStatus is SHOW MASTER STATUS: the end of what readers can see.
func (s Session) showMasterStatus() (*adminRows, error) {
	log := s.Engine.Store.Log()
	pos := log.Visible()
	// A copy of the data that is taken now, for a replica that starts from here, must not be ahead of
	// the log after a loss of power: with relaxed durability the log is synced first.
	if err := s.Engine.Store.Pipeline().SyncLog(); err != nil {
		return nil, err
	}
	return &adminRows{
		names: []string{"File", "Position", "Binlog_Do_DB", "Binlog_Ignore_DB"},
		types: []byte{0, mysql.MYSQL_TYPE_LONGLONG}, unsigned: true,
		rows: [][]any{{log.SegmentName(pos.Segment), pos.Offset, "", ""}},
	}, nil
}

// showBinaryLogs is SHOW BINARY LOGS.
func (s Session) showBinaryLogs() *adminRows {
	out := &adminRows{names: []string{"Log_name", "File_size"}, types: []byte{0, mysql.MYSQL_TYPE_LONGLONG}, unsigned: true}
	for _, seg := range s.Engine.Store.Log().Segments() {
		out.rows = append(out.rows, []any{seg.Name, seg.Size})
	}
	return out
}

// binlogEvents is SHOW BINLOG EVENTS.
func (s Session) binlogEvents(ctx context.Context, st dialect.ShowBinlogEvents) (*adminRows, error) {
	log := s.Engine.Store.Log()
	segments := log.Segments()
	if len(segments) == 0 {
		return nil, mysqlerr.New(mysqlerr.NoBinaryLogging)
	}
	number := segments[0].Segment
	if st.File != "" {
		var ok bool
		if number, ok = log.SegmentByName(st.File); !ok || log.SegmentName(number) != st.File {
			return nil, eventsError("Could not find target log", nil)
		}
	}
	name := log.SegmentName(number)
	out := &adminRows{
		names: []string{"Log_name", "Pos", "Event_type", "Server_id", "End_log_pos", "Info"},
		types: []byte{0, mysql.MYSQL_TYPE_LONGLONG, 0, mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_LONGLONG}, unsigned: true,
	}
	index := uint64(0)
	if size := s.readableSize(number); st.From > size {
		return nil, eventsError(fmt.Sprintf("Invalid pos specified. Requested from pos:%d is greater than actual file size:%d", st.From, size), nil)
	}
	err := log.ReadSegment(logpos.At(number, st.From), func(raw []byte, at logpos.Pos) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, context.Cause(ctx)
		}
		i := index
		index++
		if !st.Limit.Holds(i) {
			return !st.Limit.Past(i), nil
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
func (s Session) readableSize(number uint64) uint64 {
	for _, seg := range s.Engine.Store.Log().Segments() {
		if seg.Segment == number {
			return uint64(seg.Size)
		}
	}
	return 0
}

// showSlaveHosts is SHOW SLAVE HOSTS.
func (s Session) showSlaveHosts() *adminRows {
	out := &adminRows{names: []string{"Server_id", "Host", "Port", "Master_id"}, types: []byte{mysql.MYSQL_TYPE_LONG, 0, mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_LONG}, unsigned: true}
	for _, r := range s.Engine.Replicas.all() {
		if r.MasterID == 0 { // replicas leave it to the server, as MariaDB's own do
			r.MasterID = uint32(s.Engine.Globals.Uint("server_id"))
		}
		out.rows = append(out.rows, []any{r.ServerID, r.Host, r.Port, r.MasterID})
	}
	return out
}

// purgeBinaryLogs is PURGE BINARY LOGS.
func (s Session) purgeBinaryLogs(ctx context.Context, st dialect.PurgeBinaryLogs) error {
	log := s.Engine.Store.Log()
	if st.Before == "" {
		number, ok := log.SegmentByName(st.To)
		if !ok || log.SegmentName(number) != st.To {
			return mysqlerr.New(mysqlerr.UnknownTargetBinlog)
		}
		_, err := s.Engine.Store.PurgeLog(ctx, number)
		return err
	}
	t, ok, err := s.SQL.UnixTime(ctx, st.Before)
	if err != nil || !ok {
		return err
	}
	number, err := log.WrittenSince(t)
	if err != nil {
		return err
	}
	_, err = s.Engine.Store.PurgeLog(ctx, number)
	return err
}
