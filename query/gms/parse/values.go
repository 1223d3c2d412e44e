package parse

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// constructedMost is how many rows a VALUES may have that becomes a set operation: each row nests go-mysql-server's tree once more.
const constructedMost = 256

// constructed is the text of a query in which each VALUES (1), (2) is SELECT 1 UNION ALL SELECT 2, which has the same names and types in MariaDB.
// go-mysql-server has other names, and neither parentheses around it nor ORDER BY and LIMIT behind. changed is false for other statements; the
// error is 4099.
func constructed(text *source.Text) (sql string, changed bool, err error) {
	st, _, err := text.Statement()
	if err != nil {
		return text.SQL, false, nil // the grammar has its error for whoever reads the text
	}
	switch st.(type) {
	case *tree.Select, *tree.SetOperation, *tree.Values, *tree.Nested:
	default: // definitions keep their texts
		return text.SQL, false, nil
	}
	r := &collating{sql: text.SQL, mode: text.Mode}
	operands := map[tree.Query]bool{}
	usable := true
	tree.Walk(st, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.SetOperation:
			operands[n.First] = true
			for _, term := range n.Rest {
				operands[term.Query] = true
			}
		case *tree.In, *tree.Quantified, *tree.Subquery, *tree.Exists: // whose text names a column
			return false
		case *tree.Values:
			if err == nil && slices.ContainsFunc(n.Rows, func(row *tree.Row) bool { return len(row.Items) != len(n.Rows[0].Items) }) {
				err = mysqlerr.New(mysqlerr.WrongNumberOfValues)
			}
			usable = usable && n.With == nil && len(n.Rows) <= constructedMost && !slices.ContainsFunc(n.Rows, queries)
			r.replace(n.Span, selects(text.SQL, n, operands[n]))
			return false
		}
		return usable
	})
	if !usable || len(r.edits) == 0 || err != nil {
		return text.SQL, false, err
	}
	var whole string
	switch n := st.(type) {
	case *tree.Values:
		whole = selects(text.SQL, n, false)
	case *tree.Nested:
		whole = around(text.SQL, n)
	}
	if whole == "" {
		return r.done(), true, nil
	}
	_, after := dialect.Split(text.SQL, text.Mode)
	return whole + after, true, nil
}

// around is VALUES without the parentheses around it; what is behind them is behind a derived table then. "" is anything else in parentheses.
func around(sql string, n *tree.Nested) string {
	if n.With != nil {
		return ""
	}
	switch inner := n.Query.(type) {
	case *tree.Nested:
		if n.Tail.Empty() {
			return around(sql, inner)
		}
	case *tree.Values:
		query := selects(sql, inner, false)
		if !n.Tail.Empty() {
			query = "SELECT * FROM (" + query + ") AS `" + FirstQuery + "` " + strings.TrimLeft(sql[inner.End:n.End], " \t\r\n)")
		}
		return query
	}
	return ""
}

// queries reports whether there is in a row what means something else in a SELECT: a subquery, an aggregate function, DEFAULT.
func queries(row *tree.Row) (found bool) {
	tree.Walk(row, func(n tree.Node) bool {
		switch n.(type) {
		case *tree.Subquery, *tree.Aggregate, *tree.DefaultWord, *tree.IgnoreWord:
			found = true
		}
		return !found
	})
	return found
}

// selects is VALUES as SELECTs, in parentheses for an operand of a set operation.
func selects(sql string, n *tree.Values, operand bool) string {
	var b strings.Builder
	if operand {
		b.WriteString("(")
	}
	end := n.Start
	for i, row := range n.Rows {
		if i > 0 {
			b.WriteString(" UNION ALL ")
		}
		b.WriteString("SELECT ")
		b.WriteString(strings.TrimSuffix(strings.TrimPrefix(sql[row.Start:row.End], "("), ")"))
		end = row.End
	}
	b.WriteString(" ")
	b.WriteString(strings.TrimLeft(sql[end:n.End], " \t\r\n)")) // the grammar has taken parentheses away
	if operand {
		b.WriteString(")")
	}
	return b.String()
}
