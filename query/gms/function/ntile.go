package function

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window"
)

// NTile is NTILE whose argument shows in its text, by which go-mysql-server tells columns apart: to it, NTILE(2) and NTILE(3) over one window are the same.
type NTile struct {
	*window.NTile
	parts sql.Expression
}

var (
	_ sql.FunctionExpression = (*NTile)(nil)
	_ sql.WindowAggregation  = (*NTile)(nil)
	_ sql.CollationCoercible = (*NTile)(nil)
)

func ntileFunction() sql.Function {
	return sql.Function1{Name: "ntile", Fn: func(ctx *sql.Context, parts sql.Expression) sql.Expression {
		return &NTile{window.NewNTile(ctx, parts).(*window.NTile), parts}
	}}
}

// Parts is the argument.
func (n *NTile) Parts() sql.Expression { return n.parts }

// String implements sql.Expression.
func (n *NTile) String() string { return n.NTile.String() + " of " + n.parts.String() }

// DebugString implements sql.DebugStringer.
func (n *NTile) DebugString(ctx *sql.Context) string {
	return n.NTile.DebugString(ctx) + " of " + sql.DebugString(ctx, n.parts)
}

// WithId implements sql.IdExpression.
func (n *NTile) WithId(id sql.ColumnId) sql.IdExpression {
	return &NTile{n.NTile.WithId(id).(*window.NTile), n.parts}
}

// WithWindow implements sql.WindowAdaptableExpression.
func (n *NTile) WithWindow(ctx *sql.Context, w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return &NTile{n.NTile.WithWindow(ctx, w).(*window.NTile), n.parts}
}

// WithChildren implements sql.Expression: the argument, a literal, is none of them.
func (n *NTile) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	own, err := n.NTile.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &NTile{own.(*window.NTile), n.parts}, nil
}
