package txn

import (
	"bytes"
	"slices"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/row"
)

// eventLog builds the events of a transaction, in the form in which the commit
// pipeline writes them: log positions and checksums are set there.
//
// A statement's events are: [ANNOTATE_ROWS] TABLE_MAP... then its rows
// events. A replica opens all of a statement's tables at its first rows event, so the TABLE_MAP of a
// table that the statement comes to later is inserted behind the other ones.
// The last rows event of a statement has the flag STMT_END. Rows of the same
// table and kind that follow each other share an event up to maxRows bytes.
type eventLog struct {
	buf     []byte
	meta    event.Meta
	fixed   time.Time // SET TIMESTAMP
	maxRows int
	image   RowImage
	proj    projection

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
	writes   int // writeSet.mark at the start
	start    int // length of buf at the start
	local    int // length of local at the start
	mapsEnd  int // where the next TABLE_MAP goes; 0 before the first
	lastRows int // start of the last rows event; 0 before the first
	tables   []*catalog.Table
}

// openRows is the rows event that is being built at the end of buf.
type openRows struct {
	table         *catalog.Table // nil: none
	kind          event.Type
	start         int // of the event in buf
	before, after []byte
	rowIDs        []uint64
}

// logMark is a point to roll back to. Table maps inserted in front of it move it.
type logMark struct {
	bytes    int
	lastRows int
	local    int
}

func (l *eventLog) init(maxRows int, o Options) {
	l.maxRows = maxRows
	l.meta = event.Meta{ServerID: o.ServerID}
	l.setImage(o)
}

// setImage: a transaction that no replica sees is logged in full, which is
// easiest to replay.
func (l *eventLog) setImage(o Options) {
	l.image = o.RowImage
	if o.SkipBinlog {
		l.image = ImageFull
	}
}

func (l *eventLog) startClock(now func() time.Time) {
	if !l.fixed.IsZero() {
		l.meta.Timestamp = uint32(l.fixed.Unix())
		return
	}
	l.meta.Timestamp = uint32(now().Unix())
}

func (l *eventLog) beginStatement(sql string, annotate bool, now func() time.Time) {
	l.startClock(now)
	l.stmt = statementLog{running: true, sql: sql, annotate: annotate, start: len(l.buf), local: len(l.local), tables: l.stmt.tables[:0]}
}

func (l *eventLog) endStatement() {
	l.closeRows()
	if l.stmt.lastRows > 0 {
		event.SetRowsFlags(l.buf, l.stmt.lastRows, event.RowsStmtEnd|event.RowsNoForeignKeyCheck)
	}
	l.stmt = statementLog{start: len(l.buf), local: len(l.local), tables: l.stmt.tables[:0]}
}

func (l *eventLog) rollbackStatement() {
	l.rows = openRows{rowIDs: l.rows.rowIDs[:0]}
	l.buf, l.local = l.buf[:l.stmt.start], l.local[:l.stmt.local]
	l.stmt = statementLog{start: len(l.buf), local: len(l.local), writes: l.stmt.writes, tables: l.stmt.tables[:0]}
}

// mark ends the open rows event, so that it can be cut off behind it.
func (l *eventLog) mark() logMark {
	l.closeRows()
	return logMark{bytes: len(l.buf), lastRows: l.stmt.lastRows, local: len(l.local)}
}

func (l *eventLog) rollbackTo(m logMark) {
	l.rows = openRows{rowIDs: l.rows.rowIDs[:0]}
	l.buf, l.local = l.buf[:m.bytes], l.local[:m.local]
	l.stmt.local = min(l.stmt.local, m.local)
	if l.stmt.mapsEnd > 0 && m.bytes >= l.stmt.mapsEnd { // a point in the running statement
		l.stmt.lastRows = m.lastRows
		return
	}
	if m.lastRows > 0 { // a point inside a statement that has ended: there it ends now
		event.SetRowsFlags(l.buf, m.lastRows, event.RowsStmtEnd|event.RowsNoForeignKeyCheck)
	}
	l.stmt.start = min(l.stmt.start, m.bytes)
	l.stmt.mapsEnd, l.stmt.lastRows, l.stmt.tables = 0, 0, l.stmt.tables[:0]
}

func (l *eventLog) rowsOpen() bool { return l.rows.table != nil }

// size is what the transaction will take in the log.
func (l *eventLog) size() int { return len(l.buf) + len(l.local) }

// addRow appends one row change. before is nil for an insert, after for a delete.
// moved is called with position and length when bytes are inserted further up.
func (l *eventLog) addRow(tbl *catalog.Table, rowID uint64, before, after []byte, moved func(at, n int)) error {
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
	l.mapTable(tbl, moved)
	r := &l.rows
	if r.table != tbl || r.kind != kind || len(l.buf)-r.start+n > l.maxRows ||
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
func (l *eventLog) addLocal(tbl *catalog.Table, kind event.Type, rowID uint64, before, after []byte) {
	l.local = event.AppendTableMap(l.local, l.meta, tbl.MapInfo())
	var start int
	l.local, start = event.BeginRows(l.local, l.meta, &event.RowsInfo{TableID: uint64(tbl.ID()),
		Flags: event.RowsStmtEnd | event.RowsNoForeignKeyCheck, Kind: kind, Columns: len(tbl.Columns)})
	l.local = event.End(append(append(l.local, before...), after...), start)
	if tbl.Keyless() {
		l.local = event.AppendPrivate(l.local, l.meta, event.PrivateRowIDs, event.AppendRowIDs(nil, []uint64{rowID}))
	}
}

// mapTable makes sure that the statement has a TABLE_MAP of the table.
func (l *eventLog) mapTable(tbl *catalog.Table, moved func(at, n int)) {
	s := &l.stmt
	if slices.Contains(s.tables, tbl) {
		return
	}
	s.tables = append(s.tables, tbl)
	if s.mapsEnd == 0 {
		if s.annotate && s.sql != "" {
			l.buf = event.AppendAnnotateRows(l.buf, l.meta, s.sql)
		}
		l.buf = event.AppendTableMap(l.buf, l.meta, tbl.MapInfo())
		s.mapsEnd = len(l.buf)
		return
	}
	m := event.AppendTableMap(nil, l.meta, tbl.MapInfo())
	l.buf = slices.Insert(l.buf, s.mapsEnd, m...)
	moved(s.mapsEnd, len(m))
	s.mapsEnd += len(m)
	if s.lastRows > 0 {
		s.lastRows += len(m)
	}
	if l.rows.table != nil {
		l.rows.start += len(m)
	}
}

func (l *eventLog) openRows(tbl *catalog.Table, kind event.Type, presentBefore, presentAfter []byte) {
	// The log has every changed row, those of cascades included: a replica must
	// neither cascade itself nor check the rows in between.
	info := event.RowsInfo{TableID: uint64(tbl.ID()), Flags: event.RowsNoForeignKeyCheck, Kind: kind,
		Columns: len(tbl.Columns), BitmapBefore: presentBefore, BitmapAfter: presentAfter}
	if kind == event.WriteRowsV1 { // its only images are called "before" in the event
		info.BitmapBefore = presentAfter
	}
	var start int
	l.buf, start = event.BeginRows(l.buf, l.meta, &info)
	l.stmt.lastRows = start
	l.rows = openRows{table: tbl, kind: kind, start: start, before: presentBefore, after: presentAfter, rowIDs: l.rows.rowIDs[:0]}
}

func (l *eventLog) closeRows() {
	r := &l.rows
	if r.table == nil {
		return
	}
	l.buf = event.End(l.buf, r.start)
	if r.table.Keyless() {
		l.buf = event.AppendPrivate(l.buf, l.meta, event.PrivateRowIDs, event.AppendRowIDs(nil, r.rowIDs))
	}
	l.rows = openRows{rowIDs: r.rowIDs[:0]}
}

// projection makes the partial images of binlog_row_image MINIMAL and NOBLOB.
type projection struct {
	before, after []bool
	bufB, bufA    []byte
}

func (p *projection) project(image RowImage, tbl *catalog.Table, before, after []byte) (b, a, presentB, presentA []byte, err error) {
	n := len(tbl.Columns)
	p.before, p.after = slices.Grow(p.before[:0], n)[:n], slices.Grow(p.after[:0], n)[:n]
	for i := range n {
		blob := image == ImageNoBlob && isBlob(tbl.Columns[i].Type)
		// Without a primary key a replica finds the row by all of its columns.
		p.before[i] = tbl.Keyless() || image == ImageNoBlob && !blob
		p.after[i] = before == nil && image == ImageMinimal || !blob && image == ImageNoBlob
	}
	for _, k := range tbl.Primary {
		p.before[k.Column] = true
	}
	if after != nil {
		if err := p.changed(tbl, before, after); err != nil {
			return nil, nil, nil, nil, err
		}
	}
	if before != nil {
		if p.bufB, err = row.Project(p.bufB[:0], tbl.Columns, before, p.before); err != nil {
			return nil, nil, nil, nil, err
		}
		b, presentB = p.bufB, row.Bitmap(p.before)
	}
	if after != nil {
		if p.bufA, err = row.Project(p.bufA[:0], tbl.Columns, after, p.after); err != nil {
			return nil, nil, nil, nil, err
		}
		a, presentA = p.bufA, row.Bitmap(p.after)
	}
	return b, a, presentB, presentA, nil
}

// changed adds the columns that differ to the after image. An inserted row
// without its NULL blobs would be completed with defaults, so it has all columns.
func (p *projection) changed(tbl *catalog.Table, before, after []byte) error {
	for i := range tbl.Columns {
		if p.after[i] {
			continue
		}
		if before == nil {
			p.after[i] = true
			continue
		}
		x, xok, err := row.Packed(tbl.Columns, before, i)
		if err != nil {
			return err
		}
		y, yok, err := row.Packed(tbl.Columns, after, i)
		if err != nil {
			return err
		}
		p.after[i] = xok != yok || !bytes.Equal(x, y)
	}
	return nil
}

func isBlob(t byte) bool {
	switch t {
	case event.MYSQL_TYPE_TINY_BLOB, event.MYSQL_TYPE_MEDIUM_BLOB, event.MYSQL_TYPE_LONG_BLOB,
		event.MYSQL_TYPE_BLOB, event.MYSQL_TYPE_GEOMETRY, event.MYSQL_TYPE_JSON:
		return true
	}
	return false
}
