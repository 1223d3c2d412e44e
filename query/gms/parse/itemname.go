package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect/tree"
)

// NameItems gives the columns of select lists that have no alias the names that MariaDB gives them: the value of a text, the column in parentheses, and
// what the text says for all others. In a routine go-mysql-server would name them by what it has made of them, with the values of parameters.
func NameItems(ast sqlparser.Statement, text string) {
	nameItems(ast, text, nil)
	d, ok := ast.(*sqlparser.DDL)
	if !ok || d.TriggerSpec != nil { // whose queries nobody sees
		return
	}
	variables := map[string]bool{}
	if d.ProcedureSpec != nil {
		for _, p := range d.ProcedureSpec.Params {
			variables[strings.ToLower(p.Name)] = true
		}
	}
	for _, body := range Bodies(d) {
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			if d, ok := n.(*sqlparser.Declare); ok && d.Variables != nil {
				for _, name := range d.Variables.Names {
					variables[name.Lowered()] = true
				}
			}
			return true, nil
		}, body)
		nameItems(body, text, variables)
	}
}

// nameItems is NameItems for a statement, in a routine with variables of these names, or in none (nil).
func nameItems(ast sqlparser.Statement, text string, variables map[string]bool) {
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
			name := itemName(item.Expr, text[item.StartParsePos:item.EndParsePos], variables)
			if col, ok := item.Expr.(*sqlparser.ColName); name != "" && (!ok || variables[col.Name.Lowered()]) {
				item.InputExpression = name
			}
		}
		return true, nil
	}, ast)
}

// itemName is the name of an expression that was written like that.
func itemName(e sqlparser.Expr, written string, variables map[string]bool) string {
	if written = strings.Trim(strings.TrimLeft(written, ", \t\r\n"), " \t\r\n"); written == "" { // the parser begins behind the one before, in front of a comment
		return ""
	}
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
			if !x.Qualifier.IsEmpty() || !variables[x.Name.Lowered()] { // a variable is named as it is written
				return x.Name.String()
			}
		case *sqlparser.NullVal:
			return "NULL"
		case sqlparser.BoolVal:
			if x {
				return "TRUE"
			}
			return "FALSE"
		case *sqlparser.SQLVal:
			switch {
			case x.Type == sqlparser.StrVal && quoted(written):
				return textName(x)
			case (x.Type == sqlparser.IntVal || x.Type == sqlparser.FloatVal) && !strings.HasPrefix(string(x.Val), "-"):
				return string(x.Val)
			}
		}
		return written
	}
}

// quoted reports whether a text was written without a word like DATE before it.
func quoted(written string) bool {
	bare := strings.TrimLeft(written, "(+ \t\r\n")
	return bare != "" && (bare[0] == '\'' || bare[0] == '"')
}

func textName(v *sqlparser.SQLVal) string {
	return strings.ReplaceAll(strings.TrimLeftFunc(string(v.Val), tree.NotGraphic), "\x00", `\x00`)
}
