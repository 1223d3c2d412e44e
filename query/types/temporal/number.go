package temporal

import "math"

// Number is a number of seconds, or one to be read as a date or time by its
// decimal digits: MariaDB looks at an integer part and a fraction of nine digits.
type Number struct {
	Negative bool
	Whole    uint64
	Micro    uint32 // 0 to 999999
	Nano     uint32 // 0 to 999
	Clipped  bool   // the number was too large for Whole
}

// IntNumber is the Number of a signed integer.
func IntNumber(v int64) Number {
	if v < 0 {
		return Number{Negative: true, Whole: -uint64(v)}
	}
	return Number{Whole: uint64(v)}
}

// UintNumber is the Number of an unsigned integer.
func UintNumber(v uint64) Number { return Number{Whole: v} }

// FloatNumber is the Number of a DOUBLE; its fraction is cut off after nine
// digits. NaN is 0.
func FloatNumber(v float64) Number {
	n := Number{Negative: v < 0}
	v = math.Abs(v)
	if v > math.MaxInt64 {
		n.Whole, n.Clipped = math.MaxInt64, true
		return n
	}
	if v != v {
		return Number{}
	}
	whole, fraction := math.Modf(v)
	n.Whole = uint64(whole)
	nanos := uint32(fraction * 1e9)
	n.Micro, n.Nano = nanos/1000, nanos%1000
	return n
}

// DecimalNumber is the Number of a DECIMAL, given as MariaDB writes it
// ([-]digits[.digits]); its fraction is cut off after nine digits. What does not
// have that form ends the number.
func DecimalNumber(text []byte) Number {
	n := Number{}
	i := 0
	if i < len(text) && text[i] == '-' {
		n.Negative = true
		i++
	}
	for ; i < len(text) && isDigit(text[i]); i++ {
		d := uint64(text[i] - '0')
		if n.Whole > (math.MaxInt64-d)/10 {
			n.Clipped = true
		}
		if !n.Clipped {
			n.Whole = n.Whole*10 + d
		}
	}
	if n.Clipped || n.Whole == math.MaxInt64 {
		n.Whole, n.Clipped = math.MaxInt64, true
	}
	if i == len(text) || text[i] != '.' {
		return n
	}
	nanos, unit := uint32(0), uint32(100000000)
	for i++; i < len(text) && isDigit(text[i]) && unit > 0; i++ {
		nanos += uint32(text[i]-'0') * unit
		unit /= 10
	}
	n.Micro, n.Nano = nanos/1000, nanos%1000
	return n
}

// FitNumber brings a number of seconds to fsp digits as the mode says: cut off,
// or rounded half away from zero.
func (m Mode) FitNumber(n Number, fsp int) Number {
	if m.RoundFraction {
		if nanos := n.Nano + uint32(halfUnit(fsp))*1000; nanos >= 500 {
			n.Micro += (nanos + 500) / 1000
		}
		if n.Micro >= microsPerSecond {
			n.Micro -= microsPerSecond
			n.Whole++
		}
	}
	n.Nano = 0
	if fsp < FractionMax {
		n.Micro -= n.Micro % uint32(microUnits[fsp])
	}
	return n
}

// Number reads a number as a value: YYMMDD, YYYYMMDD, YYMMDDhhmmss,
// YYYYMMDDhhmmss as dates, hhmmss as TIME, by the context.
func (m Mode) Number(n Number, c Context) Result {
	r := m.number(n, c)
	if n.Clipped && c != InTimeColumn {
		r.Cond |= Truncated
	}
	if c == InTimeColumn && r.Value.Kind != None {
		clock, note := r.Value.columnTime()
		r.Value, r.Cond = Value{clock, Time}, r.Cond|note
	}
	if m.RoundFraction && n.Nano >= 500 {
		if c == InColumn && r.Value.Kind == Date {
			r.Value.Kind = DateTime
		}
		r.roundUp(c)
	}
	return r
}

func (m Mode) number(n Number, c Context) Result {
	const dateTimeMax = 99991231235959
	switch c {
	case InDate, InColumn:
		if n.Negative {
			return Result{Cond: OutOfRange}
		}
		return m.numberDate(n)
	case InTime, InTimeColumn:
		if n.Whole > 9999999 && n.Whole <= dateTimeMax && !n.Negative {
			return m.numberDate(n)
		}
		return numberTime(n, timeHourMax)
	}
	if n.Whole > 999999995959 && n.Whole <= dateTimeMax && !n.Negative {
		return Mode{InvalidDates: true}.numberDate(n)
	}
	if n.Whole/10000 > spanHourMax {
		return Result{Cond: OutOfRange}
	}
	return numberTime(n, spanHourMax)
}

// numberDate reads the digits of a date.
func (m Mode) numberDate(n Number) Result {
	v, kind, ok := expandDate(int64(n.Whole))
	if !ok {
		return Result{Cond: Truncated}
	}
	ymd, hms := v/1000000, int(v%1000000)
	p := Parts{
		Year: int(ymd / 10000), Month: int(ymd / 100 % 100), Day: int(ymd % 100),
		Hour: hms / 10000, Minute: hms / 100 % 100, Second: hms % 100,
		Micro: int(n.Micro),
	}
	zero := v == 0 && n.Micro == 0
	if p.Year > yearMax || p.Month > 12 || p.Day > 31 || p.Hour > 23 || p.Minute > 59 || p.Second > 59 {
		return Result{Cond: Truncated}
	}
	if c := m.check(&p, zero); c == ZeroDate {
		return Result{Cond: c}
	} else if c != 0 {
		return Result{Cond: Truncated}
	}
	r := Result{}
	if kind == Date && p.Micro != 0 {
		r.Cond = NoteTruncated
		p.Micro = 0
	}
	r.Value = p.value(kind)
	return r
}

// expandDate makes YYYYMMDDhhmmss of the shorter forms.
func expandDate(v int64) (int64, Kind, bool) {
	switch {
	case v == 0 || v >= 10000101000000:
		return v, DateTime, true
	case v < 101:
		return 0, None, false
	case v <= 691231:
		return (v + 20000000) * 1000000, Date, true
	case v < 700101:
		return 0, None, false
	case v <= 991231:
		return (v + 19000000) * 1000000, Date, true
	case v < 10000101:
		return 0, None, false
	case v <= 99991231:
		return v * 1000000, Date, true
	case v < 101000000:
		return 0, None, false
	case v <= 691231235959:
		return v + 20000000000000, DateTime, true
	case v < 700101000000:
		return 0, None, false
	case v <= 991231235959:
		return v + 19000000000000, DateTime, true
	}
	return v, DateTime, true
}

// numberTime reads hhmmss; above hourMax the value is clipped. To MariaDB a
// fraction of .999999 is no fraction here, other than in a number that is a date.
func numberTime(n Number, hourMax uint64) Result {
	minute, sec := int(n.Whole/100%100), int(n.Whole%100)
	if minute > 59 || sec > 59 || n.Micro >= microsPerSecond-1 {
		return Result{Cond: Truncated}
	}
	p := Parts{Minute: minute, Second: sec, Micro: int(n.Micro), Negative: n.Negative}
	r := Result{}
	if hour := n.Whole / 10000; hour <= hourMax {
		p.Hour = int(hour)
	} else {
		p.Hour, p.Minute, p.Second, p.Micro = int(hourMax), 59, 59, microsPerSecond-1
		r.Cond = OutOfRange
	}
	r.Value = p.value(Time)
	return r
}
