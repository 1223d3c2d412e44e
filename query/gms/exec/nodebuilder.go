package exec

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/rowexec"

	"github.com/duramendb/duramen/query/gms/jsontable"
)

// Install makes the engine of an analyzer ask the given builders and those of this package for each node of a plan, and its rules
// end with their statement.
func Install(a *analyzer.Analyzer, first, second sql.NodeExecBuilder) {
	base := a.ExecBuilder
	base.PriorityBuilder = nodeBuilders{first, fulltextBuilder{}, endsBuilder{}, databasesBuilder{}, jsontable.Builder{}, second, &memoryBuilder{base: base}}
	interruptible(a)
}

// Except leaves one node to go-mysql-server's code, and the nodes below it to the whole builder.
func Except(n sql.Node, base *rowexec.BaseBuilder) sql.NodeExecBuilder {
	return &exceptNode{node: n, base: base}
}

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
