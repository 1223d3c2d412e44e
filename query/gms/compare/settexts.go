package compare

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// asText is a value as text in a collation: what a column of a set operation becomes.
type asText struct {
	expression.UnaryExpressionStub
	collation sql.CollationID
}

var (
	_ sql.Expression         = (*asText)(nil)
	_ sql.CollationCoercible = (*asText)(nil)
)

// Type implements sql.Expression.
func (t *asText) Type(*sql.Context) sql.Type { return types.CreateLongText(t.collation) }

// CollationCoercibility implements sql.CollationCoercible.
func (t *asText) CollationCoercibility(*sql.Context) (sql.CollationID, byte) { return t.collation, 2 }

// String implements sql.Expression.
func (t *asText) String() string { return fmt.Sprintf("text(%s)", t.Child) }

// WithChildren implements sql.Expression.
func (t *asText) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), 1)
	}
	return &asText{expression.UnaryExpressionStub{Child: children[0]}, t.collation}, nil
}

// Eval implements sql.Expression.
func (t *asText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := t.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return nil, err
	}
	return textOf(ctx, v, t.Child.Type(ctx))
}

// withTexts gives columns of a set operation that become texts the collation that they have in MariaDB: go-mysql-server converts them to its default.
func withTexts(ctx *sql.Context, n *plan.SetOp) (sql.Node, error) {
	collations := make([]sql.CollationID, len(n.Left().Schema(ctx)))
	for i := range collations {
		l, isConstant := column(ctx, n.Left(), i)
		r, _ := column(ctx, n.Right(), i)
		if kindOf(r).textual() && (isConstant || !kindOf(l).textual()) {
			l = r
		}
		if c, ok := l.(sql.TypeWithCollation); ok && kindOf(l).textual() {
			collations[i] = c.Collation()
		}
	}
	children, changed := slices.Clone(n.Children()), false
	for at, child := range children {
		p, ok := child.(*plan.Project)
		if !ok || !converts(p) {
			continue
		}
		list := slices.Clone(p.Projections)
		for i, e := range list {
			alias, ok := e.(*expression.Alias)
			if !ok || collations[i] == 0 {
				continue
			}
			c, ok := alias.Child.(*expression.Convert)
			if !ok {
				continue
			}
			own, err := alias.WithChildren(ctx, &asText{expression.UnaryExpressionStub{Child: c.Child}, collations[i]})
			if err != nil {
				return nil, err
			}
			list[i], changed = own, true
		}
		children[at] = plan.NewProject(ctx, list, p.Child)
	}
	if !changed {
		return n, nil
	}
	return n.WithChildren(ctx, children...)
}
