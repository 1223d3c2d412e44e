package query

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// nodeBuilder makes the iterators of plan nodes that we run ourselves; for others it
// returns nil, and go-mysql-server's builder makes them.
type nodeBuilder struct{ engine *Engine }

var _ sql.NodeExecBuilder = (*nodeBuilder)(nil)

// Build implements sql.NodeExecBuilder.
func (b *nodeBuilder) Build(c *sql.Context, n sql.Node, outer sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *plan.GroupBy:
		if len(n.GroupByExprs) > 0 {
			return b.groupRows(c, n, outer)
		}
	}
	return nil, nil //nolint:nilnil // go-mysql-server's builder goes on
}
