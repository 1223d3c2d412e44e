package triggerbody

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// prepended is a statement of a trigger whose tables yield the trigger's row in front of each of their own rows. It follows go-mysql-server's
// prependRowInPlanForTriggerExecution, which does so once, before the first statement of the body, and not for a projection below another one.
func prepended(ctx *sql.Context, n sql.Node, row sql.Row) (sql.Node, error) {
	out, _, err := transform.NodeWithCtx(ctx, n, notABody, inFront(row))
	return out, err
}

// notABody keeps the row from the bodies of the triggers that a statement fires: they have rows of their own.
func notABody(_ *sql.Context, at transform.Context) bool {
	t, ok := at.Parent.(*plan.TriggerExecutor)
	return !ok || t.Right() != at.Node
}

func inFront(row sql.Row) func(*sql.Context, transform.Context) (sql.Node, transform.TreeIdentity, error) {
	return func(ctx *sql.Context, at transform.Context) (sql.Node, transform.TreeIdentity, error) {
		switch n := at.Node.(type) {
		case *plan.Project:
			switch at.Parent.(type) {
			case *plan.InsertInto, *plan.Into, *plan.TriggerExecutor, *plan.DeclareCursor:
				return n, transform.SameTree, nil
			}
			return plan.NewPrependNode(n, row), transform.NewTree, nil
		case *plan.ResolvedTable, *plan.IndexedTableAccess:
			return plan.NewPrependNode(n, row), transform.NewTree, nil
		case *plan.InsertInto:
			source, same, err := transform.NodeWithCtx(ctx, n.Source, notABody, inFront(row))
			if err != nil || bool(same) {
				return n, transform.SameTree, err
			}
			if source, err = storedAlone(ctx, source); err != nil {
				return nil, transform.SameTree, err
			}
			return n.WithSource(source), transform.NewTree, nil
		case *plan.SubqueryAlias:
			child, same, err := transform.NodeWithCtx(ctx, n.Child, notABody, inFront(row))
			if err != nil || bool(same) {
				return n, transform.SameTree, err
			}
			return n.WithChild(child), transform.NewTree, nil
		}
		return at.Node, transform.SameTree, nil
	}
}

// storedAlone takes the row away from the source of an INSERT: the projection on top of it reads columns by their places in what is stored.
func storedAlone(ctx *sql.Context, source sql.Node) (sql.Node, error) {
	switch n := source.(type) {
	case *plan.PrependNode:
		return storedAlone(ctx, n.Child)
	case *plan.TriggerExecutor:
		left, err := storedAlone(ctx, n.Left())
		if err != nil {
			return nil, err
		}
		return n.WithChildren(ctx, left, n.Right())
	case *plan.Project:
		if values, ok := n.Child.(*plan.Values); ok { // which has no row in front
			return n, refuseAsking(ctx, values)
		}
		return n.WithChildren(ctx, &alone{plan.UnaryNode{Child: n.Child}})
	}
	return source, nil
}

// refuseAsking refuses VALUES with subqueries, but for one row, of which parse makes a SELECT.
func refuseAsking(ctx *sql.Context, n *plan.Values) (err error) {
	for _, e := range n.Expressions() {
		sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
			if _, asks := e.(*plan.Subquery); asks {
				err = mysqlerr.NotYet("a subquery in VALUES of several rows, or beside DEFAULT, in a trigger; INSERT one row")
			}
			return err == nil
		})
	}
	return err
}

// alone yields the rows of a node without what is in front of them.
type alone struct{ plan.UnaryNode }

var _ sql.ExecBuilderNode = (*alone)(nil)

// String implements sql.Node.
func (a *alone) String() string { return a.Child.String() }

// Schema implements sql.Node.
func (a *alone) Schema(ctx *sql.Context) sql.Schema { return a.Child.Schema(ctx) }

// IsReadOnly implements sql.Node.
func (a *alone) IsReadOnly() bool { return a.Child.IsReadOnly() }

// WithChildren implements sql.Node.
func (a *alone) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return &alone{plan.UnaryNode{Child: children[0]}}, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (a *alone) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Build(ctx, a.Child, row)
	if err != nil {
		return nil, err
	}
	return &aloneRows{RowIter: rows, width: len(a.Schema(ctx))}, nil
}

type aloneRows struct {
	sql.RowIter
	width int
}

// Next implements sql.RowIter.
func (r *aloneRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	return row[max(len(row)-r.width, 0):], nil
}
