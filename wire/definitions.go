package wire

import (
	"slices"
	"unsafe"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/result"
)

// definitions are the columns of a prepared statement's result as its client knows them. They are sent with each
// execution, and are the same each time unless a table, the character set of the results or the type of a parameter has changed. So they
// are kept encoded; a client that knows that they are the same (MARIADB_CLIENT_CACHE_METADATA) does not get them at all.
type definitions struct {
	columns []result.Column // as they were sent last; nil if they are not known
	packets []byte          // these, in packets from number seq on; nil until they were sent with a result
	seq     byte
	kept    int64 // bytes, as counted by the session
}

// known reports whether the client has got these columns last.
func (d *definitions) known(columns []result.Column) bool {
	return d.columns != nil && slices.Equal(d.columns, columns)
}

// note keeps what was sent, if the session has memory for it.
func (d *definitions) note(c *conn, columns []result.Column, packets []byte, seq byte) {
	d.forget(c)
	size := int64(len(columns))*int64(unsafe.Sizeof(result.Column{})) + int64(len(packets))
	if c.session.KeepMemory(size) != nil {
		return // they are sent each time
	}
	*d = definitions{columns: slices.Clone(columns), packets: slices.Clone(packets), seq: seq, kept: size}
}

func (d *definitions) forget(c *conn) {
	_ = c.session.KeepMemory(-d.kept) // fewer are never refused
	*d = definitions{}
}

// writeColumns queues the definitions of a result's columns.
func (c *conn) writeColumns(columns []result.Column) {
	for i := range columns {
		c.writeColumn(&columns[i])
	}
}

// sendColumns begins the result of a statement: s is the prepared one whose result it is, or nil.
func (c *conn) sendColumns(s *stmt, columns []result.Column) {
	caching := c.ext&mysql.MARIADB_CLIENT_CACHE_METADATA != 0
	if s != nil && s.Call {
		s = nil // these are results of the statements of a procedure
	}
	known := s != nil && s.told.known(columns)
	start := c.begin()
	c.out = result.AppendLength(c.out, uint64(len(columns)))
	if caching {
		follow := byte(1)
		if known {
			follow = 0
		}
		c.out = append(c.out, follow)
	}
	c.end(start)
	switch {
	case caching && known:
	case known && s.told.packets != nil && s.told.seq == c.seq:
		c.out = append(c.out, s.told.packets...)
		c.seq += byte(len(columns))
	default:
		start, seq := len(c.out), c.seq
		c.writeColumns(columns)
		if s == nil {
			return
		}
		packets := c.out[start:]
		if caching {
			packets = nil // they will be left out, or be others
		}
		s.told.note(c, columns, packets, seq)
	}
}
