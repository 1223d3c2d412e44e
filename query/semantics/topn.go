package semantics

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
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
