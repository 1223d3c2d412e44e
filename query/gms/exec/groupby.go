package exec

import (
	"context"
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/duramendb/duramen/query/gms/compare"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/memory"
)

// buildGroupBy makes the iterator of GROUP BY. With grouping expressions it is one of
// ours: go-mysql-server's evaluates in two goroutines, of which one waits for ever if
// the other fails, and both use the session.
func (b *memoryBuilder) buildGroupBy(ctx *sql.Context, n *plan.GroupBy, row sql.Row) (sql.RowIter, error) {
	own := *n
	var err error
	if own.SelectDeps, err = boundedAggregates(ctx, n.SelectDeps); err != nil {
		return nil, err
	}
	if len(n.GroupByExprs) == 0 {
		return b.alone(ctx, &own, row, counting{how: elsewhere})
	}
	child, err := b.base.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	equal, err := compare.NewValues(ctx, n.GroupByExprs)
	if err != nil {
		return nil, err
	}
	return &groups{
		child: hold(ctx, child, counting{how: elsewhere}), by: n.GroupByExprs, selected: own.SelectDeps,
		equal: equal, key: make(sql.Row, len(n.GroupByExprs)),
	}, nil
}

// groups reads all rows and yields one per group, in the order in which the groups
// were first met.
type groups struct {
	child        sql.RowIter
	by, selected []sql.Expression
	equal        *compare.Rows
	key          sql.Row
	byHash       map[uint64]int // place in buffers
	buffers      [][]sql.AggregationBuffer
	next         int
	bytes        int64
}

// Next implements sql.RowIter.
func (g *groups) Next(ctx *sql.Context) (sql.Row, error) {
	if g.byHash == nil {
		g.byHash = map[uint64]int{}
		if err := g.compute(ctx); err != nil {
			return nil, err
		}
	}
	if g.next >= len(g.buffers) {
		return nil, io.EOF
	}
	if ctx.Err() != nil { // a filter above asks for the next group at once
		return nil, context.Cause(ctx)
	}
	group := g.buffers[g.next]
	out := make(sql.Row, len(group))
	for i, buffer := range group {
		var err error
		if out[i], err = buffer.Eval(ctx); err != nil {
			return nil, err
		}
	}
	g.next++
	return out, nil
}

func (g *groups) compute(ctx *sql.Context) error {
	for n := 1; ; n++ {
		row, err := g.child.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n&255 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		key, err := g.hashOf(ctx, row)
		if err != nil {
			return err
		}
		at, known := g.byHash[key]
		if !known {
			at = len(g.buffers)
			if err := g.add(ctx, key, row); err != nil {
				return err
			}
		}
		for _, buffer := range g.buffers[at] {
			if err := buffer.Update(ctx, row); err != nil {
				return err
			}
		}
	}
}

// add makes the buffers of a new group, which keep values of its first row.
func (g *groups) add(ctx *sql.Context, key uint64, row sql.Row) error {
	if s := function.SessionOf(ctx); s != nil {
		bytes := memory.EntryBytes + function.RowBytes(row) + int64(len(g.selected))*function.MapEntryBytes
		g.bytes += bytes
		if err := s.Memory().Hold(bytes); err != nil {
			return err
		}
	}
	buffers := make([]sql.AggregationBuffer, len(g.selected))
	for i, e := range g.selected {
		aggregate, ok := e.(sql.Aggregation)
		if !ok { // without ONLY_FULL_GROUP_BY: the value of the first row
			aggregate = aggregation.NewFirst(e)
		}
		var err error
		if buffers[i], err = aggregate.NewBuffer(ctx); err != nil {
			return err
		}
	}
	g.byHash[key] = len(g.buffers)
	g.buffers = append(g.buffers, buffers)
	return nil
}

func (g *groups) hashOf(ctx *sql.Context, row sql.Row) (uint64, error) {
	for i, e := range g.by {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return 0, err
		}
		g.key[i] = v
	}
	return g.equal.Hash(ctx, g.key)
}

// Close implements sql.RowIter.
func (g *groups) Close(ctx *sql.Context) error {
	for _, group := range g.buffers {
		for _, buffer := range group {
			buffer.Dispose(ctx)
		}
	}
	g.buffers = nil
	if s := function.SessionOf(ctx); s != nil {
		s.Memory().Release(g.bytes)
		g.bytes = 0
	}
	return g.child.Close(ctx)
}
