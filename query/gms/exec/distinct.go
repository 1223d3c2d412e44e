package exec

import (
	"context"
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/duramendb/duramen/query/gms/compare"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/memory"
)

// DISTINCT and set operations are ours: go-mysql-server's tell texts apart that are equal in their collation, and skip rows of a sorted UNION
// before they sort them.

func (b *memoryBuilder) buildDistinct(ctx *sql.Context, child sql.Node, row sql.Row) (sql.RowIter, error) {
	equal, err := compare.NewRows(ctx, child.Schema(ctx))
	if err != nil {
		return nil, err
	}
	rows, err := b.base.Build(ctx, child, row)
	if err != nil {
		return nil, err
	}
	return &distinctRows{child: rows, seen: counted{equal: equal}}, nil
}

func (b *memoryBuilder) buildSet(ctx *sql.Context, n *plan.SetOp, row sql.Row) (sql.RowIter, error) {
	left, err := b.base.Build(ctx, n.Left(), row)
	if err != nil {
		return nil, err
	}
	equal, err := compare.NewSetRows(ctx, n)
	if err != nil {
		return nil, errors.Join(err, left.Close(ctx))
	}
	var out sql.RowIter
	if n.SetOpType == plan.UnionType {
		out = &iters.UnionIter{Cur: left, NextIter: func(ctx *sql.Context) (sql.RowIter, error) { return b.base.Build(ctx, n.Right(), row) }}
	} else {
		right, err := b.base.Build(ctx, n.Right(), row)
		if err != nil {
			return nil, errors.Join(err, left.Close(ctx))
		}
		out = &comparedRows{left: left, right: right, except: n.SetOpType == plan.ExceptType, all: !n.Distinct, others: counted{equal: equal}}
	}
	if n.Distinct {
		out = &distinctRows{child: out, seen: counted{equal: equal}}
	}
	if len(n.SortFields) > 0 {
		out = iters.NewSortIter(heedfulFields(n.SortFields), hold(ctx, out, counting{how: untilClosed}))
	}
	return limited(ctx, n, out)
}

// limited has a set operation's LIMIT and OFFSET.
func limited(ctx *sql.Context, n *plan.SetOp, out sql.RowIter) (sql.RowIter, error) {
	if n.Offset != nil {
		skip, err := iters.GetInt64Value(ctx, n.Offset)
		if err != nil {
			return nil, errors.Join(err, out.Close(ctx))
		}
		out = &skippedRows{RowIter: out, skip: skip}
	}
	if n.Limit != nil {
		limit, err := iters.GetInt64Value(ctx, n.Limit)
		if err != nil {
			return nil, errors.Join(err, out.Close(ctx))
		}
		out = &iters.LimitIter{Limit: limit, ChildIter: out}
	}
	return out, nil
}

// skippedRows leaves out the first rows.
type skippedRows struct {
	sql.RowIter
	skip int64
}

// Next implements sql.RowIter.
func (s *skippedRows) Next(ctx *sql.Context) (sql.Row, error) {
	for ; s.skip > 0; s.skip-- {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if _, err := s.RowIter.Next(ctx); err != nil {
			return nil, err
		}
	}
	return s.RowIter.Next(ctx)
}

// counted says how often rows were met. What it keeps counts as the session's memory.
type counted struct {
	equal *compare.Rows
	times map[uint64]int
	bytes int64
}

// add counts a row, and tells how often it was met before.
func (c *counted) add(ctx *sql.Context, row sql.Row) (before int, err error) {
	key, err := c.equal.Hash(ctx, row)
	if err != nil {
		return 0, err
	}
	before, known := c.times[key]
	if !known {
		if s := function.SessionOf(ctx); s != nil {
			c.bytes += memory.EntryBytes
			if err := s.Memory().Hold(memory.EntryBytes); err != nil {
				return 0, err
			}
		}
		if c.times == nil {
			c.times = map[uint64]int{}
		}
	}
	c.times[key] = before + 1
	return before, nil
}

// take reports whether a row was met, and with all takes back that it was.
func (c *counted) take(ctx *sql.Context, row sql.Row, all bool) (bool, error) {
	key, err := c.equal.Hash(ctx, row)
	if err != nil || c.times[key] == 0 {
		return false, err
	}
	if all {
		c.times[key]--
	}
	return true, nil
}

func (c *counted) drop(ctx *sql.Context) {
	if s := function.SessionOf(ctx); s != nil {
		s.Memory().Release(c.bytes)
	}
	c.bytes, c.times = 0, nil
}

// distinctRows passes on the first of equal rows.
type distinctRows struct {
	child sql.RowIter
	seen  counted
}

// Next implements sql.RowIter.
func (d *distinctRows) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		row, err := d.child.Next(ctx)
		if err != nil {
			return nil, err
		}
		before, err := d.seen.add(ctx, row)
		if err != nil {
			return nil, err
		}
		if before == 0 {
			return row, nil
		}
	}
}

// Close implements sql.RowIter.
func (d *distinctRows) Close(ctx *sql.Context) error {
	d.seen.drop(ctx)
	return d.child.Close(ctx)
}

// comparedRows are those of the left query that the right one has (INTERSECT), or has not (EXCEPT).
type comparedRows struct {
	left, right sql.RowIter
	except, all bool
	read        bool // others are those of the right query
	others      counted
}

// Next implements sql.RowIter.
func (c *comparedRows) Next(ctx *sql.Context) (sql.Row, error) {
	for !c.read {
		row, err := c.right.Next(ctx)
		if errors.Is(err, io.EOF) {
			c.read = true
			break
		}
		if err == nil {
			_, err = c.others.add(ctx, row)
		}
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		row, err := c.left.Next(ctx)
		if err != nil {
			return nil, err
		}
		met, err := c.others.take(ctx, row, c.all)
		if err != nil {
			return nil, err
		}
		if met != c.except {
			return row, nil
		}
	}
}

// Close implements sql.RowIter.
func (c *comparedRows) Close(ctx *sql.Context) error {
	c.others.drop(ctx)
	return errors.Join(c.left.Close(ctx), c.right.Close(ctx))
}
