package exec

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/duramendb/duramen/query/gms/tables"
)

// fulltextBuilder keeps go-mysql-server from making tables of its own for full-text indexes: see tables.FulltextConstraint.
type fulltextBuilder struct{}

// Build implements sql.NodeExecBuilder: the node is always left to the next one.
func (fulltextBuilder) Build(_ *sql.Context, n sql.Node, _ sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *plan.CreateTable:
		for _, idx := range n.Indexes() {
			if idx.IsFullText() {
				idx.Constraint = tables.FulltextConstraint
			}
		}
	case *plan.AlterIndex:
		if n.Constraint == sql.IndexConstraint_Fulltext {
			n.Constraint = tables.FulltextConstraint
		}
	}
	return nil, nil
}
