package exec

import (
	"errors"
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/duramendb/duramen/query/gms/tables"
)

// endsBuilder answers aggregations without GROUP BY that ask for nothing but MAX and MIN of
// columns of one table by the ends of indexes: one row is read for each. A filter is none of its
// business, unless all of it has become a lookup in the index.
type endsBuilder struct{}

// Build implements sql.NodeExecBuilder: nil leaves the node to the next one.
func (endsBuilder) Build(ctx *sql.Context, n sql.Node, outer sql.Row) (sql.RowIter, error) {
	g, ok := n.(*plan.GroupBy)
	if !ok || len(g.GroupByExprs) > 0 || len(g.SelectDeps) == 0 {
		return nil, nil
	}
	for _, e := range g.SelectDeps { // before anything is evaluated
		if field, _ := endOf(e); field == nil {
			return nil, nil
		}
	}
	src, err := endSourceOf(ctx, g.Child, outer)
	if src == nil || err != nil {
		return nil, err
	}
	out := &ends{values: make([]sql.RowIter, 0, len(g.SelectDeps))}
	for _, e := range g.SelectDeps {
		field, last := endOf(e)
		it, err := src.end(ctx, field, last)
		if it == nil || err != nil {
			return nil, errors.Join(err, out.Close(ctx))
		}
		out.values = append(out.values, it)
	}
	return out, nil
}

// endOf gives the column whose end an expression asks for, nil if it asks for anything else.
func endOf(e sql.Expression) (field *expression.GetField, last bool) {
	switch e := e.(type) {
	case *aggregation.Max:
		field, _ = e.Child.(*expression.GetField)
		return field, true
	case *aggregation.Min:
		field, _ = e.Child.(*expression.GetField)
	}
	return field, false
}

// endSource is what the rows of an aggregation come from.
type endSource struct {
	schema sql.Schema
	before int // columns of outer rows that go before those of schema
	open   func(ctx *sql.Context, at int, last bool) (sql.RowIter, error)
}

// endSourceOf gives nil if the rows are not those of one table, or are filtered.
func endSourceOf(ctx *sql.Context, n sql.Node, outer sql.Row) (*endSource, error) {
	src := &endSource{schema: n.Schema(ctx)}
	for {
		switch at := n.(type) {
		case *plan.TableAlias:
			n = at.Child
		case *plan.PrependNode:
			src.before += len(at.Row)
			n = at.Child
		case *plan.ResolvedTable:
			table := at.Table
			if counted, ok := table.(*plan.ProcessTable); ok { // for SHOW PROCESSLIST
				table = counted.Underlying()
			}
			t, ok := table.(*tables.Table)
			if !ok {
				return nil, nil // documented
			}
			src.open = t.End
			return src, nil
		case *plan.IndexedTableAccess:
			t, ok := at.Table.(*tables.IndexedTable)
			if !ok {
				return nil, nil // documented
			}
			lookup, some, err := at.GetLookup(ctx, outer)
			if err != nil {
				return nil, err
			}
			src.open = func(ctx *sql.Context, at int, last bool) (sql.RowIter, error) {
				if !some {
					return sql.RowsToRowIter(), nil
				}
				return t.End(ctx, lookup, at, last)
			}
			return src, nil
		default:
			return nil, nil // documented
		}
	}
}

// end opens a scan whose first row holds the end of a column; nil if there is none.
func (s *endSource) end(ctx *sql.Context, field *expression.GetField, last bool) (sql.RowIter, error) {
	at := field.Index() - s.before
	if at < 0 || at >= len(s.schema) {
		return nil, nil // a column of an outer query
	}
	if c := s.schema[at]; !strings.EqualFold(c.Name, field.Name()) || !strings.EqualFold(c.Source, field.Table()) {
		return nil, nil // a column of an outer query, or of a trigger's row
	}
	return s.open(ctx, at, last)
}

// ends yields one row of the first values of some scans, NULL for those without rows.
type ends struct {
	values []sql.RowIter
	done   bool
}

// Next implements sql.RowIter.
func (e *ends) Next(ctx *sql.Context) (sql.Row, error) {
	if e.done {
		return nil, io.EOF
	}
	e.done = true
	out := make(sql.Row, len(e.values))
	for i, it := range e.values {
		first, err := it.Next(ctx)
		switch {
		case err == nil:
			out[i] = first[0]
		case !errors.Is(err, io.EOF):
			return nil, err
		}
	}
	return out, nil
}

// Close implements sql.RowIter.
func (e *ends) Close(ctx *sql.Context) error {
	var all []error
	for _, it := range e.values {
		all = append(all, it.Close(ctx))
	}
	return errors.Join(all...)
}
