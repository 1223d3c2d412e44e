package compare

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// go-mysql-server puts conditions of WHERE into the inner join below them. When an outer join is below that one, it loses the conditions about the
// tables that the outer join fills up with NULL. So these stay where they are: above all joins.

// conditionsAbove does so with conditions of an inner join's ON, and with those that stand above the joins that a join puts together: among joins they
// would be lost. It gives nil for a join that stays as it is.
func conditionsAbove(ctx *sql.Context, j *plan.JoinNode) (sql.Node, error) {
	l, r := j.Left(), j.Right()
	var above []sql.Expression
	if f := aboveJoin(l); f != nil {
		if j.Op.IsRightOuter() {
			return nil, errConditionInOuter
		}
		above, l = append(above, expression.SplitConjunction(ctx, f.Expression)...), f.Child
	}
	if f := aboveJoin(r); f != nil {
		if j.Op.IsLeftOuter() {
			return nil, errConditionInOuter
		}
		above, r = append(above, expression.SplitConjunction(ctx, f.Expression)...), f.Child
	}
	stay := j.Filter
	if joinsInner(j) && stay != nil {
		into, more := split(ctx, j, stay)
		above, stay = append(above, more...), nil
		if len(into) > 0 {
			stay = expression.JoinAnd(into...)
		}
	}
	if len(above) == 0 {
		return nil, nil
	}
	var join sql.Node
	if stay == nil && joinsInner(j) {
		join = plan.NewCrossJoin(ctx, l, r)
	} else {
		join = plan.NewJoin(ctx, l, r, j.Op, stay).WithComment(j.CommentStr)
	}
	return plan.NewFilter(ctx, expression.JoinAnd(above...), join), nil
}

var errConditionInOuter = mysqlerr.NotYet("a condition with <=>, IS NULL or a subquery within joins that an outer join fills up with NULL; put it into WHERE")

// aboveJoin is the filter that stands on a join; nil for what is none.
func aboveJoin(n sql.Node) *plan.Filter {
	f, ok := n.(*plan.Filter)
	if !ok {
		return nil
	}
	if _, ok := f.Child.(*plan.JoinNode); !ok {
		return nil
	}
	return f
}

func joinsInner(j *plan.JoinNode) bool {
	return (j.Op.IsInner() || j.Op.IsCross()) && !j.Op.IsLateral()
}

// split tells the conditions that may go into an inner join from those that have to stay above it.
func split(ctx *sql.Context, j *plan.JoinNode, condition sql.Expression) (into, above []sql.Expression) {
	padded, l, r := sql.FastIntSet{}, tablesOf(ctx, j.Left()), tablesOf(ctx, j.Right())
	addPadded(ctx, j, &padded)
	for _, c := range expression.SplitConjunction(ctx, condition) {
		if stays(ctx, c) && !makesJoin(c) {
			above = append(above, c)
			continue
		}
		used := tablesIn(ctx, c, l.Union(r))
		oneSided := used.SubsetOf(l) || used.SubsetOf(r)
		if oneSided && used.Intersects(padded) || !oneSided && !padded.Empty() && !comparesSides(c) {
			above = append(above, c)
		} else {
			into = append(into, c)
		}
	}
	return into, above
}

// comparesSides reports whether a condition is a comparison: the planner keeps those of two sides.
func comparesSides(c sql.Expression) bool {
	switch c.(type) {
	case *expression.Equals, *expression.NullSafeEquals, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual:
		return true
	}
	return false
}

// addPadded adds the tables that outer joins fill up with NULL.
func addPadded(ctx *sql.Context, n sql.Node, padded *sql.FastIntSet) {
	switch n := n.(type) {
	case *plan.Filter:
		addPadded(ctx, n.Child, padded)
	case *plan.JoinNode:
		if n.Op.IsLeftOuter() {
			padded.UnionWith(tablesOf(ctx, n.Right()))
		}
		if n.Op.IsRightOuter() {
			padded.UnionWith(tablesOf(ctx, n.Left()))
		}
		addPadded(ctx, n.Left(), padded)
		addPadded(ctx, n.Right(), padded)
	}
}

// keepingAbove is a rule that pushes conditions down, which does not see those that have to stay.
func keepingAbove(push analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, f *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		barred, same, err := transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
			filter, ok := n.(*plan.Filter)
			if !ok {
				return n, transform.SameTree, nil
			}
			if below, ok := filter.Child.(*plan.Filter); ok {
				filter = plan.NewFilter(ctx, expression.JoinAnd(filter.Expression, below.Expression), below.Child)
			}
			j, ok := filter.Child.(*plan.JoinNode)
			if !ok || !joinsInner(j) {
				return n, transform.SameTree, nil
			}
			into, above := split(ctx, j, filter.Expression)
			if len(above) == 0 {
				return n, transform.SameTree, nil
			}
			return plan.NewFilter(ctx, expression.JoinAnd(above...), &barrier{plan.UnaryNode{Child: filtered(ctx, into, j)}}), transform.NewTree, nil
		})
		if err != nil {
			return nil, transform.SameTree, err
		}
		if same {
			return push(ctx, a, n, scope, sel, f)
		}
		pushed, same, err := push(ctx, a, barred, scope, sel, f)
		if err != nil || bool(same) {
			return n, transform.SameTree, err
		}
		out, _, err := transform.Node(ctx, pushed, func(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
			if b, ok := n.(*barrier); ok {
				return b.Child, transform.NewTree, nil
			}
			return n, transform.SameTree, nil
		})
		return out, transform.NewTree, err
	}
}

// barrier stands between conditions and a join while a rule runs that would put them into it.
type barrier struct{ plan.UnaryNode }

var _ sql.Node = (*barrier)(nil)

// Schema implements sql.Node.
func (b *barrier) Schema(ctx *sql.Context) sql.Schema { return b.Child.Schema(ctx) }

// String implements sql.Node.
func (b *barrier) String() string { return b.Child.String() }

// IsReadOnly implements sql.Node.
func (b *barrier) IsReadOnly() bool { return b.Child.IsReadOnly() }

// WithChildren implements sql.Node.
func (b *barrier) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(b, len(children), 1)
	}
	return &barrier{plan.UnaryNode{Child: children[0]}}, nil
}
