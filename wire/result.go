package wire

import (
	"encoding/binary"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/result"
)

// resultWriter sends results to the client: a result.Sink for text (COM_QUERY)
// and binary rows (COM_STMT_EXECUTE).
type resultWriter struct {
	c      *conn
	binary bool
	stmt   *stmt      // whose result it is, if it is prepared
	ioErr  error      // first failure to write; ends the connection
	sent   bool       // something has been answered
	file   *localFile // that the client was asked for
}

var _ result.Sink = (*resultWriter)(nil)

// Columns begins a result set.
func (w *resultWriter) Columns(cols []result.Column) error {
	c := w.c
	w.sent = true
	c.sendColumns(w.stmt, cols)
	if c.caps&mysql.CLIENT_DEPRECATE_EOF == 0 {
		c.writeEOF(c.session.StatusFlags(), 0)
	}
	return w.flushIfFull()
}

// Row sends one row.
func (w *resultWriter) Row(r result.Row) error {
	c := w.c
	start := c.begin()
	if w.binary {
		out, err := r.AppendBinary(c.out)
		if err != nil {
			c.abandon(start)
			return err
		}
		c.out = out
	} else {
		c.out = r.AppendText(c.out)
	}
	c.end(start)
	return w.flushIfFull()
}

// EndRows ends the open result set.
func (w *resultWriter) EndRows(s result.Status) error {
	w.c.writeEndOfRows(s)
	return w.flushIfFull()
}

// OK answers a statement without rows.
func (w *resultWriter) OK(ok result.OK) error {
	w.sent = true
	w.c.writeOK(0x00, ok)
	return w.flushIfFull()
}

func (w *resultWriter) flushIfFull() error {
	if err := w.c.flushIfFull(); err != nil {
		w.ioErr = err
		return err
	}
	return nil
}

// writeColumn queues a column definition.
func (c *conn) writeColumn(col *result.Column) {
	start := c.begin()
	c.out = col.AppendDefinition(c.out)
	c.end(start)
}

func (c *conn) writeEOF(status, warnings uint16) {
	start := c.begin()
	c.out = append(c.out, 0xfe)
	c.out = binary.LittleEndian.AppendUint16(c.out, warnings)
	c.out = binary.LittleEndian.AppendUint16(c.out, status)
	c.end(start)
}

// writeOK queues an OK packet: header 0x00, or 0xfe where it takes the place
// of an EOF packet.
func (c *conn) writeOK(header byte, ok result.OK) {
	start := c.begin()
	out := append(c.out, header)
	out = result.AppendLength(out, ok.AffectedRows)
	out = result.AppendLength(out, ok.InsertID)
	changedDB, changed := "", false
	if c.caps&mysql.CLIENT_SESSION_TRACK != 0 {
		if changedDB, changed = c.trackSchema(); changed {
			ok.Status |= mysql.SERVER_SESSION_STATE_CHANGED
		}
	}
	out = binary.LittleEndian.AppendUint16(out, ok.Status)
	out = binary.LittleEndian.AppendUint16(out, ok.Warnings)
	switch {
	case changed:
		const trackSchema = 1 // SESSION_TRACK_SCHEMA
		state := appendLenencBytes([]byte(nil), changedDB)
		state = appendLenencBytes([]byte{trackSchema}, state)
		out = appendLenencBytes(out, ok.Info)
		out = appendLenencBytes(out, state)
	case ok.Info != "" || (c.caps&mysql.CLIENT_SESSION_TRACK != 0 && header == 0):
		out = appendLenencBytes(out, ok.Info)
	}
	c.out = out
	c.end(start)
}

// trackSchema reports a default database that differs from the one last told
// to the client.
func (c *conn) trackSchema() (string, bool) {
	db := c.session.DB()
	if db == c.knownDB {
		return "", false
	}
	c.knownDB = db
	return db, true
}
