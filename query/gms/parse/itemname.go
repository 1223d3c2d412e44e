package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect/tree"
)

// NameItems gives the columns of select lists that have no alias the names that MariaDB gives them: the value of a text, the column in parentheses, and
// what the text says for all others. In a routine go-mysql-server would name them by what it has made of them, with the values of parameters.
func NameItems(ast sqlparser.Statement, text string) {
	nameItems(ast, text, false)
	d, ok := ast.(*sqlparser.DDL)
	if !ok || d.TriggerSpec != nil { // whose queries nobody sees
		return
	}
	for _, body := range Bodies(d) {
		nameItems(body, text, true)
	}
}

func nameItems(ast sqlparser.Statement, text string, body bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		sel, ok := n.(*sqlparser.Select)
		if !ok {
			return true, nil
		}
		for _, e := range sel.SelectExprs {
			item, ok := e.(*sqlparser.AliasedExpr)
			if !ok || !item.As.IsEmpty() || item.EndParsePos <= item.StartParsePos || item.EndParsePos > len(text) {
				continue
			}
			name := itemName(item.Expr, text[item.StartParsePos:item.EndParsePos])
			switch _, column := item.Expr.(*sqlparser.ColName); {
			case name == "":
			case body:
				item.As = sqlparser.NewColIdent(name)
			case !column:
				item.InputExpression = name
			}
		}
		return true, nil
	}, ast)
}

// itemName is the name of an expression that was written like that.
func itemName(e sqlparser.Expr, written string) string {
	written = strings.Trim(strings.TrimLeft(written, ", \t\r\n"), " \t\r\n") // the parser begins behind the one before, in front of a comment
	for {
		switch x := e.(type) {
		case *sqlparser.ParenExpr:
			e = x.Expr
			continue
		case *sqlparser.UnaryExpr:
			if x.Operator == sqlparser.UPlusStr {
				e = x.Expr
				continue
			}
			if lit, ok := x.Expr.(*sqlparser.SQLVal); ok && strings.HasPrefix(x.Operator, "_") && lit.Type == sqlparser.StrVal {
				return textName(lit)
			}
		case *sqlparser.ColName:
			return x.Name.String()
		case *sqlparser.NullVal:
			return "NULL"
		case sqlparser.BoolVal:
			if x {
				return "TRUE"
			}
			return "FALSE"
		case *sqlparser.SQLVal:
			switch {
			case x.Type == sqlparser.StrVal:
				return textName(x)
			case (x.Type == sqlparser.IntVal || x.Type == sqlparser.FloatVal) && !strings.HasPrefix(string(x.Val), "-"):
				return string(x.Val)
			}
		}
		return written
	}
}

func textName(v *sqlparser.SQLVal) string {
	return strings.ReplaceAll(strings.TrimLeftFunc(string(v.Val), tree.NotGraphic), "\x00", `\x00`)
}
