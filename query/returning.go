package query

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
)

// parseDeleteReturning parses DELETE ... RETURNING, which go-mysql-server can run but
// its grammar lacks. ok is false if the text is nothing of that kind.
func (s *Session) parseDeleteReturning(sql string) (ast sqlparser.Statement, ok bool) {
	toks := dialect.Tokens(sql, s.sqlModeLex, 0)
	if len(toks) == 0 || !toks[0].Is("DELETE") {
		return nil, false
	}
	depth := 0
	for i, t := range toks {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && t.Is("RETURNING") && i+1 < len(toks):
			body, _, _, err := s.parseVitess(sql[:t.Start])
			if err != nil {
				return nil, false
			}
			list, _, _, err := s.parseVitess("SELECT " + sql[t.End:])
			if err != nil {
				return nil, false
			}
			del, isDelete := body.(*sqlparser.Delete)
			sel, isSelect := list.(*sqlparser.Select)
			if !isDelete || !isSelect {
				return nil, false
			}
			del.Returning = sel.SelectExprs
			return del, true
		}
	}
	return nil, false
}

// changedRows repairs RETURNING where go-mysql-server's insert yields the old and the
// new row side by side (REPLACE, ON DUPLICATE KEY UPDATE): the list is evaluated on
// the new one.
func changedRows(c *sql.Context, node sql.Node, schema sql.Schema, iter sql.RowIter) (sql.Schema, sql.RowIter) {
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
