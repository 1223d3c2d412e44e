package json

import "unicode/utf8"

// depthLimit is the nesting at which documents and paths are refused.
const depthLimit = 32

// kind is what a value is.
type kind uint8

const (
	object_ kind = iota
	array_
	string_
	number_
	true_
	false_
	null_
)

func (k kind) scalar() bool { return k >= string_ }

// token is what a scanner has read.
type token uint8

const (
	tokenFault token = iota // see scanner.fault; it stays
	tokenKey                // with its colon
	tokenValue              // a scalar, or the beginning of an array or an object
	tokenClose              // the end of an array or an object
	tokenEnd                // the end of the document
)

type scanState uint8

const (
	wantValue scanState = iota
	wantFirstItem
	wantFirstKey
	wantKey
	wantComma
	wantEnd
)

// scanner reads a document. The zero value with text and utf8 set is ready. It may be copied, to look ahead.
type scanner struct {
	text []byte
	utf8 bool // text is UTF-8, of which bytes that are no characters are a fault

	at    int // how much was read; with a fault, the position that messages have
	fault fault

	// kind is that of the last value; start and end are the last scalar, or key without its quotes. Of an array or object that was
	// opened, start is its bracket, as it is after it was closed: then end is known, too.
	kind       kind
	start, end int
	escaped    bool // the last string or key has a backslash

	depth   int
	objects uint32 // bit n: container n, counted from 1, is an object
	state   scanState
	starts  [depthLimit]int
}

func (s *scanner) fail(what fault, at int) token {
	s.fault, s.at = what, at
	return tokenFault
}

// bad is the fault of the character at s.at, or of the end.
func (s *scanner) bad() token {
	if s.at >= len(s.text) {
		return s.fail(ended, s.at)
	}
	c := s.text[s.at]
	size := 1
	switch {
	case c < ' ':
		return s.fail(disallowed, s.at+1)
	case c >= utf8.RuneSelf && s.utf8:
		var r rune
		if r, size = utf8.DecodeRune(s.text[s.at:]); r == utf8.RuneError && size == 1 {
			return s.fail(broken, s.at)
		}
	}
	return s.fail(syntax, s.at+size)
}

func (s *scanner) blanks() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// inObject reports whether the innermost container is an object.
func (s *scanner) inObject() bool { return s.objects>>(s.depth&31)&1 != 0 }

func (s *scanner) next() token {
	if s.fault != fine {
		return tokenFault
	}
	s.blanks()
	if s.at == len(s.text) {
		if s.state == wantEnd {
			return tokenEnd
		}
		return s.fail(ended, s.at)
	}
	c := s.text[s.at]
	switch s.state {
	case wantComma:
		switch {
		case c == ',':
			s.at++
			if s.inObject() {
				s.state = wantKey
			} else {
				s.state = wantValue
			}
			return s.next()
		case c == '}' && s.inObject(), c == ']' && !s.inObject():
			return s.close()
		}
		return s.bad()
	case wantFirstItem:
		if c == ']' {
			return s.close()
		}
		return s.value(c)
	case wantValue:
		return s.value(c)
	case wantFirstKey:
		if c == '}' {
			return s.close()
		}
		return s.key(c)
	case wantKey:
		if c < ' ' {
			return s.fail(syntax, s.at+1)
		}
		return s.key(c)
	}
	return s.bad()
}

func (s *scanner) key(c byte) token {
	if c != '"' {
		return s.bad()
	}
	if !s.quoted() {
		if s.fault == disallowed {
			return s.fail(syntax, s.at-1)
		}
		return tokenFault
	}
	s.start, s.end = s.start+1, s.end-1
	if s.blanks(); s.at == len(s.text) {
		return s.fail(ended, s.at)
	}
	if s.text[s.at] != ':' {
		return s.fail(syntax, s.at)
	}
	s.at++
	s.state = wantValue
	return tokenKey
}

func (s *scanner) value(c byte) token {
	switch {
	case c == '{' || c == '[':
		return s.open(c)
	case c == '"':
		if !s.quoted() {
			return tokenFault
		}
		s.kind = string_
	case c == '-' || c >= '0' && c <= '9':
		if !s.number() {
			return tokenFault
		}
		s.kind = number_
	case c == 't':
		return s.word("true", true_)
	case c == 'f':
		return s.word("false", false_)
	case c == 'n':
		return s.word("null", null_)
	default:
		return s.bad()
	}
	s.after()
	return tokenValue
}

// after sets what is expected after a value.
func (s *scanner) after() {
	if s.state = wantComma; s.depth == 0 {
		s.state = wantEnd
	}
}

func (s *scanner) open(c byte) token {
	if s.depth+1 == depthLimit {
		return s.fail(tooDeep, s.at+1)
	}
	s.depth++
	s.start, s.starts[s.depth] = s.at, s.at
	s.at++
	if c == '{' {
		s.objects |= 1 << s.depth
		s.kind, s.state = object_, wantFirstKey
	} else {
		s.objects &^= 1 << s.depth
		s.kind, s.state = array_, wantFirstItem
	}
	return tokenValue
}

func (s *scanner) close() token {
	if s.kind = array_; s.inObject() {
		s.kind = object_
	}
	s.start = s.starts[s.depth]
	s.at++
	s.end = s.at
	s.depth--
	s.after()
	return tokenClose
}

func (s *scanner) word(w string, k kind) token {
	s.start = s.at
	for i := range len(w) {
		if s.at == len(s.text) {
			return s.fail(ended, s.at)
		}
		if s.text[s.at] != w[i] {
			return s.fail(syntax, s.at)
		}
		s.at++
	}
	s.end, s.kind = s.at, k
	s.after()
	return tokenValue
}

// skip reads on to the end of the value whose first token was read last; start and end are then the whole value.
func (s *scanner) skip() bool {
	if s.kind.scalar() {
		return true
	}
	for inside := s.depth; s.depth >= inside; {
		if s.next() == tokenFault {
			return false
		}
	}
	return true
}

// rest reads on to the end of the document.
func (s *scanner) rest() bool {
	for {
		switch s.next() {
		case tokenFault:
			return false
		case tokenEnd:
			return true
		}
	}
}

// quoted reads a string; start and end have its quotes.
func (s *scanner) quoted() bool {
	s.start, s.escaped = s.at, false
	s.at++
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			s.end = s.at
			return true
		case c == '\\':
			s.escaped = true
			if !s.escape() {
				return false
			}
		case c < ' ':
			s.fail(disallowed, s.at+1)
			return false
		case c < utf8.RuneSelf || !s.utf8:
			s.at++
		default:
			r, size := utf8.DecodeRune(s.text[s.at:])
			if r == utf8.RuneError && size == 1 {
				s.fail(broken, s.at)
				return false
			}
			s.at += size
		}
	}
	s.fail(ended, s.at)
	return false
}

// escape reads what begins with a backslash: of those that are not known any character is itself.
func (s *scanner) escape() bool {
	_, size, what, at := readEscape(s.text[s.at:], s.utf8)
	if what != fine {
		s.fail(what, s.at+at)
		return false
	}
	s.at += size
	return true
}

// number reads a number: a sign, an integer without leading zeros, a point with digits or none, an exponent with any number of signs.
func (s *scanner) number() bool {
	s.start = s.at
	if s.text[s.at] == '-' {
		s.at++
	}
	if s.at < len(s.text) && s.text[s.at] == '0' {
		s.at++
	} else if first := s.at; !s.digits() {
		return false
	} else if s.at == first { // a sign alone
		s.end = s.at
		return true
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		for s.at++; s.at < len(s.text) && isDigit(s.text[s.at]); {
			s.at++
		}
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		for s.at++; s.at < len(s.text) && (s.text[s.at] == '-' || s.text[s.at] == '+'); {
			s.at++
		}
		if !s.digits() {
			return false
		}
	}
	s.end = s.at
	return s.numberEnds(false)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits reads one or more; MariaDB takes none, too, if something follows that ends a number.
func (s *scanner) digits() bool {
	first := s.at
	for s.at < len(s.text) && isDigit(s.text[s.at]) {
		s.at++
	}
	return s.at > first || s.numberEnds(true)
}

// badNumber is the fault of the end, or of a character that is not ASCII, in a number.
func (s *scanner) badNumber() bool {
	if s.at == len(s.text) {
		s.fail(syntax, s.at)
	} else {
		s.fail(broken, s.at)
	}
	return false
}

// numberEnds checks what follows a number immediately; one that is not complete may not be the end of the text. A sign, a point or another digit only
// ends it: who reads on finds the fault.
func (s *scanner) numberEnds(incomplete bool) bool {
	if s.at == len(s.text) && incomplete || s.at < len(s.text) && s.text[s.at] >= utf8.RuneSelf {
		return s.badNumber()
	}
	return true
}
