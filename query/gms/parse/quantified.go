package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Comparisons with ANY and ALL are unknown to go-mysql-server and its parser. Each is parsed as IN, with a comment in its subquery that says which one it
// is; then its left operand says so, by a function that package compare knows.

const quantifiedComment = "/*quantified "

// rewriteQuantified rewrites a comparison that begins at a token, if it is one with ANY, SOME or ALL.
func rewriteQuantified(e *dialect.Editor, toks []dialect.Token, i int) bool {
	op, n := "", i
	for n < len(toks) && n < i+2 && toks[n].Kind == dialect.Punct && strings.Contains("<>=!", toks[n].Text) && (n == i || toks[n].Start == toks[n-1].End) {
		op += toks[n].Text
		n++
	}
	if op == "" || n+2 >= len(toks) || i > 0 && toks[i-1].End == toks[i].Start && strings.Contains("<>=!", toks[i-1].Text) {
		return false
	}
	word := strings.ToUpper(toks[n].Text)
	if toks[n].Kind != dialect.Word || word != "ANY" && word != "SOME" && word != "ALL" || !toks[n+1].Is("(") || !toks[n+2].Is("SELECT") {
		return false
	}
	if op == "!=" {
		op = "<>"
	}
	if word == "SOME" {
		word = "ANY"
	}
	in, comment := " IN ", " "+quantifiedComment+op+" "+word+"*/ "
	switch op + word {
	case "=ANY":
		comment = ""
	case "<>ALL":
		in, comment = " NOT IN ", ""
	case "=ALL", "<>ANY", "<ANY", "<ALL", "<=ANY", "<=ALL", ">ANY", ">ALL", ">=ANY", ">=ALL":
	default:
		return false
	}
	e.Replace(toks[i], in)
	for _, t := range toks[i+1 : n+1] {
		e.Remove(t)
	}
	e.Replace(toks[n+2], "SELECT"+comment)
	return true
}

// quantify puts the comparisons that comments of subqueries tell of into left operands. A column that is named by the text of one is refused.
func quantify(ast sqlparser.Statement) error {
	var err error
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.AliasedExpr:
			if n.As.IsEmpty() && holdsSubqueryIn(n.Expr) {
				err = mysqlerr.NotYet("a comparison with ANY or ALL as a column without a name")
			}
		case *sqlparser.ComparisonExpr:
			sub, ok := n.Right.(*sqlparser.Subquery)
			if !ok || n.Operator != sqlparser.InStr {
				return true, nil
			}
			sel, ok := sub.Select.(*sqlparser.Select)
			if !ok { // of a set operation the first query has it
				set, is := sub.Select.(*sqlparser.SetOp)
				for is {
					if sel, ok = set.Left.(*sqlparser.Select); ok {
						break
					}
					set, is = set.Left.(*sqlparser.SetOp)
				}
			}
			if !ok {
				return true, nil
			}
			for i, c := range sel.Comments {
				what, is := strings.CutPrefix(strings.TrimSpace(string(c)), quantifiedComment)
				if !is {
					continue
				}
				sel.Comments = append(sel.Comments[:i:i], sel.Comments[i+1:]...)
				name := function.QuantifiedName(strings.TrimSuffix(what, "*/"))
				n.Left = &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name), Exprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: n.Left}}}
				break
			}
		}
		return err == nil, nil
	}, ast)
	return err
}

// holdsSubqueryIn reports whether an expression has an IN with a subquery.
func holdsSubqueryIn(e sqlparser.Expr) bool {
	has := false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ComparisonExpr); ok && (c.Operator == sqlparser.InStr || c.Operator == sqlparser.NotInStr) {
			_, sub := c.Right.(*sqlparser.Subquery)
			has = has || sub
		}
		_, sub := n.(*sqlparser.Subquery)
		return !has && !sub, nil
	}, e)
	return has
}
