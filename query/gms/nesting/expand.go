package nesting

import (
	"errors"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// expansionsMax is how many common table expressions a statement may name, each name counted with
// what it stands for: go-mysql-server plans one anew wherever it is named, so that one which
// names the one before it twice doubles the work.
const expansionsMax = 1000

// expansions refuses a statement whose common table expressions expand to too much (1436).
// The tree is bounded already, so Walk may call itself.
func expansions(ast sqlparser.Statement) error {
	weights := map[string]int{}
	err := sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		with, ok := n.(*sqlparser.With)
		if !ok || with == nil {
			return true, nil
		}
		for _, e := range with.Ctes {
			if e.AliasedTableExpr == nil {
				continue
			}
			w := 1 + weigh(e.AliasedTableExpr.Expr, weights)
			if w > expansionsMax {
				return false, errExpansions
			}
			name := strings.ToLower(e.As.String())
			weights[name] = max(weights[name], w)
		}
		return true, nil
	}, ast)
	if err == nil && len(weights) > 0 && weigh(ast, weights) > 2*expansionsMax {
		err = errExpansions
	}
	if errors.Is(err, errExpansions) {
		return mysqlerr.Newf(mysqlerr.StackOverrunNeedMore,
			"Thread stack overrun: common table expressions that name each other stand for more than %d", expansionsMax)
	}
	return nil
}

var errExpansions = errors.New("too many")

// weigh sums up the weights of the tables that are named below a node.
func weigh(n sqlparser.SQLNode, weights map[string]int) int {
	sum := 0
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if t, ok := n.(sqlparser.TableName); ok {
			sum = min(sum+weights[strings.ToLower(t.Name.String())], 1<<30)
		}
		return true, nil
	}, n) // the function returns no error
	return sum
}
