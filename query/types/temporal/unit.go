package temporal

// Unit is a unit of INTERVAL and EXTRACT. The order is MariaDB's.
type Unit uint8

// The units.
const (
	Year Unit = iota
	Quarter
	Month
	Week
	Day
	Hour
	Minute
	Second
	Microsecond
	YearMonth
	DayHour
	DayMinute
	DaySecond
	HourMinute
	HourSecond
	MinuteSecond
	DayMicrosecond
	HourMicrosecond
	MinuteMicrosecond
	SecondMicrosecond
)

var unitNames = [...]string{
	"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND",
	"YEAR_MONTH", "DAY_HOUR", "DAY_MINUTE", "DAY_SECOND", "HOUR_MINUTE", "HOUR_SECOND", "MINUTE_SECOND",
	"DAY_MICROSECOND", "HOUR_MICROSECOND", "MINUTE_MICROSECOND", "SECOND_MICROSECOND",
}

func (u Unit) String() string {
	if int(u) < len(unitNames) {
		return unitNames[u]
	}
	return "unknown unit"
}

// Compound says that the unit's value is a text of several numbers.
func (u Unit) Compound() bool { return u >= YearMonth }

// HasClock says that adding the unit to a DATE makes a DATETIME.
func (u Unit) HasClock() bool {
	return u >= Hour && u != YearMonth
}

// FitsTime says that the unit can be added to a TIME.
func (u Unit) FitsTime() bool { return u >= Day && u != YearMonth }

// Fraction is how many digits of a fraction a value of the unit adds to the
// result: 6 of units with microseconds, else 0. That of Second is the scale of its number.
func (u Unit) Fraction() int {
	if u == Microsecond || u >= DayMicrosecond {
		return FractionMax
	}
	return 0
}

// Context is the context in which EXTRACT reads a text for the unit.
func (u Unit) Context() Context {
	switch u {
	case Year, Quarter, Month, Week, YearMonth:
		return InDate
	case Day, DayHour, DayMinute, DaySecond: // not DayMicrosecond: MariaDB's slip
		return InExtractDay
	}
	return InExtractTime
}

// Extract is EXTRACT of a unit. A TIME is split into days. weekMode is
// default_week_format.
func (v Value) Extract(u Unit, weekMode uint) int64 {
	p := v.Parts()
	if v.Kind == Time {
		p.Day, p.Hour = p.Hour/24, p.Hour%24
	}
	day, hour := int64(p.Day), int64(p.Hour)
	minute, sec, micro := int64(p.Minute), int64(p.Second), int64(p.Micro)
	var n int64
	switch u {
	case Year:
		return int64(p.Year)
	case YearMonth:
		return int64(p.Year*100 + p.Month)
	case Quarter:
		return int64((p.Month + 2) / 3)
	case Month:
		return int64(p.Month)
	case Week:
		w, _ := p.week(weekRuleOf(weekMode))
		return int64(w)
	case Day:
		n = day
	case Hour:
		n = hour
	case Minute:
		n = minute
	case Second:
		n = sec
	case Microsecond:
		n = micro
	case DayHour:
		n = day*100 + hour
	case DayMinute:
		n = (day*100+hour)*100 + minute
	case DaySecond:
		n = ((day*100+hour)*100+minute)*100 + sec
	case DayMicrosecond:
		n = (((day*100+hour)*100+minute)*100+sec)*microsPerSecond + micro
	case HourMinute:
		n = hour*100 + minute
	case HourSecond:
		n = (hour*100+minute)*100 + sec
	case HourMicrosecond:
		n = ((hour*100+minute)*100+sec)*microsPerSecond + micro
	case MinuteSecond:
		n = minute*100 + sec
	case MinuteMicrosecond:
		n = (minute*100+sec)*microsPerSecond + micro
	case SecondMicrosecond:
		n = sec*microsPerSecond + micro
	}
	if p.Negative {
		return -n
	}
	return n
}
