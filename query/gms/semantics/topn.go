package semantics

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// topRowsMax is up to what limit the rows of ORDER BY ... LIMIT are kept in a heap,
// whose memory go-mysql-server takes at once.
const topRowsMax = 10_000

// sortInstead gives the plan to take for a TopN of very many rows, nil if it may stay.
func sortInstead(ctx *sql.Context, n *plan.TopN) (sql.Node, error) {
	limit, err := iters.GetInt64Value(ctx, n.Limit)
	var e *mysqlerr.Error
	if errors.As(err, &e) && e.Number == mysqlerr.DataOutOfRange {
		return plan.NewSort(n.Fields, n.Child), nil // limit and offset together are more than all rows
	}
	if err != nil || limit >= 0 && limit <= topRowsMax {
		return nil, err
	}
	l := plan.NewLimit(n.Limit, plan.NewSort(n.Fields, n.Child))
	l.CalcFoundRows = n.CalcFoundRows
	return l, nil
}

// sortInsteadOfUnion gives the plan to take for a UNION, INTERSECT or EXCEPT with ORDER BY whose LIMIT is very large or has
// an OFFSET, nil if it may stay: go-mysql-server skips the rows of the OFFSET before it sorts.
func sortInsteadOfUnion(ctx *sql.Context, n *plan.SetOp) (sql.Node, error) {
	if n.Limit == nil && n.Offset == nil || len(n.SortFields) == 0 {
		return nil, nil //nolint:nilnil // it may stay
	}
	if n.Offset == nil {
		limit, err := iters.GetInt64Value(ctx, n.Limit)
		if err != nil || limit >= 0 && limit <= topRowsMax {
			return nil, err
		}
	}
	bare := *n
	bare.SortFields, bare.Limit, bare.Offset = nil, nil, nil
	var out sql.Node = plan.NewSort(n.SortFields, &bare)
	if n.Offset != nil {
		out = plan.NewOffset(n.Offset, out)
	}
	if n.Limit != nil {
		out = plan.NewLimit(n.Limit, out)
	}
	return out, nil
}

// limitOfNull gives the plan to take for a LIMIT or OFFSET whose number is NULL, the value of a procedure's
// variable: MariaDB takes it for 0, go-mysql-server for an integer. It gives nil for others.
func limitOfNull(n sql.Node) sql.Node {
	switch n := n.(type) {
	case *plan.Limit:
		if isNull(n.Limit) {
			own := *n
			own.Limit = expression.NewLiteral(int64(0), types.Int64)
			return &own
		}
	case *plan.Offset:
		if isNull(n.Offset) {
			own := *n
			own.Offset = expression.NewLiteral(int64(0), types.Int64)
			return &own
		}
	}
	return nil
}

func isNull(e sql.Expression) bool {
	l, ok := e.(*expression.Literal)
	return ok && l.Value() == nil
}

// keepSortOfLimited is the rule that reads an index in the order of a Sort above it, for plans in which nothing
// between the two chooses rows by their order. It looks through LIMIT and OFFSET, those of derived tables, and would
// turn round the index that they read.
func keepSortOfLimited(apply analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, f *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if sortsLimited(ctx, n) {
			return n, transform.SameTree, nil
		}
		return apply(ctx, a, n, scope, sel, f)
	}
}

// sortsLimited reports whether there is a LIMIT or OFFSET below a Sort.
func sortsLimited(ctx *sql.Context, n sql.Node) bool {
	found := false
	transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
		sort, ok := n.(*plan.Sort)
		if !ok || found {
			return !found
		}
		transform.InspectWithOpaque(ctx, sort.Child, func(_ *sql.Context, n sql.Node) bool {
			switch n.(type) {
			case *plan.Limit, *plan.Offset:
				found = true
			}
			return !found
		})
		return false // all below it has been seen
	})
	return found
}
