package native

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
)

// nameOf is the name of a column: its alias, or what the statement has written for it.
func nameOf(text string, item *tree.SelectItem) string {
	if item.Alias != nil {
		return item.Alias.Text
	}
	named := item.X
	for {
		x, ok := named.(*tree.Unary)
		if !ok || x.Op != tree.OpPositive {
			break
		}
		named = x.X // a plus is nothing
	}
	switch x := named.(type) {
	case *tree.ColumnRef:
		return x.Name.Text
	case *tree.NullLit:
		return "NULL"
	case *tree.BoolLit:
		if x.Value {
			return "TRUE"
		}
		return "FALSE"
	case *tree.Placeholder:
		return "?"
	case *tree.NumberLit:
		return x.Text
	case *tree.TextLit:
		return strings.TrimLeftFunc(x.Value, func(r rune) bool { return r <= ' ' || r == 0x7f })
	}
	return strings.TrimSpace(text[item.Start:item.End])
}
