package temporal

import "strconv"

// appendPadded writes n with at least width digits.
func appendPadded(dst []byte, n int64, width int) []byte {
	limit := int64(1)
	for i := 1; i < width; i++ {
		limit *= 10
		if n < limit {
			for range width - i {
				dst = append(dst, '0')
			}
			break
		}
	}
	return strconv.AppendInt(dst, n, 10)
}

// AppendFormat is DATE_FORMAT, or TIME_FORMAT if clockOnly, which has no letters
// of dates. False is NULL: for an empty format, a letter of a date in
// TIME_FORMAT, and names of months and days of a date that has none. What is
// longer than most bytes is not complete.
func (n *Names) AppendFormat(dst, format []byte, v Value, clockOnly bool, most int) ([]byte, bool) {
	if len(format) == 0 || v.Kind == None {
		return dst, false
	}
	p := v.Parts()
	if p.Negative {
		dst = append(dst, '-')
	}
	for i := 0; i < len(format) && len(dst) <= most; i++ {
		if format[i] != '%' || i+1 == len(format) {
			dst = append(dst, format[i])
			continue
		}
		i++
		var known, ok bool
		if dst, known = p.appendClockLetter(dst, format[i]); known {
			continue
		}
		if dst, known, ok = p.appendDateLetter(dst, format[i], n, clockOnly); !ok {
			return dst, false
		}
		if !known {
			dst = append(dst, format[i])
		}
	}
	return dst, true
}

// appendClockLetter writes what a letter of the clock stands for.
func (p *Parts) appendClockLetter(dst []byte, letter byte) (out []byte, known bool) {
	twelve := int64((p.Hour%24+11)%12 + 1)
	switch letter {
	case 'f':
		return appendPadded(dst, int64(p.Micro), FractionMax), true
	case 'H':
		return appendPadded(dst, int64(p.Hour), 2), true
	case 'k':
		return strconv.AppendInt(dst, int64(p.Hour), 10), true
	case 'h', 'I':
		return appendPadded(dst, twelve, 2), true
	case 'l':
		return strconv.AppendInt(dst, twelve, 10), true
	case 'i':
		return append2(dst, p.Minute), true
	case 's', 'S':
		return append2(dst, p.Second), true
	case 'p':
		return append(dst, p.halfDay()...), true
	case 'r':
		dst = append(appendPadded(dst, twelve, 2), ':')
		dst = append(append2(dst, p.Minute), ':')
		return append(append(append2(dst, p.Second), ' '), p.halfDay()...), true
	case 'T':
		dst = append(appendPadded(dst, int64(p.Hour), 2), ':')
		dst = append(append2(dst, p.Minute), ':')
		return append2(dst, p.Second), true
	}
	return dst, false
}

func (p *Parts) halfDay() string {
	if p.Hour%24 < 12 {
		return "AM"
	}
	return "PM"
}

// ordinal is the ending of an English ordinal number.
func ordinal(n int) string {
	if n < 10 || n > 19 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// appendDateLetter writes what a letter of the date stands for; not ok is NULL.
func (p *Parts) appendDateLetter(dst []byte, letter byte, n *Names, clockOnly bool) (out []byte, known, ok bool) {
	switch letter {
	case 'M', 'b', 'W', 'a', 'D', 'Y', 'y', 'm', 'c', 'd', 'e', 'j', 'U', 'u', 'V', 'v', 'X', 'x', 'w':
		if clockOnly {
			return dst, true, false
		}
	default:
		return dst, false, true
	}
	switch letter {
	case 'M', 'b':
		if p.Month == 0 {
			return dst, true, false
		}
		if letter == 'M' {
			return append(dst, n.Months[p.Month-1]...), true, true
		}
		return append(dst, n.ShortMonths[p.Month-1]...), true, true
	case 'W', 'a', 'w':
		if p.Month == 0 && p.Year == 0 {
			return dst, true, false
		}
		day := p.dayNumber()
		switch letter {
		case 'W':
			return append(dst, n.Days[weekday(day, false)]...), true, true
		case 'a':
			return append(dst, n.ShortDays[weekday(day, false)]...), true, true
		}
		return strconv.AppendInt(dst, int64(weekday(day, true)), 10), true, true
	case 'j':
		if p.Month == 0 || p.Year == 0 {
			return dst, true, false
		}
		return appendPadded(dst, p.dayNumber()-dayNumber(p.Year, 1, 1)+1, 3), true, true
	}
	return p.appendNumberLetter(dst, letter), true, true
}

func (p *Parts) appendNumberLetter(dst []byte, letter byte) []byte {
	switch letter {
	case 'D':
		return append(strconv.AppendInt(dst, int64(p.Day), 10), ordinal(p.Day)...)
	case 'Y':
		return append4(dst, p.Year)
	case 'y':
		return append2(dst, p.Year%100)
	case 'm':
		return append2(dst, p.Month)
	case 'c':
		return strconv.AppendInt(dst, int64(p.Month), 10)
	case 'd':
		return append2(dst, p.Day)
	case 'e':
		return strconv.AppendInt(dst, int64(p.Day), 10)
	}
	var rule weekRule
	switch letter {
	case 'U':
		rule = weekFirstDay
	case 'u':
		rule = weekMonday
	case 'V', 'X':
		rule = weekFull | weekFirstDay
	default: // v, x
		rule = weekFull | weekMonday
	}
	week, year := p.week(rule)
	if letter|0x20 == 'x' {
		return appendPadded(dst, int64(year), 4)
	}
	return appendPadded(dst, int64(week), 2)
}
