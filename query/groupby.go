package query

import (
	"context"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/hash"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// groupRows makes the iterator of a GROUP BY with grouping expressions.
//
// go-mysql-server's own reads the rows in one goroutine and evaluates the aggregates in another.
// Both run subqueries, write user variables and warnings, and open scans of the same statement and
// transaction: "concurrent map writes", which ends the process. And when the second fails, the first
// waits for ever for room in their channel. It is the only place where go-mysql-server begins a
// goroutine for a statement. Here one goroutine does both.
func (b *nodeBuilder) groupRows(c *sql.Context, n *plan.GroupBy, outer sql.Row) (sql.RowIter, error) {
	child, err := b.engine.gms.Analyzer.ExecBuilder.Build(c, n.Child, outer)
	if err != nil {
		return nil, err
	}
	key := make(sql.Schema, len(n.GroupByExprs))
	for i, e := range n.GroupByExprs {
		key[i] = &sql.Column{Type: e.Type(c)}
	}
	return &groupIter{child: child, selected: n.SelectDeps, by: n.GroupByExprs, keySchema: key, key: make(sql.Row, len(key))}, nil
}

// groupIter yields one row for each group, in the order in which the groups were met.
type groupIter struct {
	child     sql.RowIter
	selected  []sql.Expression // aggregates, and expressions of which the first row's value counts
	by        []sql.Expression
	keySchema sql.Schema
	key       sql.Row // reused for each row

	groups [][]sql.AggregationBuffer // nil before the first Next
	at     int
}

// Next implements sql.RowIter.
func (g *groupIter) Next(c *sql.Context) (sql.Row, error) {
	if g.groups == nil {
		if err := g.read(c); err != nil {
			return nil, err
		}
	}
	if g.at == len(g.groups) {
		return nil, io.EOF
	}
	buffers := g.groups[g.at]
	g.at++
	row := make(sql.Row, len(buffers))
	for i, b := range buffers {
		var err error
		if row[i], err = b.Eval(c); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// read takes all rows of the child into their groups.
func (g *groupIter) read(c *sql.Context) error {
	g.groups = [][]sql.AggregationBuffer{}
	byKey := map[uint64][]sql.AggregationBuffer{}
	for n := 1; ; n++ {
		if n&255 == 0 && c.Err() != nil {
			return context.Cause(c)
		}
		row, err := g.child.Next(c)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		key, err := g.keyOf(c, row)
		if err != nil {
			return err
		}
		buffers, ok := byKey[key]
		if !ok {
			if buffers, err = g.newBuffers(c); err != nil {
				return err
			}
			byKey[key] = buffers
			g.groups = append(g.groups, buffers)
		}
		for _, b := range buffers {
			if err := b.Update(c, row); err != nil {
				return err
			}
		}
	}
}

func (g *groupIter) newBuffers(c *sql.Context) ([]sql.AggregationBuffer, error) {
	buffers := make([]sql.AggregationBuffer, len(g.selected))
	for i, e := range g.selected {
		a, ok := e.(sql.Aggregation)
		if !ok {
			a = aggregation.NewFirst(e)
		}
		var err error
		if buffers[i], err = a.NewBuffer(c); err != nil {
			return nil, err
		}
	}
	return buffers, nil
}

// keyOf is the hash of the grouping expressions' values, by their types and collations.
func (g *groupIter) keyOf(c *sql.Context, row sql.Row) (uint64, error) {
	for i, e := range g.by {
		v, err := e.Eval(c, row)
		if err != nil {
			return 0, err
		}
		if t, ok := g.keySchema[i].Type.(sql.ExtendedType); ok {
			b, err := t.SerializeValue(c, v)
			if err != nil {
				return 0, err
			}
			v = string(b)
		}
		g.key[i] = v
	}
	return hash.HashOf(c, g.keySchema, g.key)
}

// Close implements sql.RowIter.
func (g *groupIter) Close(c *sql.Context) error {
	for _, buffers := range g.groups {
		for _, b := range buffers {
			b.Dispose(c)
		}
	}
	g.groups, g.at = [][]sql.AggregationBuffer{}, 0
	return g.child.Close(c)
}
