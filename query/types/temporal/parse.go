package temporal

// Parse reads a text as MariaDB's str_to_temporal does: leading blanks, a
// sign, the value, and whatever follows it. Digits after the sixth of a fraction
// are cut off, or rounded with RoundFraction. Without a value the kind is None.
func (m Mode) Parse(text []byte, c Context) Result {
	if r, ok := m.parsePlain(text, c); ok {
		return r
	}
	r := reader{}
	negative, ok := r.body(text)
	if !ok {
		return r.result(Value{})
	}
	var p Parts
	var k Kind
	switch c {
	case InDate, InColumn:
		p, k = r.date(m, true)
	case InTime, InTimeColumn:
		p, k = r.dateOrTime(m, false, false, hourLimits{timeHourMax, 1<<32 - 1})
	case InExtractTime:
		p, k = r.dateOrTime(m, true, false, hourLimits{spanHourMax, spanHourMax})
	default:
		p, k = r.dateOrTime(m, true, true, hourLimits{spanHourMax, spanHourMax})
	}
	if k == None || k == kindError {
		return r.result(Value{})
	}
	if negative && k != Time {
		r.cond |= OutOfRange
		return r.result(Value{})
	}
	p.Negative = negative
	return r.rounded(m, p.value(k), c)
}

// Lengths of the texts that values are written as.
const (
	dateLen     = len("2020-01-31")
	dateTimeLen = len("2020-01-31 10:00:00")
)

// parsePlain reads what values print as, 2020-01-31 and 2020-01-31 10:00:00 with
// up to six digits of a fraction, which is what nearly all texts are; false says
// that the text is anything else, or that there is something to report.
func (m Mode) parsePlain(text []byte, c Context) (Result, bool) {
	n := len(text)
	if n != dateLen && n != dateTimeLen && (n < dateTimeLen+2 || n > dateTimeLen+1+FractionMax) ||
		n == dateLen && c != InDate && c != InColumn || text[4] != '-' || text[7] != '-' {
		return Result{}, false
	}
	century, year := pair(text, 0), pair(text, 2)
	p := Parts{Year: century*100 + year, Month: pair(text, 5), Day: pair(text, 8)}
	ok := max(century, year) <= 99 && p.Month <= 12 && p.Day <= 31
	r := Result{Value: Value{Kind: Date}}
	if n > dateLen {
		if text[10] != ' ' || text[13] != ':' || text[16] != ':' {
			return Result{}, false
		}
		p.Hour, p.Minute, p.Second = pair(text, 11), pair(text, 14), pair(text, 17)
		ok = ok && p.inRange(23)
		r.Value.Kind = DateTime
	}
	if n > dateTimeLen {
		ok = ok && text[dateTimeLen] == '.'
		for _, d := range text[dateTimeLen+1:] {
			ok = ok && isDigit(d)
			p.Micro = p.Micro*10 + int(d-'0')
		}
		r.Digits = uint8(n - dateTimeLen - 1)
		p.Micro *= microUnits[r.Digits]
	}
	if !ok {
		return Result{}, false
	}
	r.Value.Packed = p.PackDate()
	return r, m.check(&p, r.Value.Packed == 0) == 0
}

// pair is the number of two digits; more than 99 if they are none.
func pair(text []byte, at int) int {
	a, b := text[at]-'0', text[at+1]-'0'
	if a > 9 || b > 9 {
		return 100
	}
	return int(a)*10 + int(b)
}

func (r *reader) result(v Value) Result {
	return Result{Value: v, Cond: r.cond, Digits: r.digits}
}

// rounded is the result after the digits that were too many have been rounded.
func (r *reader) rounded(m Mode, v Value, c Context) Result {
	out := r.result(v)
	if m.RoundFraction && r.nanos >= 500 {
		out.roundUp(c)
	}
	return out
}

// body finds the text between a sign and trailing blanks; false if no value
// starts there.
func (r *reader) body(text []byte) (negative, ok bool) {
	r.text = text
	r.skipSpace()
	if !r.done() && (text[r.at] == '-' || text[r.at] == '+') {
		negative = text[r.at] == '-'
		r.at++
	}
	r.skipSpace()
	text = text[r.at:]
	end := len(text)
	for ; end > 0; end-- {
		c := text[end-1]
		if isDigit(c) || isPunct(c) || c == 'T' && end >= 2 && isDigit(text[end-2]) {
			break
		}
		if !isSpace(c) {
			r.cond |= Truncated
		}
	}
	r.text, r.at = text[:end], 0
	if end == 0 || !isDigit(text[0]) {
		r.cond |= NoDigits
		return negative, false
	}
	return negative, true
}

// mayBeDate says whether a text in the context of a TIME is tried as a date
// first. delimited: any separator but a colon makes it one; plain: digits only, too.
func mayBeDate(text []byte, delimited, plain bool) bool {
	if len(text) >= 12 {
		return true
	}
	shortest := len("1-1-1T")
	if delimited {
		shortest = len("1-1-1")
	}
	if len(text) < shortest && !plain {
		return false
	}
	separators := 0
	for _, c := range text {
		switch {
		case c == 'T':
			return true
		case c == ' ': // after a separator that of date and time, else that of days and time
			return separators > 0
		case isPunct(c):
			if delimited && c != ':' {
				return true
			}
			separators++
		}
	}
	return plain && separators == 0
}

// dateOrTime reads a TIME, or what is clearly a date.
func (r *reader) dateOrTime(m Mode, delimited, plain bool, limits hourLimits) (Parts, Kind) {
	if mayBeDate(r.text, delimited, plain) {
		before := *r
		p, k := r.date(m, false)
		used := r.text[:r.at]
		switch k {
		case DateTime:
			return p, k
		case Date, kindError:
			if k == kindError && r.fields > 3 || !looksLikeTime(used) {
				return p, k
			}
		case None:
			if plain && r.done() && !hasPunct(used) && !hasByte(used, 'T') {
				return p, kindError
			}
		}
		*r = before
	}
	p, ok := r.clock(limits)
	if !ok {
		return p, kindError
	}
	return p, Time
}

// looksLikeTime: '24:02:03' may be a date and is a time.
func looksLikeTime(text []byte) bool { return hasByte(text, ':') && !hasByte(text, 'T') }

func hasByte(text []byte, c byte) bool {
	for _, x := range text {
		if x == c {
			return true
		}
	}
	return false
}

func hasPunct(text []byte) bool {
	for _, c := range text {
		if isPunct(c) {
			return true
		}
	}
	return false
}

// ParseSpan reads the second argument of ADDTIME, SUBTIME and TIMESTAMP: an
// INTERVAL DAY TO SECOND, which is a TIME whose hours go up to 87649415. A date
// is no such thing. The kind of the result is Time or None.
func (m Mode) ParseSpan(text []byte) Result {
	r := reader{}
	negative, ok := r.body(text)
	if !ok {
		return r.result(Value{})
	}
	if mayBeDate(r.text, false, false) {
		before := r
		if _, k := r.date(Mode{}, false); k == Date || k == DateTime {
			r.cond |= Truncated
			return r.result(Value{})
		}
		before.cond = 0 // what body saw is forgotten here
		r = before
	}
	p, ok := r.clock(hourLimits{1<<32 - 1, 1<<32 - 1})
	if !ok {
		return r.result(Value{})
	}
	if !r.done() && r.text[r.at] == '-' {
		return r.result(Value{})
	}
	if p.Hour > spanHourMax {
		r.cond |= OutOfRange
		return r.result(Value{})
	}
	p.Negative = negative
	v := Value{p.PackTime(), Time}
	return r.rounded(m, v, InExtractTime)
}

// SpanWarning is the warning for a result of ParseSpan; its word is INTERVAL
// DAY TO SECOND.
func (r Result) SpanWarning() (Warning, bool) {
	w := Warning{Word: "INTERVAL DAY TO SECOND"}
	switch {
	case r.Value.Kind == None || r.Cond&OutOfRange != 0:
		w.Useless = true
	case r.Cond == 0:
		return Warning{}, false
	case r.Cond&serious == 0:
		w.Note = true
	}
	return w, true
}

// ParseLiteral reads the text of DATE'…', TIME'…' and TIMESTAMP'…' (k is
// DateTime), which must be a whole value of that kind; false is error 1525
// "Incorrect DATE value: '…'". The condition can be NoteTruncated, see
// LiteralWarning.
func (m Mode) ParseLiteral(text []byte, k Kind) (Result, bool) {
	c := InDate
	if k == Time {
		c = InTime
	}
	r := m.Parse(text, c)
	return r, r.Value.Kind == k && r.Cond&serious == 0
}

// LiteralWarning is the note about a literal whose fraction has more than six
// digits; its word is the kind's name in capitals.
func (r Result) LiteralWarning() (Warning, bool) {
	return Warning{Word: r.Value.Kind.Name(), Note: true}, r.Cond != 0
}
