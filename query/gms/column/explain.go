package column

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// explainSchema has the columns of MariaDB's EXPLAIN.
var explainSchema = func() sql.Schema {
	text := func(chars int64) sql.Type {
		return types.MustCreateString(sqltypes.VarChar, chars, sql.Collation_utf8mb4_general_ci)
	}
	return sql.Schema{
		{Name: "id", Type: types.Uint64, Nullable: true},
		{Name: "select_type", Type: text(19)},
		{Name: "table", Type: text(64), Nullable: true},
		{Name: "type", Type: text(10), Nullable: true},
		{Name: "possible_keys", Type: text(4096), Nullable: true},
		{Name: "key", Type: text(64), Nullable: true},
		{Name: "key_len", Type: text(4096), Nullable: true},
		{Name: "ref", Type: text(2048), Nullable: true},
		{Name: "rows", Type: text(64), Nullable: true},
		{Name: "Extra", Type: text(255)},
	}
}()

// Explained gives EXPLAIN MariaDB's columns. go-mysql-server knows nothing to put there: it answers with one
// row, the same for every statement, in which NULL is a text, also in columns of numbers.
func Explained(node sql.Node, schema sql.Schema, iter sql.RowIter) (sql.Schema, sql.RowIter) {
	d, ok := node.(*plan.DescribeQuery)
	if !ok || len(schema) < len(explainSchema) {
		return schema, iter
	}
	return explainSchema, &explainIter{RowIter: iter, extra: extra(d.Query())}
}

// extra is what is known of a plan: that it reads no table.
func extra(query sql.Node) string {
	bare := true
	transform.Inspect(query, func(n sql.Node) bool {
		switch n := n.(type) {
		case nil, *plan.Project:
		case *plan.ResolvedTable:
			bare = bare && plan.IsDualTable(n.Table)
		default:
			bare = false
		}
		return bare
	})
	if bare {
		return "No tables used"
	}
	return ""
}

// explainIter replaces the rows of go-mysql-server's EXPLAIN.
type explainIter struct {
	sql.RowIter
	extra string
}

// Next implements sql.RowIter.
func (it *explainIter) Next(c *sql.Context) (sql.Row, error) {
	if _, err := it.RowIter.Next(c); err != nil {
		return nil, err
	}
	c.ClearWarnings() // "EXPLAIN Output is currently a placeholder"
	row := make(sql.Row, len(explainSchema))
	row[0], row[1], row[len(row)-1] = uint64(1), "SIMPLE", it.extra
	return row, nil
}
