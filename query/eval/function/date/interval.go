package date

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/temporal"
)

var units = [...]temporal.Unit{
	tree.UnitYear: temporal.Year, tree.UnitQuarter: temporal.Quarter, tree.UnitMonth: temporal.Month, tree.UnitWeek: temporal.Week,
	tree.UnitDay: temporal.Day, tree.UnitHour: temporal.Hour, tree.UnitMinute: temporal.Minute, tree.UnitSecond: temporal.Second,
	tree.UnitMicrosecond: temporal.Microsecond, tree.UnitYearMonth: temporal.YearMonth, tree.UnitDayHour: temporal.DayHour,
	tree.UnitDayMinute: temporal.DayMinute, tree.UnitDaySecond: temporal.DaySecond, tree.UnitDayMicrosecond: temporal.DayMicrosecond,
	tree.UnitHourMinute: temporal.HourMinute, tree.UnitHourSecond: temporal.HourSecond, tree.UnitHourMicrosecond: temporal.HourMicrosecond,
	tree.UnitMinuteSecond: temporal.MinuteSecond, tree.UnitMinuteMicrosecond: temporal.MinuteMicrosecond,
	tree.UnitSecondMicrosecond: temporal.SecondMicrosecond,
}

// amount is the row form of INTERVAL's value; false is NULL.
type amount func(*eval.Frame) (temporal.Interval, bool)

// amountOf makes it, and says how many digits of a fraction it has.
func amountOf(b *eval.Builder, value *eval.Expr, u temporal.Unit) (amount, int) {
	switch {
	case u.Compound():
		text := b.ToText(value)
		if !text.Null() {
			text = b.ToSet(text, utf8mb4)
		}
		row := eval.Of[[]byte](text)
		return func(f *eval.Frame) (temporal.Interval, bool) {
			s, null := row(f)
			if null {
				return temporal.Interval{}, false
			}
			return temporal.TextInterval(u, s)
		}, u.Fraction()
	case u == temporal.Second && value.Type.Decimals > 0:
		sec := seconds(b, value)
		return func(f *eval.Frame) (temporal.Interval, bool) {
			n, shown, null := sec.row(f)
			if null {
				return temporal.Interval{}, false
			}
			i, ok := temporal.SecondInterval(n)
			if !ok {
				f.Warn(mysqlerr.TruncatedWrongValue, "seconds", shown.String())
			}
			return i, ok
		}, sec.fraction
	}
	row := eval.Of[int64](b.ToInt(value))
	return func(f *eval.Frame) (temporal.Interval, bool) {
		n, null := row(f)
		if null {
			return temporal.Interval{}, false
		}
		return temporal.IntInterval(u, n), true
	}, u.Fraction()
}

// sumKind is the type of x + INTERVAL; Char is text.
func sumKind(k types.Kind, u temporal.Unit) types.Kind {
	switch {
	case k == types.Date && !u.HasClock(), k == types.Time && u.FitsTime():
		return k
	case k.Temporal():
		return types.Datetime
	}
	return types.Char
}

// AddInterval is x + INTERVAL value unit, or x - INTERVAL ... if it is minus.
func AddInterval(b *eval.Builder, x *eval.Expr, minus bool, value *eval.Expr, unit tree.Unit) (*eval.Expr, error) {
	u := units[unit]
	row, err := b.Moment(x, raw(lenient(b)))
	if err != nil {
		return nil, err
	}
	interval, digits := amountOf(b, value, u)
	fraction, kind := digits, sumKind(x.Type.Kind, u)
	if b.Fraction(x, temporal.InDate) > digits {
		fraction = b.Fraction(x, temporal.InDate) // once more, as MariaDB does, with its warnings
	}
	whole := complete(b)
	sum := func(f *eval.Frame) (v temporal.Value, null bool) {
		if x.Type.Kind == types.Time && !u.FitsTime() {
			f.Warn(mysqlerr.DatetimeFunctionOverflow, "time")
			return v, true
		}
		if v, null = row(f); null {
			return v, true
		}
		word := "datetime"
		if v.Kind == temporal.Time {
			word = "time"
		}
		if kind == types.Datetime && v.Kind == temporal.Date {
			v.Kind = temporal.DateTime
		}
		if word == "datetime" && !whole.Complete(f, v) {
			return v, true
		}
		ok := word != "time" || u.FitsTime()
		if ok {
			i, some := interval(f)
			if !some {
				return v, true
			}
			v, ok = v.Add(u, i, minus)
		}
		if !ok {
			f.Warn(mysqlerr.DatetimeFunctionOverflow, word)
			return v, true
		}
		v.Packed = v.Packed.Truncate(fraction)
		return v, false
	}
	var out *eval.Expr
	if kind == types.Char {
		out = asText(b, "date_add_interval", fraction, sum, x, value)
	} else {
		out = eval.New("date_add_interval", types.TemporalType(kind, fraction).OrNull(), packed(sum), x, value)
	}
	sign := " + interval "
	if minus {
		sign = " - interval "
	}
	return out.Printed(func(dst []byte) []byte {
		dst = value.Print(append(x.Print(dst), sign...))
		return append(append(dst, ' '), strings.ToLower(u.String())...)
	}), nil
}

// Extract is EXTRACT(unit FROM x).
func Extract(b *eval.Builder, unit tree.Unit, x *eval.Expr) (*eval.Expr, error) {
	u := units[unit]
	how := raw(lenient(b))
	if how.Context = u.Context(); how.Context == temporal.InTime {
		how = raw(clock(b))
	}
	length := extractLengths[u].days
	if x.Type.Kind.Temporal() {
		length = extractLengths[u].most
	}
	t := types.LongType(length)
	if length > 10 {
		t = types.BigintType(length, false)
	}
	week := uint(b.Env.WeekFormat)
	out, err := over(b, "extract", t, how, x, func(_ *eval.Frame, v temporal.Value) (int64, bool) { return v.Extract(u, week), false })
	if err != nil {
		return nil, err
	}
	return out.Printed(func(dst []byte) []byte {
		dst = append(append(append(dst, "extract("...), strings.ToLower(u.String())...), " from "...)
		return append(x.Print(dst), ')')
	}), nil
}
