package temporal

// FormatKind is the kind of STR_TO_DATE's result for a constant format, and its
// fsp (0 or 6). A format that is not constant gives DateTime and 6.
func FormatKind(format []byte) (Kind, int) {
	date, clock, fraction := false, false, false
	for i := 0; i+1 < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		switch format[i] {
		case 'f':
			clock, fraction = true, true
		case 'H', 'I', 'S', 'T', 'h', 'i', 'k', 'l', 'r', 's':
			clock = true
		case 'M', 'V', 'U', 'X', 'Y', 'W', 'a', 'b', 'c', 'j', 'm', 'v', 'u', 'x', 'y', 'w':
			date = true
		}
	}
	fsp := 0
	if fraction {
		fsp = FractionMax
	}
	switch {
	case clock && date:
		return DateTime, fsp
	case clock:
		return Time, fsp
	}
	return Date, 0
}

// Mismatch is what warning 1411 "Incorrect datetime value: '…' for function
// str_to_date" tells about a text that does not have its format.
type Mismatch struct {
	Word   string // datetime, or time where %r or %T does not match
	Quoted []byte // a part of the text
}

// quotedMax is how much of a text warning 1411 quotes.
const quotedMax = 127

// StrToDate is STR_TO_DATE; k is what FormatKind said. Without a value (None)
// the warning is that of the mismatch; Truncated is 1292 "Truncated incorrect date
// value" with the kind's word.
func (m Mode) StrToDate(text, format []byte, k Kind) (v Value, c Cond, wrong Mismatch) {
	s := matcher{text: text}
	if !s.match(format, &s.p) {
		return Value{}, 0, s.failed()
	}
	if s.halfDays && !s.twelveHours() || !s.dayOfYear() || !s.dayOfWeek() {
		return Value{}, 0, s.failed()
	}
	p := &s.p
	if p.Month > 12 || p.Day > 31 || p.Hour > 23 || p.Minute > 59 || p.Second > 59 || p.Year > yearMax {
		return Value{}, 0, s.failed()
	}
	m.InvalidDates = true
	zero := *p == Parts{}
	if k != Time && m.check(p, zero) != 0 {
		return Value{}, 0, s.failed()
	}
	for _, b := range text[s.at:] {
		if !isSpace(b) {
			c = Truncated
			break
		}
	}
	if k == Time {
		p.Hour += p.Day * 24
	}
	return p.value(k), c, Mismatch{}
}

// matcher reads a text by a format.
type matcher struct {
	text []byte
	at   int
	p    Parts

	halfDays   bool // an hour of %h, %I or %l came
	afternoon  bool
	yearDay    int
	weekDay    int // 1 to 7 from Monday on
	week       int
	hasWeek    bool
	sunday     bool // weeks begin on Sunday: %U, %V
	strict     bool // %V, %v: the year is that of %X, %x
	weekYear   int
	hasYear    bool
	yearSunday bool // %X
	clockAt    int  // where the %r or %T begins that does not match
	inClock    bool // there is one
}

func (s *matcher) failed() Mismatch {
	m := Mismatch{Word: DateTime.Word(), Quoted: s.text}
	if s.inClock {
		m = Mismatch{Word: Time.Word(), Quoted: s.text[s.clockAt:]}
	}
	m.Quoted = m.Quoted[:min(len(m.Quoted), quotedMax)]
	return m
}

func (s *matcher) skipSpace() {
	for s.at < len(s.text) && isASCIISpace(s.text[s.at]) {
		s.at++
	}
}

// int reads a number of up to max characters as strtoll does: blanks and a plus
// may precede it.
func (s *matcher) int(max int) (int, bool) {
	end := min(len(s.text), s.at+max)
	i := s.at
	for i < end && (s.text[i] == ' ' || s.text[i] == '\t') {
		i++
	}
	if i < end && s.text[i] == '+' {
		i++
	}
	start, n := i, 0
	for i < end && isDigit(s.text[i]) {
		n = n*10 + int(s.text[i]-'0')
		i++
	}
	if i == start {
		return 0, false
	}
	s.at = i
	return n, true
}

// set reads a number into a field.
func (s *matcher) set(dst *int, max int) bool {
	n, ok := s.int(max)
	if ok {
		*dst = n
	}
	return ok
}

// name reads a word out of a list; the index counts from 1.
func (s *matcher) name(names []string) (int, bool) {
	end := s.at
	for end < len(s.text) && isAlpha(s.text[end]) {
		end++
	}
	n := findName(names, s.text[s.at:end])
	if n > 0 {
		s.at = end
	}
	return n, n > 0
}

func (s *matcher) skipClass(bits uint8) bool {
	for s.at < len(s.text) && s.text[s.at] < 0x80 && class[s.text[s.at]]&bits != 0 {
		s.at++
	}
	return true
}

// match reads until the format or the text ends.
func (s *matcher) match(format []byte, p *Parts) bool {
	for i := 0; i < len(format) && s.at < len(s.text); i++ {
		s.skipSpace()
		if s.at >= len(s.text) {
			return true
		}
		c := format[i]
		switch {
		case c == '%' && i+1 < len(format):
			i++
			if !s.letter(format[i], p) {
				return false
			}
		case !isASCIISpace(c):
			if s.text[s.at] != c {
				return false
			}
			s.at++
		}
	}
	return true
}

func (s *matcher) letter(letter byte, p *Parts) bool {
	switch letter {
	case 'Y':
		start := s.at
		ok := s.set(&p.Year, 4)
		if s.at-start <= 2 {
			p.Year = fullYear(p.Year)
		}
		return ok
	case 'y':
		ok := s.set(&p.Year, 2)
		p.Year = fullYear(p.Year)
		return ok
	case 'm', 'c':
		return s.set(&p.Month, 2)
	case 'd', 'e':
		return s.set(&p.Day, 2)
	case 'D':
		ok := s.set(&p.Day, 2)
		s.at = min(s.at+2, len(s.text))
		return ok
	case 'k', 'H':
		return s.set(&p.Hour, 2)
	case 'h', 'I', 'l':
		s.halfDays = true
		return s.set(&p.Hour, 2)
	case 'i':
		return s.set(&p.Minute, 2)
	case 's', 'S':
		return s.set(&p.Second, 2)
	case 'f':
		start := s.at
		ok := s.set(&p.Micro, FractionMax)
		if n := s.at - start; ok && n < FractionMax {
			p.Micro *= microUnits[n]
		}
		return ok
	case 'p':
		return s.halfDay()
	case 'r':
		return s.clock("%I:%i:%S %p")
	case 'T':
		return s.clock("%H:%i:%S")
	case '.':
		return s.skipClass(classPunct)
	case '@':
		return s.skipClass(classAlpha)
	case '#':
		return s.skipClass(classDigit)
	}
	return s.calendarLetter(letter, p)
}

// calendarLetter reads names, and numbers of days and weeks.
func (s *matcher) calendarLetter(letter byte, p *Parts) (ok bool) {
	switch letter {
	case 'M':
		p.Month, ok = s.name(English.Months[:])
	case 'b':
		p.Month, ok = s.name(English.ShortMonths[:])
	case 'W':
		s.weekDay, ok = s.name(English.Days[:])
	case 'a':
		s.weekDay, ok = s.name(English.ShortDays[:])
	case 'w':
		ok = s.set(&s.weekDay, 1)
		if ok && s.weekDay >= 7 {
			return false
		}
		if s.weekDay == 0 {
			s.weekDay = 7
		}
	case 'j':
		ok = s.set(&s.yearDay, 3)
	case 'U', 'u', 'V', 'v':
		s.sunday = letter == 'U' || letter == 'V'
		s.strict = letter|0x20 == 'v'
		ok = s.set(&s.week, 2)
		s.hasWeek = true
		if s.week > 53 || s.strict && s.week == 0 {
			return false
		}
	case 'X', 'x':
		s.yearSunday, s.hasYear = letter == 'X', true
		ok = s.set(&s.weekYear, 4)
	}
	return ok
}

func (s *matcher) halfDay() bool {
	if len(s.text)-s.at < 2 || !s.halfDays || s.text[s.at+1]|0x20 != 'm' {
		return false
	}
	switch s.text[s.at] | 0x20 {
	case 'p':
		s.afternoon = true
	case 'a':
	default:
		return false
	}
	s.at += 2
	return true
}

// clock reads %r or %T, whose hours have nothing to do with those of other letters.
func (s *matcher) clock(format string) bool {
	sub := matcher{text: s.text[s.at:], p: s.p}
	var buf [16]byte
	if !sub.match(append(buf[:0], format...), &sub.p) || sub.halfDays && !sub.twelveHours() {
		s.inClock, s.clockAt = true, s.at
		return false
	}
	s.at += sub.at
	s.p = sub.p
	return true
}

// twelveHours makes an hour of 0 to 23 of 1 to 12.
func (s *matcher) twelveHours() bool {
	if s.p.Hour > 12 || s.p.Hour < 1 {
		return false
	}
	s.p.Hour %= 12
	if s.afternoon {
		s.p.Hour += 12
	}
	return true
}

// setDay sets the date to that of a day number.
func (s *matcher) setDay(day int64) bool {
	d, ok := dateOfDayNumber(day)
	if ok {
		s.p.Year, s.p.Month, s.p.Day = d.Year, d.Month, d.Day
	}
	return ok
}

func (s *matcher) dayOfYear() bool {
	return s.yearDay <= 0 || s.setDay(dayNumber(s.p.Year, 1, 1)+int64(s.yearDay)-1)
}

// dayOfWeek makes a date of year, week and day of the week. %V and %v go with
// %X and %x, %U and %u with %Y.
func (s *matcher) dayOfWeek() bool {
	if !s.hasWeek || s.weekDay == 0 {
		return true
	}
	if s.strict != s.hasYear || s.strict && s.yearSunday != s.sunday {
		return false
	}
	year := s.p.Year
	if s.strict {
		year = s.weekYear
	}
	day := dayNumber(year, 1, 1)
	first := weekday(day, s.sunday)
	late, offset := first > 3, s.weekDay-1
	if s.sunday {
		late, offset = first > 0, s.weekDay%7
	}
	if late {
		day += 7
	}
	return s.setDay(day - int64(first) + int64((s.week-1)*7+offset))
}
