package pcre

import (
	"strconv"
	"unicode/utf8"
)

// group reads what begins with a parenthesis.
func (p *parser) group() (*node, error) {
	open := p.at - 1
	if p.looking("*") {
		return nil, unsupported("a verb")
	}
	if p.depth++; p.depth > depthMax {
		return nil, p.wrong(p.at, "parentheses are too deeply nested")
	}
	defer func() { p.depth-- }()
	saved := p.flags
	n := &node{kind: kGroup, at: open}
	if !p.take("?") {
		if err := p.numbered(n); err != nil {
			return nil, err
		}
		return p.body(n, saved)
	}
	switch {
	case p.take(":"):
		return p.body(n, saved)
	case p.take(">"):
		n.kind = kAtomic
		return p.body(n, saved)
	case p.take("="):
		n.kind = kLook
		return p.body(n, saved)
	case p.take("!"):
		n.kind, n.neg = kLook, true
		return p.body(n, saved)
	case p.take("<="):
		n.kind, n.behind = kLook, true
		return p.body(n, saved)
	case p.take("<!"):
		n.kind, n.behind, n.neg = kLook, true, true
		return p.body(n, saved)
	case p.take("P="):
		return p.reference(kBack, ")")
	case p.take("P>"), p.take("&"):
		return p.reference(kCall, ")")
	case p.take("P<"), p.take("<"):
		return p.named(n, '>', saved)
	case p.take("'"):
		return p.named(n, '\'', saved)
	case p.take("("):
		return p.condition(n, saved)
	case p.take("R)"):
		return p.refer(&node{kind: kCall, at: p.at - 1}), nil
	case p.more() && (p.in[p.at] >= '0' && p.in[p.at] <= '9' || p.in[p.at] == '+' || p.in[p.at] == '-' && p.at+1 < len(p.in) && p.in[p.at+1] >= '0' && p.in[p.at+1] <= '9'):
		number, err := p.relative(true)
		if err != nil {
			return nil, err
		}
		ref := &node{kind: kCall, number: number, at: p.at}
		if !p.take(")") {
			return nil, unsupported("such a call")
		}
		return p.refer(ref), nil
	}
	return p.options(n, saved)
}

func (p *parser) numbered(n *node) error {
	if p.groups++; p.groups > groupsMax {
		return unsupported("so many groups")
	}
	n.number = p.groups
	return nil
}

// named reads the name of a group up to a quote.
func (p *parser) named(n *node, quote rune, saved flags) (*node, error) {
	name, err := p.word(quote)
	if err != nil {
		return nil, err
	}
	if err := p.numbered(n); err != nil {
		return nil, err
	}
	if _, twice := p.names[name]; twice {
		return nil, unsupported("a name that two groups have")
	}
	p.names[name] = n.number
	return p.body(n, saved)
}

// word reads a name and what ends it.
func (p *parser) word(quote rune) (string, error) {
	begin := p.at
	for p.more() && (p.in[p.at] == '_' || p.in[p.at] < utf8.RuneSelf && isWordByte(p.in[p.at])) {
		p.at++
	}
	name := string(p.in[begin:p.at])
	if !p.more() && name != "" {
		return "", p.wrong(p.at, "syntax error in subpattern name (missing terminator?)")
	}
	if name == "" || name[0] <= '9' || len(name) > 32 || p.in[p.at] != quote {
		return "", unsupported("such a name")
	}
	p.at++
	return name, nil
}

func isWordByte(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
}

// reference reads a name, and refers to its group.
func (p *parser) reference(k kind, quote string) (*node, error) {
	name, err := p.word([]rune(quote)[0])
	if err != nil {
		return nil, err
	}
	return p.refer(&node{kind: k, name: name, fold: p.flags.fold, at: p.at}), nil
}

func (p *parser) refer(n *node) *node {
	p.refs = append(p.refs, n)
	return n
}

// relative reads a number, which + and - count from here.
func (p *parser) relative(ahead bool) (int, error) {
	minus, plus := p.take("-"), p.take("+")
	begin := p.at
	for p.more() && p.in[p.at] >= '0' && p.in[p.at] <= '9' && p.at-begin < 4 {
		p.at++
	}
	n, err := strconv.Atoi(string(p.in[begin:p.at]))
	switch {
	case err != nil || (minus || plus) && n == 0 || plus && !ahead:
		return 0, unsupported("such a number of a group")
	case minus:
		if n > p.groups {
			return 0, unsupported("such a number of a group")
		}
		return p.groups + 1 - n, nil
	case plus:
		return p.groups + n, nil
	}
	return n, nil
}

// body reads a group to its end.
func (p *parser) body(n *node, saved flags) (*node, error) {
	inner, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, p.wrong(len(p.in), "missing closing parenthesis")
	}
	p.flags = saved
	n.subs = []*node{inner}
	if n.behind {
		for _, alt := range alternativesOf(inner) {
			if _, ok := length(alt); !ok {
				if !lengthKnown(alt) {
					return nil, unsupported("such a lookbehind")
				}
				return nil, p.wrong(n.at, "lookbehind assertion is not fixed length")
			}
		}
	}
	return n, nil
}

// condition reads (?(...)yes|no).
func (p *parser) condition(n *node, saved flags) (*node, error) {
	n.kind = kCond
	var look *node
	switch {
	case p.more() && p.in[p.at] >= '0' && p.in[p.at] <= '9':
		at := p.at - 1
		number, err := p.relative(false)
		if err != nil || number == 0 || !p.take(")") {
			return nil, unsupported("such a condition")
		}
		n.number, n.at = number, at
		p.refer(n)
	case p.take("<"), p.take("'"):
		quote := '>'
		if p.in[p.at-1] == '\'' {
			quote = '\''
		}
		name, err := p.word(quote)
		if err != nil {
			return nil, err
		}
		if !p.take(")") {
			return nil, unsupported("such a condition")
		}
		n.name = name
		p.refer(n)
	case p.take("DEFINE)"):
		n.neg = true // never
	case p.looking("?=") || p.looking("?!") || p.looking("?<=") || p.looking("?<!"):
		var err error
		if look, err = p.group(); err != nil {
			return nil, err
		}
	default:
		return nil, unsupported("such a condition")
	}
	inner, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, p.wrong(len(p.in), "missing closing parenthesis")
	}
	p.flags = saved
	alts := alternativesOf(inner)
	if len(alts) > 2 || n.neg && len(alts) > 1 {
		return nil, unsupported("such a condition")
	}
	n.subs = []*node{look, alts[0], {kind: kEmpty}}
	if len(alts) == 2 {
		n.subs[2] = alts[1]
	}
	return n, nil
}

// options reads (?i) and (?i:...).
func (p *parser) options(n *node, saved flags) (*node, error) {
	on := true
	for p.more() {
		c := p.in[p.at]
		p.at++
		switch c {
		case 'i':
			p.flags.fold = on
		case 's':
			p.flags.dotall = on
		case 'm':
			p.flags.multi = on
		case 'x':
			if p.flags.extended = on; p.looking("x") {
				return nil, unsupported("(?xx)")
			}
		case '-':
			if !on {
				return nil, unsupported("such options")
			}
			on = false
		case ':':
			return p.body(n, saved)
		case ')':
			return nil, nil
		case 'J', 'U', 'n', '^', 'C', '|', 'R', '*', 'P', 'a', 'r':
			return nil, unsupported("such a group")
		default:
			return nil, p.wrong(p.at-1, "unrecognized character after (? or (?-")
		}
	}
	return nil, p.wrong(len(p.in), "missing closing parenthesis")
}
