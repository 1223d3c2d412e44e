package plan

import (
	"strings"

	"github.com/duramendb/duramen/query/clienttext"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// NameOf is the name of a column: its alias, or what the statement has written for it.
func NameOf(text string, item *tree.SelectItem, x *eval.Expr, client *charset.Set) string {
	if item.Alias != nil {
		return clienttext.Shown(item.Alias.Text, client)
	}
	name := written(text, item, x)
	if _, value := item.X.(*tree.TextLit); value {
		name = clienttext.Shown(name, client)
	} else {
		name = clienttext.Written(name, client)
	}
	return strings.Map(inNames, name)
}

// notGraphic says which characters at the start of a name are left out.
func notGraphic(r rune) bool { return r <= ' ' || r == 0x7f }

// alias is the name that a statement gives an item, without blanks at its start; leaving them out is warned of.
func (c *compiler) alias(name string) string {
	short := strings.TrimLeftFunc(name, notGraphic)
	switch short {
	case name:
	case "":
		c.b.Scratch.Warn(mysqlerr.NameBecomesEmpty, name)
	default:
		c.b.Scratch.Warn(mysqlerr.RemovedSpaces, name)
	}
	return short
}

// inNames is a character as names have it, which are utf8mb3.
func inNames(r rune) rune {
	if r > 0xFFFF {
		return '?'
	}
	return r
}

func written(text string, item *tree.SelectItem, bound *eval.Expr) string {
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
	case *tree.TemporalLit:
		if x.ODBC && bound.Type.Class() == types.ClassText { // it is no date
			return x.Value
		}
	case *tree.Call:
		if name, ok := constantName(x); ok {
			return name
		}
	case *tree.TextLit:
		if bound.Null() { // sql_mode EMPTY_STRING_IS_NULL
			return "NULL"
		}
		return strings.ReplaceAll(strings.TrimLeftFunc(x.Value, notGraphic), "\x00", `\x00`)
	}
	return strings.TrimSpace(text[item.Start:item.End])
}

// constantName is the name that NAME_CONST gives.
func constantName(n *tree.Call) (string, bool) {
	if !strings.EqualFold(n.Name.Text, "NAME_CONST") || len(n.Args) == 0 {
		return "", false
	}
	switch name := n.Args[0].(type) {
	case *tree.TextLit:
		return name.Value, true
	case *tree.NumberLit:
		return name.Text, name.Kind != tree.FloatNumber
	}
	return "", false
}
