package rowlog

import (
	"bytes"
	"slices"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
)

// Options of a Log.
type Options struct {
	ServerID uint32
	Image    Image
	// Private says that no replica sees the transaction: it is logged in full.
	Private  bool
	Metadata event.RowMetadata // binlog_row_metadata
	// MaxRowsBytes is binlog_row_event_max_size.
	MaxRowsBytes int
	// MemoryBytes is binlog_cache_size: events beyond that go to a file.
	MemoryBytes int
	// NewFile makes that file; nil: everything stays in memory.
	NewFile func() (File, error)
	// Triggers says which tables have triggers; nil: none has.
	Triggers Triggers
}

// Triggers says which tables have triggers.
type Triggers interface{ HasTriggers(*catalog.Table) bool }

// Image is binlog_row_image.
type Image uint8

// Values of binlog_row_image.
const (
	ImageFull Image = iota
	ImageMinimal
	ImageNoBlob
)

// Log builds the events of a transaction, in the form in which the commit
// pipeline writes them: log positions and checksums are set there.
//
// A statement's events are: [ANNOTATE_ROWS] TABLE_MAP... then its rows
// events. A replica opens all of a statement's tables at its first rows event, so the TABLE_MAP of a
// table that the statement comes to later is inserted after the others.
// The last rows event of a statement has the flag STMT_END. Rows of the same
// table and kind that follow each other share an event up to Options.MaxRowsBytes.
//
// When buf has grown beyond binlog_cache_size its events go to a file (file.go).
// Places are offsets in the whole log, of which buf holds what lies after base.
type Log struct {
	buf   []byte
	base  int  // of buf[0]; that many bytes are in file
	file  File // nil: everything is in buf
	opts  Options
	image Image
	meta  event.Meta
	fixed time.Time // SetTime
	proj  projection

	// local are the events of tables that replicas do not have. They become one
	// private record of the group.
	local []byte

	stmt statementLog
	rows openRows
}

// statementLog is the running statement's part of the log.
type statementLog struct {
	running  bool
	sql      string
	annotate bool
	start    int // end of the log at the start
	local    int // length of local at the start
	mapsEnd  int // where the next TABLE_MAP goes; 0 before the first
	lastRows int // start of the last rows event; 0 before the first
	tables   []*catalog.Table
}

// openRows is the rows event that is being built at the end of buf.
type openRows struct {
	table         *catalog.Table // nil: none
	kind          event.Type
	start         int // of the event
	before, after []byte
	rowIDs        []uint64
}

// Mark is a point to roll back to. Table maps that are inserted before it move it.
type Mark struct {
	bytes    int
	lastRows int
	local    int
}

// Init prepares a zero Log.
func (l *Log) Init(o Options) {
	l.opts = o
	l.meta = event.Meta{ServerID: o.ServerID}
	l.SetImage(o.Image)
}

// SetImage changes Options.Image for what follows. A transaction that no replica sees is logged
// in full, which is easiest to replay.
func (l *Log) SetImage(i Image) {
	l.image = i
	if l.opts.Private {
		l.image = ImageFull
	}
}

// SetTime fixes the time of the events that follow; the zero time means the clock.
func (l *Log) SetTime(at time.Time) {
	l.fixed = at
	if !at.IsZero() {
		l.meta.Timestamp = uint32(at.Unix())
	}
}

// StartClock takes the time of the events that follow.
func (l *Log) StartClock(now func() time.Time) {
	if !l.fixed.IsZero() {
		l.meta.Timestamp = uint32(l.fixed.Unix())
		return
	}
	l.meta.Timestamp = uint32(now().Unix())
}

// Meta is what the headers of the next events say.
func (l *Log) Meta() event.Meta { return l.meta }

// BeginStatement starts a statement; annotate says whether its text goes before its events.
func (l *Log) BeginStatement(sql string, annotate bool, now func() time.Time) {
	l.StartClock(now)
	l.stmt = statementLog{running: true, sql: sql, annotate: annotate, start: l.End(), local: len(l.local), tables: l.stmt.tables[:0]}
}

// End is where the next event goes.
func (l *Log) End() int { return l.base + len(l.buf) }

// Running reports whether a statement is running.
func (l *Log) Running() bool { return l.stmt.running }

// Statement is the text of the running statement.
func (l *Log) Statement() string { return l.stmt.sql }

// EndStatement ends the running statement.
func (l *Log) EndStatement() {
	l.endRows()
	l.stmt = statementLog{start: l.End(), local: len(l.local), tables: l.stmt.tables[:0]}
}

// endRows makes the last rows event the last of its statement.
func (l *Log) endRows() {
	l.closeRows()
	if l.stmt.lastRows > 0 {
		l.setStatementEnd(l.stmt.lastRows)
	}
}

// setStatementEnd flags the rows event at off, which is in buf.
func (l *Log) setStatementEnd(off int) {
	event.SetRowsFlags(l.buf, off-l.base, event.RowsStmtEnd|event.RowsNoForeignKeyCheck)
}

// StatementStart is where the events of the running statement begin.
func (l *Log) StatementStart() int { return l.stmt.start }

// RollbackStatement cuts the running statement off.
func (l *Log) RollbackStatement() {
	l.rows = openRows{rowIDs: l.rows.rowIDs[:0]}
	l.truncate(l.stmt.start)
	l.local = l.local[:l.stmt.local]
	l.stmt = statementLog{start: l.End(), local: len(l.local), tables: l.stmt.tables[:0]}
}

// After reports whether m lies after the place off.
func (m *Mark) After(off int) bool { return m.bytes > off }

// Move follows an insertion of n bytes at the place at.
func (m *Mark) Move(at, n int) {
	if m.bytes >= at {
		m.bytes += n
	}
	if m.lastRows >= at {
		m.lastRows += n
	}
}

// Mark ends the open rows event, so that what follows can be cut off.
func (l *Log) Mark() Mark {
	l.closeRows()
	return Mark{bytes: l.End(), lastRows: l.stmt.lastRows, local: len(l.local)}
}

// RollbackTo cuts the log off at a mark. On an error it was not.
func (l *Log) RollbackTo(m Mark) error {
	if err := l.cut(m.bytes, m.lastRows); err != nil {
		return err
	}
	l.rows = openRows{rowIDs: l.rows.rowIDs[:0]}
	l.local = l.local[:m.local]
	l.stmt.local = min(l.stmt.local, m.local)
	if l.stmt.mapsEnd > 0 && m.bytes >= l.stmt.mapsEnd { // a point in the running statement
		l.stmt.lastRows = m.lastRows
		return nil
	}
	if m.lastRows > 0 { // a point inside a statement that has ended: there it ends now
		l.setStatementEnd(m.lastRows)
	}
	l.stmt.start = min(l.stmt.start, m.bytes)
	l.stmt.mapsEnd, l.stmt.lastRows, l.stmt.tables = 0, 0, l.stmt.tables[:0]
	return nil
}

// Empty reports whether nothing was logged.
func (l *Log) Empty() bool { return l.Size() == 0 && l.rows.table == nil }

// Size is what the transaction will take in the log.
func (l *Log) Size() int { return l.End() + len(l.local) }

// Add appends one row change. before is nil for an insert, after for a delete.
// moved is called with position and length when bytes are inserted further up.
func (l *Log) Add(tbl *catalog.Table, rowID uint64, before, after []byte, moved func(at, n int)) error {
	kind, n := event.UpdateRowsV1, len(before)+len(after)
	switch {
	case before == nil:
		kind = event.WriteRowsV1
	case after == nil:
		kind = event.DeleteRowsV1
	}
	if tbl.Local {
		l.addLocal(tbl, kind, rowID, before, after)
		return nil
	}
	var presentBefore, presentAfter []byte
	if l.image != ImageFull {
		var err error
		if before, after, presentBefore, presentAfter, err = l.proj.project(l.image, tbl, before, after); err != nil {
			return err
		}
		n = len(before) + len(after)
	}
	if l.buf == nil {
		const around, perColumn = 256, 8 // the events without what is in them, and what a table map says of a column, in bytes, by estimate
		l.buf = make([]byte, 0, around+len(l.stmt.sql)+n+perColumn*len(tbl.Columns))
	}
	l.mapTable(tbl, moved)
	r := &l.rows
	if r.table != tbl || r.kind != kind || l.End()-r.start+n > l.opts.MaxRowsBytes ||
		!bytes.Equal(r.before, presentBefore) || !bytes.Equal(r.after, presentAfter) {
		l.closeRows()
		l.openRows(tbl, kind, presentBefore, presentAfter)
	}
	l.buf = append(append(l.buf, before...), after...)
	if tbl.Keyless() {
		r.rowIDs = append(r.rowIDs, rowID)
	}
	return nil
}

// addLocal appends one row change of a table that replicas do not have, with a
// table map of its own.
func (l *Log) addLocal(tbl *catalog.Table, kind event.Type, rowID uint64, before, after []byte) {
	l.local = event.AppendTableMap(l.local, l.meta, tbl.MapInfo(event.RowMetadataNoLog))
	var start int
	l.local, start = event.BeginRows(l.local, l.meta, &event.RowsInfo{TableID: uint64(tbl.ID()),
		Flags: event.RowsStmtEnd | event.RowsNoForeignKeyCheck, Kind: kind, Columns: len(tbl.Columns)})
	l.local = event.End(append(append(l.local, before...), after...), start)
	if tbl.Keyless() {
		l.local = event.AppendPrivate(l.local, l.meta, event.PrivateRowIDs, event.AppendRowIDs(nil, []uint64{rowID}))
	}
}

// mapTable makes sure that the statement has a TABLE_MAP of the table.
func (l *Log) mapTable(tbl *catalog.Table, moved func(at, n int)) {
	s := &l.stmt
	if slices.Contains(s.tables, tbl) {
		return
	}
	split := s.mapsEnd > 0 && s.mapsEnd < l.base
	if split {
		// The other table maps are in the file already: the statement goes on as another one.
		l.endRows()
		s.tables, s.lastRows = s.tables[:0], 0
	}
	s.tables = append(s.tables, tbl)
	if s.mapsEnd == 0 || split {
		if s.annotate && s.sql != "" && !split {
			l.buf = event.AppendAnnotateRows(l.buf, l.meta, s.sql)
		}
		l.buf = event.AppendTableMap(l.buf, l.meta, l.mapInfo(tbl))
		s.mapsEnd = l.End()
		return
	}
	m := event.AppendTableMap(nil, l.meta, l.mapInfo(tbl))
	l.buf = slices.Insert(l.buf, s.mapsEnd-l.base, m...)
	moved(s.mapsEnd, len(m))
	s.mapsEnd += len(m)
	if s.lastRows > 0 {
		s.lastRows += len(m)
	}
	if l.rows.table != nil {
		l.rows.start += len(m)
	}
}

// mapInfo is what a TABLE_MAP says of a table.
func (l *Log) mapInfo(tbl *catalog.Table) *event.TableMapInfo {
	info := tbl.MapInfo(l.opts.Metadata)
	if l.opts.Triggers == nil || !l.opts.Triggers.HasTriggers(tbl) {
		return info
	}
	flagged := *info
	flagged.Flags |= event.TableMapFlagTriggers
	return &flagged
}

func (l *Log) openRows(tbl *catalog.Table, kind event.Type, presentBefore, presentAfter []byte) {
	// The log has every changed row, those of cascades included: a replica must
	// neither cascade itself nor check the rows in between.
	info := event.RowsInfo{TableID: uint64(tbl.ID()), Flags: event.RowsNoForeignKeyCheck, Kind: kind,
		Columns: len(tbl.Columns), BitmapBefore: presentBefore, BitmapAfter: presentAfter}
	if kind == event.WriteRowsV1 { // its only images are called "before" in the event
		info.BitmapBefore = presentAfter
	}
	var start int
	l.buf, start = event.BeginRows(l.buf, l.meta, &info)
	start += l.base
	l.stmt.lastRows = start
	l.rows = openRows{table: tbl, kind: kind, start: start, before: presentBefore, after: presentAfter, rowIDs: l.rows.rowIDs[:0]}
}

func (l *Log) closeRows() {
	r := &l.rows
	if r.table == nil {
		return
	}
	l.buf = event.End(l.buf, r.start-l.base)
	if r.table.Keyless() {
		l.buf = event.AppendPrivate(l.buf, l.meta, event.PrivateRowIDs, event.AppendRowIDs(nil, r.rowIDs))
	}
	l.rows = openRows{rowIDs: r.rowIDs[:0]}
}
