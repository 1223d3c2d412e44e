package date

import (
	"fmt"
	"strconv"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// makers make dates and times of numbers.
var makers = []eval.Def{
	{Name: "FROM_DAYS", Min: 1, Max: 1, Bind: fromDays},
	{Name: "MAKEDATE", Min: 2, Max: 2, Bind: makeDate},
	{Name: "MAKETIME", Min: 3, Max: 3, Bind: makeTime},
	{Name: "SEC_TO_TIME", Min: 1, Max: 1, Bind: secToTime},
	period("PERIOD_ADD", "period_add", temporal.PeriodAdd),
	period("PERIOD_DIFF", "period_diff", temporal.PeriodDiff),
}

// fromDays is FROM_DAYS: where a complete date is asked for only day 0 is none.
func fromDays(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	days, mode := b.ToInt(args[0]), b.Env.Mode.Temporal()
	x := eval.Map1("from_days", types.TemporalType(types.Date, 0).OrNull(), func(_ *eval.Frame, n int64) (temporal.Packed, bool) {
		return temporal.FromDays(n), n == 0 && mode.NoZeroDate
	}, days)
	row := eval.Of[int64](days)
	return x.ReadBy(func(how eval.Reading) eval.Moment {
		return func(f *eval.Frame) (temporal.Value, bool) {
			n, null := row(f)
			return temporal.Value{Packed: temporal.FromDays(n), Kind: temporal.Date}, null || n == 0 && how.Mode.NoZeroDate
		}
	}), nil
}

// makeDate is MAKEDATE: the day is computed before the year, and both even if one is NULL.
func makeDate(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	year, day := eval.Of[int64](b.ToInt(args[0])), eval.Of[int64](b.ToInt(args[1]))
	return eval.New("makedate", types.TemporalType(types.Date, 0).OrNull(), func(f *eval.Frame) (temporal.Packed, bool) {
		d, noDay := day(f)
		y, noYear := year(f)
		if noDay || noYear {
			return 0, true
		}
		v, ok := temporal.MakeDate(y, d)
		return v, !ok
	}, args...), nil
}

// period is PERIOD_ADD or PERIOD_DIFF, whose arguments are both computed even if one is NULL.
func period(name, shown string, f func(a, b int64) int64) eval.Def {
	return eval.Def{Name: name, Min: 2, Max: 2, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		one, two := eval.Of[int64](b.ToInt(args[0])), eval.Of[int64](b.ToInt(args[1]))
		return eval.New(shown, types.LongType(6).NullIf(args[0].Type, args[1].Type), func(fr *eval.Frame) (int64, bool) {
			v, null := one(fr)
			w, nullToo := two(fr)
			if null || nullToo {
				return 0, true
			}
			return f(v, w), false
		}, args...), nil
	}}
}

// number is an expression as a number of seconds, and how warnings show it.
type number struct {
	row      func(*eval.Frame) (n temporal.Number, shown quotation, null bool)
	fraction int // digits, at most 6
	float    bool
}

// quotation is a number as warnings show it.
type quotation struct {
	form  byte // i, u, f, d; t is the value of a date or time
	int   int64
	float float64
	dec   decimal.Dec
	time  temporal.Number
}

func (q quotation) String() string {
	switch q.form {
	case 'i':
		return strconv.FormatInt(q.int, 10)
	case 'u':
		return strconv.FormatUint(uint64(q.int), 10)
	case 'f':
		return string(floattext.Append(nil, q.float, false))
	case 't':
		return numberText(q.time)
	}
	return q.dec.String()
}

// seconds reads an expression as a number of seconds: text as a DECIMAL, or as an integer if it has no decimals.
func seconds(b *eval.Builder, x *eval.Expr) number {
	out := number{fraction: min(int(x.Type.Decimals), temporal.FractionMax)}
	if x.Type.Members != nil {
		out.fraction = 0
	}
	switch class := x.Type.Class(); {
	case class == types.ClassFloat:
		row := eval.Of[float64](x)
		out.float = true
		out.row = func(f *eval.Frame) (temporal.Number, quotation, bool) {
			v, null := row(f)
			return temporal.FloatNumber(v), quotation{form: 'f', float: v}, null
		}
	case out.fraction == 0 && class != types.ClassDec || x.Type.Hybrid:
		x = b.ToInt(x)
		row, unsigned := eval.Of[int64](x), x.Type.Unsigned
		out.row = func(f *eval.Frame) (temporal.Number, quotation, bool) {
			v, null := row(f)
			if unsigned {
				return temporal.UintNumber(uint64(v)), quotation{form: 'u', int: v}, null
			}
			return temporal.IntNumber(v), quotation{form: 'i', int: v}, null
		}
	default:
		row, timely := eval.Of[decimal.Dec](b.ToDec(x)), x.Timely()
		out.row = func(f *eval.Frame) (temporal.Number, quotation, bool) {
			d, null := row(f)
			if null {
				return temporal.Number{}, quotation{}, true
			}
			n := temporal.DecimalNumber(d.Append(f.Buffer(decimal.TextMax)))
			if timely {
				return n, quotation{form: 't', time: n}, false
			}
			return n, quotation{form: 'd', dec: d}, false
		}
	}
	return out
}

// makeTime is MAKETIME, all of whose arguments are computed even if one is NULL.
func makeTime(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	hours := b.ToInt(args[0])
	hour, minute, sec := eval.Of[int64](hours), eval.Of[int64](b.ToInt(args[1])), seconds(b, args[2])
	unsigned, mode := hours.Type.Unsigned, b.Env.Mode.Temporal()
	return eval.New("maketime", types.TemporalType(types.Time, sec.fraction).OrNull(), func(f *eval.Frame) (temporal.Packed, bool) {
		h, noHour := hour(f)
		m, noMinute := minute(f)
		s, shown, noSecond := sec.row(f)
		if !noSecond && s.Whole > 59 {
			f.Warn(mysqlerr.TruncatedWrongValue, "seconds", shown.String())
		}
		if noHour || noMinute || noSecond {
			return 0, true
		}
		n := temporal.IntNumber(h)
		if unsigned {
			n = temporal.UintNumber(uint64(h))
		}
		v, c, ok := mode.MakeTime(n, m, s, sec.fraction)
		if !ok {
			return 0, true
		}
		if c != 0 {
			whole := quotation{form: 'i', int: h}
			if unsigned {
				whole.form = 'u'
			}
			f.Warn(mysqlerr.TruncatedWrongValue, "time", fmt.Sprintf("%s:%02d:%02d", whole, m, s.Whole))
		}
		return v, false
	}, args...), nil
}

func secToTime(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	sec, mode := seconds(b, args[0]), b.Env.Mode.Temporal()
	return eval.New("sec_to_time", types.TemporalType(types.Time, sec.fraction).OrNull(), func(f *eval.Frame) (temporal.Packed, bool) {
		n, shown, null := sec.row(f)
		if null {
			return 0, true
		}
		v, c := mode.SecToTime(n, sec.fraction)
		if c != 0 {
			f.Warn(mysqlerr.TruncatedWrongValue, "seconds", clipped(n, mode.FitNumber(n, sec.fraction), shown))
		}
		return v, false
	}, args...), nil
}

// clipped is how the warning of SEC_TO_TIME shows its number.
func clipped(n, fit temporal.Number, shown quotation) string {
	if n.Clipped {
		return shown.String()
	}
	return numberText(fit)
}

// numberText is a number of seconds with all digits of its fraction, if it has one.
func numberText(n temporal.Number) string {
	sign := ""
	if n.Negative {
		sign = "-"
	}
	if n.Micro == 0 {
		return fmt.Sprintf("%s%d", sign, n.Whole)
	}
	return fmt.Sprintf("%s%d.%06d", sign, n.Whole, n.Micro)
}
