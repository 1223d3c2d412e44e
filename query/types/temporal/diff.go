package temporal

// DateDiff is DATEDIFF: the days from b to a.
func DateDiff(a, b Packed) int64 { return a.ToDays() - b.ToDays() }

// clipTime brings microseconds into the range of TIME with fsp digits.
func clipTime(micros int64, fsp int) (Packed, Cond) {
	limit := TimeMax.Truncate(fsp).micros()
	switch {
	case micros > limit:
		return TimeMax.Truncate(fsp), OutOfRange
	case micros < -limit:
		return -TimeMax.Truncate(fsp), OutOfRange
	}
	return timeOfMicros(micros), 0
}

func (v Value) micros() int64 {
	if v.Kind == Time {
		return v.Packed.micros()
	}
	return v.Packed.stamp()
}

// TimeDiff is TIMEDIFF: a-b as a TIME with fsp digits. The values must both be
// a DATETIME, a DATE or a TIME, else there is none (false). A difference beyond TIME's range is
// clipped: OutOfRange is warning 1292 "Truncated incorrect time value" with the
// unclipped difference (TimeDiffText).
func TimeDiff(a, b Value, fsp int) (v Packed, c Cond, ok bool) {
	if a.Kind != b.Kind || a.Kind == None {
		return 0, 0, false
	}
	v, c = clipTime(a.micros()-b.micros(), fsp)
	return v, c, true
}

// spanLimit is what MariaDB makes of longer differences, in seconds.
const spanLimit = 1<<31 - 1

// AppendTimeDiff writes the difference of two values, however long, as the
// warning about a clipped TIMEDIFF quotes it.
func AppendTimeDiff(dst []byte, a, b Value) []byte {
	n := a.micros() - b.micros()
	rest := n % microsPerSecond
	if sec := n / microsPerSecond; sec > spanLimit {
		n = spanLimit*microsPerSecond + rest
	} else if sec < -spanLimit {
		n = -spanLimit*microsPerSecond + rest
	}
	return AppendTime(dst, timeOfMicros(n), AutoFraction)
}

// AddTime is ADDTIME, or SUBTIME if sub: a span (see ParseSpan) added to a
// TIME, which is clipped to fsp digits (OutOfRange), or to a date, which gives a
// DATETIME or nothing (false).
func AddTime(v Value, span Packed, sub bool, fsp int) (out Value, c Cond, ok bool) {
	n := span.micros()
	if sub {
		n = -n
	}
	n += v.micros()
	switch v.Kind {
	case None:
		return Value{}, 0, false
	case Time:
		p, c := clipTime(n, fsp)
		return Value{p, Time}, c, true
	}
	p, ok := dateTimeOfStamp(n)
	if !ok {
		return Value{}, 0, false
	}
	return Value{p, DateTime}, 0, true
}

// AppendAddTime writes the sum, however long, as the warning about a clipped
// ADDTIME or SUBTIME of a TIME quotes it.
func AppendAddTime(dst []byte, v, span Packed, sub bool) []byte {
	n := span.micros()
	if sub {
		n = -n
	}
	return AppendTime(dst, timeOfMicros(v.micros()+n), AutoFraction)
}

// TimestampDiff is TIMESTAMPDIFF: the whole units from a to b, both complete
// dates. Units are Year to Microsecond; false for others.
func TimestampDiff(unit Unit, a, b Packed) (int64, bool) {
	micros := b.stamp() - a.stamp()
	switch unit {
	case Year:
		return monthsBetween(a, b) / 12, true
	case Quarter:
		return monthsBetween(a, b) / 3, true
	case Month:
		return monthsBetween(a, b), true
	case Week:
		return micros / (7 * microsPerDay), true
	case Day:
		return micros / microsPerDay, true
	case Hour:
		return micros / (3600 * microsPerSecond), true
	case Minute:
		return micros / (60 * microsPerSecond), true
	case Second:
		return micros / microsPerSecond, true
	case Microsecond:
		return micros, true
	}
	return 0, false
}

// monthsBetween counts whole months from a to b.
func monthsBetween(a, b Packed) int64 {
	if b < a {
		return -monthsBetween(b, a)
	}
	p, q := a.DateParts(), b.DateParts()
	n := int64(q.Year-p.Year)*12 + int64(q.Month-p.Month)
	const inMonth = 1<<monthAt - 1
	if b&inMonth < a&inMonth {
		n--
	}
	return n
}

// MakeTime is MAKETIME with a fraction of fsp digits, cut off or rounded by the
// mode; false is NULL. Hours beyond 838 are clipped: OutOfRange is warning 1292
// "Truncated incorrect time value: 'h:mm:ss'".
func (m Mode) MakeTime(hour Number, minute int64, sec Number, fsp int) (v Packed, c Cond, ok bool) {
	if minute < 0 || minute > 59 || sec.Negative || sec.Clipped || sec.Whole > 59 {
		return 0, 0, false
	}
	sec = m.FitNumber(sec, fsp)
	if hour.Whole > timeHourMax {
		hour.Whole = timeHourMax + 1
	}
	n := int64(hour.Whole)*3600 + minute*60 + int64(sec.Whole)
	v, c = clipTime(n*microsPerSecond+int64(sec.Micro), fsp)
	if hour.Negative {
		v = -v
	}
	return v, c, true
}

// SecToTime is SEC_TO_TIME with a fraction of fsp digits, cut off or rounded by
// the mode. Beyond TIME's range it is clipped: OutOfRange is warning 1292
// "Truncated incorrect seconds value", which quotes a number that is Clipped as it
// is, others after FitNumber.
func (m Mode) SecToTime(sec Number, fsp int) (Packed, Cond) {
	const limit = timeHourMax*3600 + 59*60 + 59
	sec = m.FitNumber(sec, fsp)
	v, c := TimeMax.Truncate(fsp), OutOfRange
	if !sec.Clipped && sec.Whole <= limit {
		v, c = timeOfMicros(int64(sec.Whole)*microsPerSecond+int64(sec.Micro)), 0
	}
	if sec.Negative {
		v = -v
	}
	return v, c
}

// TimeToSec is TIME_TO_SEC: seconds, and the microseconds of the fraction, both
// with the sign.
func (v Packed) TimeToSec() (sec, micro int64) {
	n := v.micros()
	return n / microsPerSecond, n % microsPerSecond
}
