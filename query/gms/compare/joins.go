package compare

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// besideJoin takes conditions about one side out of a join and puts them above that side, where it is right: go-mysql-server does so with most by
// itself, but leaves those that NULL can fulfil, and loses them when it joins the tables in another order. nil for a join that stays as it is.
func besideJoin(ctx *sql.Context, j *plan.JoinNode) *plan.JoinNode {
	inner := j.Op.IsInner() || j.Op.IsCross()
	if j.Filter == nil || j.Op.IsLateral() || !inner && !j.Op.IsLeftOuter() && !j.Op.IsRightOuter() {
		return nil
	}
	leftTables, rightTables := tablesOf(ctx, j.Left()), tablesOf(ctx, j.Right())
	var stay, below, beside []sql.Expression
	var padded sql.FastIntSet
	addPadded(ctx, j.Left(), &padded)
	addPadded(ctx, j.Right(), &padded)
	for _, c := range expression.SplitConjunction(ctx, j.Filter) {
		used := tablesIn(ctx, c).Intersection(leftTables.Union(rightTables)) // without those of subqueries
		switch {
		case used.Empty() || used.Intersects(padded) || !fulfilledByNull(ctx, c):
			stay = append(stay, c)
		case (inner || j.Op.IsRightOuter()) && used.SubsetOf(leftTables):
			below = append(below, c)
		case (inner || j.Op.IsLeftOuter()) && used.SubsetOf(rightTables):
			beside = append(beside, c)
		default:
			stay = append(stay, c)
		}
	}
	if len(below)+len(beside) == 0 {
		return nil
	}
	l, r := filtered(ctx, below, j.Left()), filtered(ctx, beside, j.Right())
	if len(stay) == 0 {
		stay = append(stay, expression.NewTrue())
	}
	out, ok := plan.NewJoin(ctx, l, r, j.Op, expression.JoinAnd(stay...)).WithComment(j.CommentStr).(*plan.JoinNode)
	if !ok {
		return nil
	}
	return out
}

func filtered(ctx *sql.Context, conditions []sql.Expression, n sql.Node) sql.Node {
	if len(conditions) == 0 {
		return n
	}
	return plan.NewFilter(ctx, expression.JoinAnd(conditions...), n)
}

// tablesOf are the tables below a node, by number.
func tablesOf(ctx *sql.Context, n sql.Node) (out sql.FastIntSet) {
	transform.InspectUp(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		if t, ok := n.(plan.TableIdNode); ok {
			out.Add(int(t.Id()))
		}
		return false
	})
	return out
}

// tablesIn are the tables of which a condition says something; those of subqueries count, too.
func tablesIn(ctx *sql.Context, e sql.Expression) (out sql.FastIntSet) {
	sql.Inspect(ctx, e, func(ctx *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			out.Add(int(e.TableId()))
		case *plan.Subquery:
			transform.InspectExpressions(ctx, e.Query, func(_ *sql.Context, e sql.Expression) bool {
				if f, ok := e.(*expression.GetField); ok {
					out.Add(int(f.TableId()))
				}
				return true
			})
		}
		return true
	})
	return out
}

// fulfilledByNull reports whether go-mysql-server takes a condition for one that rows of NULL may fulfil.
func fulfilledByNull(ctx *sql.Context, e sql.Expression) bool {
	is := false
	sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		switch e.(type) {
		case sql.IsNullExpression, sql.IsNotNullExpression, *expression.NullSafeEquals, *plan.Subquery:
			is = true
		}
		return !is
	})
	return is
}
