package temporal

// Day numbers count from day 1, '0000-01-01', in MariaDB's calendar, which
// has the Gregorian rules at all times. Those of the years 1 to 9999:
const (
	dayNumberMin = 366
	dayNumberMax = 3652424
	epochDay     = 719528 // 1970-01-01
)

var monthDays = [13]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func isLeap(year int) bool {
	return year&3 == 0 && (year%100 != 0 || year%400 == 0 && year != 0)
}

func daysOfYear(year int) int {
	if isLeap(year) {
		return 366
	}
	return 365
}

// daysOfMonth is the length of months 1 to 12.
func daysOfMonth(year, month int) int {
	if month == 2 && isLeap(year) {
		return 29
	}
	return monthDays[month]
}

// dayNumber is the number of a date's day; that of a date without year and
// month is 0. Incomplete dates count from where their zeros would be.
func (p *Parts) dayNumber() int64 { return dayNumber(p.Year, p.Month, p.Day) }

func dayNumber(year, month, day int) int64 {
	if year == 0 && month == 0 {
		return 0
	}
	n := 365*year + 31*(month-1) + day
	if month <= 2 {
		year--
	} else {
		n -= (4*month + 23) / 10
	}
	return int64(n + year/4 - (year/100+1)*3/4)
}

// dateOfDayNumber is the date of a day; false outside of the years 1 to 9999.
// The arithmetic is that of H. Hinnant's "chrono-compatible low-level date
// algorithms", whose years begin in March.
func dateOfDayNumber(n int64) (Parts, bool) {
	if n < dayNumberMin || n > dayNumberMax {
		return Parts{}, false
	}
	z := int(n) - 60 // from 0000-03-01
	const era = 146097
	e := z / era
	z %= era
	y := (z - z/1460 + z/36524 - z/(era-1)) / 365
	z -= 365*y + y/4 - y/100
	m := (5*z + 2) / 153
	p := Parts{Year: y + e*400, Month: m + 3, Day: z - (153*m+2)/5 + 1}
	if p.Month > 12 {
		p.Month -= 12
		p.Year++
	}
	return p, true
}

// ToDays is TO_DAYS of a complete date.
func (v Packed) ToDays() int64 {
	p := v.DateParts()
	return p.dayNumber()
}

// ToSeconds is TO_SECONDS of a complete date.
func (v Packed) ToSeconds() int64 { return v.stamp() / microsPerSecond }

// FromDays is FROM_DAYS: a DATE, '0000-00-00' outside of the years 1 to 9999.
func FromDays(n int64) Packed {
	p, ok := dateOfDayNumber(n)
	if !ok {
		return 0
	}
	return p.PackDate()
}

// weekday is 0 to 6, 0 being Monday, or Sunday.
func weekday(day int64, sundayFirst bool) int {
	if sundayFirst {
		return int((day + 6) % 7)
	}
	return int((day + 5) % 7)
}

// DayOfWeek is DAYOFWEEK: 1 is Sunday.
func (v Packed) DayOfWeek() int { return weekday(v.ToDays(), true) + 1 }

// Weekday is WEEKDAY: 0 is Monday.
func (v Packed) Weekday() int { return weekday(v.ToDays(), false) }

// DayOfYear is DAYOFYEAR: 1 to 366.
func (v Packed) DayOfYear() int {
	p := v.DateParts()
	return int(p.dayNumber()-dayNumber(p.Year, 1, 1)) + 1
}

// Quarter is QUARTER: 0 to 4, 0 being that of a date without month.
func (v Packed) Quarter() int {
	p := v.DateParts()
	return (p.Month + 2) / 3
}

// LastDay is LAST_DAY; false for a date without month.
func (v Packed) LastDay() (Packed, bool) {
	p := v.DateParts()
	if p.Month == 0 {
		return 0, false
	}
	p = Parts{Year: p.Year, Month: p.Month, Day: daysOfMonth(p.Year, p.Month)}
	return p.PackDate(), true
}

// weekRule says how weeks are counted.
type weekRule uint8

const (
	weekMonday   weekRule = 1 << iota // weeks begin on Monday, not Sunday
	weekFull                          // weeks 1 to 53, the first and last days may be in a week of another year
	weekFirstDay                      // week 1 is that of the year's first Monday or Sunday, not that with four days
)

// weekRuleOf makes a rule of WEEK's second argument.
func weekRuleOf(mode uint) weekRule {
	r := weekRule(mode & 7)
	if r&weekMonday == 0 {
		r ^= weekFirstDay
	}
	return r
}

// week is the number of a date's week and the year it belongs to. Incomplete
// dates give what MariaDB's 32-bit arithmetic makes of them.
func (p *Parts) week(rule weekRule) (week, year uint32) {
	day, first := uint64(p.dayNumber()), uint64(dayNumber(p.Year, 1, 1))
	year = uint32(p.Year)
	full := rule&weekFull != 0
	wd := uint32(weekday(int64(first), rule&weekMonday == 0))
	// late: the year's first days, before the next Monday or Sunday, are no week of it.
	late := func() bool { return rule&weekFirstDay != 0 && wd != 0 || rule&weekFirstDay == 0 && wd >= 4 }
	if p.Month == 1 && uint32(p.Day) <= 7-wd {
		if !full && late() {
			return 0, year
		}
		full = true
		year--
		n := uint32(daysOfYear(int(int32(year))))
		first -= uint64(n)
		wd = (wd + 53*7 - n) % 7
	}
	var days uint32
	if late() {
		days = uint32(day - (first + uint64(7-wd)))
	} else {
		days = uint32(day - (first - uint64(wd)))
	}
	if full && days >= 52*7 {
		wd = (wd + uint32(daysOfYear(int(int32(year))))) % 7
		if !late() {
			return 1, year + 1
		}
	}
	return days/7 + 1, year
}

// Week is WEEK of a complete date; modes are those of 0 to 7, higher bits do not count.
func (v Packed) Week(mode uint) int {
	p := v.DateParts()
	w, _ := p.week(weekRuleOf(mode))
	return int(w)
}

// YearWeek is YEARWEEK of a complete date.
func (v Packed) YearWeek(mode uint) int64 {
	p := v.DateParts()
	w, y := p.week(weekRuleOf(mode) | weekFull)
	return int64(w + y*100)
}

// MakeDate is MAKEDATE: the day of a year, counted from 1. Years below 100 have
// two digits. False is NULL.
func MakeDate(year, day int64) (Packed, bool) {
	if year < 0 || year > yearMax || day <= 0 || day > dayNumberMax {
		return 0, false
	}
	if year < 100 {
		year = int64(fullYear(int(year)))
	}
	p, ok := dateOfDayNumber(dayNumber(int(year), 1, 1) + day - 1)
	return p.PackDate(), ok
}

const periodMax = 999912

// periodMonths is the number of months of a period YYMM or YYYYMM.
func periodMonths(period uint64) uint64 {
	if period == 0 || period > periodMax {
		return 0
	}
	year := int(period / 100)
	if year < 100 {
		year = fullYear(year)
	}
	return uint64(year)*12 + period%100 - 1
}

// PeriodAdd is PERIOD_ADD: months added to a period YYMM or YYYYMM.
func PeriodAdd(period, months int64) int64 {
	if period == 0 {
		return 0
	}
	n := uint32(int32(periodMonths(uint64(period))) + int32(months))
	if n == 0 {
		return 0
	}
	year := int64(n / 12)
	if year < 100 {
		year = int64(fullYear(int(year)))
	}
	return year*100 + int64(n%12) + 1
}

// PeriodDiff is PERIOD_DIFF: the months between two periods.
func PeriodDiff(a, b int64) int64 {
	return int64(periodMonths(uint64(a))) - int64(periodMonths(uint64(b)))
}
