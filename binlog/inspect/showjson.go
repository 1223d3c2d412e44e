package inspect

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
)

// Record is one line of "show --json": an event, or one row of a rows event. Fields
// that an event does not have are left out.
type Record struct {
	File     string `json:"file"`
	Pos      uint64 `json:"pos"`     // where the event starts
	EndPos   uint32 `json:"end_pos"` // its end as the event says it, low 32 bits
	Time     string `json:"time"`    // RFC 3339, UTC
	ServerID uint32 `json:"server_id"`
	Type     string `json:"type"`           // as in SHOW BINLOG EVENTS
	GTID     string `json:"gtid,omitempty"` // of the group that the event belongs to
	Local    bool   `json:"local,omitempty"`
	Info     string `json:"info,omitempty"` // as in SHOW BINLOG EVENTS; not with rows

	// Of queries and annotations.
	Schema    string  `json:"schema,omitempty"` // also of table maps and rows
	SQL       *string `json:"sql,omitempty"`
	ThreadID  *uint32 `json:"thread_id,omitempty"`
	ErrorCode *uint16 `json:"error_code,omitempty"`

	// Of table maps and rows. Op is insert, update or delete; Row counts the rows of the event from 0.
	Table   string          `json:"table,omitempty"`
	TableID *uint64         `json:"table_id,omitempty"`
	Op      string          `json:"op,omitempty"`
	Row     *int            `json:"row,omitempty"`
	Before  json.RawMessage `json:"before,omitempty"`
	After   json.RawMessage `json:"after,omitempty"`

	// Of Gtid events.
	DDL      bool   `json:"ddl,omitempty"`
	Trans    bool   `json:"trans,omitempty"`
	CommitID uint64 `json:"commit_id,omitempty"`

	XID           *uint64  `json:"xid,omitempty"`            // of Xid
	ServerVersion string   `json:"server_version,omitempty"` // of Format_desc
	GTIDs         []string `json:"gtids,omitempty"`          // of Gtid_list
	NextFile      string   `json:"next_file,omitempty"`      // of Rotate, and the file of Binlog_checkpoint
	NextPos       uint64   `json:"next_pos,omitempty"`       // of Rotate

	// Of private records, with --private.
	Private string          `json:"private,omitempty"` // the kind
	Catalog json.RawMessage `json:"catalog,omitempty"`
	RowIDs  []uint64        `json:"row_ids,omitempty"`
}

// jsonSink writes one JSON object a line.
type jsonSink struct {
	out io.Writer
	buf []byte
}

func (s *jsonSink) show(it *item) error {
	h := it.ev.Header
	rec := &Record{
		File: it.file, Pos: it.at, EndPos: h.LogPos, ServerID: h.ServerID, Type: h.Type.String(), Local: it.depth > 0,
		Time: time.Unix(int64(h.Timestamp), 0).UTC().Format(time.RFC3339),
	}
	if it.gtid.Seq != 0 {
		rec.GTID = it.gtid.String()
	}
	if rows, ok := it.ev.Body.(*event.RowsInfo); ok {
		rec.TableID = &rows.TableID
		if it.table == nil {
			rec.Info = event.Describe(it.ev)
			return s.write(rec)
		}
		if err := s.rows(rec, rows, it.table); err != nil {
			return fmt.Errorf("%s, offset %d: %w", it.file, it.at, err)
		}
		return nil
	}
	rec.fill(it.ev)
	return s.write(rec)
}

// fill takes over what the event holds.
func (rec *Record) fill(ev event.Event) {
	rec.Info = event.Describe(ev)
	switch b := ev.Body.(type) {
	case *event.Query:
		rec.query(b)
	case *event.LoadQuery:
		rec.query(&b.Query)
	case *event.Annotate:
		sql := string(b.SQL)
		rec.SQL, rec.Info = &sql, ""
	case *event.TableMapInfo:
		rec.Schema, rec.Table, rec.TableID = b.Schema, b.Table, &b.TableID
	case *event.GTIDInfo:
		rec.GTID = b.GTID.String()
		rec.DDL, rec.Trans, rec.CommitID = b.Flags&event.FLDDL != 0, b.Flags&event.FLTransactional != 0, b.CommitID
	case *event.Xid:
		rec.XID = &b.XID
	case *event.Format:
		rec.ServerVersion = b.ServerVersion
	case *event.List:
		for _, g := range b.GTIDs {
			rec.GTIDs = append(rec.GTIDs, g.String())
		}
	case *event.Rotate:
		rec.NextFile, rec.NextPos = b.File, b.Pos
	case *event.Checkpoint:
		rec.NextFile = b.File
	case *event.Private:
		rec.private(b)
	}
}

func (rec *Record) query(q *event.Query) {
	rec.Schema, rec.SQL, rec.ThreadID, rec.ErrorCode = q.Schema, &q.SQL, &q.ThreadID, &q.ErrorCode
}

func (rec *Record) private(p *event.Private) {
	rec.Private, rec.Info = p.Kind.String(), describePrivate(p)
	switch p.Kind {
	case event.PrivateCatalog:
		if json.Valid(p.Payload) {
			rec.Catalog = p.Payload
		}
	case event.PrivateRowIDs:
		rec.RowIDs, _ = event.RowIDs(nil, p.Payload)
	case binlog.PrivatePadding, binlog.PrivateWriteMark, event.PrivateLocal:
	}
}

func (s *jsonSink) write(rec *Record) error {
	b, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("%s, offset %d: %w", rec.File, rec.Pos, err)
	}
	_, err = s.out.Write(append(b, '\n'))
	return err
}

func (s *jsonSink) rows(rec *Record, r *event.RowsInfo, tm *tableMap) error {
	rec.Schema, rec.Table = tm.info.Schema, tm.info.Table
	rec.Op = "update"
	if r.IsWrite() {
		rec.Op = "insert"
	} else if r.IsDelete() {
		rec.Op = "delete"
	}
	return eachRow(r, tm, func(n int, before, after []byte) error {
		rec.Row, rec.Before, rec.After = &n, nil, nil
		s.buf = s.buf[:0]
		if before != nil {
			if err := s.image(tm, r.BitmapBefore, before); err != nil {
				return err
			}
			rec.Before = s.buf
		}
		at := len(s.buf)
		if after != nil {
			if err := s.image(tm, afterBitmap(r), after); err != nil {
				return err
			}
			rec.Before = s.buf[:at:at] // the buffer may have moved
			rec.After = s.buf[at:]
		}
		return s.write(rec)
	})
}

// image appends an object with the columns that an image has.
func (s *jsonSink) image(tm *tableMap, present, image []byte) error {
	b := append(s.buf, '{')
	first := true
	err := eachValue(tm.columns, present, image, func(i int, c *column, packed []byte) error {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(appendJSONString(b, []byte(c.label(i))), ':')
		if packed == nil {
			b = append(b, "null"...)
			return nil
		}
		var err error
		b, err = appendJSON(b, c, packed)
		return err
	})
	s.buf = append(b, '}')
	return err
}
