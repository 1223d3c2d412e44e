package semantics

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// castOperand is what CAST converts to a number or a date, as MariaDB reads it. go-mysql-server makes seconds of dates, 0 of times and of numbers that do
// not fit, and NULL of dates that are not written as it likes them.
type castOperand struct {
	expression.UnaryExpressionStub
	to   sql.Type
	date bool // the operand is a DATE
	// precision and scale are those of a DECIMAL that is cast to, whose type does not tell them where the scale is 0.
	precision, scale int
}

// decimalCast is how a cast to DECIMAL ends as text.
var decimalCast = regexp.MustCompile(`, decimal(?:\((\d+)(?:,(\d+))?\))?\)$`)

// decimalDigits are the precision and the scale of a cast to DECIMAL.
func decimalDigits(c *expression.Convert) (precision, scale int) {
	precision = 10
	if m := decimalCast.FindStringSubmatch(c.String()); m != nil && m[1] != "" {
		precision, _ = strconv.Atoi(m[1])
		scale, _ = strconv.Atoi(m[2])
	}
	return precision, scale
}

var (
	_ sql.Expression         = (*castOperand)(nil)
	_ sql.CollationCoercible = (*castOperand)(nil)
)

// newCastOperand gives nil for a cast that needs none.
func newCastOperand(ctx *sql.Context, c *expression.Convert) (sql.Expression, error) {
	if !c.Child.Resolved() {
		return nil, nil
	}
	if _, done := c.Child.(*castOperand); done {
		return nil, nil
	}
	to := c.Type(ctx)
	switch {
	case types.IsInteger(to), types.IsDecimal(to), types.IsTime(to), types.IsTimespan(to):
	default:
		return nil, nil
	}
	o := &castOperand{UnaryExpressionStub: expression.UnaryExpressionStub{Child: c.Child}, to: to, date: types.IsDateType(c.Child.Type(ctx))}
	if types.IsDecimal(to) {
		o.precision, o.scale = decimalDigits(c)
	}
	return c.WithChildren(ctx, o)
}

// Type implements sql.Expression.
func (o *castOperand) Type(ctx *sql.Context) sql.Type {
	typ := o.Child.Type(ctx)
	if isTemporal(typ) && !isTemporal(o.to) {
		return types.InternalDecimalType
	}
	return typ
}

// CollationCoercibility implements sql.CollationCoercible.
func (o *castOperand) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, o.Child)
}

// String implements sql.Expression.
func (o *castOperand) String() string { return o.Child.String() }

// WithChildren implements sql.Expression.
func (o *castOperand) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(o, len(children), 1)
	}
	own := *o
	own.Child = children[0]
	return &own, nil
}

// Eval implements sql.Expression.
func (o *castOperand) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := o.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	if _, isJSON := v.(sql.JSONWrapper); !isJSON {
		if v, err = sql.UnwrapAny(ctx, v); err != nil {
			return nil, err
		}
	}
	switch {
	case types.IsInteger(o.to):
		return o.integer(v)
	case types.IsDecimal(o.to):
		return o.decimal(ctx, v)
	case types.IsTimespan(o.to):
		return o.time(v)
	}
	return o.moment(v)
}

func (o *castOperand) refused(what string) error {
	return mysqlerr.NotYet("CAST of " + what + " AS " + strings.ToUpper(o.to.String()) + " in a statement of several tables")
}

func (o *castOperand) integer(v any) (any, error) {
	switch v := v.(type) {
	case uint64:
		if !types.IsUnsigned(o.to) {
			return int64(v), nil
		}
	case time.Time, types.Timespan:
		n := numberOfMoment(v, o.date)
		out := new(apd.Decimal)
		_, err := apd.BaseContext.WithPrecision(apd.MaxExponent/1000).RoundToIntegralExact(out, truncated(n))
		return out, err
	case float64:
		if v < 0 && types.IsUnsigned(o.to) {
			return nil, o.refused("a negative number")
		}
	case float32:
		if v < 0 && types.IsUnsigned(o.to) {
			return nil, o.refused("a negative number")
		}
	case string:
		if beyondInt64(v) {
			return nil, o.refused("a text with so many digits")
		}
	case []byte:
		if beyondInt64(string(v)) {
			return nil, o.refused("a text with so many digits")
		}
	}
	return v, nil
}

// digitsBefore counts the digits that a text begins with, zeros left out.
func digitsBefore(s string) int {
	s = strings.TrimLeft(strings.TrimLeft(s, " \t\n"), "+-0")
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

// beyondInt64 reports whether a text begins with an integer that does not fit into 64 bits with a sign.
func beyondInt64(s string) bool {
	s = strings.TrimLeft(strings.TrimLeft(s, " \t\n"), "+-")
	_, err := strconv.ParseInt(s[:len(s)-len(strings.TrimLeft(s, "0123456789"))], 10, 64)
	return errors.Is(err, strconv.ErrRange)
}

// numberOfMoment is a date and time as the number that MariaDB makes of it, with its microseconds.
func numberOfMoment(v any, date bool) *apd.Decimal {
	switch v := v.(type) {
	case time.Time:
		if v.Equal(types.ZeroTime) {
			return apd.New(0, 0)
		}
		day := int64(v.Year())*10000 + int64(v.Month())*100 + int64(v.Day())
		if date {
			return apd.New(day, 0)
		}
		clock := int64(v.Hour())*10000 + int64(v.Minute())*100 + int64(v.Second())
		n := new(apd.Decimal)
		_, _, _ = n.SetString(fmt.Sprintf("%d.%06d", day*1000000+clock, v.Nanosecond()/1000))
		return n
	case types.Timespan:
		micros, sign := int64(v), ""
		if micros < 0 {
			micros, sign = -micros, "-"
		}
		seconds := micros / 1_000_000
		n := new(apd.Decimal)
		_, _, _ = n.SetString(fmt.Sprintf("%s%d.%06d", sign, seconds/3600*10000+seconds/60%60*100+seconds%60, micros%1_000_000))
		return n
	}
	return nil
}

// truncated leaves out what is behind the point.
func truncated(n *apd.Decimal) *apd.Decimal {
	var whole, rest apd.Decimal
	n.Modf(&whole, &rest)
	return &whole
}

func (o *castOperand) decimal(ctx *sql.Context, v any) (any, error) {
	_, isText := v.(string)
	n := numberOfMoment(v, o.date)
	if n == nil {
		converted, _, err := types.InternalDecimalType.Convert(ctx, v)
		d, ok := converted.(*apd.Decimal)
		if err != nil || !ok {
			if text, _ := v.(string); isText && digitsBefore(text) > o.precision-o.scale {
				return nil, o.refused("a text that begins with so many digits")
			}
			return v, nil // CAST knows what to say of it
		}
		n = d
	}
	rounded, limit := new(apd.Decimal), apd.New(1, int32(o.precision-o.scale))
	c := apd.BaseContext.WithPrecision(200)
	c.Rounding = apd.RoundHalfUp
	if _, err := c.Quantize(rounded, n, -int32(o.scale)); err != nil {
		return nil, err
	}
	if magnitude := new(apd.Decimal); magnitude.Abs(rounded).Cmp(limit) >= 0 {
		negative := rounded.Negative
		if _, err := c.Sub(rounded, limit, apd.New(1, -int32(o.scale))); err != nil {
			return nil, err
		}
		rounded.Negative = negative
		ctx.Warn(int(mysqlerr.WarnDataOutOfRange), "Out of range value for column 'cast(%s as decimal(%d,%d))' at row 1", o.Child, o.precision, o.scale)
	}
	if isText {
		return rounded.Text('f'), nil
	}
	return rounded, nil
}

// moment is for casts to dates, and dates with times.
func (o *castOperand) moment(v any) (any, error) {
	switch v := v.(type) {
	case time.Time:
		if d, ok := o.to.(sql.DatetimeType); ok && !types.IsDateType(o.to) {
			unit := time.Second
			for range d.Precision() {
				unit /= 10
			}
			return v.Truncate(unit), nil
		}
		return v, nil
	case types.Timespan:
		return nil, o.refused("a TIME")
	}
	return v, plainMoment(v, o.refused)
}

// time is for casts to TIME, of which the plan does not say how many digits are asked for.
func (o *castOperand) time(v any) (any, error) {
	switch v := v.(type) {
	case time.Time:
		if v.Nanosecond() != 0 {
			return nil, o.refused("a fraction of a second")
		}
		return v, nil
	case types.Timespan:
		if int64(v)%1_000_000 != 0 {
			return nil, o.refused("a fraction of a second")
		}
		return v, nil
	case string:
		if _, err := time.Parse("15:04:05", v); err == nil {
			return v, nil
		}
		if noMoment(v) && v != "" {
			return v, nil
		}
	}
	return nil, o.refused("such a value")
}

// lastNoDate is the largest number that is no date.
const lastNoDate = 100

// plainMoment is the error of what go-mysql-server reads as another date than MariaDB: numbers, and texts but `YYYY-MM-DD`, with or without `HH:MM:SS`.
func plainMoment(v any, refused func(what string) error) error {
	var text string
	switch v := v.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	case time.Time, types.Timespan:
		return nil
	default:
		if n, _, err := types.Int64.Convert(context.Background(), v); err == nil && n.(int64) >= 0 && n.(int64) <= lastNoDate {
			return nil
		}
		return refused("a number as a date")
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04:05", "2006-01-02 15:04:05.999999"} {
		if t, err := time.Parse(layout, text); err == nil && len(text) >= len("2006-01-02") && t.Year() > 0 {
			return nil
		}
	}
	if noMoment(text) {
		return nil
	}
	return refused("a text that is not written as YYYY-MM-DD, with or without HH:MM:SS,")
}

// noMoment reports whether a text is no date in any way of reading it.
func noMoment(text string) bool {
	return text == "" || !strings.ContainsAny(text[:1], " \t\n-+0123456789")
}
