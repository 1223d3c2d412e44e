package temporal_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/types/temporal"
)

// texts are edges of what may be a date or time.
var texts = strings.Split(`2020-01-31|2020-02-29|2019-02-29|2020-02-30|2020-02-31|2020-02-32|2020-13-01|2020-12-31|2020-04-31|0000-00-00|0000-00-01|0000-01-00|0000-01-01|0001-01-01|2020-00-00|2020-00-10|2020-10-00|9999-12-31|10000-01-01|1-1-1|01-1-1|001-1-1|0001-1-1|69-12-31|70-01-01|99-1-1|00-01-01|100-1-1|999-9-9|2020-1-1|2020-1-01
2020-01-01 10:11:12|2020-01-01 10:11:12.5|2020-01-01 10:11:12.123456|2020-01-01 10:11:12.1234564|2020-01-01 10:11:12.1234565|2020-01-01 23:59:59.9999995|2020-12-31 23:59:59.9999999|9999-12-31 23:59:59.9999999|9999-12-31 23:59:59.999999|9999-12-31 23:59:59.5|0000-00-00 23:59:59.9999995|2020-00-00 23:59:59.9999995|2020-00-00 10:59:59.9999995|2020-01-01 10:11:12.|2020-01-01 10:11:12.x|2020-01-01 10:11:12.1x|2020-01-01 10:11:12.12345678901234567890
2020-01-01T10:11:12|2020-01-01t10:11:12|20200101T101112|20200101T101112.5|20200101T10|200101T101112|2020-01-01T|20200101T|2020-01-01 T10:11:12|2020-01-01TT10:11:12|2020-01-01  10:11:12|2020-01-01	10:11:12| 2020-01-01|  2020-01-01 10:11:12  |+2020-01-01|-2020-01-01|- 2020-01-01|-0000-00-00|+ 10:11:12|-10:11:12|--10:11:12|- 1 10:11:12
2020^01@01 10+11*12|2020-01-01-10-11-12|2020.01.01.10.11.12|2020:01:01 10:11:12|2020/01/01|2020\01\01|2020--01-01|2020-01--01|2020-01-01 10::11|2020-01-01 10:11::12|2020,1,1|2020'1'1|2020"1"1|2020_1_1|11:11:11.12.12.12|11:11:11|11:11:11:11|11-11-11|11.11.11|11 11 11|2020 01 01|2020-01 01|2020-01
2020|202|20|2|0|00|000|0000|00000|000000|0000000|00000000|00000000000000|1|12|123|1234|12345|123456|1234567|12345678|123456789|1234567890|12345678901|123456789012|1234567890123|12345678901234|123456789012345|1234567890123456|20200101|200101|20200101101112|200101101112|2020010110111|20200101101112.5|200101101112.123456|20200101101112.1234567|202001011011|2020010110|20200101.5|200101.5|101112.5|1.5|.5|0.5|0.|59.999999|59.9999999|60|61|99|100|159|160|5959|6000|8385959|8385960|8386000|8390000|9999999|10000000|99991231235959|99991231235960
10:11:12|10:11|10:|10::11|:10|:10:11|1:2|1:2:3|1:2:3:4|10:60:00|10:59:60|10:59:59.9999995|24:00:00|24:02:03|24:02:03T|24:02:03 x|24-02-03|99:59:59|100:00:00|838:59:59|838:59:59.5|838:59:59.999999|838:59:59.9999995|838:59:58.9999995|839:00:00|900:00:00|-838:59:59.999999|-839:00:00|-838:59:59.9999999|4294967295:00:00|4294967296:59:59.123456456|87649415:59:59|87649416:00:00|999999999:0:0|100000:02:03|100000/02/03|100000-02-03|100000:02:03T
1 1|1 1:1|1 10:11:12|1 10:11:12.5|34 22:59:59|34 23:00:00|35 00:00:00|1 111|111 11|1111 11|1  10:11|1 10|1 x|0 10:11:12|3652058 23:59:59|3652059 00:00:00|256 10:30:30|1-1-1 1:1:1|1-1-1 1|1-1-1T1|1-1-1x|10:11:12x|10:11:12 x|10:11:12 PM|10:11:12Z|10:11:12+01:00|10:11:12.5x|10:11:12.5 |1e5|1e|1e+5|1.5e3|10:11e5|10:11:12e1|2020-01-01x|2020-01-01 x|2020-01-01 10x|2020-01-01 10:11x|2020-01-01 10:11:12x|2020-01-01 10:11:12Z|2020-01-01 10:11:12+01:00|2020-01-01 10:11:12 +01:00|2020-01-01 24:00:00|2020-01-01 23:60:00|2020-01-01 23:59:60|2020-01-01 25|2020-01-01 1:2|2020-01-01 1|2020-01-01 1:2:3|2020-01-01 10:11 12
x| |T|-|+|- |.|:|x2020-01-01|2020x01x01|2020-x-01|2020-01-x|2020-01-01 x10|now|NULL|0x10|2020-01-01;|2020-01-01 10:11:12;|2020-01-01 10:11:12.5;|'2020-01-01'|2020-01-01-|2020-01-01.|2020-01-01/|2020-01-01 .5|2020-01-01 10.5|2020-01-01 10:11.5|4294969316-01-01|2020-4294967297-01|2020-01-4294967297|99999999999999999999-01-01|20200101101112131415|2011-02-32 8:46:06.23434|0:0:0|00:00:00|0-0-0|0-0-0 0:0:0|0000-00-00 00:00:00|0000-00-00 00:00:01|0000-00-00 00:00:00.000001|00-00-00|00-00-00 00:00:01|0000-00-05 10:00:00|0000-00-31 10:00:00|0000-01-05 10:00:00|1970-01-01 00:00:00|1970-01-01 00:00:01|2038-01-19 03:14:07|2038-01-19 03:14:08|2038-01-19 03:14:07.5|1969-12-31 23:59:59|2000-02-29|1900-02-29|2100-02-29|0000-02-29|0004-02-29|-00:00:00|-0|-0.5|-1|-12345|-838:59:59|-8385959.999999`, "\n")

// textPool is texts, one by one, and random ones made of them.
func (as *asks) textPool(random int) []string {
	var pool []string
	for _, line := range texts {
		pool = append(pool, strings.Split(line, "|")...)
	}
	pool = append(pool, "2020-01-01|10:11", "\xa02020-01-01", "2020\xa701\xb001", "2020-01-01\xa010:11:12", "2020\x8001\x8101", "10:11:12\xff", "2020-01-01\n")
	for c := range 256 {
		if c != 0x5c {
			pool = append(pool, "20"+string([]byte{byte(c)})+"11-12")
		}
	}
	const letters = "0123456789012345678901234567890123456789-::. T/x"
	for range random {
		b := []byte(pick(as, pool[:400]))
		for range 1 + as.rng.IntN(2) {
			c := letters[as.rng.IntN(len(letters))]
			at := as.rng.IntN(len(b) + 1)
			switch as.rng.IntN(3) {
			case 0:
				b = append(b[:at], append([]byte{c}, b[at:]...)...)
			case 1:
				if at < len(b) {
					b = append(b[:at], b[at+1:]...)
				}
			default:
				if at < len(b) {
					b[at] = c
				}
			}
		}
		pool = append(pool, string(b))
	}
	return pool
}

func typeName(k temporal.Kind, fsp int) string {
	if fsp == 0 {
		return k.Name()
	}
	return fmt.Sprintf("%s(%d)", k.Name(), fsp)
}

func (as *asks) parsing() {
	pool := as.textPool(500)
	for i, s := range pool {
		for _, mode := range []string{plainMode, zeroMode, anyMode, roundMode} {
			if mode != plainMode && i > 400 && as.rng.IntN(3) > 0 {
				continue
			}
			as.cast(mode, s, temporal.Date, 0)
			as.cast(mode, s, temporal.DateTime, 6)
			as.cast(mode, s, temporal.Time, 6)
		}
		as.cast(pick(as, []string{plainMode, roundMode}), s, temporal.DateTime, as.rng.IntN(6))
		as.cast(pick(as, []string{plainMode, roundMode}), s, temporal.Time, as.rng.IntN(6))
		as.extract(plainMode, s, pick(as, dayUnits))
		as.extract(plainMode, s, pick(as, clockUnits))
		as.extract(roundMode, s, pick(as, clockUnits))
		as.extract(plainMode, s, pick(as, dateUnits))
		as.addTime(plainMode, "2020-02-28 10:00:00", s)
		as.addTime(roundMode, "10:00:00", s)
	}
}

func (as *asks) cast(mode, s string, k temporal.Kind, fsp int) {
	as.add(mode, fmt.Sprintf("CAST(%s AS %s)", quote(s), typeName(k, fsp)), func(e *session) string {
		r := e.read(e.For(k), s, temporal.ContextOf(k))
		return e.finish(r, k, fsp)
	})
}

// finish brings a result to the kind of a CAST.
func (e *session) finish(r temporal.Result, k temporal.Kind, fsp int) string {
	out := e.Cast(r, k, fsp, today)
	if r.Value.Kind != temporal.None {
		e.noNextHour(out)
	}
	return text(out.Value, fsp)
}

var (
	dateUnits  = []temporal.Unit{temporal.Year, temporal.Quarter, temporal.Month, temporal.Week, temporal.YearMonth}
	dayUnits   = []temporal.Unit{temporal.Day, temporal.DayHour, temporal.DayMinute, temporal.DaySecond, temporal.DayMicrosecond}
	clockUnits = []temporal.Unit{
		temporal.Hour, temporal.Minute, temporal.Second, temporal.Microsecond, temporal.HourMinute, temporal.HourSecond,
		temporal.HourMicrosecond, temporal.MinuteSecond, temporal.MinuteMicrosecond, temporal.SecondMicrosecond,
	}
)

func (as *asks) extract(mode, s string, u temporal.Unit) {
	as.add(mode, fmt.Sprintf("EXTRACT(%s FROM %s)", u, quote(s)), func(e *session) string {
		r := e.read(temporal.Mode{RoundFraction: e.RoundFraction}, s, u.Context())
		if r.Value.Kind == temporal.None {
			return null
		}
		return fmt.Sprint(r.Value.Extract(u, 0))
	})
}

// addTime asks for ADDTIME of a good text and any other.
func (as *asks) addTime(mode, a, b string) {
	as.add(mode, fmt.Sprintf("ADDTIME(%s, %s)", quote(a), quote(b)), func(e *session) string {
		v := e.read(temporal.Mode{RoundFraction: e.RoundFraction}, a, temporal.InTime).Value
		r := e.ParseSpan([]byte(b))
		if w, ok := r.SpanWarning(); ok {
			e.warn(w, escape(b))
		}
		if r.Value.Kind == temporal.None {
			return null
		}
		out, c, ok := temporal.AddTime(v, r.Value.Packed, false, temporal.FractionMax)
		if c != 0 {
			long := temporal.AppendAddTime(nil, v.Packed, r.Value.Packed, false)
			e.warnf('W', temporal.CodeWrongValue, "Truncated incorrect time value: '%s'", long)
		}
		if !ok {
			return null
		}
		return text(out, temporal.AutoFraction)
	})
}

var integers = []string{
	"0", "1", "59", "60", "99", "100", "101", "131", "1231", "1232", "691231", "691232", "700100", "700101", "991231", "991232", "10000100", "10000101", "20200229",
	"20190229", "20200230", "20200000", "20200100", "99991231", "99991232", "101000000", "200101101112", "691231235959", "691231235960", "700101000000", "991231235959", "991231235960",
	"10000100999999", "10000101000000", "20200101101112", "20200101246000", "99991231235959", "99991231235960", "123456", "8385959", "8385960", "8386000", "9000000", "9999999", "10000000", "101112", "106112", "101160",
	"-1", "-101112", "-8385959", "-8390000", "-20200101", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "18446744073709551615", "99999999999999999999",
}

var fractions = []string{".5", ".123456", ".1234564", ".1234565", ".9999995", ".999999", ".0000001", ".000000499", ".0"}

func (as *asks) numbers() {
	kinds := []temporal.Kind{temporal.Date, temporal.DateTime, temporal.Time}
	for _, n := range integers {
		for _, k := range kinds {
			for _, mode := range []string{plainMode, zeroMode, anyMode} {
				as.number(mode, n, k, 6)
			}
			for _, f := range fractions {
				as.number(plainMode, n+f, k, 6)
				as.number(roundMode, n+f, k, as.rng.IntN(7))
			}
			as.number(plainMode, n+"e0", k, 6)
			for _, f := range []string{"", ".5", ".999999", ".9999996"} {
				as.extractNumber(plainMode, n+f, pick(as, dayUnits))
				as.extractNumber(pick(as, []string{plainMode, roundMode}), n+f, pick(as, clockUnits))
				as.extractNumber(plainMode, n+f, pick(as, dateUnits))
			}
			as.number(plainMode, n+".25e0", k, 6)
			as.number(roundMode, n+".123456789e0", k, 6)
		}
	}
}

// readNumber reads a literal of an integer, decimal or double.
func (e *session) readNumber(m temporal.Mode, n string, c temporal.Context) temporal.Result {
	number, shown := numberOf(n)
	r := m.Number(number, c)
	e.noNextHour(r)
	if w, ok := r.Warning(c); ok {
		e.warn(w, shown)
	}
	return r
}

// numberOf is the Number of a literal, and how a warning shows it.
func numberOf(n string) (temporal.Number, string) {
	if digits, double := strings.CutSuffix(n, "e0"); double {
		f, _ := strconv.ParseFloat(digits, 64)
		return temporal.FloatNumber(f), string(floattext.Append(nil, f, false))
	}
	var i int64
	if _, err := fmt.Sscan(n, &i); err == nil && fmt.Sprint(i) == n {
		return temporal.IntNumber(i), n
	}
	var u uint64
	if _, err := fmt.Sscan(n, &u); err == nil && fmt.Sprint(u) == n {
		return temporal.UintNumber(u), n
	}
	return temporal.DecimalNumber([]byte(n)), n
}

func (as *asks) number(mode, n string, k temporal.Kind, fsp int) {
	if k == temporal.Date {
		fsp = 0
	}
	as.add(mode, fmt.Sprintf("CAST(%s AS %s)", n, typeName(k, fsp)), func(e *session) string {
		r := e.readNumber(e.For(k), n, temporal.ContextOf(k))
		return e.finish(r, k, fsp)
	})
}

func (as *asks) extractNumber(mode, n string, u temporal.Unit) {
	as.add(mode, fmt.Sprintf("EXTRACT(%s FROM %s)", u, n), func(e *session) string {
		r := e.readNumber(temporal.Mode{RoundFraction: e.RoundFraction}, n, u.Context())
		if r.Value.Kind == temporal.None {
			return null
		}
		return fmt.Sprint(r.Value.Extract(u, 0))
	})
}
