package nesting

import "github.com/dolthub/vitess/go/vt/sqlparser"

// The parser takes INTERVAL 1 DAY for an expression; go-mysql-server panics when it is asked for its value.
// In MariaDB's grammar it stands at three places: after the + or - after a time, before the + in front of one,
// and as the second argument of these functions.
var shiftsTime = map[string]bool{"date_add": true, "date_sub": true, "adddate": true, "subdate": true}

func isInterval(e sqlparser.Expr) bool {
	_, ok := e.(*sqlparser.IntervalExpr)
	return ok
}

// sum places the INTERVAL of a sum or difference.
func (g *grammar) sum(n *sqlparser.BinaryExpr) {
	switch {
	case isInterval(n.Left) == isInterval(n.Right): // none, or nothing to add it to
	case isInterval(n.Right) && (n.Operator == sqlparser.PlusStr || n.Operator == sqlparser.MinusStr):
		g.place(n.Right)
	case isInterval(n.Left) && n.Operator == sqlparser.PlusStr:
		g.place(n.Left)
	}
}

// timeShift places the INTERVAL of a function that takes one. DATE_ADD and DATE_SUB take nothing else.
func (g *grammar) timeShift(n *sqlparser.FuncExpr) error {
	name := n.Name.Lowered()
	if !shiftsTime[name] || !n.Qualifier.IsEmpty() || len(n.Exprs) != 2 {
		return nil
	}
	if e, ok := n.Exprs[1].(*sqlparser.AliasedExpr); ok && isInterval(e.Expr) {
		g.place(e.Expr)
		return nil
	}
	if name == "date_add" || name == "date_sub" {
		return misplaced(name)
	}
	return nil
}
