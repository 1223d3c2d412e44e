package semantics

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// momentArgument is an argument that a function takes for a date or a time. What go-mysql-server would read as another one than MariaDB is refused when it
// comes.
type momentArgument struct {
	expression.UnaryExpressionStub
	function string
	clock    bool // of a function of the time of a day
	exact    bool // a fraction of a second in a text would come out with other digits
}

var (
	_ sql.Expression         = (*momentArgument)(nil)
	_ sql.CollationCoercible = (*momentArgument)(nil)
)

// momentPlaces are the arguments of functions that are dates or times.
var momentPlaces = map[string][]int{
	"year": {0}, "month": {0}, "day": {0}, "dayofmonth": {0}, "dayname": {0}, "monthname": {0}, "dayofweek": {0}, "dayofyear": {0}, "weekday": {0}, "week": {0},
	"weekofyear": {0}, "yearweek": {0}, "quarter": {0}, "to_days": {0}, "last_day": {0}, "date": {0}, "unix_timestamp": {0}, "date_format": {0},
	"datediff": {0, 1}, "timestampdiff": {1, 2}, "extract": {1}, "date_add": {0}, "date_sub": {0}, "adddate": {0}, "subdate": {0}, "convert_tz": {0},
	"hour": {0}, "minute": {0}, "second": {0}, "microsecond": {0}, "time_to_sec": {0}, "time_format": {0},
}

// clockFunctions are those of a time, and shifts of one.
var clockFunctions = map[string]bool{
	"hour": true, "minute": true, "second": true, "microsecond": true, "time_to_sec": true, "time_format": true,
	"date_add": true, "date_sub": true, "adddate": true, "subdate": true,
}

// exactFunctions give a date and time back.
var exactFunctions = map[string]bool{"date_add": true, "date_sub": true, "adddate": true, "subdate": true, "convert_tz": true}

// withMoments puts momentArgument above the arguments of a function that are dates or times; nil for what needs none.
func withMoments(ctx *sql.Context, f sql.FunctionExpression) (sql.Expression, error) {
	name := strings.ToLower(f.FunctionName())
	places, ok := momentPlaces[name]
	children := f.Children()
	switch {
	case name == "timediff":
		for _, c := range children {
			if c.Resolved() && !isTemporal(c.Type(ctx)) && c.Type(ctx) != types.Null {
				return nil, mysqlerr.NotYet("TIMEDIFF() of other values than times in a statement of several tables; CAST them")
			}
		}
		return nil, nil
	case !ok:
		return nil, nil
	}
	var out []sql.Expression
	for _, at := range places {
		if at >= len(children) || !children[at].Resolved() {
			continue
		}
		if _, done := children[at].(*momentArgument); done || types.IsDateType(children[at].Type(ctx)) || types.IsDatetimeType(children[at].Type(ctx)) {
			continue
		}
		if out == nil {
			out = append([]sql.Expression{}, children...)
		}
		out[at] = &momentArgument{expression.UnaryExpressionStub{Child: children[at]}, strings.ToUpper(name), clockFunctions[name], exactFunctions[name]}
	}
	if out == nil {
		return nil, nil
	}
	return f.WithChildren(ctx, out...)
}

// Type implements sql.Expression.
func (m *momentArgument) Type(ctx *sql.Context) sql.Type { return m.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (m *momentArgument) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, m.Child)
}

// String implements sql.Expression.
func (m *momentArgument) String() string { return m.Child.String() }

// WithChildren implements sql.Expression.
func (m *momentArgument) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(m, len(children), 1)
	}
	own := *m
	own.Child = children[0]
	return &own, nil
}

// Eval implements sql.Expression.
func (m *momentArgument) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := m.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	if _, isJSON := v.(sql.JSONWrapper); !isJSON {
		if v, err = sql.UnwrapAny(ctx, v); err != nil {
			return nil, err
		}
	}
	refused := func(what string) error {
		return mysqlerr.NotYet(m.function + "() of " + what + " in a statement of several tables; CAST it in a query of its table")
	}
	if span, ok := v.(types.Timespan); ok {
		if !m.clock || span < 0 || int64(span) >= 24*3600*1_000_000 {
			return nil, refused("a TIME")
		}
		return v, nil
	}
	if s, ok := v.(string); ok && m.exact && strings.Contains(s, ".") {
		return nil, refused("a text with a fraction of a second")
	}
	return v, plainMoment(v, refused)
}

// yearFormat is DATE_FORMAT with %y, for which go-mysql-server writes one digit in the first years of a century.
type yearFormat struct{ sql.FunctionExpression }

var _ sql.CollationCoercible = (*yearFormat)(nil)

// CollationCoercibility implements sql.CollationCoercible.
func (f *yearFormat) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, f.FunctionExpression)
}

// WithChildren implements sql.Expression.
func (f *yearFormat) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := f.FunctionExpression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &yearFormat{e.(sql.FunctionExpression)}, nil
}

// Eval implements sql.Expression.
func (f *yearFormat) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	args := f.Children()
	format, err := args[1].Eval(ctx, row)
	if err != nil || format == nil {
		return nil, err
	}
	text, ok := format.(string)
	if !ok || !strings.Contains(text, "%y") {
		return f.FunctionExpression.Eval(ctx, row)
	}
	v, err := args[0].Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	day, _, err := types.DatetimeMaxPrecision.Convert(ctx, v)
	t, ok := day.(time.Time)
	if err != nil || !ok {
		return f.FunctionExpression.Eval(ctx, row)
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		i++
		if text[i] == 'y' {
			fmt.Fprintf(&out, "%02d", t.Year()%100)
			continue
		}
		out.WriteByte('%')
		out.WriteByte(text[i])
	}
	e, err := f.FunctionExpression.WithChildren(ctx, expression.NewLiteral(v, args[0].Type(ctx)), expression.NewLiteral(out.String(), types.LongText))
	if err != nil {
		return nil, err
	}
	return e.Eval(ctx, row)
}

// momentNumber is a date or a time in arithmetic, which is a number.
type momentNumber struct {
	expression.UnaryExpressionStub
	digits int // of the fraction of a second; below 0: not known
	date   bool
}

var (
	_ sql.Expression         = (*momentNumber)(nil)
	_ sql.CollationCoercible = (*momentNumber)(nil)
)

// withNumbers makes numbers of the dates and times among the operands of an expression; nil where there are none.
func (r replacer) withNumbers(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	children := e.Children()
	var out []sql.Expression
	for i, c := range children {
		if isInterval(c) || !c.Resolved() {
			return nil, nil
		}
		if typ := c.Type(ctx); isTemporal(typ) {
			if out == nil {
				out = append([]sql.Expression{}, children...)
			}
			out[i] = &momentNumber{expression.UnaryExpressionStub{Child: c}, r.fractionOf(ctx, c), types.IsDateType(typ)}
		}
	}
	if out == nil {
		return nil, nil
	}
	return e.WithChildren(ctx, out...)
}

// Type implements sql.Expression.
func (n *momentNumber) Type(*sql.Context) sql.Type {
	if n.digits <= 0 {
		return types.Int64
	}
	return types.MustCreateDecimalType(uint8(14+n.digits), uint8(n.digits))
}

// CollationCoercibility implements sql.CollationCoercible.
func (*momentNumber) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (n *momentNumber) String() string { return n.Child.String() }

// WithChildren implements sql.Expression.
func (n *momentNumber) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	own := *n
	own.Child = children[0]
	return &own, nil
}

// Eval implements sql.Expression.
func (n *momentNumber) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := n.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	d := numberOfMoment(v, n.date)
	if d == nil {
		return nil, mysqlerr.NotYet("arithmetic of such a date or time; CAST it in a query of its table")
	}
	if n.digits > 0 {
		return quantized(d, n.digits)
	}
	whole := truncated(d)
	if n.digits < 0 && whole.Cmp(d) != 0 {
		return nil, mysqlerr.NotYet("arithmetic of this time with a fraction of a second; CAST it in a query of its table")
	}
	return whole.Int64()
}
