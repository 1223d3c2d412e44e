package tables

import (
	"bytes"
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Halloween protection where one statement changes a table and joins it with
// itself (see halloween.go for other statements): it comes, in one scan, to rows
// that it has changed by another one. A locking scan would show what
// they are now, and one of an index would miss those whose keys have moved. So
// the rows of each scan are collected before the first is used.

// joinsItself reports whether the statement changes tables and names this one
// more than once.
func (s *Statement) joinsItself(table string) bool {
	switch s.AST.(type) {
	case *sqlparser.Update, *sqlparser.Delete:
	default:
		return false
	}
	uses := 0
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if t, ok := n.(*sqlparser.AliasedTableExpr); ok {
			if name, ok := t.Expr.(sqlparser.TableName); ok && strings.EqualFold(name.Name.String(), table) {
				uses++
			}
		}
		return true, nil
	}, s.AST)
	return uses > 1
}

// heldRow is a row that a scan has met.
type heldRow struct{ key, rowKey, image []byte }

// heldRowBytes is what a held row takes beside its bytes.
const heldRowBytes = 96

// heldCursor gives rows that were collected.
type heldCursor struct {
	rows   []heldRow
	at     int // the row after the current one
	bytes  int64
	memory memoryKeeper
}

// memoryKeeper counts the memory of a session.
type memoryKeeper interface{ KeepMemory(n int64) error }

// hold collects what a cursor has to give, and closes it.
func hold(ctx *sql.Context, from cursor) (*heldCursor, error) {
	held := &heldCursor{}
	held.memory, _ = ctx.Session.(memoryKeeper)
	for from.Next() {
		r := heldRow{bytes.Clone(from.Key()), bytes.Clone(from.RowKey()), bytes.Clone(from.Image())}
		if err := held.count(int64(len(r.key)+len(r.rowKey)+len(r.image)) + heldRowBytes); err != nil {
			return nil, errors.Join(err, from.Close(), held.Close())
		}
		held.rows = append(held.rows, r)
		if len(held.rows)&255 == 0 && ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), from.Close(), held.Close())
		}
	}
	if err := errors.Join(from.Err(), from.Close()); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return held, nil
}

func (c *heldCursor) count(n int64) error {
	if c.memory == nil {
		return nil
	}
	if err := c.memory.KeepMemory(n); err != nil {
		return err
	}
	c.bytes += n
	return nil
}

func (c *heldCursor) Next() bool {
	if c.at == len(c.rows) {
		return false
	}
	c.at++
	return true
}

func (c *heldCursor) Key() []byte    { return c.rows[c.at-1].key }
func (c *heldCursor) RowKey() []byte { return c.rows[c.at-1].rowKey }
func (c *heldCursor) Image() []byte  { return c.rows[c.at-1].image }
func (c *heldCursor) Err() error     { return nil }

// Close forgets the rows. Closing twice is no error.
func (c *heldCursor) Close() error {
	n := c.bytes
	c.rows, c.at, c.bytes = nil, 0, 0
	if n == 0 {
		return nil
	}
	return c.memory.KeepMemory(-n)
}
