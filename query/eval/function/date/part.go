package date

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// parts are functions that take something out of a date or time.
var parts = []eval.Def{
	part("YEAR", "year", 4, lenient, func(v temporal.Value) int64 { return int64(v.Parts().Year) }),
	part("QUARTER", "quarter", 1, lenient, func(v temporal.Value) int64 { return int64(v.Packed.Quarter()) }),
	part("MONTH", "month", 2, lenient, func(v temporal.Value) int64 { return int64(v.Parts().Month) }),
	part("DAY", "dayofmonth", 2, lenient, func(v temporal.Value) int64 { return int64(v.Parts().Day) }),
	part("DAYOFMONTH", "dayofmonth", 2, lenient, func(v temporal.Value) int64 { return int64(v.Parts().Day) }),
	part("HOUR", "hour", 2, clock, func(v temporal.Value) int64 { return int64(v.Parts().Hour) }),
	part("MINUTE", "minute", 2, clock, func(v temporal.Value) int64 { return int64(v.Parts().Minute) }),
	part("SECOND", "second", 2, clock, func(v temporal.Value) int64 { return int64(v.Parts().Second) }),
	part("MICROSECOND", "microsecond", 6, clock, func(v temporal.Value) int64 { return int64(v.Parts().Micro) }),
	part("DAYOFWEEK", "dayofweek", 1, complete, func(v temporal.Value) int64 { return int64(v.Packed.DayOfWeek()) }),
	part("WEEKDAY", "weekday", 1, complete, func(v temporal.Value) int64 { return int64(v.Packed.Weekday()) }),
	part("DAYOFYEAR", "dayofyear", 3, complete, func(v temporal.Value) int64 { return int64(v.Packed.DayOfYear()) }),
	part("WEEKOFYEAR", "weekofyear", 2, complete, func(v temporal.Value) int64 { return int64(v.Packed.Week(3)) }),
	part("TO_DAYS", "to_days", 6, complete, func(v temporal.Value) int64 { return v.Packed.ToDays() }),
	{Name: "TO_SECONDS", Min: 1, Max: 1, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return over(b, "to_seconds", types.BigintType(12, false), complete(b), args[0], func(_ *eval.Frame, v temporal.Value) (int64, bool) {
			return v.Packed.ToSeconds(), false
		})
	}},
	week("WEEK", "week", 2, func(v temporal.Packed, mode uint) int64 { return int64(v.Week(mode)) }),
	week("YEARWEEK", "yearweek", 6, temporal.Packed.YearWeek),
	{Name: "TIME_TO_SEC", Min: 1, Max: 1, Bind: timeToSec},
	{Name: "LAST_DAY", Min: 1, Max: 1, Bind: lastDay},
}

func part(name, shown string, length uint32, how func(*eval.Builder) eval.Reading, f func(temporal.Value) int64) eval.Def {
	return eval.Def{Name: name, Min: 1, Max: 1, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return over(b, shown, types.LongType(length), how(b), args[0], func(_ *eval.Frame, v temporal.Value) (int64, bool) { return f(v), false })
	}}
}

// week is WEEK or YEARWEEK, of which a mode that is NULL is 0; the mode that is not written is default_week_format for WEEK.
func week(name, shown string, length uint32, f func(temporal.Packed, uint) int64) eval.Def {
	return eval.Def{Name: name, Min: 1, Max: 2, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		t := types.LongType(length)
		if len(args) == 1 {
			mode := uint(0)
			if name == "WEEK" {
				mode = uint(b.Env.WeekFormat)
			}
			return over(b, shown, t, complete(b), args[0], func(_ *eval.Frame, v temporal.Value) (int64, bool) { return f(v.Packed, mode), false })
		}
		row, err := b.Moment(args[0], complete(b))
		if err != nil {
			return nil, err
		}
		mode := eval.Of[int64](b.ToInt(args[1]))
		return eval.New(shown, t.OrNull(), func(fr *eval.Frame) (int64, bool) {
			v, null := row(fr)
			if null {
				return 0, true
			}
			m, null := mode(fr)
			if null {
				m = 0
			}
			return f(v.Packed, uint(m)), false
		}, args...), nil
	}}
}

// stricter is a reading under sql_mode with the demands of another one.
func stricter(b *eval.Builder, how eval.Reading) eval.Reading {
	own := sessional(b)
	own.Mode.NoZeroDate = own.Mode.NoZeroDate || how.Mode.NoZeroDate
	own.Mode.NoZeroInDate = own.Mode.NoZeroInDate || how.Mode.NoZeroInDate
	return own
}

func lastDay(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	last := func(row eval.Moment) eval.Moment {
		return func(f *eval.Frame) (temporal.Value, bool) {
			v, null := row(f)
			if null {
				return v, true
			}
			d, ok := v.Packed.LastDay()
			return temporal.Value{Packed: d, Kind: temporal.Date}, !ok
		}
	}
	own := sessional(b)
	own.Mode.RoundFraction = false // which may be another month's
	row, err := b.Moment(args[0], own)
	if err != nil {
		return nil, err
	}
	x := eval.New("last_day", types.TemporalType(types.Date, 0).OrNull(), packed(last(row)), args...)
	return x.ReadBy(func(how eval.Reading) eval.Moment {
		own := sessional(b)
		fractions := own.Mode.RoundFraction
		own.Mode = how.Mode
		own.Mode.RoundFraction = fractions
		row, err := b.Moment(args[0], own)
		if err != nil {
			return never
		}
		return last(row)
	}), nil
}

func timeToSec(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	fraction := b.Fraction(args[0], temporal.InTime)
	if fraction == 0 {
		return over(b, "time_to_sec", types.BigintType(17, false), clock(b), args[0], func(_ *eval.Frame, v temporal.Value) (int64, bool) {
			sec, _ := v.Time().TimeToSec()
			return sec, false
		})
	}
	return over(b, "time_to_sec", secondsType(fraction), clock(b), args[0], func(_ *eval.Frame, v temporal.Value) (decimal.Dec, bool) {
		return secondsDec(v.Time().Truncate(fraction).TimeToSec()), false
	})
}

// secondsType is that of a number of seconds with a fraction.
func secondsType(fraction int) types.Type {
	return types.DecimalType(decimal.Type{Precision: 16 + fraction, Scale: fraction})
}

// secondsDec is seconds and microseconds, both with the sign, as a DECIMAL.
func secondsDec(sec, micro int64) decimal.Dec {
	if micro == 0 {
		return decimal.FromInt64(sec)
	}
	d, _ := decimal.Div(decimal.FromInt64(micro), decimal.FromInt64(1_000_000), temporal.FractionMax)
	d, _ = d.Round(temporal.FractionMax, decimal.Truncate)
	d, _ = decimal.Add(decimal.FromInt64(sec), d)
	return d
}

// Lengths of EXTRACT's results: that of most arguments, and of those whose days are not limited to a month's.
var extractLengths = [...]struct{ most, days uint32 }{
	temporal.Year: {4, 4}, temporal.Quarter: {1, 1}, temporal.Month: {2, 2}, temporal.Week: {2, 2},
	temporal.Day: {3, 8}, temporal.Hour: {3, 3}, temporal.Minute: {3, 3}, temporal.Second: {3, 3}, temporal.Microsecond: {7, 7},
	temporal.YearMonth: {6, 6}, temporal.DayHour: {5, 10}, temporal.DayMinute: {7, 12}, temporal.DaySecond: {9, 14},
	temporal.HourMinute: {5, 5}, temporal.HourSecond: {7, 7}, temporal.MinuteSecond: {5, 5}, temporal.DayMicrosecond: {15, 20},
	temporal.HourMicrosecond: {13, 13}, temporal.MinuteMicrosecond: {11, 11}, temporal.SecondMicrosecond: {9, 9},
}
