package pcre

import "unicode/utf8"

type opcode uint8

const (
	opChar opcode = iota
	opFold
	opSet
	opSplit // x first, then y
	opJump
	opSave // a group ends, which has begun where slot y says
	opAssert
	opRepeat // of one character: min, max
	opAtomic // to y
	opLook   // to y
	opBehind // n characters back
	opSubEnd
	opBack
	opCall
	opReturn
	opIfGroup // else to y
	opCond    // a look around to x, then else to y
	opMark
	opLoop // on to y if nothing was matched since the mark
	opKeep
	opNewline
	opMatch
)

type inst struct {
	op       opcode
	x, y     int
	min, max int
	r        rune
	set      *set
	fold     bool
	neg      bool
	behind   bool
	lazy     bool
	own      bool
	assert   assertion
}

// Program is a pattern that can be searched for. It is immutable.
type Program struct {
	code   []inst
	groups int
	slots  int
	bytes  bool
	word   *set
}

// codeMax is how many instructions a program has at most.
const codeMax = 1 << 16

// visitsMax is how many nodes are written at most: repetitions of nothing have no instructions.
const visitsMax = 4 * codeMax

// Options say how a pattern is read.
type Options struct {
	Fold  bool // without regard to case
	Bytes bool // the characters are bytes, up to U+00FF
}

// Compile makes the program of a pattern, which is UTF-8. Its errors are SyntaxError and ErrUnsupported.
func Compile(pattern string, o Options) (*Program, error) {
	if !utf8.ValidString(pattern) {
		return nil, unsupported("ill-formed text")
	}
	p := &parser{in: []rune(pattern), bytes: o.Bytes, flags: flags{fold: o.Fold}}
	tree, err := p.parse()
	if err != nil {
		return nil, err
	}
	c := &compiler{p: &Program{groups: p.groups, slots: 2*(p.groups+1) + 1, bytes: o.Bytes, word: wordSet(o.Bytes)}, starts: map[int]int{}, opened: map[int]int{}, called: map[int]bool{}}
	for _, r := range p.refs {
		if r.kind == kCall {
			c.called[r.number] = true
		}
	}
	c.starts[0] = 0
	c.node(tree)
	c.emit(inst{op: opReturn})
	c.emit(inst{op: opMatch})
	if c.large {
		return nil, unsupported("so much")
	}
	for i := range c.p.code {
		if in := &c.p.code[i]; in.op == opCall {
			in.y = c.starts[in.x]
		}
	}
	return c.p, nil
}

// keepSlot is where \K leaves the place at which the match begins.
func (p *Program) keepSlot() int { return 2 * (p.groups + 1) }

type compiler struct {
	p      *Program
	starts map[int]int // of groups
	opened map[int]int // slots that say where groups that are open begin
	called map[int]bool
	visits int
	large  bool
}

func (c *compiler) emit(in inst) int {
	if len(c.p.code) >= codeMax {
		c.large = true
		return 0
	}
	c.p.code = append(c.p.code, in)
	return len(c.p.code) - 1
}

func (c *compiler) here() int { return len(c.p.code) }

func (c *compiler) node(n *node) {
	if c.visits++; c.visits > visitsMax {
		c.large = true
	}
	if c.large {
		return
	}
	switch n.kind {
	case kChar:
		if n.fold && nextFold(n.r, c.p.bytes) != n.r {
			c.emit(inst{op: opFold, r: n.r})
			return
		}
		c.emit(inst{op: opChar, r: n.r})
	case kSet:
		c.emit(inst{op: opSet, set: n.set})
	case kCat:
		for _, s := range n.subs {
			c.node(s)
		}
	case kAlt:
		c.alternatives(n)
	case kRepeat:
		c.repeat(n)
	case kGroup:
		c.group(n)
	case kAtomic:
		at := c.emit(inst{op: opAtomic})
		c.node(n.subs[0])
		c.emit(inst{op: opSubEnd})
		c.p.code[at].y = c.here()
	case kLook:
		at := c.emit(inst{op: opLook, neg: n.neg})
		c.look(n)
		c.p.code[at].y = c.here()
	case kAssert:
		c.emit(inst{op: opAssert, assert: n.assert})
	case kBack:
		c.emit(inst{op: opBack, x: n.number, fold: n.fold})
	case kCall:
		c.emit(inst{op: opCall, x: n.number})
	case kCond:
		c.condition(n)
	case kKeep:
		c.emit(inst{op: opKeep})
	case kNewline:
		c.emit(inst{op: opNewline})
	}
}

func (c *compiler) alternatives(n *node) {
	var ends []int
	for i, s := range n.subs {
		split := -1
		if i < len(n.subs)-1 {
			split = c.emit(inst{op: opSplit})
			c.p.code[split].x = c.here()
		}
		c.node(s)
		if split >= 0 {
			ends = append(ends, c.emit(inst{op: opJump}))
			c.p.code[split].y = c.here()
		}
	}
	for _, e := range ends {
		c.p.code[e].y = c.here()
	}
}

// look makes the body of a look around.
func (c *compiler) look(n *node) {
	if !n.behind {
		c.node(n.subs[0])
		c.emit(inst{op: opSubEnd})
		return
	}
	alts := &node{kind: kAlt}
	for _, a := range alternativesOf(n.subs[0]) {
		back, _ := length(a)
		alts.subs = append(alts.subs, &node{kind: kCat, subs: []*node{{kind: kLook, behind: true, min: back}, a}})
	}
	var ends []int
	for i, a := range alts.subs {
		split := -1
		if i < len(alts.subs)-1 {
			split = c.emit(inst{op: opSplit})
			c.p.code[split].x = c.here()
		}
		c.emit(inst{op: opBehind, min: a.subs[0].min})
		c.node(a.subs[1])
		if split >= 0 {
			ends = append(ends, c.emit(inst{op: opJump}))
			c.p.code[split].y = c.here()
		}
	}
	for _, e := range ends {
		c.p.code[e].y = c.here()
	}
	c.emit(inst{op: opSubEnd})
}

func (c *compiler) group(n *node) {
	if n.number == 0 {
		c.node(n.subs[0])
		return
	}
	if _, known := c.starts[n.number]; !known {
		c.starts[n.number] = c.here()
	}
	slot, known := c.opened[n.number]
	if !known {
		slot = c.p.slots
		c.opened[n.number] = slot
		c.p.slots++
	}
	c.emit(inst{op: opMark, x: slot})
	c.node(n.subs[0])
	c.emit(inst{op: opSave, x: 2 * n.number, y: slot})
	if c.called[n.number] {
		c.emit(inst{op: opReturn, x: n.number})
	}
}

func (c *compiler) condition(n *node) {
	var at int
	if look := n.subs[0]; look != nil {
		at = c.emit(inst{op: opCond, neg: look.neg})
		c.look(look)
		c.p.code[at].x = c.here()
	} else {
		at = c.emit(inst{op: opIfGroup, x: n.number, neg: n.neg})
	}
	c.node(n.subs[1])
	jump := c.emit(inst{op: opJump})
	c.p.code[at].y = c.here()
	c.node(n.subs[2])
	c.p.code[jump].y = c.here()
}

// one is the instruction of a node that is one character.
func (c *compiler) one(n *node) (inst, bool) {
	switch n.kind {
	case kChar:
		s := &set{ranges: [][2]rune{{n.r, n.r}}, fold: n.fold, bytes: c.p.bytes}
		return inst{op: opRepeat, set: s}, true
	case kSet:
		return inst{op: opRepeat, set: n.set}, true
	}
	return inst{}, false
}

func (c *compiler) repeat(n *node) {
	sub := n.subs[0]
	if in, ok := c.one(sub); ok {
		in.min, in.max, in.lazy, in.own = n.min, n.max, n.lazy, n.own
		c.emit(in)
		return
	}
	if n.own {
		at := c.emit(inst{op: opAtomic})
		greedy := *n
		greedy.own = false
		c.repeat(&greedy)
		c.emit(inst{op: opSubEnd})
		c.p.code[at].y = c.here()
		return
	}
	for range n.min {
		c.node(sub)
		if c.large {
			return
		}
	}
	if n.max < 0 {
		c.loop(sub, n.lazy)
		return
	}
	var splits []int
	for range n.max - n.min {
		splits = append(splits, c.emit(inst{op: opSplit}))
		c.node(sub)
		if c.large {
			return
		}
	}
	end := c.here()
	for _, s := range splits {
		c.branch(s, s+1, end, n.lazy)
	}
}

// branch fills a split: into, or past it.
func (c *compiler) branch(at, into, past int, lazy bool) {
	if lazy {
		into, past = past, into
	}
	c.p.code[at].x, c.p.code[at].y = into, past
}

// loop is x*: an iteration that has matched nothing is the last one.
func (c *compiler) loop(sub *node, lazy bool) {
	split := c.emit(inst{op: opSplit})
	mark := c.p.slots
	c.p.slots++
	c.emit(inst{op: opMark, x: mark})
	c.node(sub)
	loop := c.emit(inst{op: opLoop, x: mark})
	c.emit(inst{op: opJump, y: split})
	if c.large {
		return
	}
	end := c.here()
	c.p.code[loop].y = end
	c.branch(split, split+1, end, lazy)
}
