package wire

import (
	"fmt"
	"io"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
)

// bulkSendTypes is the flag of COM_STMT_BULK_EXECUTE that says that the types of the parameters come first. MariaDB 10.11 knows no other.
const bulkSendTypes = 128

// stmtBulkExecute runs a statement with as many sets of parameters as the packet has: its number, flags, the types once, then for each
// parameter of each set what it is (query.Mark) and, if it is a value, that.
func (c *conn) stmtBulkExecute(arg []byte) error {
	cur := payloadReader{b: arg}
	id, flags := cur.u32(), cur.u16()
	if cur.failed {
		c.writeError(errMalformed)
		return nil
	}
	if c.ext&mysql.MARIADB_CLIENT_STMT_BULK_OPERATIONS == 0 {
		c.writeError(mysqlerr.New(mysqlerr.UnsupportedPS))
		return nil
	}
	s, ok := c.stmtOf(id)
	if !ok {
		c.writeError(unknownStmt(id, "mysqld_stmt_execute"))
		return nil
	}
	defer c.resetLong(s)
	sets, err := s.sets(&cur, flags, c.session.EmptyIsNull())
	if err != nil {
		c.writeError(err)
		return nil
	}
	w := resultWriter{c: c, binary: true, stmt: s}
	return c.finish(&w, c.session.ExecuteBulk(c.ctx, s.Stmt, sets, &w))
}

// sets reads what comes before the sets of parameters, and returns what reads these.
func (s *stmt) sets(cur *payloadReader, flags uint16, emptyIsNull bool) (query.Sets, error) {
	if s.ParamCount == 0 || flags&^bulkSendTypes != 0 {
		return nil, mysqlerr.New(mysqlerr.UnsupportedPS)
	}
	types := s.types
	if flags&bulkSendTypes != 0 {
		if types = cur.types(s.ParamCount, types); cur.failed {
			return nil, errMalformed
		}
	}
	wrong := mysqlerr.New(mysqlerr.WrongArguments, "mysqld_stmt_bulk_execute")
	if len(types) != s.ParamCount || len(cur.b) == 0 || s.longErr != nil || s.long != nil {
		return nil, wrong
	}
	s.types = types
	values, marks := make([]result.Value, s.ParamCount), make([]query.Mark, s.ParamCount)
	return func() ([]result.Value, []query.Mark, error) {
		if len(cur.b) == 0 && !cur.failed {
			return nil, nil, io.EOF
		}
		if err := cur.set(values, marks, types, emptyIsNull); err != nil {
			return nil, nil, wrong.WithCause(err)
		}
		return values, marks, nil
	}, nil
}

// set reads one set of parameters.
func (c *payloadReader) set(values []result.Value, marks []query.Mark, types []paramType, emptyIsNull bool) error {
	for i := range values {
		values[i], marks[i] = result.Value{}, query.Mark(c.u8())
		switch {
		case c.failed || marks[i] > query.MarkIgnore:
			c.failed = true
			return fmt.Errorf("%w: what parameter %d is", errMalformed, i+1)
		case marks[i] != query.MarkValue:
			continue
		}
		v, err := c.param(types[i])
		if err != nil {
			c.failed = true
			return fmt.Errorf("parameter %d: %w", i+1, err)
		}
		if emptyIsNull && types[i].text() && len(v.Raw()) == 0 {
			v = result.Value{}
		}
		values[i] = v
	}
	return nil
}
