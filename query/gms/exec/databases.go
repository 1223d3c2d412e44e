package exec

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// databasesBuilder lists databases once: go-mysql-server adds mysql to those that there are.
type databasesBuilder struct{}

// Build implements sql.NodeExecBuilder.
func (databasesBuilder) Build(c *sql.Context, n sql.Node, _ sql.Row) (sql.RowIter, error) {
	show, ok := n.(*plan.ShowDatabases)
	if !ok {
		return nil, nil
	}
	var rows []sql.Row
	for _, db := range show.Catalog.AllDatabases(c) {
		rows = append(rows, sql.Row{db.Name()})
	}
	slices.SortFunc(rows, func(a, b sql.Row) int { return strings.Compare(a[0].(string), b[0].(string)) })
	return sql.RowsToRowIter(rows...), nil
}
