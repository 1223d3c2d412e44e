package temporal

// Interval is the value of an INTERVAL expression. Its fields may be larger
// than those of a date.
type Interval struct {
	Negative                    bool
	Year, Month, Day            uint64
	Hour, Minute, Second, Micro uint64
}

// IntInterval is the interval of v units; of a unit of several numbers it is
// what the text of v gives, see TextInterval.
func IntInterval(u Unit, v int64) Interval {
	i := Interval{Negative: v < 0}
	n := uint64(v)
	if v < 0 {
		n = -n
	}
	switch u {
	case Year:
		i.Year = n
	case Quarter:
		i.Month = n * 3
	case Month:
		i.Month = n
	case Week:
		i.Day = n * 7
	case Day:
		i.Day = n
	case Hour:
		i.Hour = n
	case Minute:
		i.Minute = n
	case Second:
		i.Second = n
	case Microsecond:
		i.Micro = n
	}
	return i
}

// SecondInterval is the interval of a number of seconds with a fraction, which
// is cut off after six digits. False is NULL with warning 1292 "Truncated
// incorrect seconds value".
func SecondInterval(n Number) (Interval, bool) {
	return Interval{Negative: n.Negative, Second: n.Whole, Micro: uint64(n.Micro)}, !n.Clipped
}

// fields tells which fields the numbers of a compound unit are.
func (u Unit) fields(i *Interval) (f [5]*uint64, count int) {
	switch u {
	case YearMonth:
		return [5]*uint64{&i.Year, &i.Month}, 2
	case DayHour:
		return [5]*uint64{&i.Day, &i.Hour}, 2
	case DayMinute:
		return [5]*uint64{&i.Day, &i.Hour, &i.Minute}, 3
	case DaySecond:
		return [5]*uint64{&i.Day, &i.Hour, &i.Minute, &i.Second}, 4
	case DayMicrosecond:
		return [5]*uint64{&i.Day, &i.Hour, &i.Minute, &i.Second, &i.Micro}, 5
	case HourMinute:
		return [5]*uint64{&i.Hour, &i.Minute}, 2
	case HourSecond:
		return [5]*uint64{&i.Hour, &i.Minute, &i.Second}, 3
	case HourMicrosecond:
		return [5]*uint64{&i.Hour, &i.Minute, &i.Second, &i.Micro}, 4
	case MinuteSecond:
		return [5]*uint64{&i.Minute, &i.Second}, 2
	case MinuteMicrosecond:
		return [5]*uint64{&i.Minute, &i.Second, &i.Micro}, 3
	case SecondMicrosecond:
		return [5]*uint64{&i.Second, &i.Micro}, 2
	}
	return f, 0
}

// TextInterval reads the value of a compound unit: numbers with anything
// between them; if there are fewer than the unit has, the first are left out. The
// number of microseconds is a fraction. False (too many numbers, or too long
// ones) is NULL, without a warning.
func TextInterval(u Unit, text []byte) (Interval, bool) {
	i := Interval{}
	at := 0
	for at < len(text) && isASCIISpace(text[at]) {
		at++
	}
	if at < len(text) && text[at] == '-' {
		i.Negative = true
		at++
	}
	text = text[at:]
	f, count := u.fields(&i)
	if count == 0 {
		return Interval{}, false
	}
	var numbers [5]uint64
	n, digits, rest, ok := readNumbers(text, numbers[:count])
	if !ok {
		return Interval{}, false
	}
	for k := range n {
		*f[count-n+k] = numbers[k]
	}
	if u.Fraction() > 0 {
		i.Micro = scaleFraction(i.Micro, digits)
	}
	return i, rest == 0
}

const intervalDigitsMax = 20

// readNumbers reads up to len(dst) numbers: how many, how many digits the last
// one has, and how much of the text is left.
func readNumbers(text []byte, dst []uint64) (n, digits, rest int, ok bool) {
	at := 0
	skip := func() {
		for at < len(text) && !isDigit(text[at]) {
			at++
		}
	}
	skip()
	for n < len(dst) {
		start, v := at, uint64(0)
		for at < len(text) && at-start < intervalDigitsMax && isDigit(text[at]) {
			v = v*10 + uint64(text[at]-'0')
			at++
		}
		digits = at - start
		if digits >= intervalDigitsMax {
			return 0, 0, 0, false
		}
		dst[n] = v
		n++
		skip()
		if at == len(text) {
			break
		}
	}
	return n, digits, len(text) - at, true
}

// scaleFraction makes microseconds of a fraction's digits.
func scaleFraction(v uint64, digits int) uint64 {
	if digits == 0 {
		return v
	}
	for ; digits < FractionMax; digits++ {
		v *= 10
	}
	for ; digits > FractionMax; digits-- {
		v /= 10
	}
	return v
}

// Add adds an interval of a unit to a value, or subtracts it. A DATE stays one
// if the unit has no clock, else it becomes a DATETIME. False is NULL with
// warning 1441 "Datetime function: datetime field overflow" ("time field …" for a
// TIME); dates must be complete (Mode.Check).
func (v Value) Add(u Unit, i Interval, sub bool) (Value, bool) {
	if sub {
		i.Negative = !i.Negative
	}
	p := v.Parts()
	switch u {
	case Year, Quarter, Month, YearMonth, Week:
		if v.Kind == Time || !p.addDate(u, i) {
			return Value{}, false
		}
		return p.value(v.Kind), v.Kind != None
	}
	if v.Kind == None || i.Day+i.Hour/24+i.Minute/24/60+i.Second/secondsPerDay > dayNumberMax {
		return Value{}, false
	}
	if u == Day && v.Kind != Time { // the clock stays
		days := int64(i.Day)
		if i.Negative {
			days = -days
		}
		d, ok := dateOfDayNumber(p.dayNumber() + days)
		return Value{d.PackDate() | v.Packed&clockMask, v.Kind}, ok
	}
	n := int64((((i.Day*24+i.Hour)*60+i.Minute)*60+i.Second)*microsPerSecond + i.Micro)
	if i.Negative {
		n = -n
	}
	if v.Kind == Time {
		n += v.Packed.micros()
		const limit = (timeHourMax+1)*3600*microsPerSecond - 1
		if n > limit || n < -limit {
			return Value{}, false
		}
		return Value{timeOfMicros(n), Time}, true
	}
	out, ok := dateTimeOfStamp(v.Packed.stamp() + n)
	return Value{out, DateTime}, ok
}

// addDate adds weeks, months and years to the date; the day is clipped to the
// month's end. What overflows 32 bits of a year wraps, as in MariaDB.
func (p *Parts) addDate(u Unit, i Interval) bool {
	sign := int64(1)
	if i.Negative {
		sign = -1
	}
	switch u {
	case Week:
		d, ok := dateOfDayNumber(p.dayNumber() + sign*int64(i.Day))
		p.Year, p.Month, p.Day = d.Year, d.Month, d.Day
		return ok
	case Year:
		year := uint32(int64(p.Year) + sign*int64(i.Year))
		if year > yearMax {
			return false
		}
		p.Year = int(year)
		if p.Month == 2 && p.Day == 29 && !isLeap(p.Year) {
			p.Day = 28
		}
		return true
	}
	months := int64(p.Year)*12 + int64(p.Month) - 1 + sign*int64(i.Year)*12 + sign*int64(i.Month)
	if uint64(months) >= (yearMax+1)*12 {
		return false
	}
	p.Year, p.Month = int(months/12), int(months%12)+1
	p.Day = min(p.Day, daysOfMonth(p.Year, p.Month))
	return true
}
