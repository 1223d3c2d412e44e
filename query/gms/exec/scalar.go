package exec

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// The analyzer's rule that makes joins of subqueries takes a = (SELECT b ...) for a IN (SELECT b ...): a subquery of several rows was no error (1242), and
// found several rows. Comparisons whose subquery may have more than one row are hidden from the rule; those that are negated, too, as the rule takes
// a <> (SELECT b ...) for a NOT IN (SELECT b ...), which is true for no row, where the comparison is NULL.

// keepScalars runs the rule without them.
func keepScalars(c *sql.Context, n sql.Node, f *sql.QueryFlags, apply func(sql.Node) (sql.Node, transform.TreeIdentity, error)) (sql.Node, transform.TreeIdentity, error) {
	if !f.SubqueryIsSet() {
		return apply(n)
	}
	hidden, same, err := eachComparison(c, n, func(e sql.Expression) (sql.Expression, bool) {
		if not, ok := e.(*expression.Not); ok {
			if cmp, ok := not.Child.(expression.Comparer); ok && isSubquery(cmp.Right()) {
				return expression.NewNot(scalarComparison{cmp}), true
			}
		}
		if cmp, ok := e.(expression.Comparer); ok {
			if q, ok := cmp.Right().(*plan.Subquery); ok && !oneRow(c, q.Query) {
				return scalarComparison{cmp}, true
			}
		}
		return e, false
	})
	if err != nil {
		return n, transform.SameTree, err
	}
	if same {
		return apply(n)
	}
	made, changed, err := apply(hidden)
	if err != nil || changed == transform.SameTree {
		return n, transform.SameTree, err
	}
	made, _, err = eachComparison(c, made, func(e sql.Expression) (sql.Expression, bool) {
		if s, ok := e.(scalarComparison); ok {
			return s.Comparer, true
		}
		return e, false
	})
	return made, transform.NewTree, err
}

func isSubquery(e sql.Expression) bool {
	_, ok := e.(*plan.Subquery)
	return ok
}

// eachComparison replaces expressions in a plan and in the subqueries of its expressions.
func eachComparison(c *sql.Context, n sql.Node, replace func(sql.Expression) (sql.Expression, bool)) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeExprsWithOpaque(c, n, func(c *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		same := transform.SameTree
		if q, ok := e.(*plan.Subquery); ok {
			inner, innerSame, err := eachComparison(c, q.Query, replace)
			if err != nil {
				return e, transform.SameTree, err
			}
			if !innerSame {
				e, same = q.WithQuery(inner), transform.NewTree
			}
		}
		if made, ok := replace(e); ok {
			return made, transform.NewTree, nil
		}
		return e, same, nil
	})
}

// scalarComparison is a comparison whose right side the rule does not know.
type scalarComparison struct{ expression.Comparer }

// Right implements expression.Comparer.
func (s scalarComparison) Right() sql.Expression { return scalarOperand{s.Comparer.Right()} }

// WithChildren implements sql.Expression.
func (s scalarComparison) WithChildren(c *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := s.Comparer.WithChildren(c, children...)
	if cmp, ok := e.(expression.Comparer); ok && err == nil {
		return scalarComparison{cmp}, nil
	}
	return e, err
}

type scalarOperand struct{ sql.Expression }

// oneRow reports whether a query has one row at most: by a LIMIT, an aggregate function without GROUP BY, or the values of a primary key.
func oneRow(c *sql.Context, n sql.Node) bool {
	equal := map[string]bool{}
	for {
		switch at := n.(type) {
		case *plan.GroupBy:
			return len(at.GroupByExprs) == 0
		case *plan.Limit:
			if v, ok := at.Limit.(*expression.Literal); ok {
				if limit, _, err := types.Uint64.Convert(c, v.Value()); err == nil && limit.(uint64) <= 1 {
					return true
				}
			}
			n = at.Child
		case *plan.Filter:
			for _, e := range expression.SplitConjunction(c, at.Expression) {
				if eq, ok := e.(*expression.Equals); ok {
					noteEqual(equal, eq.Left(), eq.Right())
					noteEqual(equal, eq.Right(), eq.Left())
				}
			}
			n = at.Child
		case *plan.Project:
			n = at.Child
		case *plan.Sort:
			n = at.Child
		case *plan.Having:
			n = at.Child
		case *plan.TableAlias:
			n = at.Child
		case *plan.ResolvedTable:
			if plan.IsDualTable(at.Table) {
				return true
			}
			keyed, ok := at.Table.(sql.PrimaryKeyTable)
			return ok && allEqual(keyed.PrimaryKeySchema(c), equal)
		default:
			return false
		}
	}
}

// noteEqual notes a column that is compared with a constant.
func noteEqual(equal map[string]bool, column, value sql.Expression) {
	field, ok := column.(*expression.GetField)
	if !ok {
		return
	}
	switch value.(type) {
	case *expression.Literal, *expression.BindVar:
		equal[field.Name()] = true
	}
}

func allEqual(s sql.PrimaryKeySchema, equal map[string]bool) bool {
	for _, at := range s.PkOrdinals {
		if !equal[s.Schema[at].Name] {
			return false
		}
	}
	return len(s.PkOrdinals) > 0
}
