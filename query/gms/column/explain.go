package column

import (
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/dialect/facts"
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

// Explained gives EXPLAIN MariaDB's columns. go-mysql-server knows nothing to put there: it answers with one row, the same for every statement, in which NULL
// is a text, also in columns of numbers. In its place come the rows that follow from the text of the statement, and in the last column why it is not run by SQL of
// our own.
func Explained(node sql.Node, schema sql.Schema, iter sql.RowIter, rows []facts.Explained, why string) (sql.Schema, sql.RowIter) {
	if _, ok := node.(*plan.DescribeQuery); !ok || len(schema) < len(explainSchema) {
		return schema, iter
	}
	if iter == nil {
		return explainSchema, nil
	}
	if len(rows) == 0 {
		rows = []facts.Explained{{ID: 1, Select: "SIMPLE"}}
	}
	return explainSchema, &explainIter{RowIter: iter, rows: rows, why: why}
}

// explainIter replaces the rows of go-mysql-server's EXPLAIN.
type explainIter struct {
	sql.RowIter
	rows []facts.Explained
	why  string
	next int
}

// Next implements sql.RowIter.
func (it *explainIter) Next(c *sql.Context) (sql.Row, error) {
	if it.next == 0 {
		if _, err := it.RowIter.Next(c); err != nil {
			return nil, err
		}
		c.ClearWarnings() // "EXPLAIN Output is currently a placeholder"
	}
	if it.next == len(it.rows) {
		return nil, io.EOF
	}
	r := &it.rows[it.next]
	it.next++
	row := make(sql.Row, len(explainSchema))
	var extra []string
	if r.ID > 0 {
		row[0] = uint64(r.ID)
	}
	row[1] = r.Select
	switch {
	case r.Table != "":
		row[2] = r.Table
		if r.All {
			row[3] = "ALL"
		}
	default:
		extra = append(extra, "No tables used")
	}
	if it.next == 1 && (r.Table != "" || it.why != "") {
		why := "general"
		if it.why != "" {
			why += ": " + it.why
		}
		extra = append(extra, why)
	}
	row[len(row)-1] = strings.Join(extra, "; ")
	return row, nil
}
