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

func unknownStmt(id uint32, command string) error {
	return mysqlerr.New(mysqlerr.UnknownStmtHandler, strconv.FormatUint(uint64(id), 10), command)
}

func (c *conn) stmtPrepare(sql string) error {
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
	c.stmts[c.stmtID] = &stmt{Stmt: prepared}

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
	for i := range cols {
		c.writeColumn(&cols[i])
	}
	c.endDefinitions(len(cols))
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
	s, ok := c.stmts[head.stmtID]
	if !ok {
		c.writeError(unknownStmt(head.stmtID, "mysqld_stmt_execute"))
		return nil
	}
	defer c.resetLong(s)
	if s.longErr != nil {
		c.writeError(s.longErr)
		return nil
	}
	// MariaDB looks at no other flag; clients of MySQL 8 set one that says how they count parameters.
	if head.flags&mysql.CURSOR_TYPE_READ_ONLY != 0 {
		c.writeError(mysqlerr.New(mysqlerr.NotSupportedYet, "cursors for prepared statements"))
		return nil
	}
	params, types, err := parseParams(&cur, s.ParamCount, s.types, s.long, c.session.EmptyIsNull())
	if err != nil {
		c.writeError(mysqlerr.New(mysqlerr.WrongArguments, "mysqld_stmt_execute").WithCause(err))
		return nil
	}
	s.types = types
	w := resultWriter{c: c, binary: true}
	return c.finish(&w, c.session.ExecuteStmt(c.ctx, s.Stmt, params, &w))
}

// stmtSendLongData appends to a parameter's value. There is no answer.
func (c *conn) stmtSendLongData(arg []byte) error {
	cur := payloadReader{b: arg}
	id, param := cur.u32(), int(cur.u16())
	s, ok := c.stmts[id]
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
	if s, ok := c.stmts[id]; ok {
		delete(c.stmts, id)
		c.resetLong(s)
		c.session.CloseStmt(s.Stmt)
		c.srv.releaseStmts(1)
	}
}

func (c *conn) stmtReset(arg []byte) error {
	cur := payloadReader{b: arg}
	id := cur.u32()
	s, ok := c.stmts[id]
	if !ok {
		c.writeError(unknownStmt(id, "mysqld_stmt_reset"))
		return nil
	}
	c.resetLong(s)
	return c.simple(nil)
}

// closeStmts forgets all prepared statements.
func (c *conn) closeStmts() {
	for _, s := range c.stmts {
		c.session.CloseStmt(s.Stmt)
	}
	c.srv.releaseStmts(len(c.stmts))
	c.stmts = nil
}
