package json

import "bytes"

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
	key      []byte
	from, to int32
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
	for p.peek() == ' ' || p.peek() == '\t' || p.peek() == '\n' || p.peek() == '\r' {
		p.at++
	}
}

func (p *pathParser) parse() {
	p.blanks()
	if c := p.peek(); c|0x20 == 'l' {
		p.at++
		if !p.word("ax ") {
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
	if p.peek() == '*' {
		p.at++
		if p.peek() != '*' {
			return p.bad()
		}
		p.at++
		s.deep = true
		p.wild = true
	}
	switch p.peek() {
	case '.':
		p.at++
		return p.keyStep(s)
	case '[':
		p.at++
		return p.itemStep(s)
	}
	if p.at == len(p.text) && s.deep {
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

func (p *pathParser) keyStep(s step) bool {
	p.blanks()
	if p.at == len(p.text) {
		return p.bad()
	}
	if len(p.steps)+2 == depthLimit+1 {
		return p.fail(tooDeep, p.at+1)
	}
	switch p.peek() {
	case '*':
		p.at++
		s.kind, p.wild = stepAnyKey, true
		return p.add(s)
	case '"':
		p.at++
		return p.quotedKey(s)
	case '.', '[':
		return p.bad()
	}
	start := p.at
	p.at += bytes.IndexAny(append(p.text[p.at:len(p.text):len(p.text)], '.'), ".[*")
	s.key = p.text[start:p.at]
	return p.add(s)
}

func (p *pathParser) quotedKey(s step) bool {
	start := p.at
	for p.at < len(p.text) && p.text[p.at] != '"' {
		if p.text[p.at] == '\\' {
			p.at++
		}
		p.at++
	}
	if p.at >= len(p.text) {
		p.at = len(p.text)
		return p.bad()
	}
	s.key = p.text[start:p.at]
	p.at++
	return p.add(s)
}

func (p *pathParser) itemStep(s step) bool {
	p.blanks()
	if p.at == len(p.text) {
		return p.bad()
	}
	if len(p.steps)+2 == depthLimit+1 {
		return p.fail(tooDeep, p.at+1)
	}
	s.kind = stepItem
	if p.peek() == '*' {
		p.at++
		s.kind, p.wild = stepAnyItem, true
	} else {
		var ok bool
		if s.from, ok = p.number(); !ok {
			return false
		}
		if p.blanks(); p.peek() == 't' {
			if !p.word("to ") {
				return false
			}
			p.blanks()
			s.kind, p.wild = stepRange, true
			if s.to, ok = p.number(); !ok {
				return false
			}
		}
	}
	if p.blanks(); p.peek() != ']' {
		return p.bad()
	}
	p.at++
	return p.add(s)
}

// number reads the number of an item: n, -n, last, last-n. It wraps at 32 bits, as MariaDB's does.
func (p *pathParser) number() (int32, bool) {
	var base int32
	negative := false
	switch c := p.peek(); {
	case c|0x20 == 'l':
		p.at++
		if !p.word("ast") {
			return 0, false
		}
		p.back = true
		if base = -1; p.peek() != '-' {
			return base, true
		}
		p.at++
		negative = true
	case c == '-':
		p.at++
		negative, p.back = true, true
	}
	if !isDigit(p.peek()) {
		return 0, p.bad()
	}
	var n int32
	for first := p.at; isDigit(p.peek()); p.at++ {
		if p.at > first && p.text[first] == '0' {
			return 0, p.bad()
		}
		n = n*10 + int32(p.peek()-'0')
	}
	if negative {
		n = -n
	}
	return base + n, true
}
