package nesting

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/eval/window"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// argumentCount is the number of arguments of functions of which go-mysql-server takes more, and panics over
// some values of those.
var argumentCount = map[string]int{"json_value": 2, "regexp_instr": 2, "regexp_substr": 2, "regexp_replace": 3}

// clocks are the functions whose only argument is a literal: the digits of the fraction of a second.
var clocks = map[string]bool{
	"curtime": true, "current_time": true, "utc_time": true, "sysdate": true,
	"now": true, "current_timestamp": true, "localtime": true, "localtimestamp": true, "utc_timestamp": true,
}

// fractionMax is the largest number of digits of the fraction of a second.
const fractionMax = 6

const errEventRecursion = 1576 // MariaDB's ER_EVENT_RECURSION_FORBIDDEN

// arguments looks at the number of arguments of a function, and at those of the clocks.
func arguments(n *sqlparser.FuncExpr, name string) error {
	if count, ok := argumentCount[name]; ok && len(n.Exprs) != count {
		return mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, strings.ToUpper(name))
	}
	if !clocks[name] || len(n.Exprs) == 0 {
		return nil
	}
	if e, ok := n.Exprs[0].(*sqlparser.AliasedExpr); ok && len(n.Exprs) == 1 {
		if v, ok := e.Expr.(*sqlparser.SQLVal); ok && v.Type == sqlparser.IntVal {
			if digits, err := strconv.ParseUint(string(v.Val), 10, 64); err != nil || digits > fractionMax {
				return mysqlerr.New(mysqlerr.TooBigPrecision, name, fractionMax)
			}
			return nil
		}
	}
	return misplaced(name)
}

// overWindow looks at the window of a function, in which all names of windows are resolved.
func overWindow(w *sqlparser.WindowDef, name string) error {
	if def, ok := window.Find(strings.ToUpper(name)); ok {
		switch {
		case w.Frame != nil && !def.Window.Frames():
			return mysqlerr.New(mysqlerr.NotAllowedWindowFrame, name)
		case len(w.OrderBy) == 0 && def.Window.NeedsOrder():
			return mysqlerr.New(mysqlerr.NoOrderListInWinSpec, name)
		}
	}
	if name == "first_value" || name == "last_value" { // go-mysql-server cannot plan them without an expression in the window
		onePartition(w)
	}
	return nil
}

// onePartition names the partition of a window that has all rows in one: that of a constant.
func onePartition(w *sqlparser.WindowDef) {
	if len(w.PartitionBy) == 0 && len(w.OrderBy) == 0 && w.NameRef.IsEmpty() {
		w.PartitionBy = sqlparser.Exprs{sqlparser.NewIntVal([]byte("1"))}
	}
}

// definition refuses an event that a body would define.
func (g *grammar) definition(n *sqlparser.DDL) error {
	if g.body && n.EventSpec != nil && n.EventSpec.Body != nil {
		return mysqlerr.Newf(errEventRecursion, "Recursion of EVENT DDL statements is forbidden when body is present")
	}
	g.body = g.body || n.EventSpec != nil || n.ProcedureSpec != nil || n.TriggerSpec != nil
	return nil
}

// likeNothing makes the empty pattern of SHOW ... LIKE ” one that lets everything through, as it does in
// MariaDB: the parser's own text of the statement, which is used in bodies, has no place for it.
func likeNothing(n *sqlparser.ShowFilter) {
	if n.Like == "" && n.Filter == nil {
		n.Like = "%"
	}
}
