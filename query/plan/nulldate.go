package plan

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/types"
)

// nullDates is a condition of WHERE or HAVING in which x IS NULL is x = 0 for a DATE or DATETIME that cannot be NULL: MariaDB has programs that know no zero
// dates find them so. It holds where the condition itself, or AND, OR and NOT of conditions, asks for it, in no other expression. The tree n
// stays as it is. column tells which column of the table a name means, less than 0 for none.
func (c *compiler) nullDates(n tree.Expr, not bool, column func(*tree.ColumnRef) int) tree.Expr {
	switch n := n.(type) {
	case *tree.Chain:
		if n.Op != tree.OpAnd && n.Op != tree.OpOr {
			return n
		}
		out := *n
		out.Operands = slices.Clone(n.Operands)
		for i, x := range out.Operands {
			out.Operands[i] = c.nullDates(x, not, column)
		}
		return &out
	case *tree.Unary:
		if n.Op != tree.OpNot {
			return n
		}
		out := *n
		out.X = c.nullDates(n.X, !not, column)
		return &out
	case *tree.Is:
		if _, truth := n.What.(*tree.BoolLit); !truth && n.Not == not && c.neverNullDate(n.X, column) {
			return isZero(n.Span, n.X, not)
		}
	case *tree.Call:
		if len(n.Args) == 1 && !not && n.DB.Text == "" && strings.EqualFold(n.Name.Text, "ISNULL") && c.neverNullDate(n.Args[0], column) {
			return isZero(n.Span, n.Args[0], false)
		}
	}
	return n
}

// neverNullDate reports whether an expression is a DATE or DATETIME column that cannot be NULL.
func (c *compiler) neverNullDate(x tree.Expr, column func(*tree.ColumnRef) int) bool {
	name, ok := x.(*tree.ColumnRef)
	if !ok || c.scope.src == nil {
		return false
	}
	at := column(name)
	if at < 0 {
		return false
	}
	t := c.scope.src.Table.Columns[at].Type
	return (t.Kind == types.Date || t.Kind == types.Datetime) && !t.Nullable
}

// isZero is x = 0, or x <> 0 where a NOT is in front of it.
func isZero(at tree.Span, x tree.Expr, not bool) tree.Expr {
	op := tree.OpEqual
	if not {
		op = tree.OpNotEqual
	}
	return &tree.Binary{Span: at, Op: op, Left: x, Right: &tree.NumberLit{Span: at, Kind: tree.IntegerNumber, Text: "0"}}
}

// inTable is the column of the table that a name means, less than 0 for none.
func (c *compiler) inTable(n *tree.ColumnRef) int {
	at, err := c.scope.ordinal(n)
	if err != nil {
		return -1
	}
	return at
}
