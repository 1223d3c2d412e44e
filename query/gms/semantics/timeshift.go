package semantics

import (
	"fmt"
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// timeShift is a TIME plus or minus an interval: a TIME again, NULL with warning 1441 beyond its range and for
// months and years. go-mysql-server takes the TIME for one of today.
type timeShift struct {
	expression.BinaryExpressionStub // the TIME, and the interval
	minus                           bool
}

var (
	_ sql.Expression         = (*timeShift)(nil)
	_ sql.CollationCoercible = (*timeShift)(nil)
)

// newTimeShift replaces DATE_ADD, DATE_SUB and their like over a TIME; nil for others. What the SQL engine's plan
// cannot say about the result's digits is refused.
func newTimeShift(ctx *sql.Context, e sql.FunctionExpression) (sql.Expression, error) {
	name := strings.ToLower(e.FunctionName())
	switch name {
	case "date_add", "date_sub", "adddate", "subdate", "timestampadd":
	default:
		return nil, nil // another function
	}
	children := e.Children()
	span := false
	for _, c := range children {
		if !c.Resolved() && !isInterval(c) {
			return nil, nil // not yet
		}
		span = span || !isInterval(c) && types.IsTimespan(c.Type(ctx))
	}
	if !span {
		return nil, nil // of dates
	}
	refused := mysqlerr.New(mysqlerr.NotSupportedYet, strings.ToUpper(name)+"() of a TIME in this form; use TIME + INTERVAL n SECOND to DAY")
	if len(children) != 2 {
		return nil, refused
	}
	i, ok := children[1].(*expression.Interval)
	if !ok || strings.Contains(strings.ToLower(i.Unit), "microsecond") {
		return nil, refused
	}
	minus := name == "date_sub" || name == "subdate"
	return &timeShift{expression.BinaryExpressionStub{LeftChild: children[0], RightChild: i}, minus}, nil
}

// Type implements sql.Expression.
func (*timeShift) Type(*sql.Context) sql.Type { return types.Time }

// IsNullable implements sql.Expression.
func (*timeShift) IsNullable(*sql.Context) bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (*timeShift) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (s *timeShift) String() string {
	op := "+"
	if s.minus {
		op = "-"
	}
	return fmt.Sprintf("%s %s %s", s.LeftChild, op, s.RightChild)
}

// WithChildren implements sql.Expression.
func (s *timeShift) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 2)
	}
	own := *s
	own.LeftChild = children[0]
	own.RightChild = expression.NewInterval(children[1], s.RightChild.(*expression.Interval).Unit)
	return &own, nil
}

// Children implements sql.Expression: the TIME, and what the interval is computed from. The interval itself does
// not show, for the analyzer refuses one below expressions that it does not know.
func (s *timeShift) Children() []sql.Expression {
	return []sql.Expression{s.LeftChild, s.RightChild.(*expression.Interval).Child}
}

// Resolved implements sql.Expression.
func (s *timeShift) Resolved() bool {
	return s.LeftChild.Resolved() && s.RightChild.(*expression.Interval).Child.Resolved()
}

// timeMost is the greatest TIME, 838:59:59.999999, in microseconds.
const timeMost = (838*3600+59*60+59)*1_000_000 + 999_999

// Eval implements sql.Expression.
func (s *timeShift) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := s.LeftChild.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	d, err := s.RightChild.(*expression.Interval).EvalDelta(ctx, row)
	if err != nil || d == nil {
		return nil, err
	}
	converted, _, err := types.Time.Convert(ctx, v)
	if err != nil {
		return nil, err
	}
	span, ok := converted.(types.Timespan)
	if !ok {
		return nil, nil
	}
	// In seconds first: a double holds them all, and only what is in range is added exactly.
	shift := float64(d.Days)*86400 + float64(d.Hours)*3600 + float64(d.Minutes)*60 + float64(d.Seconds) + float64(d.Microseconds)/1e6
	if d.Years == 0 && d.Months == 0 && math.Abs(shift) < 1e9 {
		micros := ((d.Days*24+d.Hours)*60+d.Minutes)*60*1_000_000 + d.Seconds*1_000_000 + d.Microseconds
		if s.minus {
			micros = -micros
		}
		if out := int64(span) + micros; out >= -timeMost && out <= timeMost {
			return types.Timespan(out), nil
		}
	}
	ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: errDatetimeOverflow, Message: "Datetime function: time field overflow"})
	return nil, nil
}

// errDatetimeOverflow is ER_DATETIME_FUNCTION_OVERFLOW.
const errDatetimeOverflow = 1441
