package exec

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"

	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/memory"
)

// memoryBuilder makes the iterators of the nodes that hold rows back, and counts
// those rows for the session: it is asked before go-mysql-server's builder for each
// node. What only passes rows on is not touched and costs nothing.
type memoryBuilder struct {
	base *rowexec.BaseBuilder // the builder that asks this one
}

var _ sql.NodeExecBuilder = (*memoryBuilder)(nil)

// Build implements sql.NodeExecBuilder: nil leaves the node to go-mysql-server.
func (b *memoryBuilder) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *plan.Sort:
		own := *n
		own.SortFields = heedfulFields(n.SortFields)
		return b.alone(ctx, &own, row, counting{how: untilClosed})
	case *plan.Window:
		own, err := heedfulWindow(ctx, n)
		if err != nil {
			return nil, err
		}
		return b.alone(ctx, own, row, counting{how: untilClosed, columns: true})
	case *plan.Into:
		return b.alone(ctx, n, row, counting{how: untilClosed})
	case *plan.TopN:
		limit, err := iters.GetInt64Value(ctx, n.Limit)
		if err != nil || limit <= 1 {
			return nil, err
		}
		return b.alone(ctx, n, row, counting{how: untilClosed, rowsMax: limit})
	case *plan.Distinct:
		if len(n.DistinctOn()) == 0 {
			return b.buildDistinct(ctx, n.Child, row)
		}
	case *plan.OrderedDistinct:
		return b.buildDistinct(ctx, n.Child, row)
	case *plan.Concat:
		return b.alone(ctx, n, row, counting{how: elsewhere})
	case *plan.SetOp:
		return b.buildSet(ctx, n, row)
	case *plan.PrependNode:
		// The result of a subquery is collected in a slice. Its last step projects; what
		// only reads tables in it passes rows on.
		if _, ok := n.Child.(sql.Projector); ok {
			return b.result(ctx, n, row, counting{how: untilClosed})
		}
	case *plan.HashLookup:
		n.Mutex.Lock()
		made := n.Lookup != nil
		n.Mutex.Unlock()
		if !made {
			return b.result(ctx, n, row, counting{how: forStatement})
		}
	case *plan.CachedResults:
		n.Mutex.Lock()
		plain := n.NoCache || n.Finalized
		n.Mutex.Unlock()
		if !plain && n.GetCachedResults() == nil {
			return b.result(ctx, n, row, counting{how: forStatement})
		}
	case *plan.GroupBy:
		return b.buildGroupBy(ctx, n, row)
	case *plan.Project:
		own, err := withSomeRows(ctx, n)
		if own == nil || err != nil {
			return nil, err
		}
		return b.alone(ctx, own, row, counting{})
	case *someRows:
		return b.buildSomeRows(ctx, n, row)
	case *plan.RecursiveCte:
		return b.buildRecursiveCte(ctx, n, row)
	}
	return nil, nil
}

// counting is how the rows that pass an iterator count.
type counting struct {
	how     heldFor
	rowsMax int64 // as many rows are kept at most; 0: all
	columns bool  // a row without columns gets one: go-mysql-server's windows take each of such rows for a partition
}

type heldFor int

const (
	notHeld heldFor = iota
	untilClosed
	forStatement // a cache of the plan keeps them
	elsewhere    // by cacheEntries, whose refusals surface at the next row
)

// result builds a node that keeps the rows that it yields.
func (b *memoryBuilder) result(ctx *sql.Context, n sql.Node, row sql.Row, how counting) (sql.RowIter, error) {
	iter, err := b.alone(ctx, n, row, counting{})
	if err != nil {
		return nil, err
	}
	return hold(ctx, iter, how), nil
}

// alone builds one node by go-mysql-server's code, and all below it as always.
func (b *memoryBuilder) alone(ctx *sql.Context, n sql.Node, row sql.Row, children counting) (sql.RowIter, error) {
	one := rowexec.NewBuilder(&exceptNode{node: n, base: b.base, children: children}, b.base.EngineOverrides)
	one.Runner = b.base.Runner
	return one.Build(ctx, n, row)
}

// exceptNode leaves one node to go-mysql-server's code and gives the others to the
// full builder.
type exceptNode struct {
	node     sql.Node
	base     *rowexec.BaseBuilder
	children counting
}

// Build implements sql.NodeExecBuilder.
func (e *exceptNode) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if n == e.node {
		return nil, nil
	}
	iter, err := e.base.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	if e.children.columns {
		iter = columned{iter}
	}
	return hold(ctx, iter, e.children), nil
}

// columned gives rows without columns one, which nobody reads.
type columned struct{ sql.RowIter }

// Next implements sql.RowIter.
func (c columned) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := c.RowIter.Next(ctx)
	if err == nil && len(row) == 0 {
		row = sql.Row{nil}
	}
	return row, err
}

// hold counts the rows of an iterator as held by the statement.
func hold(ctx *sql.Context, iter sql.RowIter, how counting) sql.RowIter {
	s := function.SessionOf(ctx)
	if how.how == notHeld || s == nil {
		return iter
	}
	return &heldRows{child: iter, memory: s.Memory(), counting: how}
}

// heldRows passes rows on and counts them.
type heldRows struct {
	child  sql.RowIter
	memory *memory.Session
	counting
	rows, bytes int64
}

// Next implements sql.RowIter.
func (h *heldRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := h.child.Next(ctx)
	if err != nil {
		return nil, err
	}
	if h.how == elsewhere {
		return row, h.memory.Failed()
	}
	if h.rows++; h.rowsMax > 0 && h.rows > h.rowsMax {
		return row, nil // it takes the place of another one
	}
	n := function.RowBytes(row)
	h.bytes += n
	if err := h.memory.Hold(n); err != nil {
		return nil, err
	}
	return row, nil
}

// Close implements sql.RowIter.
func (h *heldRows) Close(ctx *sql.Context) error {
	if h.how == untilClosed {
		h.memory.Release(h.bytes)
		h.bytes = 0
	}
	return h.child.Close(ctx)
}
