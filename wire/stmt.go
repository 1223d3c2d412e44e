package wire

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
)

// stmt is a prepared statement with what the client has told about its
// parameters so far.
type stmt struct {
	*query.Stmt
	types []paramType
	vals  []result.Value // the parameters; one slice serves all executions
	told  definitions
	// cursor has the rows that the client has not fetched; nil if none is open.
	cursor *cursor
	// long holds values sent in pieces; nil where none was. longErr is what
	// went wrong with them: COM_STMT_SEND_LONG_DATA has no answer, so the next
	// execution reports it.
	long      [][]byte
	longErr   error
	longBytes int64 // of long, as counted by the session
}

func (c *conn) resetLong(s *stmt) {
	_ = c.session.KeepMemory(-s.longBytes) // fewer are never refused
	s.long, s.longErr, s.longBytes = nil, nil, 0
}

// forget gives back what is kept for a statement.
func (c *conn) forget(s *stmt) {
	c.resetLong(s)
	c.closeCursor(s)
	s.told.forget(c)
}

// lastStmt is the number of the statement that was prepared last: clients send it that do not wait for the answer of COM_STMT_PREPARE.
const lastStmt = 1<<32 - 1

// stmtOf is the prepared statement of a number.
func (c *conn) stmtOf(id uint32) (*stmt, bool) {
	if id == lastStmt {
		id = c.lastID
	}
	s, ok := c.stmts[id]
	return s, ok
}

func unknownStmt(id uint32, command string) error {
	return mysqlerr.New(mysqlerr.UnknownStmtHandler, strconv.FormatUint(uint64(id), 10), command)
}

func (c *conn) stmtPrepare(sql string) error {
	c.lastID = 0 // if this one fails, nothing is the last one
	if !c.srv.reserveStmt() {
		c.writeError(mysqlerr.New(mysqlerr.MaxPreparedStmtCount, c.srv.backend.GlobalUint("max_prepared_stmt_count")))
		return nil
	}
	prepared, err := c.session.Prepare(c.ctx, sql)
	if err != nil {
		c.srv.releaseStmts(1)
		c.writeError(err)
		return nil
	}
	c.stmtID++
	if c.stmts == nil {
		c.stmts = make(map[uint32]*stmt)
	}
	s := &stmt{Stmt: prepared}
	c.stmts[c.stmtID], c.lastID = s, c.stmtID

	cols, params := prepared.Columns, prepared.ParamCount
	start := c.begin()
	c.out = append(c.out, 0)
	c.out = binary.LittleEndian.AppendUint32(c.out, c.stmtID)
	c.out = binary.LittleEndian.AppendUint16(c.out, uint16(len(cols)))
	c.out = binary.LittleEndian.AppendUint16(c.out, uint16(params))
	c.out = append(c.out, 0, 0, 0) // reserved, no warnings
	c.end(start)
	param := result.Column{Name: "?", Charset: mysql.Collation_binary, Type: mysql.MYSQL_TYPE_NULL, Flags: mysql.BINARY_FLAG}
	for range params {
		c.writeColumn(&param)
	}
	c.endDefinitions(params)
	c.writeColumns(cols)
	c.endDefinitions(len(cols))
	if len(cols) > 0 && c.ext&mysql.MARIADB_CLIENT_CACHE_METADATA != 0 {
		s.told.note(c, cols, nil, 0)
	}
	return nil
}

// endDefinitions ends a list of column definitions, if it has any.
func (c *conn) endDefinitions(n int) {
	if n > 0 && c.caps&mysql.CLIENT_DEPRECATE_EOF == 0 {
		c.writeEOF(c.session.StatusFlags(), 0)
	}
}

func (c *conn) stmtExecute(arg []byte) error {
	cur := payloadReader{b: arg}
	head, err := parseExecuteHead(&cur)
	if err != nil {
		c.writeError(err)
		return nil
	}
	s, ok := c.stmtOf(head.stmtID)
	if !ok {
		c.writeError(unknownStmt(head.stmtID, "mysqld_stmt_execute"))
		return nil
	}
	defer c.resetLong(s)
	if s.longErr != nil {
		c.writeError(s.longErr)
		return nil
	}
	c.closeCursor(s)
	if s.vals == nil {
		s.vals = make([]result.Value, s.ParamCount)
	}
	defer clear(s.vals) // a value may be long
	types, err := parseParams(&cur, s.vals, s.types, s.long, c.session.EmptyIsNull())
	if err != nil {
		c.writeError(mysqlerr.New(mysqlerr.WrongArguments, "mysqld_stmt_execute").WithCause(err))
		return nil
	}
	s.types = types
	// MariaDB looks at no other flag; clients of MySQL 8 set one that says how they count parameters.
	if head.flags&mysql.CURSOR_TYPE_READ_ONLY != 0 {
		opens, err := c.session.OpensCursor(s.Stmt)
		if err != nil {
			c.writeError(err)
			return nil
		}
		if opens {
			return c.openCursor(s)
		}
	}
	w := resultWriter{c: c, binary: true, stmt: s}
	return c.finish(&w, c.session.ExecuteStmt(c.ctx, s.Stmt, s.vals, &w))
}

// stmtSendLongData appends to a parameter's value. There is no answer.
func (c *conn) stmtSendLongData(arg []byte) error {
	cur := payloadReader{b: arg}
	id, param := cur.u32(), int(cur.u16())
	s, ok := c.stmtOf(id)
	if !ok {
		return nil
	}
	if s.longErr == nil {
		s.longErr = c.appendLong(s, param, &cur)
	}
	return nil
}

// appendLong adds to the value of a parameter. After an error there is none.
func (c *conn) appendLong(s *stmt, param int, cur *payloadReader) error {
	if cur.failed || param >= s.ParamCount {
		return mysqlerr.New(mysqlerr.WrongArguments, "mysqld_stmt_send_long_data")
	}
	if s.long == nil {
		s.long = make([][]byte, s.ParamCount)
	}
	b := cur.b
	if len(s.long[param])+len(b) > c.limits.maxAllowedPacket {
		s.long[param] = nil
		return &mysqlerr.Error{Number: mysqlerr.UnknownError, State: mysqlerr.State(mysqlerr.UnknownError),
			Message: fmt.Sprintf("Parameter of prepared statement which is set through mysql_send_long_data() is longer than 'max_allowed_packet' bytes (%d)", c.limits.maxAllowedPacket)}
	}
	if err := c.session.KeepMemory(int64(len(b))); err != nil {
		c.resetLong(s)
		return err
	}
	s.longBytes += int64(len(b))
	if s.long[param] == nil {
		s.long[param] = []byte{}
	}
	s.long[param] = append(s.long[param], b...)
	return nil
}

// stmtClose has no answer, whatever it is given.
func (c *conn) stmtClose(arg []byte) {
	cur := payloadReader{b: arg}
	id := cur.u32()
	if id == lastStmt {
		id = c.lastID
	}
	if s, ok := c.stmts[id]; ok {
		delete(c.stmts, id)
		c.forget(s)
		c.session.CloseStmt(s.Stmt)
		c.srv.releaseStmts(1)
	}
}

func (c *conn) stmtReset(arg []byte) error {
	cur := payloadReader{b: arg}
	id := cur.u32()
	s, ok := c.stmtOf(id)
	if !ok {
		c.writeError(unknownStmt(id, "mysqld_stmt_reset"))
		return nil
	}
	c.resetLong(s)
	c.closeCursor(s)
	return c.simple(nil)
}

// closeStmts forgets all prepared statements.
func (c *conn) closeStmts() {
	for _, s := range c.stmts {
		c.forget(s)
		c.session.CloseStmt(s.Stmt)
	}
	c.srv.releaseStmts(len(c.stmts))
	c.stmts = nil
}
