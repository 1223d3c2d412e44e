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
		used := tablesIn(ctx, c, leftTables.Union(rightTables))
		switch {
		case used.Empty() || used.Intersects(padded) || !fulfilledByNull(ctx, c):
			stay = append(stay, c)
		case (inner || j.Op.IsRightOuter()) && used.SubsetOf(leftTables):
			below = append(below, heldApart(c))
		case (inner || j.Op.IsLeftOuter()) && used.SubsetOf(rightTables):
			beside = append(beside, heldApart(c))
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

// heldApart keeps an equality with a subquery from becoming a join, for which go-mysql-server loses the columns of the side that it stands above.
func heldApart(c sql.Expression) sql.Expression {
	if eq, ok := c.(*expression.Equals); ok {
		for _, side := range eq.Children() {
			if _, ok := side.(*plan.Subquery); ok {
				return keptApart(c)
			}
		}
	}
	return c
}

func filtered(ctx *sql.Context, conditions []sql.Expression, n sql.Node) sql.Node {
	if len(conditions) == 0 {
		return n
	}
	return plan.NewFilter(ctx, expression.JoinAnd(conditions...), n)
}

// tablesOf are the tables below a node, by number, and their columns: even numbers are columns, odd ones tables.
func tablesOf(ctx *sql.Context, n sql.Node) (out sql.FastIntSet) {
	transform.InspectUp(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		if t, ok := n.(plan.TableIdNode); ok {
			out.Add(2*int(t.Id()) + 1)
			t.Columns().ForEach(func(id sql.ColumnId) { out.Add(2 * int(id)) })
		}
		return false
	})
	return out
}

// tablesIn are those of the given tables and columns of which a condition says something, in subqueries, too. Columns of views do not tell the number
// of their table.
func tablesIn(ctx *sql.Context, e sql.Expression, of sql.FastIntSet) (out sql.FastIntSet) {
	add := func(f *expression.GetField) {
		if column := 2 * int(f.Id()); of.Contains(column) {
			out.Add(column)
		} else if table := 2*int(f.TableId()) + 1; of.Contains(table) {
			out.Add(table)
		}
	}
	sql.Inspect(ctx, e, func(ctx *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			add(e)
		case *plan.Subquery:
			transform.InspectExpressions(ctx, e.Query, func(_ *sql.Context, e sql.Expression) bool {
				if f, ok := e.(*expression.GetField); ok {
					add(f)
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
