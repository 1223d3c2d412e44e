package temporal_test

import (
	"fmt"
	"strings"

	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/types/temporal"
)

// dateTimes are values of DATETIME(6) and DATE, as literals.
var dateTimes = []string{
	"0000-00-00 00:00:00", "0000-00-00 00:00:00.000001", "0000-00-00 10:00:00", "0000-01-01 00:00:00", "0000-12-31 23:59:59", "0001-01-01 00:00:00", "0001-01-01 00:00:00.000001",
	"2020-00-00 00:00:00", "2020-00-10 10:11:12", "2020-01-00 10:11:12", "0004-02-29 01:02:03", "1000-01-01 00:00:00", "1752-09-14 12:00:00",
	"1969-12-31 23:59:59", "1970-01-01 00:00:00", "1970-01-01 00:00:01", "1999-12-31 23:59:59.999999", "2000-01-01 00:00:00", "2000-02-29 12:30:45.5",
	"2004-12-31 00:00:00", "2005-01-01 00:00:00", "2008-12-28 01:00:00", "2009-01-04 22:03:05.000078", "2010-01-03 00:00:00", "2012-01-01 00:00:00",
	"2015-12-31 23:59:59.9", "2016-01-01 00:00:00", "2018-12-31 00:00:00", "2019-12-29 13:00:00", "2020-01-01 00:00:00", "2020-01-31 10:11:12.123456", "2020-02-29 23:59:59",
	"2020-03-31 00:30:00.5", "2020-06-15 12:00:00", "2020-12-31 23:59:59.999999", "2021-01-03 00:00:00", "2021-02-28 11:59:59", "2038-01-19 03:14:07", "2038-01-19 03:14:08", "9999-12-31 23:59:59.999999", "9999-01-01 00:00:00",
}

// clocks are values of TIME(6).
var clocks = []string{
	"00:00:00", "00:00:00.000001", "-00:00:00.000001", "00:59:59.5", "-00:59:59.5", "01:02:03", "11:59:59.999999", "12:00:00", "12:30:45.123456", "13:14:15", "23:59:59.999999", "24:00:00", "25:00:01.5",
	"-10:11:12.123456", "-24:00:00", "-25:00:01.5", "99:59:59", "100:00:00", "240:10:20.1", "838:59:59.999999", "-838:59:59.999999", "838:59:59", "-838:59:59.5",
}

func packed(k temporal.Kind, s string) temporal.Packed {
	r, ok := temporal.Mode{InvalidDates: true}.ParseLiteral([]byte(s), k)
	if !ok {
		panic("no value: " + s)
	}
	return r.Value.Packed
}

// literal is a value and its literal.
type literal struct {
	sql string
	v   temporal.Value
	fsp int
}

func fractionDigits(s string) int {
	if _, f, ok := strings.Cut(s, "."); ok {
		return len(f)
	}
	return 0
}

func (as *asks) literals() (dates, times, all []literal) {
	moments, hours := append([]string(nil), dateTimes...), append([]string(nil), clocks...)
	for range 12 {
		day := temporal.FromDays(366 + as.rng.Int64N(3652424-366))
		if as.rng.IntN(2) == 0 {
			day = temporal.FromDays(719528 + as.rng.Int64N(68*365))
		}
		clock := temporal.Packed(0)
		if as.rng.IntN(4) > 0 {
			clock, _ = temporal.Mode{}.SecToTime(temporal.Number{Whole: as.rng.Uint64N(86400), Micro: as.rng.Uint32N(1000000)}, pick(as, []int{0, 1, 6}))
		}
		moments = append(moments, strings.TrimSuffix(string(temporal.AppendDateTime(nil, day+clock, temporal.AutoFraction)), "."))
		long, _ := temporal.Mode{}.SecToTime(temporal.Number{Whole: as.rng.Uint64N(3020400), Micro: as.rng.Uint32N(1000000), Negative: as.rng.IntN(2) == 0}, pick(as, []int{0, 3, 6}))
		hours = append(hours, string(temporal.AppendTime(nil, long, temporal.AutoFraction)))
	}
	for _, s := range moments {
		v := packed(temporal.DateTime, s)
		dates = append(dates, literal{"TIMESTAMP'" + s + "'", temporal.Value{Packed: v, Kind: temporal.DateTime}, fractionDigits(s)})
		date, _, _ := strings.Cut(s, " ")
		dates = append(dates, literal{"DATE'" + date + "'", temporal.Value{Packed: v.Date(), Kind: temporal.Date}, 0})
	}
	for _, s := range hours {
		times = append(times, literal{"TIME'" + s + "'", temporal.Value{Packed: packed(temporal.Time, s), Kind: temporal.Time}, fractionDigits(s)})
	}
	return dates, times, append(append([]literal(nil), dates...), times...)
}

// complete reads a date that must have no zero parts.
func (e *session) complete(l literal) bool {
	c := temporal.Mode{NoZeroDate: true, NoZeroInDate: true}.Check(l.v.Packed)
	if c == 0 {
		return true
	}
	e.warnf('W', temporal.CodeWrongValue, "Incorrect datetime value: '%s'", text(l.v, l.fsp))
	return false
}

func boolNull(v any, ok bool) string {
	if !ok {
		return null
	}
	return fmt.Sprint(v)
}

func (as *asks) functions() {
	dates, times, all := as.literals()
	for _, l := range dates {
		as.ofDate(l)
		for range 6 {
			as.ofTwoDates(l, pick(as, dates))
		}
	}
	for _, l := range times {
		as.add(plainMode, "TIME_TO_SEC("+l.sql+")", func(*session) string {
			sec, micro := l.v.Packed.TimeToSec()
			return seconds(sec, micro, l.fsp)
		})
	}
	for _, l := range all {
		as.add(plainMode, l.sql+"+0", func(*session) string { return string(l.v.AppendNumber(nil, l.fsp)) })
		as.add(plainMode, "CONCAT("+l.sql+"*1e0)", func(*session) string { return string(floattext.Append(nil, l.v.Float(), false)) })
		as.add(plainMode, "CONCAT("+l.sql+")", func(*session) string { return text(l.v, l.fsp) })
		for _, k := range []temporal.Kind{temporal.Date, temporal.DateTime, temporal.Time} {
			as.castValue(plainMode, l, k, as.rng.IntN(7))
			as.castValue(roundMode, l, k, as.rng.IntN(7))
		}
		for _, u := range [][]temporal.Unit{dateUnits, dayUnits, clockUnits} {
			for _, u := range u {
				if l.v.Kind == temporal.Time && u.Context() == temporal.InDate {
					continue
				}
				as.add(plainMode, fmt.Sprintf("EXTRACT(%s FROM %s)", u, l.sql), func(*session) string {
					return fmt.Sprint(l.v.Extract(u, 0))
				})
			}
		}
		as.rounding(l)
		for range 8 {
			as.ofTwo(l, pick(as, all), pick(as, times))
		}
	}
	as.makers()
}

// rounding asks for ROUND and TRUNCATE.
func (as *asks) rounding(l literal) {
	if l.v.Kind == temporal.Date {
		return
	}
	for fsp := range temporal.FractionMax + 1 {
		as.add(plainMode, fmt.Sprintf("TRUNCATE(%s,%d)", l.sql, fsp), func(*session) string {
			return text(temporal.Value{Packed: l.v.Packed.Truncate(fsp), Kind: l.v.Kind}, fsp)
		})
		as.add(plainMode, fmt.Sprintf("ROUND(%s,%d)", l.sql, fsp), func(e *session) string {
			m := temporal.Mode{RoundFraction: true}
			v, c := m.Fit(l.v, fsp)
			e.noNextHour(temporal.Result{Value: v, Cond: c})
			return text(v, fsp)
		})
	}
}

func seconds(sec, micro int64, fsp int) string {
	if fsp == 0 {
		return fmt.Sprint(sec)
	}
	sign := ""
	if sec < 0 || micro < 0 {
		sign, sec, micro = "-", -sec, -micro
	}
	return fmt.Sprintf("%s%d.%s", sign, sec, fmt.Sprintf("%06d", micro)[:fsp])
}

func (as *asks) castValue(mode string, l literal, k temporal.Kind, fsp int) {
	if k == temporal.Date {
		fsp = 0
	}
	as.add(mode, fmt.Sprintf("CAST(%s AS %s)", l.sql, typeName(k, fsp)), func(e *session) string {
		r := e.Cast(temporal.Result{Value: l.v}, k, fsp, today)
		e.noNextHour(r)
		return text(r.Value, fsp)
	})
}

// ofDate asks for the functions of one date.
func (as *asks) ofDate(l literal) {
	p := l.v.Packed
	whole := func(name string, f func() string) {
		as.add(plainMode, name, func(e *session) string {
			if !e.complete(l) {
				return null
			}
			return f()
		})
	}
	num := func(name string, f func() any) {
		whole(fmt.Sprintf("%s(%s)", name, l.sql), func() string { return fmt.Sprint(f()) })
	}
	num("TO_DAYS", func() any { return p.ToDays() })
	num("TO_SECONDS", func() any { return p.ToSeconds() })
	num("DAYOFWEEK", func() any { return p.DayOfWeek() })
	num("WEEKDAY", func() any { return p.Weekday() })
	num("DAYOFYEAR", func() any { return p.DayOfYear() })
	num("DAYNAME", func() any { return temporal.English.DayName(p) })
	for mode := range 9 {
		whole(fmt.Sprintf("WEEK(%s,%d)", l.sql, mode), func() string { return fmt.Sprint(p.Week(uint(mode))) })
		whole(fmt.Sprintf("YEARWEEK(%s,%d)", l.sql, mode), func() string { return fmt.Sprint(p.YearWeek(uint(mode))) })
	}
	as.add(plainMode, "QUARTER("+l.sql+")", func(*session) string { return fmt.Sprint(p.Quarter()) })
	as.add(plainMode, "MONTHNAME("+l.sql+")", func(*session) string { return boolNull(temporal.English.MonthName(p)) })
	as.add(plainMode, "LAST_DAY("+l.sql+")", func(*session) string {
		v, ok := p.LastDay()
		return boolNull(string(temporal.AppendDate(nil, v)), ok)
	})
}

var diffUnits = []temporal.Unit{
	temporal.Year, temporal.Quarter, temporal.Month, temporal.Week, temporal.Day,
	temporal.Hour, temporal.Minute, temporal.Second, temporal.Microsecond,
}

func (as *asks) ofTwoDates(a, b literal) {
	as.add(plainMode, fmt.Sprintf("DATEDIFF(%s,%s)", a.sql, b.sql), func(e *session) string {
		first, second := e.complete(a), e.complete(b)
		if !first || !second {
			return null
		}
		return fmt.Sprint(temporal.DateDiff(a.v.Packed, b.v.Packed))
	})
	u := pick(as, diffUnits)
	as.add(plainMode, fmt.Sprintf("TIMESTAMPDIFF(%s,%s,%s)", u, a.sql, b.sql), func(e *session) string {
		if !e.complete(a) || !e.complete(b) {
			return null
		}
		return boolNull(temporal.TimestampDiff(u, a.v.Packed, b.v.Packed))
	})
	as.add(plainMode, fmt.Sprintf("%s<%s", a.sql, b.sql), func(*session) string {
		if a.v.Packed < b.v.Packed {
			return "1"
		}
		return "0"
	})
}

// ofTwo asks for TIMEDIFF, ADDTIME and SUBTIME.
func (as *asks) ofTwo(a, b, span literal) {
	fsp := max(a.fsp, b.fsp)
	as.add(plainMode, fmt.Sprintf("TIMEDIFF(%s,%s)", a.sql, b.sql), func(e *session) string {
		v, c, ok := temporal.TimeDiff(a.v, b.v, fsp)
		if c != 0 {
			e.warnf('W', temporal.CodeWrongValue, "Truncated incorrect time value: '%s'", temporal.AppendTimeDiff(nil, a.v, b.v))
		}
		return boolNull(string(temporal.AppendTime(nil, v, fsp)), ok)
	})
	for _, sub := range []bool{false, true} {
		name := "ADDTIME"
		if sub {
			name = "SUBTIME"
		}
		fsp := max(a.fsp, span.fsp)
		as.add(plainMode, fmt.Sprintf("%s(%s,%s)", name, a.sql, span.sql), func(e *session) string {
			v, c, ok := temporal.AddTime(a.v, span.v.Packed, sub, fsp)
			if c != 0 {
				long := temporal.AppendAddTime(nil, a.v.Packed, span.v.Packed, sub)
				e.warnf('W', temporal.CodeWrongValue, "Truncated incorrect time value: '%s'", long)
			}
			return boolNull(text(v, fsp), ok)
		})
	}
}

// makers are functions of numbers.
func (as *asks) makers() {
	days := []int64{-1, 0, 1, 100, 365, 366, 367, 719528, 730000, 3652058, 3652424, 3652425, 1 << 40, 9223372036854775807, -9223372036854775808}
	for range 100 {
		days = append(days, 366+as.rng.Int64N(3652424-366))
	}
	for _, n := range days {
		as.add(plainMode, fmt.Sprintf("FROM_DAYS(%d)", n), func(*session) string {
			return string(temporal.AppendDate(nil, temporal.FromDays(n)))
		})
		year := pick(as, []int64{-1, 0, 1, 69, 70, 99, 100, 1970, 2019, 2020, 9999, 10000})
		day := pick(as, append(days, 31, 60, 61, 200))
		as.add(plainMode, fmt.Sprintf("MAKEDATE(%d,%d)", year, day), func(*session) string {
			v, ok := temporal.MakeDate(year, day)
			return boolNull(string(temporal.AppendDate(nil, v)), ok)
		})
	}
	periods := []int64{0, 1, 12, 13, 99, 101, 7001, 6912, 9912, 10001, 196912, 197001, 202001, 202012, 202013, 999912, 1000001, -1, -202001, 1 << 33}
	for _, a := range periods {
		for _, b := range append(periods, 2, -2, 1200, -1200, -24240, 2147483647, -2147483648, 4294967296) {
			as.add(plainMode, fmt.Sprintf("PERIOD_ADD(%d,%d)", a, b), func(*session) string { return fmt.Sprint(temporal.PeriodAdd(a, b)) })
			as.add(plainMode, fmt.Sprintf("PERIOD_DIFF(%d,%d)", a, b), func(*session) string { return fmt.Sprint(temporal.PeriodDiff(a, b)) })
		}
	}
	secs := []string{"0", "59", "59.5", "59.999999", "59.9999995", "60", "-1", "-0.5", "3599.9999999", "3020399", "3020399.5", "3020399.999999", "3020399.9999999", "3020400", "-3020399.9999999", "-3020400.25", "1e0", "1.25e0", "-1234567.123456789e0", "123456.1234565", "18446744073709551615"}
	for _, n := range secs {
		fsp := fractionDigits(n)
		if strings.HasSuffix(n, "e0") || fsp > temporal.FractionMax {
			fsp = temporal.FractionMax
		}
		for _, mode := range []string{plainMode, roundMode} {
			as.add(mode, "SEC_TO_TIME("+n+")", func(e *session) string {
				number, shown := numberOf(n)
				v, c := e.SecToTime(number, fsp)
				if c != 0 {
					e.warnf('W', temporal.CodeWrongValue, "Truncated incorrect seconds value: '%s'", e.clippedSeconds(number, shown, fsp))
				}
				return string(temporal.AppendTime(nil, v, fsp))
			})
			for range 6 {
				hour := pick(as, []int64{0, 10, -10, 838, -838, 839, -839, 1 << 40})
				minute := pick(as, []int64{0, 59, 60, -1, 30})
				as.makeTime(mode, hour, minute, n, fsp)
			}
		}
	}
}

// clippedSeconds is how SEC_TO_TIME's warning shows its number.
func (e *session) clippedSeconds(n temporal.Number, shown string, fsp int) string {
	if n.Clipped {
		return shown
	}
	n = e.FitNumber(n, fsp)
	sign := ""
	if n.Negative {
		sign = "-"
	}
	if n.Micro == 0 {
		return fmt.Sprintf("%s%d", sign, n.Whole)
	}
	return fmt.Sprintf("%s%d.%06d", sign, n.Whole, n.Micro)
}

func (as *asks) makeTime(mode string, hour, minute int64, sec string, fsp int) {
	as.add(mode, fmt.Sprintf("MAKETIME(%d,%d,%s)", hour, minute, sec), func(e *session) string {
		number, shown := numberOf(sec)
		if number.Whole > 59 {
			e.warnf('W', temporal.CodeWrongValue, "Truncated incorrect seconds value: '%s'", shown)
		}
		v, c, ok := e.MakeTime(temporal.IntNumber(hour), minute, number, fsp)
		if !ok {
			return null
		}
		if c != 0 {
			e.warnf('W', temporal.CodeWrongValue, "Truncated incorrect time value: '%d:%02d:%02d'", hour, minute, number.Whole)
		}
		return string(temporal.AppendTime(nil, v, fsp))
	})
}
