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
	switch x := item.X.(type) {
	case *tree.ColumnRef:
		return x.Name.Text
	case *tree.NullLit:
		return "NULL"
	case *tree.BoolLit:
		if x.Value {
			return "TRUE"
		}
		return "FALSE"
	case *tree.TextLit:
		return strings.TrimLeftFunc(x.Value, func(r rune) bool { return r <= ' ' || r == 0x7f })
	}
	return strings.TrimSpace(text[item.Start:item.End])
}
