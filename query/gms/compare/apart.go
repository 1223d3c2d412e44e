package compare

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// apart is a condition that the planner evaluates as it stands: it makes no join of it.
type apart struct{ expression.UnaryExpressionStub }

var (
	_ sql.Expression         = (*apart)(nil)
	_ sql.CollationCoercible = (*apart)(nil)
)

func keptApart(e sql.Expression) sql.Expression {
	return &apart{expression.UnaryExpressionStub{Child: e}}
}

// Type implements sql.Expression.
func (a *apart) Type(ctx *sql.Context) sql.Type { return a.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (*apart) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (a *apart) String() string { return a.Child.String() }

// Eval implements sql.Expression.
func (a *apart) Eval(ctx *sql.Context, row sql.Row) (any, error) { return a.Child.Eval(ctx, row) }

// WithChildren implements sql.Expression.
func (a *apart) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return keptApart(children[0]), nil
}

// withoutSemiJoins keeps conditions with subqueries apart in a WHERE that stands above outer joins, or has other conditions that stay above joins: where
// go-mysql-server makes joins of them, or has them beside others under an OR, it loses other conditions.
// nil for a WHERE that stays as it is.
func withoutSemiJoins(ctx *sql.Context, f *plan.Filter) sql.Node {
	if below, ok := f.Child.(*plan.Filter); ok {
		f = plan.NewFilter(ctx, expression.JoinAnd(f.Expression, below.Expression), below.Child)
	}
	j, ok := f.Child.(*plan.JoinNode)
	if !ok {
		return nil
	}
	var padded sql.FastIntSet
	addPadded(ctx, j, &padded)
	list, changed := expression.SplitConjunction(ctx, f.Expression), false
	if padded.Empty() && !slices.ContainsFunc(list, func(c sql.Expression) bool { return !makesJoin(c) && stays(ctx, c) }) {
		return nil
	}
	for i, c := range list {
		if hasSubquery(ctx, c) {
			list[i], changed = keptApart(c), true
		}
	}
	if !changed {
		return nil
	}
	return plan.NewFilter(ctx, expression.JoinAnd(list...), j)
}

// hasSubquery reports whether a condition has a subquery in it that is not kept apart.
func hasSubquery(ctx *sql.Context, c sql.Expression) bool {
	if _, ok := c.(*apart); ok {
		return false
	}
	has := false
	sql.Inspect(ctx, c, func(_ *sql.Context, e sql.Expression) bool {
		switch e.(type) {
		case *plan.Subquery, *plan.ExistsSubquery, *plan.InSubquery:
			has = true
		}
		return !has
	})
	return has
}

// stays reports whether a condition is to stay above all joins, whatever tables it is about: the planner does not know what it says.
func stays(ctx *sql.Context, c sql.Expression) bool {
	is := false
	sql.Inspect(ctx, c, func(_ *sql.Context, e sql.Expression) bool {
		switch e.(type) {
		case *apart, *inSubquery:
			is = true
		}
		return !is
	})
	return is
}

// makesJoin reports whether go-mysql-server may make a join of a condition.
func makesJoin(c sql.Expression) bool {
	if not, ok := c.(*expression.Not); ok {
		c = not.Child
	}
	switch c.(type) {
	case *plan.ExistsSubquery, *plan.InSubquery:
		return true
	}
	return false
}
