package query

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// existsNestingMax is how deep EXISTS within EXISTS may be for the analyzer's rule that makes joins
// of them: its work is multiplied by about four with each level. Deeper ones are evaluated as they
// stand, which yields the same rows.
const existsNestingMax = 4

// interruptible makes every rule of the analyzer end a statement that was killed, or whose time is
// over, and keeps away from a rule what would take it for ever.
func interruptible(a *analyzer.Analyzer) {
	for _, b := range a.Batches {
		rules := make([]analyzer.Rule, len(b.Rules)) // the originals belong to all analyzers of the process
		for i, r := range b.Rules {
			apply := r.Apply
			joins := r.Id.String() == "optimizeJoins"
			unnests := r.Id.String() == "unnestExistsSubqueries"
			r.Apply = func(c *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, f *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
				if c.Err() != nil {
					return nil, transform.SameTree, context.Cause(c)
				}
				if joins {
					if err := checkJoins(c, n); err != nil {
						return nil, transform.SameTree, err
					}
				}
				if unnests && existsNesting(c, n, 0) > existsNestingMax {
					return n, transform.SameTree, nil
				}
				return apply(c, a, n, scope, sel, f)
			}
			rules[i] = r
		}
		b.Rules = rules
	}
}

// existsNesting is how deep EXISTS lies within EXISTS, as far as existsNestingMax+1.
func existsNesting(c *sql.Context, n sql.Node, level int) int {
	deepest := level
	if level > existsNestingMax {
		return deepest
	}
	transform.InspectExpressions(c, n, func(c *sql.Context, e sql.Expression) bool {
		if x, ok := e.(*plan.ExistsSubquery); ok {
			deepest = max(deepest, existsNesting(c, x.Query.Query, level+1))
			return false
		}
		if x, ok := e.(*plan.Subquery); ok {
			deepest = max(deepest, existsNesting(c, x.Query, level))
			return false
		}
		return deepest <= existsNestingMax
	})
	return deepest
}
