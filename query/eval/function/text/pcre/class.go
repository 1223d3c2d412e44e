package pcre

import (
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// set is a set of characters.
type set struct {
	ranges [][2]rune
	tables []*unicode.RangeTable
	subs   []*set // whose characters are members
	neg    bool
	fold   bool
	bytes  bool
}

var notNewline = &set{neg: true, ranges: [][2]rune{{'\n', '\n'}}}

func (s *set) has(r rune) bool {
	in := s.hasOne(r)
	if !in && s.fold {
		for f := nextFold(r, s.bytes); f != r && !in; f = nextFold(f, s.bytes) {
			in = s.hasOne(f)
		}
	}
	return in != s.neg
}

func (s *set) hasOne(r rune) bool {
	for _, g := range s.ranges {
		if r >= g[0] && r <= g[1] {
			return true
		}
	}
	for _, t := range s.tables {
		if unicode.Is(t, r) {
			return true
		}
	}
	for _, n := range s.subs {
		if n.has(r) {
			return true
		}
	}
	return false
}

// nextFold is the next character that is the same without regard to case: all of them are in a circle.
func nextFold(r rune, bytes bool) rune {
	switch {
	case !bytes:
		return unicode.SimpleFold(r)
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		return r ^ 0x20
	}
	return r
}

func same(a, b rune, bytes bool) bool {
	for f := nextFold(a, bytes); ; f = nextFold(f, bytes) {
		if f == b {
			return true
		}
		if f == a {
			return false
		}
	}
}

var (
	horizontal = [][2]rune{{'\t', '\t'}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x180e, 0x180e}, {0x2000, 0x200a}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}}
	vertical   = [][2]rune{{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}}
)

// shorthand is \d, \w, \s, \h or \v.
func (p *parser) shorthand(c rune) (s *set, ok bool) {
	switch c | 0x20 {
	case 'd':
		s = &set{tables: []*unicode.RangeTable{unicode.Nd}}
		if p.bytes {
			s = &set{ranges: [][2]rune{{'0', '9'}}}
		}
	case 'w':
		s = p.words()
	case 's':
		s = &set{tables: []*unicode.RangeTable{unicode.Z}, ranges: [][2]rune{{'\t', '\r'}, {0x85, 0x85}, {0x180e, 0x180e}}}
		if p.bytes {
			s = &set{ranges: [][2]rune{{'\t', '\r'}, {' ', ' '}}}
		}
	case 'h':
		s = &set{ranges: horizontal}
	case 'v':
		s = &set{ranges: vertical}
	default:
		return nil, false
	}
	s.neg = c < 'a'
	return s, true
}

func (p *parser) words() *set { return wordSet(p.bytes) }

func wordSet(bytes bool) *set {
	if bytes {
		return &set{ranges: [][2]rune{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}}
	}
	return &set{tables: []*unicode.RangeTable{unicode.L, unicode.N}, ranges: [][2]rune{{'_', '_'}}}
}

// property reads what follows \p or \P.
func (p *parser) property(c rune) (*set, error) {
	if p.bytes || !p.more() {
		return nil, unsupported("a property")
	}
	neg := c == 'P'
	name := ""
	if p.take("{") {
		if p.take("^") {
			neg = !neg
		}
		end := slices.Index(p.in[p.at:], '}')
		if end < 0 {
			return nil, unsupported("such a property")
		}
		name = string(p.in[p.at : p.at+end])
		p.at += end + 1
	} else {
		name = string(p.in[p.next()])
	}
	if name == "Any" {
		return &set{neg: !neg}, nil
	}
	t, ok := unicode.Categories[name]
	if !ok {
		t, ok = unicode.Scripts[name]
	}
	if !ok || name == "Cn" || name == "C" || name == "LC" {
		return nil, unsupported("property " + name)
	}
	if p.flags.fold && (name == "Lu" || name == "Ll" || name == "Lt") {
		return nil, unsupported("a case without regard to case")
	}
	return &set{tables: []*unicode.RangeTable{t}, neg: neg}, nil
}

// escaped is the character that an escape stands for, in brackets or not.
func (p *parser) escaped(c rune) (rune, error) {
	switch c {
	case 't':
		return '\t', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 'f':
		return '\f', nil
	case 'a':
		return 7, nil
	case 'e':
		return 27, nil
	case 'x':
		return p.hex()
	case '0':
		v := rune(0)
		for i := 0; i < 2 && p.more() && p.in[p.at] >= '0' && p.in[p.at] <= '7'; i++ {
			v = v*8 + p.in[p.next()] - '0'
		}
		return v, nil
	}
	if c < utf8.RuneSelf && isWordByte(c) && c != '_' || c == 0 {
		return 0, unsupported(`\` + string(c))
	}
	return c, nil
}

func (p *parser) hex() (rune, error) {
	if p.take("{") {
		end := slices.Index(p.in[p.at:], '}')
		if end < 0 {
			return 0, unsupported(`such a \x`)
		}
		v, err := strconv.ParseUint(string(p.in[p.at:p.at+end]), 16, 32)
		if err != nil || v > unicode.MaxRune || v >= 0xd800 && v < 0xe000 || p.bytes && v > 0xff {
			return 0, unsupported(`such a \x`)
		}
		p.at += end + 1
		return rune(v), nil
	}
	v := rune(0)
	for i := 0; i < 2 && p.more(); i++ {
		d, err := strconv.ParseUint(string(p.in[p.at]), 16, 8)
		if err != nil {
			break
		}
		v = v*16 + rune(d)
		p.at++
	}
	return v, nil
}

// escape reads what follows a backslash outside of brackets.
func (p *parser) escape() (*node, error) {
	if !p.more() {
		return nil, p.wrong(p.at, `\ at end of pattern`)
	}
	c := p.in[p.at]
	p.at++
	if s, ok := p.shorthand(c); ok {
		return &node{kind: kSet, set: s}, nil
	}
	assertions := map[rune]assertion{'A': begin, 'z': end, 'Z': endOrLine, 'b': boundary, 'B': noBoundary, 'G': start}
	if a, ok := assertions[c]; ok {
		return &node{kind: kAssert, assert: a}, nil
	}
	switch {
	case c == 'N' && !p.looking("{"):
		return &node{kind: kSet, set: notNewline}, nil
	case c == 'R':
		return &node{kind: kNewline}, nil
	case c == 'K':
		return &node{kind: kKeep}, nil
	case c == 'p' || c == 'P':
		s, err := p.property(c)
		return &node{kind: kSet, set: s}, err
	case c == 'g':
		return p.escapeG()
	case c == 'k':
		for _, q := range []string{"<>", "''", "{}"} {
			if p.take(q[:1]) {
				return p.reference(kBack, q[1:])
			}
		}
		return nil, unsupported(`such a \k`)
	case c >= '1' && c <= '9':
		p.at--
		n, err := p.relative(false)
		if err != nil || n > 9 && n > p.total {
			return nil, unsupported("such a reference")
		}
		return p.refer(&node{kind: kBack, number: n, fold: p.flags.fold, at: p.at - 1}), nil
	}
	r, err := p.escaped(c)
	if err != nil {
		return nil, err
	}
	return p.char(r), nil
}

// escapeG reads \g{n}, \gn, \g{name}, and the calls \g<n> and \g<name>.
func (p *parser) escapeG() (*node, error) {
	for _, q := range []string{"<>", "''"} {
		if !p.take(q[:1]) {
			continue
		}
		if p.more() && (p.in[p.at] >= '0' && p.in[p.at] <= '9' || p.in[p.at] == '-' || p.in[p.at] == '+') {
			n, err := p.relative(true)
			if err != nil || !p.take(q[1:]) {
				return nil, unsupported(`such a \g`)
			}
			return p.refer(&node{kind: kCall, number: n, at: p.at - 1}), nil
		}
		return p.reference(kCall, q[1:])
	}
	braces := p.take("{")
	if braces && p.more() && p.in[p.at] > '9' {
		return p.reference(kBack, "}")
	}
	n, err := p.relative(false)
	if err != nil || n == 0 || braces && !p.take("}") {
		return nil, unsupported(`such a \g`)
	}
	return p.refer(&node{kind: kBack, number: n, fold: p.flags.fold, at: p.at - 1}), nil
}

// posix are the classes [:name:] of Unicode, and of bytes.
func (p *parser) posix(name string) *set {
	in := func(s string) *set {
		out := &set{}
		for _, r := range s {
			out.ranges = append(out.ranges, [2]rune{r, r})
		}
		return out
	}
	if p.bytes {
		ranges := map[string][][2]rune{
			"alpha": {{'A', 'Z'}, {'a', 'z'}}, "digit": {{'0', '9'}}, "alnum": {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, "space": {{'\t', '\r'}, {' ', ' '}},
			"blank": {{'\t', '\t'}, {' ', ' '}}, "punct": {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, "xdigit": {{'0', '9'}, {'A', 'F'}, {'a', 'f'}},
			"upper": {{'A', 'Z'}}, "lower": {{'a', 'z'}}, "word": {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, "cntrl": {{0, 31}, {127, 127}},
			"graph": {{'!', '~'}}, "print": {{' ', '~'}}, "ascii": {{0, 127}},
		}[name]
		if ranges == nil {
			return nil
		}
		return &set{ranges: ranges}
	}
	switch name {
	case "alpha":
		return &set{tables: []*unicode.RangeTable{unicode.L}}
	case "digit":
		return &set{tables: []*unicode.RangeTable{unicode.Nd}}
	case "alnum":
		return &set{tables: []*unicode.RangeTable{unicode.L, unicode.N}}
	case "space":
		s, _ := p.shorthand('s')
		return s
	case "blank":
		return &set{ranges: horizontal}
	case "punct":
		s := in("$+<=>^`|~")
		s.tables = []*unicode.RangeTable{unicode.P}
		return s
	case "xdigit":
		return &set{ranges: [][2]rune{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}}
	case "upper":
		return &set{tables: []*unicode.RangeTable{unicode.Lu}}
	case "lower":
		return &set{tables: []*unicode.RangeTable{unicode.Ll}}
	case "word":
		return p.words()
	case "cntrl":
		return &set{tables: []*unicode.RangeTable{unicode.Cc}}
	case "ascii":
		return &set{ranges: [][2]rune{{0, 127}}}
	}
	return nil
}

// class reads what stands in brackets.
func (p *parser) class() (*node, error) {
	s := &set{fold: p.flags.fold, bytes: p.bytes}
	s.neg = p.take("^")
	add := func(of *set) { s.subs = append(s.subs, of) }
	for first := true; ; first = false {
		if !p.more() {
			return nil, p.wrong(len(p.in), "missing terminating ] for character class")
		}
		c := p.in[p.next()]
		switch {
		case c == ']' && !first:
			return &node{kind: kSet, set: s}, nil
		case c == '[' && (p.looking(":") || p.looking(".") || p.looking("=")):
			of, err := p.posixClass()
			if err != nil {
				return nil, err
			}
			if of != nil {
				add(of)
				if p.looking("-") && !p.looking("-]") {
					return nil, unsupported("a range from a class")
				}
				continue
			}
		case c == '\\' && p.more():
			e := p.in[p.at]
			if e == 'Q' || e == 'E' {
				return nil, unsupported(`\Q in brackets`)
			}
			of, ok := p.shorthand(e)
			if ok {
				p.at++
			} else if e == 'p' || e == 'P' {
				p.at++
				var err error
				if of, err = p.property(e); err != nil {
					return nil, err
				}
				ok = true
			}
			if ok {
				add(of)
				if p.looking("-") && !p.looking("-]") {
					return nil, unsupported("a range from a class")
				}
				continue
			}
		}
		low, err := p.member(c)
		if err != nil {
			return nil, err
		}
		high := low
		if p.looking("-") && !p.looking("-]") && p.at+1 < len(p.in) {
			p.at++
			c := p.in[p.next()]
			if c == '[' && (p.looking(":") || p.looking(".") || p.looking("=")) || c == '\\' && p.more() && isClassEscape(p.in[p.at]) {
				return nil, unsupported("a range to a class")
			}
			if high, err = p.member(c); err != nil {
				return nil, err
			}
			if high < low {
				return nil, p.wrong(p.at-1, "range out of order in character class")
			}
		}
		s.ranges = append(s.ranges, [2]rune{low, high})
	}
}

func isClassEscape(c rune) bool {
	switch c {
	case 'd', 'D', 'w', 'W', 's', 'S', 'h', 'H', 'v', 'V', 'p', 'P', 'N', 'R', 'X', 'Q', 'E':
		return true
	}
	return false
}

// member is a character in brackets, of which c was read.
func (p *parser) member(c rune) (rune, error) {
	if c == 0 {
		return 0, unsupported("a zero byte")
	}
	if c != '\\' {
		return c, nil
	}
	if !p.more() {
		return 0, p.wrong(len(p.in), "missing terminating ] for character class")
	}
	e := p.in[p.next()]
	if e == 'b' {
		return '\b', nil
	}
	if e >= '1' && e <= '7' { // an octal number
		v := e - '0'
		for i := 0; i < 2 && p.more() && p.in[p.at] >= '0' && p.in[p.at] <= '7'; i++ {
			v = v*8 + p.in[p.next()] - '0'
		}
		return v, nil
	}
	return p.escaped(e)
}

// posixClass reads [:name:], of which the bracket was read; nil is no class, but a bracket.
func (p *parser) posixClass() (*set, error) {
	rest := p.in[p.at+1:]
	end := slices.Index(rest, ':')
	if p.in[p.at] != ':' || end < 0 || end+1 >= len(rest) || rest[end+1] != ']' {
		return nil, unsupported("such brackets")
	}
	name, neg := string(rest[:end]), false
	if len(name) > 0 && name[0] == '^' {
		name, neg = name[1:], true
	}
	of := p.posix(name)
	if of == nil {
		switch name {
		case "graph", "print":
			return nil, unsupported("[:" + name + ":]")
		}
		return nil, p.wrong(p.at+1, "unknown POSIX class name")
	}
	if p.flags.fold && (name == "upper" || name == "lower") {
		return nil, unsupported("a case without regard to case")
	}
	p.at += 1 + end + 2
	of.neg = neg
	return of, nil
}
