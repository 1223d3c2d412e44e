package plan

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/clienttext"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
)

// Most of what an INSERT of many rows gives its columns are integers and strings, written out. An expression made of each would cost more than
// storing it: such a cell has its value instead, and shares what assigns it with those of the other rows.

// plainKey is what an assigner of plain cells is for.
type plainKey struct {
	column int
	kind   plainKind
}

type plainKind uint8

const (
	plainInteger plainKind = iota
	plainASCII
	plainOther // text that is not all ASCII
	plainNull
)

// plain is the cell of a literal that is an integer or a string, or NULL; ok is false for all others.
func (c *inserting) plain(at int, n tree.Expr) (cell Cell, ok bool, err error) {
	col := &c.scope.src.Table.Columns[at]
	if col.Def.Generated != "" || col.Type.Kind.Address() {
		return cell, false, nil
	}
	if _, is := c.b.Lifted[n]; is { // another run has another value
		return cell, false, nil
	}
	key := plainKey{column: at}
	var from types.Type
	switch n := n.(type) {
	case *tree.NumberLit:
		if !tree.Plain(n) {
			return cell, false, nil
		}
		if cell.Value.Int, err = strconv.ParseInt(n.Text, 10, 64); err != nil {
			return cell, false, nil //nolint:nilerr // an expression says what is wrong
		}
		from = types.IntType(uint32(len(n.Text)), false)
		if cell.Value.Int > math.MaxInt32 {
			from.Kind = types.Bigint
		}
	case *tree.NullLit:
		cell.Value.Null, from, key.kind = true, types.NullType(), plainNull
	case *tree.TextLit:
		if key.kind, ok = c.plainText(n); !ok {
			return cell, false, nil
		}
		cell.Value.Text = c.copyText(n.Value)
		connection := c.b.Env.Connection
		if c.plainAssigners[key] == nil {
			from = types.StringType(uint64(connection.Set().Len(cell.Value.Text)), connection, charset.Coercible, key.kind == plainASCII)
		}
	default:
		return cell, false, nil
	}
	cell.Plain = true
	if cell.Assign = c.plainAssigners[key]; cell.Assign == nil {
		if cell.Assign, err = c.assignerOf(at, assign.Source{Type: from}); err == nil {
			c.plainAssigners[key] = cell.Assign
		}
	}
	return cell, true, err
}

// plainText is the kind of a string whose bytes are those of its value; ok is false for others.
func (c *inserting) plainText(n *tree.TextLit) (kind plainKind, ok bool) {
	client, connection := c.b.Env.Client, c.b.Env.Connection.Set()
	switch {
	case !tree.Plain(n) || client == nil:
		return 0, false
	case client != connection && !(client.KeepsASCII() && connection.KeepsASCII()) || !connection.ASCIIBytes():
		return 0, false
	case isASCII(n.Value):
		return plainASCII, true
	}
	return plainOther, client == connection && !clienttext.Foreign(client)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// copyText is a text as bytes. Those of a row that is not kept are in memory that the next one gets.
func (c *inserting) copyText(s string) []byte {
	if !c.lends {
		return []byte(s)
	}
	start := len(c.texts)
	c.texts = append(c.texts, s...)
	return c.texts[start:len(c.texts):len(c.texts)]
}

// newCells are the cells of a row.
func (c *inserting) newCells(n int) []Cell {
	if !c.lends {
		return make([]Cell, n)
	}
	c.texts = c.texts[:0]
	if cap(c.cells) < n {
		c.cells = make([]Cell, n)
	}
	clear(c.cells[:n])
	return c.cells[:n]
}
