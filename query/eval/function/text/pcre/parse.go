package pcre

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrUnsupported refuses a pattern.
var ErrUnsupported = errors.New("pattern is not understood")

// SyntaxError is what PCRE2 says of a pattern that is wrong.
type SyntaxError struct {
	Message string
	Offset  int // in bytes
}

// Error implements error.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at offset %d", e.Message, e.Offset) }

type kind uint8

const (
	kEmpty kind = iota
	kChar
	kSet
	kCat
	kAlt
	kRepeat
	kGroup // capturing if number > 0
	kAtomic
	kLook
	kAssert
	kBack
	kCall
	kCond
	kKeep
	kNewline // \R
)

// node is a part of a pattern.
type node struct {
	kind   kind
	subs   []*node
	r      rune
	set    *set
	fold   bool
	neg    bool // of a look around
	behind bool
	min    int
	max    int // -1: as many as there are
	lazy   bool
	own    bool // possessive
	number int  // of a group, or what refers to one
	assert assertion
	name   string // of a reference, until names are known
	at     int    // offset in bytes, for errors
}

type assertion uint8

const (
	begin     assertion = iota // \A, ^
	beginLine                  // (?m)^
	end                        // \z
	endOrLine                  // \Z, $
	endLine                    // (?m)$
	boundary
	noBoundary
	start // \G
)

const (
	depthMax  = 250 // of parentheses, as PCRE2 has it
	groupsMax = 1000
	countMax  = 65535
)

type flags struct{ fold, dotall, multi, extended bool }

type parser struct {
	in     []rune
	at     int
	bytes  bool
	flags  flags
	depth  int
	groups int
	names  map[string]int
	total  int // of all groups, counted before
	refs   []*node
}

func unsupported(what string) error { return fmt.Errorf("%w: %s", ErrUnsupported, what) }

// offset is that of a place in bytes.
func (p *parser) offset(at int) int {
	if p.bytes {
		return at
	}
	n := 0
	for _, r := range p.in[:min(at, len(p.in))] {
		n += utf8.RuneLen(r)
	}
	return n
}

func (p *parser) wrong(at int, message string) error { return &SyntaxError{message, p.offset(at)} }

func (p *parser) more() bool { return p.at < len(p.in) }

// looking reports whether a text comes next.
func (p *parser) looking(s string) bool {
	r := []rune(s)
	return len(p.in)-p.at >= len(r) && slices.Equal(p.in[p.at:p.at+len(r)], r)
}

// take takes a text if it comes next.
func (p *parser) take(s string) bool {
	if !p.looking(s) {
		return false
	}
	p.at += len([]rune(s))
	return true
}

// parse reads a whole pattern.
func (p *parser) parse() (*node, error) {
	p.names = map[string]int{}
	p.total = p.countGroups()
	n, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if p.more() {
		return nil, p.wrong(p.at, "unmatched closing parenthesis")
	}
	for _, ref := range p.refs {
		if ref.name != "" {
			number, ok := p.names[ref.name]
			if !ok {
				return nil, unsupported("a name of no group")
			}
			ref.number = number
		}
		if ref.number > p.groups {
			return nil, p.wrong(ref.at, "reference to non-existent subpattern")
		}
	}
	return n, nil
}

// countGroups counts capturing groups, roughly: too many at most, where brackets are odd.
func (p *parser) countGroups() (n int) {
	for i := 0; i < len(p.in); i++ {
		switch p.in[i] {
		case '\\':
			i++
		case '(':
			n++
		}
	}
	return n
}

func (p *parser) alternatives() (*node, error) {
	var all []*node
	for {
		n, err := p.sequence()
		if err != nil {
			return nil, err
		}
		all = append(all, n)
		if !p.take("|") {
			break
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return &node{kind: kAlt, subs: all}, nil
}

func (p *parser) sequence() (*node, error) {
	out := &node{kind: kCat}
	for p.more() && p.in[p.at] != '|' && p.in[p.at] != ')' {
		if p.flags.extended && p.skipBlank() {
			continue
		}
		if p.take("(?#") {
			if err := p.comment(); err != nil {
				return nil, err
			}
			continue
		}
		if p.take(`\Q`) {
			if err := p.quoted(out); err != nil {
				return nil, err
			}
			continue
		}
		if p.take(`\E`) {
			continue
		}
		n, err := p.atom()
		if err != nil {
			return nil, err
		}
		if n == nil { // options
			if err := p.noQuantifier(); err != nil {
				return nil, err
			}
			continue
		}
		if n, err = p.quantified(n); err != nil {
			return nil, err
		}
		out.subs = append(out.subs, n)
	}
	return out, nil
}

// comment skips the rest of (?#...).
func (p *parser) comment() error {
	end := slices.Index(p.in[p.at:], ')')
	if end < 0 {
		return p.wrong(len(p.in), "missing ) after (?# comment")
	}
	p.at += end + 1
	return nil
}

// quoted reads what stands between \Q and \E. A quantifier behind it is that of the last character.
func (p *parser) quoted(out *node) error {
	from := p.at
	for p.more() && !p.looking(`\E`) {
		if p.in[p.at] == 0 {
			return unsupported("a zero byte")
		}
		out.subs = append(out.subs, p.char(p.in[p.next()]))
	}
	empty := p.at == from
	p.take(`\E`)
	if empty {
		if p.more() && strings.ContainsRune("*+?{", p.in[p.at]) {
			return unsupported("a quantifier of nothing")
		}
		return nil
	}
	last := &out.subs[len(out.subs)-1]
	n, err := p.quantified(*last)
	*last = n
	return err
}

func (p *parser) next() int { p.at++; return p.at - 1 }

// skipBlank skips what (?x) leaves out.
func (p *parser) skipBlank() bool {
	c := p.in[p.at]
	if c == '#' {
		for p.more() && p.in[p.at] != '\n' {
			p.at++
		}
		return true
	}
	if c == ' ' || c >= '\t' && c <= '\r' || c == 0x85 || c == 0x200e || c == 0x200f || c == 0x2028 || c == 0x2029 {
		p.at++
		return true
	}
	return false
}

func (p *parser) noQuantifier() error {
	if !p.more() {
		return nil
	}
	if strings.ContainsRune("*+?", p.in[p.at]) {
		return p.wrong(p.at, "quantifier does not follow a repeatable item")
	}
	if p.in[p.at] == '{' {
		if ok, err := p.braces(&node{}); ok || err != nil {
			return p.wrong(p.at-1, "quantifier does not follow a repeatable item")
		}
	}
	return nil
}

func (p *parser) char(r rune) *node { return &node{kind: kChar, r: r, fold: p.flags.fold} }

// quantified is what stands before with the quantifier that follows.
func (p *parser) quantified(n *node) (*node, error) {
	if err := p.skip(); err != nil || !p.more() {
		return n, err
	}
	rep := &node{kind: kRepeat, subs: []*node{n}, max: -1}
	switch c := p.in[p.at]; c {
	case '*':
	case '+':
		rep.min = 1
	case '?':
		rep.max = 1
	case '{':
		ok, err := p.braces(rep)
		if err != nil {
			return nil, err
		}
		if !ok {
			return n, nil
		}
		p.at--
	default:
		return n, nil
	}
	p.at++
	switch n.kind {
	case kAssert:
		return nil, p.wrong(p.at-1, "quantifier does not follow a repeatable item")
	case kKeep:
		return nil, unsupported(`a repeated \K`)
	case kLook: // once is enough
		rep.min, rep.max = min(rep.min, 1), 1
	}
	if err := p.skip(); err != nil {
		return nil, err
	}
	switch {
	case p.take("?"):
		rep.lazy = true
	case p.take("+"):
		rep.own = true
	}
	if err := p.skip(); err != nil {
		return nil, err
	}
	return rep, p.noQuantifier()
}

// skip skips what may stand between an item and its quantifier.
func (p *parser) skip() error {
	for p.more() {
		if p.flags.extended && p.skipBlank() {
			continue
		}
		if !p.take("(?#") {
			break
		}
		if err := p.comment(); err != nil {
			return err
		}
	}
	return nil
}

// braces reads {n,m}; ok is false where that is no quantifier.
func (p *parser) braces(to *node) (ok bool, err error) {
	end := slices.Index(p.in[p.at:], '}')
	if end < 0 {
		return false, nil
	}
	low, high, two := strings.Cut(string(p.in[p.at+1:p.at+end]), ",")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !digits(low) || two && high != "" && !digits(high) {
		return false, nil
	}
	if to.min, err = strconv.Atoi(low); err != nil || to.min > countMax {
		return false, unsupported("such a number")
	}
	switch {
	case !two:
		to.max = to.min
	case high == "":
		to.max = -1
	default:
		if to.max, err = strconv.Atoi(high); err != nil || to.max > countMax {
			return false, unsupported("such a number")
		}
		if to.max < to.min {
			return false, p.wrong(p.at+end, "numbers out of order in {} quantifier")
		}
	}
	p.at += end + 1
	return true, nil
}

// atom reads what can be repeated, or asserts something; nil is an option.
func (p *parser) atom() (*node, error) {
	c := p.in[p.at]
	p.at++
	switch c {
	case '\\':
		return p.escape()
	case '[':
		for _, edge := range wordEdges {
			if p.take(edge.text) {
				return p.edge(edge.behind)
			}
		}
		return p.class()
	case '(':
		return p.group()
	case '*', '+', '?':
		return nil, p.wrong(p.at-1, "quantifier does not follow a repeatable item")
	case '^':
		if p.flags.multi {
			return &node{kind: kAssert, assert: beginLine}, nil
		}
		return &node{kind: kAssert, assert: begin}, nil
	case '$':
		if p.flags.multi {
			return &node{kind: kAssert, assert: endLine}, nil
		}
		return &node{kind: kAssert, assert: endOrLine}, nil
	case '.':
		if p.flags.dotall {
			return &node{kind: kSet, set: &set{neg: true}}, nil
		}
		return &node{kind: kSet, set: notNewline}, nil
	case 0:
		return nil, unsupported("a zero byte")
	case '{':
		p.at--
		if ok, err := p.braces(&node{}); ok || err != nil {
			return nil, p.wrong(p.at-1, "quantifier does not follow a repeatable item")
		}
		p.at++
	}
	return p.char(c), nil
}
