package query

import "github.com/dolthub/go-mysql-server/sql"

// nodeBuilders are asked one after the other, for each node of a plan, before go-mysql-server's
// builder is. The first that answers decides: one that changes a node
// hands the changed one back to go-mysql-server's builder, which asks all of them once more.
type nodeBuilders []sql.NodeExecBuilder

// Build implements sql.NodeExecBuilder.
func (all nodeBuilders) Build(c *sql.Context, n sql.Node, outer sql.Row) (sql.RowIter, error) {
	for _, b := range all {
		if it, err := b.Build(c, n, outer); it != nil || err != nil {
			return it, err
		}
	}
	return nil, nil // go-mysql-server's builder goes on
}
