package temporal_test

import (
	"fmt"
	"strings"

	"github.com/duramendb/duramen/query/types/temporal"
)

// literalTexts asks for DATE'…', TIME'…' and TIMESTAMP'…', which fail on all that is not a value of theirs.
func (as *asks) literalTexts() {
	words := map[temporal.Kind]string{temporal.Date: "DATE", temporal.DateTime: "TIMESTAMP", temporal.Time: "TIME"}
	for i, s := range as.textPool(150) {
		if i > 330 && i < 590 || quote(s)[0] == 'x' {
			continue
		}
		for _, k := range []temporal.Kind{temporal.Date, temporal.DateTime, temporal.Time} {
			mode := pick(as, []string{plainMode, plainMode, zeroMode, anyMode, roundMode})
			as.add(mode, words[k]+quote(s), func(e *session) string {
				r, ok := e.ParseLiteral([]byte(s), k)
				if !ok {
					word := words[k]
					if k == temporal.DateTime {
						word = "DATETIME"
					}
					return fmt.Sprintf("Error 1525 (HY000): Incorrect %s value: '%s'", word, escape(s))
				}
				if w, ok := r.LiteralWarning(); ok {
					e.warn(w, escape(s))
				}
				return text(r.Value, int(r.Digits))
			})
		}
	}
}

// negativeZero says whether a text is -00:00:00, which MariaDB shows and
// subtracts from as long as it is no column, and which no Packed is.
func negativeZero(s string) bool {
	r := temporal.Mode{}.Parse([]byte(s), temporal.InTime)
	return r.Value == temporal.Value{Kind: temporal.Time} && strings.HasPrefix(strings.TrimLeft(s, " "), "-")
}

// ofTexts asks for functions whose arguments are texts.
func (as *asks) ofTexts() {
	noZeros := temporal.Mode{NoZeroDate: true, NoZeroInDate: true}
	date := func(s, format string, m temporal.Mode, f func(v temporal.Packed) string) {
		as.add(plainMode, fmt.Sprintf(format, quote(s)), func(e *session) string {
			v := e.read(m, s, temporal.InDate).Value
			if v.Kind == temporal.None {
				return null
			}
			return f(v.Packed)
		})
	}
	clock := func(s, format string, f func(v temporal.Packed) string) {
		as.add(plainMode, fmt.Sprintf(format, quote(s)), func(e *session) string {
			v := e.read(temporal.Mode{}.For(temporal.Time), s, temporal.InTime).Value
			if v.Kind == temporal.None {
				return null
			}
			return f(v.Time())
		})
	}
	pool := as.textPool(150)
	for i, s := range pool {
		if i > 330 && i < 590 {
			continue
		}
		date(s, "TO_DAYS(%s)", noZeros, func(v temporal.Packed) string { return fmt.Sprint(v.ToDays()) })
		date(s, "YEARWEEK(%s,1)", noZeros, func(v temporal.Packed) string { return fmt.Sprint(v.YearWeek(1)) })
		date(s, "MONTH(%s)", temporal.Mode{}, func(v temporal.Packed) string { return fmt.Sprint(v.DateParts().Month) })
		date(s, "LAST_DAY(%s)", temporal.Mode{}, func(v temporal.Packed) string {
			d, ok := v.LastDay()
			return boolNull(string(temporal.AppendDate(nil, d)), ok)
		})
		clock(s, "HOUR(%s)", func(v temporal.Packed) string { return fmt.Sprint(v.TimeParts().Hour) })
		clock(s, "MICROSECOND(%s)", func(v temporal.Packed) string { return fmt.Sprint(v.TimeParts().Micro) })
		other := pick(as, pool[:330])
		if !negativeZero(s) && !negativeZero(other) {
			as.timeDiff(s, other)
		}
		as.span(pick(as, []string{plainMode, roundMode}), s, as.rng.IntN(7))
	}
}

// timeDiff asks for TIMEDIFF of two texts.
func (as *asks) timeDiff(a, b string) {
	as.add(plainMode, fmt.Sprintf("TIMEDIFF(%s,%s)", quote(a), quote(b)), func(e *session) string {
		m := temporal.Mode{}.For(temporal.Time)
		r := e.read(m, a, temporal.InTime)
		x, fsp := r.Value, int(r.Digits)
		if x.Kind == temporal.None {
			return null
		}
		r = e.read(m, b, temporal.InTime)
		y := r.Value
		fsp = max(fsp, int(r.Digits))
		x.Packed, y.Packed = x.Packed.Truncate(fsp), y.Packed.Truncate(fsp) // constants are cut to the result's digits
		v, c, ok := temporal.TimeDiff(x, y, fsp)
		if c != 0 {
			e.warnf('W', temporal.CodeWrongValue, "Truncated incorrect time value: '%s'", temporal.AppendTimeDiff(nil, x, y))
		}
		return boolNull(string(temporal.AppendTime(nil, v, fsp)), ok)
	})
}

// span asks for an INTERVAL DAY TO SECOND.
func (as *asks) span(mode, s string, fsp int) {
	as.add(mode, fmt.Sprintf("CAST(%s AS INTERVAL DAY_SECOND(%d))", quote(s), fsp), func(e *session) string {
		r := e.ParseSpan([]byte(s))
		w, ok := r.SpanWarning()
		if ok {
			e.warn(w, escape(s))
		}
		if r.Value.Kind == temporal.None {
			return null
		}
		return string(temporal.AppendSpan(nil, r.Value.Packed.Truncate(fsp), fsp))
	})
}
