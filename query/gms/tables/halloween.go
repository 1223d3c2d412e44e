package tables

import (
	"bytes"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/tidwall/btree"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn"
)

// Halloween protection: a statement sees the tables as they were when it began, whatever it has
// changed meanwhile. A scan that is opened before the first change needs no
// help: a cursor does not see later changes. But the inner table of a nested
// loop and the table of a correlated subquery are scanned again for each outer
// row, while the statement is changing them, and a scan of several ranges
// comes to the later ones when rows of the first are changed. For such
// statements the images that the changed rows had before are kept, and scans
// put them back.

// changedRows are the rows of one table that the statement has changed.
type changedRows struct {
	tbl *catalog.Table
	// before has the image of each row as it was when the statement began,
	// by row key; nil for a row that was not there.
	before map[string][]byte
	// sorted has the keys that the images in before have in an index, by the
	// index's place in Table.Indexes, for the indexes that were scanned.
	sorted map[int]*btree.BTreeG[beforeItem]
}

type beforeItem struct{ key, rowKey, image []byte }

func lessBefore(a, b beforeItem) bool { return bytes.Compare(a.key, b.key) < 0 }

// note remembers that a row is about to be another one. image is nil if the
// row is new.
func (c *changedRows) note(rowKey, image []byte) error {
	if _, known := c.before[string(rowKey)]; known {
		return nil
	}
	if image != nil {
		image = bytes.Clone(image)
	}
	rowKey = bytes.Clone(rowKey)
	c.before[string(rowKey)] = image
	for at, tree := range c.sorted {
		if err := c.sortInto(tree, at, rowKey, image); err != nil {
			return err
		}
	}
	return nil
}

func (c *changedRows) sortInto(tree *btree.BTreeG[beforeItem], index int, rowKey, image []byte) error {
	switch {
	case image == nil:
	case index < 0:
		tree.Set(beforeItem{rowKey, rowKey, image})
	default:
		e, err := c.tbl.Entry(index, image, rowKey)
		if err != nil {
			return err
		}
		tree.Set(beforeItem{e.Key, rowKey, image})
	}
	return nil
}

// in returns the rows as they were whose keys in an index are in a span.
func (c *changedRows) in(index int, lower, upper []byte, reverse bool) ([]beforeItem, error) {
	tree := c.sorted[index]
	if tree == nil {
		tree = btree.NewBTreeGOptions(lessBefore, btree.Options{NoLocks: true})
		for k, image := range c.before {
			if err := c.sortInto(tree, index, []byte(k), image); err != nil {
				return nil, err
			}
		}
		if c.sorted == nil {
			c.sorted = map[int]*btree.BTreeG[beforeItem]{}
		}
		c.sorted[index] = tree
	}
	var out []beforeItem
	tree.Ascend(beforeItem{key: lower}, func(i beforeItem) bool {
		if upper != nil && bytes.Compare(i.key, upper) >= 0 {
			return false
		}
		out = append(out, i)
		return true
	})
	if reverse {
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
	}
	return out, nil
}

// changes returns the changed rows of a table, which all its editors in the
// statement share; nil if they need not be known.
func (s *Statement) changes(tbl *catalog.Table, needed bool) *changedRows {
	c := s.changed[tbl.ID()]
	if c == nil && needed {
		if s.changed == nil {
			s.changed = map[uint32]*changedRows{}
		}
		c = &changedRows{tbl: tbl, before: map[string][]byte{}}
		s.changed[tbl.ID()] = c
	}
	return c
}

// rescans reports whether the statement may scan a table again that it has
// changed already.
func (s *Statement) rescans() bool {
	if !s.rescansKnown {
		s.rescansKnown = true
		s.mayRescan = mayRescan(s.AST)
	}
	return s.mayRescan
}

func mayRescan(ast sqlparser.Statement) bool {
	switch ast := ast.(type) {
	case *sqlparser.Insert:
		_, values := ast.Rows.(*sqlparser.AliasedValues)
		return !values || hasSubquery(ast)
	case *sqlparser.Update:
		return !singleTable(ast.TableExprs) || hasSubquery(ast)
	case *sqlparser.Delete:
		return len(ast.Targets) > 0 || !singleTable(ast.TableExprs) || hasSubquery(ast)
	}
	return false
}

func hasSubquery(ast sqlparser.SQLNode) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if _, ok := n.(*sqlparser.Subquery); ok {
			found = true
		}
		return !found, nil
	}, ast)
	return found
}

// scanBefore opens a scan that sees the rows as they were when the statement
// began.
func scanBefore(ctx *sql.Context, src rows, spec txn.ScanSpec, changed *changedRows) (cursor, error) {
	inner, err := src.Scan(ctx, spec)
	if err != nil || changed == nil || len(changed.before) == 0 {
		return inner, err
	}
	lower, upper := spec.Table.Span(spec.Index)
	if spec.Lower != nil {
		lower = spec.Lower
	}
	if spec.Upper != nil {
		upper = spec.Upper
	}
	c := &beforeCursor{inner: inner, changed: changed, reverse: spec.Reverse}
	if c.extra, err = changed.in(spec.Index, lower, upper, spec.Reverse); err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	return c, nil
}

// beforeCursor leaves the rows out that the statement has changed and puts
// what they were in their places.
type beforeCursor struct {
	inner   cursor
	changed *changedRows
	extra   []beforeItem
	reverse bool
	// ahead says that inner stands on a row that was not returned yet; cur is
	// the row from extra to return instead, if not nil.
	ahead, ended bool
	cur          *beforeItem
}

func (c *beforeCursor) Next() bool {
	c.cur = nil
	for !c.ahead && !c.ended {
		if !c.inner.Next() {
			c.ended = true
			break
		}
		if _, own := c.changed.before[string(c.inner.RowKey())]; !own {
			c.ahead = true
		}
	}
	if c.ended && c.inner.Err() != nil {
		return false
	}
	if len(c.extra) > 0 && (!c.ahead || c.before(c.extra[0].key, c.inner.Key())) {
		c.cur = &c.extra[0]
		c.extra = c.extra[1:]
		return true
	}
	if !c.ahead {
		return false
	}
	c.ahead = false
	return true
}

func (c *beforeCursor) before(a, b []byte) bool {
	if c.reverse {
		return bytes.Compare(a, b) > 0
	}
	return bytes.Compare(a, b) < 0
}

func (c *beforeCursor) Key() []byte {
	if c.cur != nil {
		return c.cur.key
	}
	return c.inner.Key()
}

func (c *beforeCursor) RowKey() []byte {
	if c.cur != nil {
		return c.cur.rowKey
	}
	return c.inner.RowKey()
}

func (c *beforeCursor) Image() []byte {
	if c.cur != nil {
		return c.cur.image
	}
	return c.inner.Image()
}

func (c *beforeCursor) Err() error   { return c.inner.Err() }
func (c *beforeCursor) Close() error { return c.inner.Close() }

func singleTable(exprs sqlparser.TableExprs) bool {
	if len(exprs) != 1 {
		return false
	}
	_, ok := exprs[0].(*sqlparser.AliasedTableExpr)
	return ok
}
