package temporal

// kindError marks a text that has the form of a date but is none; unlike None
// it is not read as something else.
const kindError = Time + 1

// reader reads the fields of a text.
type reader struct {
	text   []byte
	at     int
	fields int // how many numbers were read
	cond   Cond
	digits uint8  // of the fraction
	nanos  uint16 // the fraction's seventh digit, in nanoseconds
}

func (r *reader) done() bool { return r.at >= len(r.text) }

func (r *reader) skipSpace() {
	for !r.done() && isSpace(r.text[r.at]) {
		r.at++
	}
}

// number reads up to max digits (all if max is 0) into v. At the end of the
// text v stays, which is no error; anything but a digit is. Values wrap at 32
// bits, as MariaDB's do.
func (r *reader) number(v *uint32, max int) bool {
	if r.done() {
		return true
	}
	end := len(r.text)
	if max > 0 && r.at+max < end {
		end = r.at + max
	}
	start, n := r.at, uint32(0)
	for r.at < end && isDigit(r.text[r.at]) {
		n = n*10 + uint32(r.text[r.at]-'0')
		r.at++
	}
	if r.at == start {
		return false
	}
	*v = n
	r.fields++
	return true
}

// punct skips one punctuation character; at the end of the text there need not be one.
func (r *reader) punct() bool {
	if r.done() {
		return true
	}
	if !isPunct(r.text[r.at]) {
		return false
	}
	r.at++
	return true
}

// dateTimeSeparator skips what stands between date and time: a T, blanks, or
// where anyPunct says so a punctuation character. Where it does not, such a text
// is no date at all ('11:11:11.12.12.12' is a TIME there).
func (r *reader) dateTimeSeparator(anyPunct bool) bool {
	if r.done() {
		return true
	}
	switch c := r.text[r.at]; {
	case c == 'T':
		r.at++
	case isPunct(c):
		if !anyPunct {
			r.fields = 0
			return false
		}
		r.at++
	case isSpace(c):
		r.skipSpace()
	default:
		return false
	}
	return true
}

// microUnits: microseconds per unit of the last of n digits.
var microUnits = [7]int{1000000, 100000, 10000, 1000, 100, 10, 1}

// fraction reads what follows the point of the seconds.
func (r *reader) fraction() int {
	start, v := r.at, uint32(0)
	if !r.number(&v, FractionMax) {
		r.cond |= Truncated
	}
	n := r.at - start
	r.digits = uint8(n)
	if !r.done() && isDigit(r.text[r.at]) {
		r.nanos = 100 * uint16(r.text[r.at]-'0')
		r.cond |= NoteTruncated
		for !r.done() && isDigit(r.text[r.at]) {
			r.at++
		}
	}
	return int(v) * microUnits[n]
}

// digitRun is the index after the digits from at on.
func (r *reader) digitRun(at int) int {
	for at < len(r.text) && isDigit(r.text[at]) {
		at++
	}
	return at
}

// undelimited says whether the text is one number ([YY]YYMMDD[T][hhmmss[.ffffff]]),
// and how many digits the year then has.
func (r *reader) undelimited() (yearDigits int, ok bool) {
	at := r.digitRun(r.at)
	digits := at - r.at
	if at < len(r.text) && r.text[at] == 'T' {
		end := r.digitRun(at + 1)
		digits += end - at - 1
		at = end
	}
	if at < len(r.text) && r.text[at] == '.' && digits >= 12 {
		at = r.digitRun(at + 1)
	}
	if digits == 4 || digits == 8 || digits >= 14 {
		return 4, at == len(r.text)
	}
	return 2, at == len(r.text)
}

// date reads a date, with or without a time. The kind is Date, DateTime, None
// (no date) or kindError (a date that does not exist).
func (r *reader) date(m Mode, anyPunct bool) (Parts, Kind) {
	var year, month, day, hour, minute, second uint32
	var whole bool // read to the end of what a date may have
	yearDigits, plain := r.undelimited()
	if plain {
		whole = r.number(&year, yearDigits) && r.number(&month, 2) && r.number(&day, 2)
		if whole && !r.done() && r.text[r.at] == 'T' {
			r.at++
		}
		whole = whole && r.number(&hour, 2) && r.number(&minute, 2) && r.number(&second, 2)
	} else {
		start := r.at
		whole = r.number(&year, 0)
		yearDigits = r.at - start
		whole = whole && r.punct() && r.number(&month, 0) && r.punct() && r.number(&day, 0) &&
			r.dateTimeSeparator(anyPunct) && r.number(&hour, 0) && r.punct() && r.number(&minute, 0) &&
			r.punct() && r.number(&second, 0)
	}
	if !whole {
		r.cond |= Truncated
	}
	if r.fields < 3 {
		r.cond |= Truncated
		return Parts{}, None
	}
	p := Parts{}
	if whole && !r.done() && r.text[r.at] == '.' {
		r.at++
		p.Micro = r.fraction()
	}
	zero := year|month|day|hour|minute|second|uint32(p.Micro) == 0
	if yearDigits == 2 && !zero {
		year = uint32(fullYear(int(year)))
	}
	if year > yearMax || month > 12 || day > 31 || hour > 23 || minute > 59 || second > 59 {
		r.cond |= Truncated
		return Parts{}, kindError
	}
	p.Year, p.Month, p.Day = int(year), int(month), int(day)
	p.Hour, p.Minute, p.Second = int(hour), int(minute), int(second)
	if c := m.check(&p, zero); c != 0 {
		if c == OutOfRange {
			r.cond = 0
		}
		r.cond |= c
		return Parts{}, kindError
	}
	kind := DateTime
	if r.fields <= 3 {
		kind = Date
	}
	if !r.done() {
		r.cond = Truncated
	}
	return p, kind
}

// fullYear adds the century to a year of two digits.
func fullYear(y int) int {
	if y < 70 {
		return y + 2000
	}
	return y + 1900
}

// check looks whether a date may be under the mode: 0, OutOfRange or ZeroDate.
func (m Mode) check(p *Parts, zero bool) Cond {
	if zero {
		if m.NoZeroDate {
			return ZeroDate
		}
		return 0
	}
	if m.NoZeroInDate && (p.Month == 0 || p.Day == 0) ||
		!m.InvalidDates && p.Month > 0 && p.Day > daysOfMonth(p.Year, p.Month) {
		return OutOfRange
	}
	return 0
}

// Check looks whether a DATE or DATETIME may be under the mode: 0, OutOfRange
// or ZeroDate.
func (m Mode) Check(v Packed) Cond {
	p := v.DateParts()
	return m.check(&p, v == 0)
}

// Limits of a TIME in the context of its use.
type hourLimits struct {
	clip uint32 // above it the value becomes clip:59:59.999999
	fail uint32 // above it there is no value
}

// clock reads [D ]h:m:s[.f] in the forms that a TIME may have. It returns
// false if the text is none.
func (r *reader) clock(limits hourLimits) (Parts, bool) {
	var f [4]uint64 // days, hours, minutes, seconds
	const first = 42949672955959
	var v uint64
	for !r.done() && isDigit(r.text[r.at]) {
		v = v*10 + uint64(r.text[r.at]-'0')
		if v >= first { // 2^32-1 hours
			r.cond |= OutOfRange
			return Parts{}, false
		}
		r.at++
	}
	daysEnd := r.at
	r.skipSpace()
	left := len(r.text) - r.at
	switch {
	case left > 1 && r.at != daysEnd && isDigit(r.text[r.at]):
		f[0] = v
		r.clockFields(f[1:])
	case left > 1 && r.text[r.at] == ':' && isDigit(r.text[r.at+1]):
		if v >= 1<<32-1 {
			r.cond |= OutOfRange
			return Parts{}, false
		}
		f[1] = v
		r.at++
		r.clockFields(f[2:])
	default: // one number: hhmmss
		f[1], f[2], f[3] = v/10000, v/100%100, v%100
	}
	p := Parts{}
	if !r.done() && r.text[r.at] == '.' {
		r.at++
		p.Micro = r.fraction()
	}
	if r.exponent() {
		r.cond |= Truncated
		return Parts{}, false
	}
	hours := f[0]*24 + f[1]
	if f[0] >= 1<<32 || f[1] >= 1<<32 || f[2] >= 1<<32 || f[3] >= 1<<32 || hours >= 1<<32 {
		r.cond |= OutOfRange
		return Parts{}, false
	}
	p.Hour, p.Minute, p.Second = int(hours), int(f[2]), int(f[3])
	if p.Minute > 59 || p.Second > 59 || hours > uint64(limits.fail) {
		r.cond |= Truncated
		return Parts{}, false
	}
	if hours > uint64(limits.clip) {
		p = Parts{Hour: int(limits.clip), Minute: 59, Second: 59, Micro: 999999}
		r.cond |= OutOfRange
	}
	if !r.done() {
		r.cond |= Truncated
	}
	return p, true
}

// clockFields reads numbers with colons between them until f is full.
func (r *reader) clockFields(f []uint64) {
	for i := range f {
		var v uint64
		for !r.done() && isDigit(r.text[r.at]) {
			v = v*10 + uint64(r.text[r.at]-'0')
			r.at++
		}
		f[i] = v
		if i == len(f)-1 || len(r.text)-r.at < 2 || r.text[r.at] != ':' || !isDigit(r.text[r.at+1]) {
			return
		}
		r.at++
	}
}

// exponent says whether an exponent follows: such a number is no time.
func (r *reader) exponent() bool {
	t := r.text[r.at:]
	if len(t) < 2 || t[0]|0x20 != 'e' {
		return false
	}
	return isDigit(t[1]) || len(t) > 2 && (t[1] == '-' || t[1] == '+') && isDigit(t[2])
}
