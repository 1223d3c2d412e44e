package json

// path is a path that was read, or what is wrong with it.
type path struct {
	steps []step
	wild  bool // it has a wildcard or a range
	back  bool // it counts from the end of an array
	text  []byte
	fault fault
	at    int // the position that messages have
}

type stepKind uint8

const (
	stepKey stepKind = iota
	stepAnyKey
	stepItem
	stepRange
	stepAnyItem
)

// step is one of a path. Items count from 0; negative numbers from the end of the array, where -1 is the last one.
type step struct {
	kind     stepKind
	deep     bool // ** is before it: any number of steps may be
	lost     bool // of a key without quotes: ** follows immediately, and MariaDB then finds no such key
	key      []byte
	from, to int32
}

// several reports whether ** is in the path more than once: MariaDB then does not try all ways.
func (p *path) several() bool {
	n := 0
	for i := range p.steps {
		if p.steps[i].deep {
			n++
		}
	}
	return n > 1
}

// item reports whether the step is one into an array.
func (s *step) item() bool { return s.kind >= stepItem }

// itself reports whether the step into an array may stay where it is on a value that is none: lax paths take such a value as the only
// item of an array.
func (s *step) itself() bool {
	return s.kind == stepItem && s.from == 0 || s.kind == stepRange && s.from == 0
}

// covers reports whether the step goes to an item of an array of so many.
func (s *step) covers(i, size int32) bool {
	from, to := s.from, s.to
	if from < 0 {
		from += size
	}
	if to < 0 {
		to += size
	}
	switch s.kind {
	case stepItem:
		return i == from
	case stepRange:
		return i >= from && i <= to
	}
	return s.kind == stepAnyItem
}

// parsePath reads a path; only one with fault fine has its steps. It takes time in proportion to the text.
func parsePath(text []byte) *path {
	p := &pathParser{path: path{text: text}}
	p.parse()
	return &p.path
}

// pathParser reads a path; at is how far.
type pathParser struct{ path }

func (p *pathParser) fail(what fault, at int) bool {
	p.fault, p.at = what, at
	return false
}

// bad is the fault of the character where the parser is, or of the end.
func (p *pathParser) bad() bool {
	if p.at >= len(p.text) {
		return p.fail(ended, p.at)
	}
	return p.fail(syntax, p.at+1)
}

func (p *pathParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *pathParser) blanks() {
	for isBlank(p.peek()) {
		p.at++
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (p *pathParser) parse() {
	p.blanks()
	for p.peek()|0x20 == 'l' {
		p.at++
		if !p.word("ax") {
			return
		}
		if !isBlank(p.peek()) {
			p.bad()
			return
		}
		p.blanks()
	}
	if p.peek() != '$' {
		p.bad()
		return
	}
	p.at++
	for p.at < len(p.text) {
		if !p.step() {
			return
		}
	}
}

// word reads letters that are a must.
func (p *pathParser) word(w string) bool {
	for i := range len(w) {
		if p.peek() != w[i] {
			return p.bad()
		}
		p.at++
	}
	return true
}

func (p *pathParser) step() bool {
	var s step
	for p.peek() == '*' {
		p.at++
		if p.at == len(p.text) {
			return p.fail(syntax, p.at+1)
		}
		if p.peek() != '*' {
			return p.bad()
		}
		p.at++
		s.deep, p.wild = true, true
	}
	switch p.peek() {
	case '.':
		p.at++
		return p.keyStep(s)
	case '[':
		p.at++
		return p.itemStep(s)
	}
	if p.at == len(p.text) {
		return p.fail(syntax, p.at+1)
	}
	return p.bad()
}

func (p *pathParser) add(s step) bool {
	if len(p.steps)+1 == depthLimit {
		return p.fail(tooDeep, p.at)
	}
	p.steps = append(p.steps, s)
	return true
}

// begin checks that a step may begin.
func (p *pathParser) begin() bool {
	switch {
	case p.at == len(p.text):
		return p.bad()
	case len(p.steps)+2 > depthLimit:
		return p.fail(tooDeep, p.at+1)
	}
	return true
}

func (p *pathParser) keyStep(s step) bool {
	if !p.begin() {
		return false
	}
	switch p.peek() {
	case '*':
		p.at++
		s.kind, p.wild = stepAnyKey, true
		if p.peek() == '*' {
			return p.bad()
		}
		return p.add(s)
	case '"':
		p.at++
		return p.quotedKey(s)
	case '.', '[', '-', '\\', 0:
		return p.bad()
	}
	start := p.at
	for p.at < len(p.text) && p.peek() != '.' && p.peek() != '[' && p.peek() != '*' {
		if p.control() {
			return p.bad()
		}
		if !p.escaped() {
			return false
		}
	}
	s.key = p.text[start:p.at]
	s.lost = p.peek() == '*'
	return p.add(s)
}

// control reports whether a control character is next, which no key has.
func (p *pathParser) control() bool { return p.peek() < ' ' && !isBlank(p.peek()) }

// escaped goes over a character of a key, with the backslash before it; the digits of \u are checked.
func (p *pathParser) escaped() bool {
	if p.peek() == '\\' && p.at+1 < len(p.text) {
		if p.at++; p.peek() == 'u' {
			switch _, what, at := readHex(p.text[p.at-1:]); what {
			case syntax:
				return p.fail(syntax, p.at+at)
			case ended:
				return p.fail(ended, len(p.text))
			}
		}
	}
	p.at++
	return true
}

func (p *pathParser) quotedKey(s step) bool {
	start := p.at
	if p.peek() == '-' {
		return p.bad()
	}
	for p.at < len(p.text) && p.peek() != '"' {
		if p.control() {
			return p.bad()
		}
		if !p.escaped() {
			return false
		}
	}
	if p.at == len(p.text) {
		return p.bad()
	}
	s.key = p.text[start:p.at]
	p.at++
	return p.add(s)
}

// itemNumber is the number of an item as it is read, digit by digit: it wraps at 32 bits, as MariaDB's does.
type itemNumber struct {
	base, n  int32
	negative bool
}

func (n *itemNumber) value() int32 {
	if n.negative {
		return n.base - n.n
	}
	return n.n
}

// itemStep reads what is in brackets: *, a number, or two with "to" between them. What MariaDB takes besides is taken here: nothing but
// blanks is item 0, digits after a blank go on with the number.
func (p *pathParser) itemStep(s step) bool {
	if !p.begin() {
		return false
	}
	s.kind = stepItem
	var from, to itemNumber
	number := &from
	before := p.at
	p.blanks()
	blank := p.at > before
	switch c := p.peek(); {
	case c == ']' && blank:
	case c == '*':
		p.at++
		s.kind, p.wild = stepAnyItem, true
	case c == '-' && blank, !p.number(number):
		return p.fault == fine && p.bad()
	}
	for p.peek() != ']' {
		if !isBlank(p.peek()) {
			return p.bad()
		}
		p.at++
		switch c := p.peek(); {
		case c == ']':
		case c == 't':
			p.at++
			if !p.word("o") {
				return false
			}
			if s.kind == stepItem {
				s.kind, p.wild = stepRange, true
			}
			if p.at == len(p.text) {
				return p.fail(syntax, p.at+1)
			}
			if number = &to; p.peek() == '-' && !p.number(number) {
				return false
			}
		case !p.number(number):
			return p.fault == fine && p.bad()
		}
	}
	p.at++
	s.from, s.to = from.value(), to.value()
	p.back = p.back || from.negative || to.negative
	return p.add(s)
}

// number reads n, -n, last or last-n.
func (p *pathParser) number(n *itemNumber) bool {
	signed := false
	if p.peek()|0x20 == 'l' {
		p.at++
		if !p.word("ast") {
			return false
		}
		if p.at == len(p.text) {
			return p.fail(syntax, p.at+1)
		}
		*n = itemNumber{base: -1, negative: true}
		if p.peek() != '-' {
			return true
		}
	}
	if p.peek() == '-' {
		p.at++
		n.negative, signed = true, true
	}
	switch c := p.peek(); {
	case !isDigit(c):
		return p.bad()
	case c == '0' && !signed:
		p.at++
		return true
	}
	for ; isDigit(p.peek()); p.at++ {
		n.n = n.n*10 + int32(p.peek()-'0')
	}
	return true
}
