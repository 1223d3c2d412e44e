package exec

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/memo"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/duramendb/duramen/query/gms/computed"
)

// existsNestingMax is how deep EXISTS within EXISTS may be for the analyzer's rule that makes joins
// of them: its work is multiplied by about four with each level. Deeper ones are evaluated as they
// stand, which yields the same rows.
const existsNestingMax = 4

// interruptible makes every rule of the analyzer end a statement that was killed, or whose time is
// over, and keeps away from a rule what would take it for ever.
func interruptible(a *analyzer.Analyzer) {
	a.Coster = heedfulCoster{a.Coster}
	for _, b := range a.Batches {
		rules := make([]analyzer.Rule, len(b.Rules)) // the originals belong to all analyzers of the process
		for i, r := range b.Rules {
			apply := r.Apply
			joins := r.Id.String() == "optimizeJoins"
			unnests := r.Id.String() == "unnestExistsSubqueries"
			scalars := r.Id.String() == "unnestInSubqueries"
			keys := r.Id.String() == "validateCreateTable" || r.Id.String() == "ResolveAlterColumn"
			truncates := r.Id.String() == "processTruncate"
			r.Apply = func(c *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, f *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
				if c.Err() != nil {
					return nil, transform.SameTree, context.Cause(c)
				}
				if joins {
					return planJoins(c, n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
						return apply(c, a, n, scope, sel, f)
					})
				}
				if scalars {
					return keepScalars(c, n, f, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
						return apply(c, a, n, scope, sel, f)
					})
				}
				if keys {
					return withShortKeys(c, n, func() (sql.Node, transform.TreeIdentity, error) { return apply(c, a, n, scope, sel, f) })
				}
				if truncates && deletesByRow(c, n) {
					return n, transform.SameTree, nil
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

// deletesByRow reports whether a DELETE of all rows must not become a TRUNCATE. The rule that makes one looks for the table, its triggers and its
// foreign keys in the current database: it takes a namesake there for a table of another one, and fails without any.
func deletesByRow(c *sql.Context, n sql.Node) bool {
	del, ok := n.(*plan.DeleteFrom)
	if !ok {
		return false
	}
	t, ok := del.Child.(*plan.ResolvedTable)
	if !ok || t.SqlDatabase == nil || !strings.EqualFold(t.SqlDatabase.Name(), c.GetCurrentDatabase()) {
		return ok
	}
	return false
}

// KeepRows makes the analyzer treat a DELETE that is to go row by row by the rules that interruptible
// has changed: for simple statements it has lists of its own.
func KeepRows(c *sql.Context, n sql.Node) {
	if deletesByRow(c, n) {
		n.(*plan.DeleteFrom).RefsSingleRel = false
	}
}

// heedfulCoster ends the choice among the plans of a join with its statement.
type heedfulCoster struct{ memo.Coster }

// EstimateCost implements memo.Coster.
func (h heedfulCoster) EstimateCost(c *sql.Context, rel memo.RelExpr, s sql.StatsProvider) (float64, error) {
	if c.Err() != nil {
		return 0, context.Cause(c)
	}
	return h.Coster.EstimateCost(c, rel, s)
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

// heedful is an expression whose evaluation ends with its statement: for loops of go-mysql-server's that do not look
// at the context, such as the comparisons of a sort.
type heedful struct{ sql.Expression }

var _ sql.CollationCoercible = heedful{}

// Eval implements sql.Expression.
func (h heedful) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return h.Expression.Eval(ctx, row)
}

// Children implements sql.Expression.
func (h heedful) Children() []sql.Expression { return []sql.Expression{h.Expression} }

// WithChildren implements sql.Expression: go-mysql-server copies expressions before it uses them.
func (h heedful) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(h, len(children), 1)
	}
	return heedful{children[0]}, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (h heedful) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, h.Expression)
}

// heedfulFields are sort fields that end the sort with its statement.
func heedfulFields(fields sql.SortFields) sql.SortFields {
	out := make(sql.SortFields, len(fields))
	for i, f := range fields {
		out[i] = f
		out[i].Column = heedful{f.Column}
	}
	return out
}

// heedfulWindow ends the sorts and the frames of window functions with their statement.
func heedfulWindow(ctx *sql.Context, n *plan.Window) (*plan.Window, error) {
	own := *n
	own.SelectExprs = make([]sql.Expression, len(n.SelectExprs))
	for i, e := range n.SelectExprs {
		var err error
		if own.SelectExprs[i], err = heedfulCall(ctx, e); err != nil {
			return nil, err
		}
	}
	return &own, nil
}

// heedfulCall is a window function whose arguments are heedful, and what it is partitioned and sorted by.
func heedfulCall(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	children := slices.Clone(e.Children())
	if _, ok := e.(*expression.Alias); ok {
		call, err := heedfulCall(ctx, children[0])
		if err != nil {
			return nil, err
		}
		return e.WithChildren(ctx, call)
	}
	if w, ok := e.(*computed.Window); ok {
		call, err := heedfulCall(ctx, w.Child)
		if err != nil {
			return nil, err
		}
		return w.Over(ctx, call.(sql.WindowAdaptableExpression)), nil
	}
	if _, ok := e.(sql.WindowAdaptableExpression); !ok {
		return e, nil
	}
	if err := checkVariance(ctx, e); err != nil {
		return nil, err
	}
	for i, child := range children {
		switch child.(type) {
		case *expression.Literal, *expression.Star: // window functions look at these
		default:
			children[i] = heedful{child}
		}
	}
	own, err := e.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return withPeers(ctx, own)
}
