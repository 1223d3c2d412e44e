package semantics

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// timeNumber is a time where a number is asked for: 20260102 for DATE, 30405 for a TIME. go-mysql-server takes a DATE for a date and time, and the text
// of a TIME for its first number.
type timeNumber struct {
	text
	typ sql.Type
}

// Type implements sql.Expression.
func (n *timeNumber) Type(*sql.Context) sql.Type { return n.typ }

// CollationCoercibility implements sql.CollationCoercible.
func (*timeNumber) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (n *timeNumber) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	own := *n
	own.Child = children[0]
	return &own, nil
}

// Eval implements sql.Expression.
func (n *timeNumber) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := n.text.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	written, ok := v.(string)
	if !ok {
		return nil, mysqlerr.NotYet("a time as a number here; CAST it")
	}
	digits := strings.NewReplacer("-", "", ":", "", " ", "").Replace(written)
	if strings.HasPrefix(written, "-") { // a TIME before midnight
		digits = "-" + digits
	}
	out, _, err := n.typ.Convert(ctx, digits)
	return out, err
}

// withTimeNumbers gives nil for an expression that computes with no times.
func (r replacer) withTimeNumbers(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	groups := false
	switch e := e.(type) {
	case *expression.Arithmetic, *expression.UnaryMinus, *expression.IntDiv, *expression.Mod, *expression.Div, *expression.BitOp:
	case sql.FunctionExpression:
		if !numeric[strings.TrimPrefix(strings.ToLower(e.FunctionName()), "duramen_")] {
			return nil, nil //nolint:nilnil // as it says
		}
		groups = overGroups[strings.TrimPrefix(strings.ToLower(e.FunctionName()), "duramen_")]
	default:
		return nil, nil //nolint:nilnil // as it says
	}
	var out []sql.Expression
	children := e.Children()
	for _, c := range children {
		if isInterval(c) || !c.Resolved() {
			return nil, nil //nolint:nilnil // times that are shifted
		}
	}
	for i, c := range children {
		typ := c.Type(ctx)
		if typ == nil || !isTemporal(typ) {
			continue
		}
		digits, date := r.fractionOf(ctx, c), types.IsDateType(typ) || onlyDates(ctx, c)
		own := &timeNumber{text{expression.UnaryExpressionStub{Child: c}, max(digits, 0), date}, types.Int64}
		switch {
		case groups: // whose sums have been chosen by the type that it had
			return nil, mysqlerr.NotYet("SUM, AVG and their like of times; SUM(d + 0)")
		case date, digits == 0:
		case digits > 0:
			t, err := types.CreateDecimalType(uint8(14+digits), uint8(digits))
			if err != nil {
				return nil, err
			}
			own.typ = t
		default:
			return nil, mysqlerr.NotYet("a time as a number here; CAST it")
		}
		if out == nil {
			out = append(out, children...)
		}
		out[i] = own
	}
	if out == nil {
		return nil, nil //nolint:nilnil // as it says
	}
	return e.WithChildren(ctx, out...)
}

// numeric are the functions that take numbers.
var numeric = map[string]bool{
	"sum": true, "avg": true, "std": true, "stddev": true, "stddev_pop": true, "stddev_samp": true, "variance": true, "var_pop": true, "var_samp": true,
	"bit_and": true, "bit_or": true, "bit_xor": true, "bitand": true, "bitor": true, "bitxor": true, "abs": true, "sign": true, "sqrt": true, "pow": true, "power": true, "exp": true, "ln": true,
	"log": true, "log2": true, "log10": true, "mod": true,
}

// overGroups are those of them that are over the rows of a group.
var overGroups = map[string]bool{
	"sum": true, "avg": true, "std": true, "stddev": true, "stddev_pop": true, "stddev_samp": true, "variance": true, "var_pop": true, "var_samp": true,
	"bit_and": true, "bit_or": true, "bit_xor": true, "bitand": true, "bitor": true, "bitxor": true,
}

// timed is a function over dates and times whose result has the fraction of a second that MariaDB gives it: go-mysql-server gives it six digits.
type timed struct {
	sql.FunctionExpression
	typ sql.Type
}

// newTimed gives nil for other functions.
func (r replacer) newTimed(ctx *sql.Context, f sql.FunctionExpression) sql.Expression {
	digits := 0
	switch strings.ToLower(f.FunctionName()) {
	case "greatest", "least":
	case "date_add", "date_sub", "adddate", "subdate":
		if children := f.Children(); len(children) == 2 && isInterval(children[1]) && !types.IsDateType(f.Type(ctx)) {
			if strings.Contains(strings.ToLower(children[1].(*expression.Interval).Unit), "microsecond") {
				digits = 6
			}
			break
		}
		return nil
	default:
		return nil
	}
	dates := true
	for _, c := range f.Children() {
		if isInterval(c) {
			dates = false
			continue
		}
		if !c.Resolved() {
			return nil
		}
		t := c.Type(ctx)
		if t == nil || !types.IsTime(t) || types.IsTimespan(t) {
			return nil
		}
		if types.IsDateType(t) {
			continue
		}
		dates = false
		have := r.fractionOf(ctx, c)
		if have < 0 {
			return nil
		}
		digits = max(digits, have)
	}
	if dates {
		return &timed{f, types.Date}
	}
	typ, err := types.CreateDatetimeType(sqltypes.Datetime, digits)
	if err != nil {
		return nil
	}
	return &timed{f, typ}
}

var _ sql.CollationCoercible = (*timed)(nil)

// Type implements sql.Expression.
func (t *timed) Type(*sql.Context) sql.Type { return t.typ }

// CollationCoercibility implements sql.CollationCoercible.
func (*timed) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Children implements sql.Expression. An interval does not show, for the analyzer refuses one below expressions that it does not know.
func (t *timed) Children() []sql.Expression {
	out := append([]sql.Expression(nil), t.FunctionExpression.Children()...)
	for i, c := range out {
		if interval, ok := c.(*expression.Interval); ok {
			out[i] = interval.Child
		}
	}
	return out
}

// WithChildren implements sql.Expression.
func (t *timed) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	was := t.FunctionExpression.Children()
	if len(children) != len(was) {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), len(was))
	}
	inner := append([]sql.Expression(nil), children...)
	for i, c := range was {
		if interval, ok := c.(*expression.Interval); ok {
			inner[i] = expression.NewInterval(children[i], interval.Unit)
		}
	}
	f, err := t.FunctionExpression.WithChildren(ctx, inner...)
	if err != nil {
		return nil, err
	}
	return &timed{f.(sql.FunctionExpression), t.typ}, nil
}
