package column

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// ChangedRows repairs RETURNING where go-mysql-server's insert yields the old and the
// new row side by side (REPLACE, ON DUPLICATE KEY UPDATE): the list is evaluated on
// the new one.
func ChangedRows(c *sql.Context, node sql.Node, schema sql.Schema, iter sql.RowIter) (sql.Schema, sql.RowIter) {
	var insert *plan.InsertInto
	transform.InspectWithOpaque(c, node, func(_ *sql.Context, n sql.Node) bool {
		if ins, ok := n.(*plan.InsertInto); ok && insert == nil {
			insert = ins
		}
		return insert == nil
	})
	if insert == nil || len(insert.Returning) == 0 || !insert.IsReplace && !insert.OnDupExprs.HasUpdates() {
		return schema, iter
	}
	out := make(sql.Schema, len(insert.Returning))
	for i, e := range insert.Returning {
		out[i] = transform.ExpressionToColumn(c, e, plan.AliasSubqueryString(c, e))
	}
	width := len(insert.Destination.Schema(c))
	return out, &newRowIter{RowIter: iter, list: insert.Returning, width: width}
}

// newRowIter evaluates a RETURNING list on the second half of double rows.
type newRowIter struct {
	sql.RowIter
	list  []sql.Expression
	width int
}

// Next implements sql.RowIter.
func (it *newRowIter) Next(c *sql.Context) (sql.Row, error) {
	row, err := it.RowIter.Next(c)
	if err != nil || len(row) != 2*it.width {
		return row, err
	}
	out := make(sql.Row, len(it.list))
	for i, e := range it.list {
		if out[i], err = e.Eval(c, row[it.width:]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
