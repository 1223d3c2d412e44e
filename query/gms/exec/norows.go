package exec

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// someRows is the child of a query's one group: without any row MariaDB's plan decides whether subqueries in its select list that name columns of the
// query are computed at all.
type someRows struct{ plan.UnaryNode }

var _ sql.Node = (*someRows)(nil)

// Schema implements sql.Node.
func (s *someRows) Schema(ctx *sql.Context) sql.Schema { return s.Child.Schema(ctx) }

// IsReadOnly implements sql.Node.
func (s *someRows) IsReadOnly() bool { return s.Child.IsReadOnly() }

// String implements sql.Node.
func (s *someRows) String() string { return s.Child.String() }

// WithChildren implements sql.Node.
func (s *someRows) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	return &someRows{plan.UnaryNode{Child: children[0]}}, nil
}

// withSomeRows puts someRows below the one group of a query whose select list has subqueries that name its columns; nil where there is none.
func withSomeRows(ctx *sql.Context, n *plan.Project) (sql.Node, error) {
	if !grouped(n.Child) || !correlated(ctx, n.Projections) {
		return nil, nil // nothing is to be changed
	}
	child, err := belowGroup(ctx, n.Child)
	if err != nil {
		return nil, err
	}
	return n.WithChildren(ctx, child)
}

// grouped reports whether a node is the one group of a query, with what is done to it.
func grouped(n sql.Node) bool {
	for {
		switch at := n.(type) {
		case *plan.GroupBy:
			_, done := at.Child.(*someRows)
			return len(at.GroupByExprs) == 0 && !done
		case *plan.Project, *plan.Having, *plan.Filter, *plan.Sort:
			n = n.Children()[0]
		default:
			return false
		}
	}
}

func belowGroup(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	if g, ok := n.(*plan.GroupBy); ok {
		return plan.NewGroupBy(g.SelectDeps, nil, &someRows{plan.UnaryNode{Child: g.Child}}), nil
	}
	child, err := belowGroup(ctx, n.Children()[0])
	if err != nil {
		return nil, err
	}
	return n.WithChildren(ctx, child)
}

// correlated reports whether expressions have subqueries that name columns of the query around them.
func correlated(ctx *sql.Context, list []sql.Expression) (found bool) {
	for _, e := range list {
		sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
			if q, ok := e.(*plan.Subquery); ok {
				found = found || !q.Correlated().Empty()
			}
			return !found
		})
	}
	return found
}

func (b *memoryBuilder) buildSomeRows(ctx *sql.Context, n *someRows, row sql.Row) (sql.RowIter, error) {
	it, err := b.base.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return &someRowsIter{RowIter: it}, nil
}

type someRowsIter struct {
	sql.RowIter
	some bool
}

// Next implements sql.RowIter.
func (i *someRowsIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.RowIter.Next(ctx)
	if errors.Is(err, io.EOF) && !i.some {
		return nil, mysqlerr.NotYet("a subquery in the select list that names columns of its query, which has aggregate functions, no GROUP BY and no rows")
	}
	i.some = true
	return row, err
}
