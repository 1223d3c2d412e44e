package temporal

// Truncate cuts a value's fraction to fsp digits (0 to 6), toward zero.
func (v Packed) Truncate(fsp int) Packed {
	if fsp >= FractionMax {
		return v
	}
	if v < 0 {
		return -(-v).Truncate(fsp)
	}
	micro := int(v & microMask)
	return v - Packed(micro%microUnits[fsp])
}

// RoundTime rounds a TIME's fraction to fsp digits, half away from zero; beyond
// its range it is clipped and the condition is OutOfRange.
func (v Packed) RoundTime(fsp int) (Packed, Cond) {
	return v.addToTime(halfUnit(fsp), fsp, timeHourMax)
}

// halfUnit is half of the last of fsp digits, in microseconds.
func halfUnit(fsp int) int {
	if fsp >= FractionMax {
		return 0
	}
	return microUnits[fsp] / 2
}

func (v Packed) addToTime(micros, fsp, hourMax int) (Packed, Cond) {
	n := v.micros()
	if n < 0 {
		n -= int64(micros)
	} else {
		n += int64(micros)
	}
	limit := (int64(hourMax)+1)*3600*microsPerSecond - 1
	var c Cond
	if n > limit {
		n, c = limit, OutOfRange
	} else if n < -limit {
		n, c = -limit, OutOfRange
	}
	return timeOfMicros(n).Truncate(fsp), c
}

// RoundDateTime rounds a DATETIME's fraction to fsp digits. The last hour of
// 9999 is clipped (OutOfRange). A date that is incomplete has no next day: if
// the hour overflows there is no value (false, NoNextHour).
func (v Packed) RoundDateTime(fsp int) (Packed, Cond, bool) {
	return v.addToDateTime(halfUnit(fsp), fsp)
}

func (v Packed) addToDateTime(micros, fsp int) (Packed, Cond, bool) {
	p := v.DateParts()
	clock := (p.Minute*60+p.Second)*microsPerSecond + p.Micro + micros
	if clock < 3600*microsPerSecond { // the usual way: within the hour
		p.Minute, p.Second, p.Micro = clock/(60*microsPerSecond), clock/microsPerSecond%60, clock%microsPerSecond
		return p.PackDate().Truncate(fsp), 0, true
	}
	if p.Year == yearMax && p.Month == 12 && p.Day == 31 && p.Hour == 23 {
		p.Minute, p.Second, p.Micro = 59, 59, 999999
		return p.PackDate().Truncate(fsp), OutOfRange, true
	}
	if p.Year == 0 || (Mode{NoZeroInDate: true}).check(&p, false) != 0 {
		return v, OutOfRange | NoNextHour, false
	}
	out, ok := dateTimeOfStamp(v.stamp() + int64(micros))
	return out.Truncate(fsp), 0, ok
}

// Fit brings a value to fsp digits as the mode says: cut off, or rounded. A
// DATE has no fraction.
func (m Mode) Fit(v Value, fsp int) (Value, Cond) {
	switch {
	case v.Kind == None || v.Kind == Date:
		return v, 0
	case !m.RoundFraction:
		return Value{v.Packed.Truncate(fsp), v.Kind}, 0
	case v.Kind == Time:
		p, c := v.Packed.RoundTime(fsp)
		return Value{p, Time}, c
	}
	p, c, ok := v.Packed.RoundDateTime(fsp)
	if !ok {
		return Value{Packed: p}, c
	}
	return Value{p, DateTime}, c
}

// roundUp adds the microsecond to which the nanoseconds of r round.
func (r *Result) roundUp(c Context) {
	switch r.Value.Kind {
	case Time:
		hourMax := timeHourMax
		if c == InExtractTime || c == InExtractDay {
			hourMax = spanHourMax
		}
		var cond Cond
		r.Value.Packed, cond = r.Value.Packed.addToTime(1, FractionMax, hourMax)
		r.Cond |= cond
	case DateTime:
		p, cond, ok := r.Value.Packed.addToDateTime(1, FractionMax)
		if cond != 0 {
			r.Cond = cond
		}
		r.Value.Packed = p
		if !ok {
			r.Value.Kind = None
		}
	}
}
