package plan

import (
	"strings"
	"unicode/utf8"

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
	if lit, value := item.X.(*tree.TextLit); value && lit.Charset != "" && !x.Null() {
		name = introduced(lit, x, client)
	} else if value {
		name = clienttext.Shown(name, client)
	} else {
		name = clienttext.Written(name, client)
	}
	return strings.Map(inNames, name)
}

// alias is the name that a statement gives an item, without blanks at its start; leaving them out is warned of.
func (c *compiler) alias(name string) string {
	short := strings.TrimLeftFunc(name, tree.NotGraphic)
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

// written is the name of an item without an alias.
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
	case *tree.TemporalLit:
		if x.ODBC && bound.Type.Class() == types.ClassText { // it is no date
			return x.Value
		}
	case *tree.TextLit:
		if bound.Null() { // sql_mode EMPTY_STRING_IS_NULL
			return "NULL"
		}
	}
	return item.Written(text)
}

// introduced is the name of a literal with an introducer: its bytes are read in that character set.
func introduced(n *tree.TextLit, x *eval.Expr, client *charset.Set) string {
	set := x.Type.Collation.Set()
	utf8mb4, _ := charset.SetByName("utf8mb4")
	value, _ := clienttext.Decode(n.Value, client)
	name, cond := charset.Convert(nil, utf8mb4, set, value)
	if set.Name() == "binary" || set.MinLen() > 1 || !cond.OK() {
		name = []byte(clienttext.Shown(n.Value, client))
	}
	graphic := tree.NotGraphic
	if set.Name() == "binary" {
		graphic = func(r rune) bool { return tree.NotGraphic(r) || r >= utf8.RuneSelf }
	}
	return strings.ReplaceAll(strings.TrimLeftFunc(string(name), graphic), "\x00", `\x00`)
}
