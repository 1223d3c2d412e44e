package temporal_test

import (
	"fmt"
	"math"
	"strings"

	"github.com/duramendb/duramen/query/types/temporal"
)

var simpleUnits = diffUnits

var compoundUnits = []temporal.Unit{
	temporal.YearMonth, temporal.DayHour, temporal.DayMinute, temporal.DaySecond, temporal.HourMinute, temporal.HourSecond, temporal.MinuteSecond,
	temporal.DayMicrosecond, temporal.HourMicrosecond, temporal.MinuteMicrosecond, temporal.SecondMicrosecond,
}

var intervalTexts = strings.Split("1|-1|0||x|1:1|1 1|-1:1|- 1:1|1-1|1:1:1|1:1:1:1|1:1:1:1:1|1:1:1:1:1:1|1 10:11:12.5|-1 10:11:12.123456|1.5|1.0000001|1.1234567|10.000001|-10.5|  5:6| -5:6|5:-6|5x6|x5y6z|1,2,3|99999:99999|3652424 0:0:0|3652425 1:1:1|87649415:59:59|1234567890123456789|12345678901234567890|1:12345678901234567890|1:1234567890123456789|100-100|9999-11|10000-1|31:5|1:60:61|:1|::1|1:|1::1|\t1:1", "|")

var intervalInts = []int64{
	0, 1, -1, 2, 7, 11, 12, 13, 24, 31, 59, 60, 61, 99, 100, 366, 365, 1000, 8030, -8030, 9999, -9999, 10000, 86400, 100000, 3652058, 3652424, 3652425, 87649415, 1000000, 31536000000000, 315360000000000000,
	2147483647, 2147483648, 4294967296, -4294967296, 4294967297, 9223372036854775807, -9223372036854775807, -9223372036854775808,
}

var intervalSeconds = []string{"1.5", "-1.5", "0.000001", "0.0000019", "1.25e0", "59.999999", "86399.999999", "-86400.5", "99999999999999999999.5", "315537897599.999999", "1.1", "0.50"}

func (as *asks) intervals() {
	dates, times, all := as.literals()
	for _, l := range all {
		for _, u := range simpleUnits {
			for range 5 {
				n := pick(as, intervalInts)
				if n == math.MinInt64 && u == temporal.Microsecond {
					continue // MariaDB's arithmetic overflows, and a TIME becomes -2562047788:00:54
				}
				as.addInterval(l, u, fmt.Sprintf("(%d)", n), 0, as.rng.IntN(2) == 0, func(*session) (temporal.Interval, bool) {
					return temporal.IntInterval(u, n), true
				})
			}
		}
		for _, u := range compoundUnits {
			for range 3 {
				s := pick(as, intervalTexts)
				as.addInterval(l, u, quote(s), u.Fraction(), as.rng.IntN(2) == 0, func(*session) (temporal.Interval, bool) {
					return temporal.TextInterval(u, []byte(s))
				})
			}
		}
		s := pick(as, intervalSeconds)
		as.secondInterval(l, s, as.rng.IntN(2) == 0)
	}
	for _, s := range intervalTexts { // every text with every unit
		for _, u := range compoundUnits {
			as.addInterval(dates[len(dates)-20], u, quote(s), u.Fraction(), false, func(*session) (temporal.Interval, bool) {
				return temporal.TextInterval(u, []byte(s))
			})
			as.addInterval(times[5], u, quote(s), u.Fraction(), true, func(*session) (temporal.Interval, bool) {
				return temporal.TextInterval(u, []byte(s))
			})
		}
	}
	for _, s := range intervalSeconds {
		as.secondInterval(dates[len(dates)-20], s, false)
		as.secondInterval(times[5], s, true)
	}
	texts := []string{"2020-01-31", "2020-01-31 10:00:00", "20200131", "2020-01-31 10:00:00.5", "10:11:12", "2020-02-30", "0000-00-00", "2020-00-10", "x", "2020-01-31x", "9999-12-31 23:59:59"}
	for _, t := range texts {
		for _, u := range simpleUnits {
			n := pick(as, []int64{1, -1, 13, 1000000})
			as.textInterval(t, u, n)
		}
	}
}

func (as *asks) secondInterval(l literal, n string, sub bool) {
	fsp := fractionDigits(n)
	if strings.HasSuffix(n, "e0") || fsp > temporal.FractionMax {
		fsp = temporal.FractionMax
	}
	as.addInterval(l, temporal.Second, "("+n+")", fsp, sub, func(e *session) (temporal.Interval, bool) {
		number, shown := numberOf(n)
		i, ok := temporal.SecondInterval(number)
		if !ok {
			e.warnf('W', temporal.CodeWrongValue, "Truncated incorrect seconds value: '%s'", shown)
		}
		return i, ok
	})
}

// addInterval asks for value ± INTERVAL.
func (as *asks) addInterval(l literal, u temporal.Unit, shown string, intervalFsp int, sub bool, interval func(*session) (temporal.Interval, bool)) {
	sign := "+"
	if sub {
		sign = "-"
	}
	if u == temporal.Microsecond {
		intervalFsp = temporal.FractionMax
	}
	as.add(plainMode, fmt.Sprintf("%s %s INTERVAL %s %s", l.sql, sign, shown, u), func(e *session) string {
		if l.v.Kind == temporal.Time && !u.FitsTime() {
			return e.overflow("time")
		}
		v := l.v
		if v.Kind == temporal.Date && u.HasClock() {
			v.Kind = temporal.DateTime
		}
		if v.Kind != temporal.Time && !e.complete(literal{v: v, fsp: l.fsp}) {
			return null
		}
		i, ok := interval(e)
		if !ok {
			return null
		}
		out, ok := v.Add(u, i, sub)
		if !ok {
			return e.overflow(overflowWord(v.Kind))
		}
		return text(out.As(resultKind(l.v.Kind, u), today), max(l.fsp, intervalFsp))
	})
}

func overflowWord(k temporal.Kind) string {
	if k == temporal.Time {
		return "time"
	}
	return "datetime"
}

func (e *session) overflow(word string) string {
	e.warnf('W', temporal.CodeFieldOverflow, "Datetime function: %s field overflow", word)
	return null
}

// resultKind is the type of value ± INTERVAL.
func resultKind(k temporal.Kind, u temporal.Unit) temporal.Kind {
	if k == temporal.Date && u.HasClock() {
		return temporal.DateTime
	}
	return k
}

// textInterval asks for a text ± INTERVAL: the result is a text.
func (as *asks) textInterval(t string, u temporal.Unit, n int64) {
	as.add(plainMode, fmt.Sprintf("%s + INTERVAL %d %s", quote(t), n, u), func(e *session) string {
		r := e.read(temporal.Mode{}, t, temporal.InDate)
		v := r.Value
		if v.Kind == temporal.None {
			return null
		}
		if !e.complete(literal{v: v, fsp: temporal.AutoFraction}) {
			return null
		}
		out, ok := v.Add(u, temporal.IntInterval(u, n), false)
		if !ok {
			return e.overflow(overflowWord(v.Kind))
		}
		return text(out, max(int(r.Digits), u.Fraction()))
	})
}
