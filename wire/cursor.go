package wire

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
)

// cursor is the result of a prepared query whose client fetches the rows itself (COM_STMT_FETCH). The query has run to its
// end when the cursor is open, so it holds no lock and sees no later change, as in MariaDB. Its rows are kept as they will be
// sent, in blocks that are counted as the session's memory; a query whose rows do not fit fails.
type cursor struct {
	columns []result.Column
	status  result.Status
	blocks  [][]byte // rows, each after its length in four bytes
	kept    int64    // bytes, as counted by the session
	conn    *conn
	ok      *result.OK // the statement turned out to have no rows
}

// Sizes of the blocks of a cursor: the first is small, as most results are, the others double.
const (
	cursorBlockMin = 1 << 10
	cursorBlockMax = 256 << 10
)

var _ result.Sink = (*cursor)(nil)

// Columns implements result.Sink.
func (k *cursor) Columns(columns []result.Column) error {
	k.columns = slices.Clone(columns)
	return nil
}

// Row implements result.Sink.
func (k *cursor) Row(r result.Row) error {
	// The row is made where packets are, which has room, and copied.
	c := k.conn
	start := len(c.out)
	out, err := r.AppendBinary(c.out)
	c.out = out[:start]
	if err != nil {
		return err
	}
	row := out[start:]
	block, err := k.room(len(row) + 4)
	if err != nil {
		return err
	}
	*block = append(binary.LittleEndian.AppendUint32(*block, uint32(len(row))), row...)
	return nil
}

// room is a block that has room for n more bytes.
func (k *cursor) room(n int) (*[]byte, error) {
	size := cursorBlockMin
	if last := len(k.blocks) - 1; last >= 0 {
		if b := &k.blocks[last]; cap(*b)-len(*b) >= n {
			return b, nil
		}
		size = min(2*cap(k.blocks[last]), cursorBlockMax)
	}
	size = max(size, n)
	if err := k.conn.session.KeepMemory(int64(size)); err != nil {
		return nil, err
	}
	k.kept += int64(size)
	k.blocks = append(k.blocks, make([]byte, 0, size))
	return &k.blocks[len(k.blocks)-1], nil
}

// EndRows implements result.Sink.
func (k *cursor) EndRows(st result.Status) error {
	k.status = st
	return nil
}

// OK implements result.Sink.
func (k *cursor) OK(ok result.OK) error {
	k.ok = &ok
	return nil
}

// next takes the next row; nil if there is none.
func (k *cursor) next() []byte {
	for len(k.blocks) > 0 {
		b := k.blocks[0]
		if len(b) > 0 {
			n := 4 + int(binary.LittleEndian.Uint32(b))
			k.blocks[0] = b[n:]
			return b[4:n]
		}
		k.blocks[0] = nil
		k.blocks = k.blocks[1:]
	}
	return nil
}

// closeCursor forgets the rows that a statement's client has not fetched.
func (c *conn) closeCursor(s *stmt) {
	if s.cursor != nil {
		_ = c.session.KeepMemory(-s.cursor.kept) // fewer are never refused
		s.cursor = nil
	}
}

// openCursor runs a query and keeps its rows; its client is told the columns.
func (c *conn) openCursor(s *stmt) error {
	k := &cursor{conn: c}
	err := c.session.ExecuteStmt(c.ctx, s.Stmt, s.vals, k)
	s.cursor = k
	if err != nil || k.ok != nil {
		c.closeCursor(s)
		if err == nil {
			c.writeOK(0x00, *k.ok)
		}
		return c.finish(&resultWriter{c: c}, err)
	}
	c.sendColumns(s, k.columns)
	k.status.Flags |= mysql.SERVER_STATUS_CURSOR_EXISTS
	c.writeEndOfRows(k.status)
	k.columns = nil
	return nil
}

// writeEndOfRows queues what ends rows, or stands for those of a cursor.
func (c *conn) writeEndOfRows(st result.Status) {
	if c.caps&mysql.CLIENT_DEPRECATE_EOF != 0 {
		c.writeOK(0xfe, result.OK{Status: st.Flags, Warnings: st.Warnings})
	} else {
		c.writeEOF(st.Flags, st.Warnings)
	}
}

// stmtFetch sends the next rows of a cursor. When there are fewer than were asked for, it is closed.
func (c *conn) stmtFetch(arg []byte) error {
	cur := payloadReader{b: arg}
	id, count := cur.u32(), cur.u32()
	if cur.failed {
		c.writeError(errMalformed)
		return nil
	}
	s, ok := c.stmtOf(id)
	if !ok {
		c.writeError(unknownStmt(id, "mysqld_stmt_fetch"))
		return nil
	}
	if s.cursor == nil {
		c.writeError(&mysqlerr.Error{Number: 1421, State: "HY000", Message: "The statement (" + strconv.FormatUint(uint64(id), 10) + ") has no open cursor"})
		return nil
	}
	st := result.Status{Flags: c.session.StatusFlags() | mysql.SERVER_STATUS_CURSOR_EXISTS}
	for range count {
		row := s.cursor.next()
		if row == nil {
			st.Flags = c.session.StatusFlags() | mysql.SERVER_STATUS_LAST_ROW_SENT
			c.closeCursor(s)
			break
		}
		c.writePayload(row)
		if err := c.flushIfFull(); err != nil {
			return err
		}
	}
	c.writeEndOfRows(st)
	return nil
}
