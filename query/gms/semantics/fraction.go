package semantics

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/tables"
)

// notFixed is the number of decimals of a FLOAT or DOUBLE without a declared scale.
const notFixed = mysql.NOT_FIXED_DEC

// decimals are the declared fractional digits of columns, by the name of their table in the statement and their own,
// in lower case: go-mysql-server's types of TIME(n) and FLOAT(M,D) do not tell them.
type decimals map[[2]string]int

// add notes the columns of a table that a statement knows as name.
func (d decimals) add(ctx *sql.Context, table sql.Table, name string) {
	t, ok := sql.GetUnderlyingTable(table).(*tables.Table)
	if !ok {
		return
	}
	for _, c := range t.Schema(ctx) {
		if !types.IsTimespan(c.Type) && !types.IsFloat(c.Type) {
			continue
		}
		if facts := t.Facts(c.Name); facts != nil {
			d[[2]string{strings.ToLower(name), strings.ToLower(c.Name)}] = int(facts.Decimals)
		}
	}
}

// addNode notes the columns of a node of a plan that reads a table.
func (d decimals) addNode(ctx *sql.Context, n sql.Node) {
	switch n := n.(type) {
	case *plan.ResolvedTable:
		d.add(ctx, n.Table, n.Name())
	case *plan.TableAlias:
		if t, ok := n.Child.(*plan.ResolvedTable); ok {
			d.add(ctx, t.Table, n.Name())
		}
	}
}

// declared are the declared digits of a column; known is false for other expressions.
func (r replacer) declared(e sql.Expression) (digits int, known bool) {
	f, ok := e.(*expression.GetField)
	if !ok {
		return 0, false
	}
	digits, known = r.decimals[[2]string{strings.ToLower(f.Table()), strings.ToLower(f.Name())}]
	return digits, known
}

// fractionOf is how many digits of a second the text of an expression with a time has.
func (r replacer) fractionOf(ctx *sql.Context, e sql.Expression) int {
	typ := e.Type(ctx)
	switch e := e.(type) {
	case *expression.GetField:
		if d, ok := typ.(sql.DatetimeType); ok && !types.IsTimespan(typ) {
			return d.Precision()
		}
		if digits, known := r.declared(e); known {
			return digits
		}
		return fractionUnknown
	case *expression.Convert:
		if d, ok := typ.(sql.DatetimeType); ok && !types.IsTimespan(typ) {
			return d.Precision()
		}
		return 0
	case *expression.Alias:
		return r.fractionOf(ctx, e.Child)
	case *plan.Subquery:
		if types.IsTimespan(typ) {
			return fractionUnknown
		}
		return fractionAsIs
	case *timeShift:
		return r.fractionOf(ctx, e.LeftChild)
	case *expression.Arithmetic:
		moment, shift := e.LeftChild, e.RightChild
		if isInterval(moment) {
			moment, shift = shift, moment
		}
		if i, ok := shift.(*expression.Interval); ok && isTemporal(moment.Type(ctx)) {
			return r.shiftedFraction(ctx, moment, i)
		}
	case *momentArgument:
		return r.fractionOf(ctx, e.Child)
	case *castOperand:
		return r.fractionOf(ctx, e.Child)
	case *expression.Case:
		return r.most(ctx, e.Children())
	case sql.FunctionExpression:
		children := e.Children()
		switch strings.ToLower(e.FunctionName()) {
		case "now", "current_timestamp", "localtime", "localtimestamp", "sysdate", "utc_timestamp", "curtime", "current_time", "utc_time":
			for _, c := range children {
				if l, ok := c.(*expression.Literal); ok {
					if n, err := wholeValue(ctx, l, nil); err == nil && !n.null && n.abs <= 6 {
						return int(n.abs)
					}
				}
			}
			return 0
		case "curdate", "current_date", "date", "last_day", "from_unixtime":
			return 0
		case "date_add", "date_sub", "adddate", "subdate":
			if len(children) == 2 && isTemporal(children[0].Type(ctx)) {
				i, ok := children[1].(*expression.Interval)
				if !ok {
					return r.fractionOf(ctx, children[0])
				}
				return r.shiftedFraction(ctx, children[0], i)
			}
		case "convert_tz":
			if isTemporal(children[0].Type(ctx)) {
				return r.fractionOf(ctx, children[0])
			}
		case "ifnull", "nvl", "coalesce", "if", "nullif", "greatest", "least", "min", "max", "time", "timestamp", "any_value":
			return r.most(ctx, children)
		}
	}
	return fractionAsIs
}

// shiftedFraction are the digits of a date or a time plus or minus an interval.
func (r replacer) shiftedFraction(ctx *sql.Context, moment sql.Expression, i *expression.Interval) int {
	if strings.Contains(strings.ToLower(i.Unit), "microsecond") {
		return 6
	}
	return r.fractionOf(ctx, moment)
}

// most is the greatest number of digits of the expressions that are times.
func (r replacer) most(ctx *sql.Context, exprs []sql.Expression) int {
	digits, some := fractionAsIs, false
	for _, e := range exprs {
		if !isTemporal(e.Type(ctx)) {
			continue
		}
		d := r.fractionOf(ctx, e)
		if d < 0 {
			return d
		}
		digits, some = max(digits, d), true
	}
	if !some {
		return fractionAsIs
	}
	return digits
}
