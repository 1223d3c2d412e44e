package pcre

import (
	"errors"
	"unicode/utf8"
	"unsafe"
)

// What ends a match without an answer. The first two have PCRE2's texts.
var (
	ErrMatchLimit = errors.New("match limit exceeded")
	ErrRecursion  = errors.New("nested recursion at the same subject position")
	ErrTooLarge   = errors.New("a match that takes so much memory")
)

const (
	stepsMax   = 10_000_000 // of one place where a match may begin, as in PCRE2
	totalMax   = 10 * stepsMax
	stackMax   = 1 << 21 // entries
	stackFirst = 64
	nestMax    = 2000   // of calls of run
	frameMax   = 20_000 // of calls of groups
)

type frame struct {
	group, ret, pos, depth int
	saved                  []int
	parent                 *frame
}

type entryKind uint8

const (
	choice entryKind = iota
	undo
	repeated // greedy: pos is the end, low the least one
	lazier   // pos is where one more may follow, low how many there may be
)

type entry struct {
	kind         entryKind
	pc, pos, low int
	frame        *frame
}

// Machine runs programs, for one goroutine. Its zero value is ready.
type Machine struct {
	// Interrupted is asked now and then; its error ends the match.
	Interrupted func() error
	// Charge counts n bytes more, if it is not nil; its error ends the match.
	Charge func(n int64) error

	p     *Program
	text  []byte
	from  int // where the search began, for \G
	slots []int
	stack []entry
	steps int
	total int
	nest  int
	held  int64
	err   error
}

// Release gives back what Charge has counted. The machine is as new after it.
func (m *Machine) Release() {
	if m.held > 0 && m.Charge != nil {
		_ = m.Charge(-m.held) // what gives back does not fail
	}
	*m = Machine{Interrupted: m.Interrupted, Charge: m.Charge}
}

func (m *Machine) charge(n int64) bool {
	if m.Charge == nil {
		return true
	}
	m.held += n
	m.err = m.Charge(n)
	return m.err == nil
}

// Find is the first match from a place on: the ends of it and of its groups, -1 for those that did not take part; nil if there is none. The result is valid until the next
// call.
func (m *Machine) Find(p *Program, text []byte, from int) ([]int, error) {
	m.p, m.text, m.from, m.err, m.total = p, text, from, nil, 0
	if cap(m.slots) < p.slots {
		m.slots = make([]int, p.slots)
	}
	m.slots = m.slots[:p.slots]
	for at := from; ; {
		for i := range m.slots {
			m.slots[i] = -1
		}
		m.stack, m.steps = m.stack[:0], 0
		end, ok := m.run(0, at, nil)
		if m.err != nil {
			return nil, m.err
		}
		if ok {
			m.slots[0], m.slots[1] = at, end
			if keep := m.slots[p.keepSlot()]; keep >= 0 {
				m.slots[0] = keep
			}
			if m.slots[0] > end { // \K in a look ahead
				return nil, ErrTooLarge
			}
			return m.slots[:2*(p.groups+1)], nil
		}
		if at >= len(text) {
			return nil, nil
		}
		_, n := utf8.DecodeRune(text[at:])
		at += n
	}
}

func (m *Machine) push(e entry) bool {
	if len(m.stack) >= stackMax {
		m.err = ErrTooLarge
		return false
	}
	if len(m.stack) == cap(m.stack) {
		size := max(2*cap(m.stack), stackFirst)
		if size > stackFirst && !m.charge(int64(size)*int64(unsafe.Sizeof(entry{}))) {
			return false
		}
		m.stack = append(make([]entry, 0, size), m.stack...)
	}
	m.stack = append(m.stack, e)
	return true
}

func (m *Machine) set(slot, v int) bool {
	if !m.push(entry{kind: undo, pc: slot, pos: m.slots[slot]}) {
		return false
	}
	m.slots[slot] = v
	return true
}

// step counts one.
func (m *Machine) step() bool {
	m.steps++
	m.total++
	if m.steps > stepsMax || m.total > totalMax {
		m.err = ErrMatchLimit
		return false
	}
	if m.total&0x3fff == 0 && m.Interrupted != nil {
		if m.err = m.Interrupted(); m.err != nil {
			return false
		}
	}
	return true
}

// run runs the program from pc on, to its end or that of the part that pc belongs to. What it has left on the stack can be gone back to.
func (m *Machine) run(pc, pos int, f *frame) (end int, ok bool) {
	if m.nest++; m.nest > nestMax {
		m.err = ErrTooLarge
		return 0, false
	}
	defer func() { m.nest-- }()
	base := len(m.stack)
	for m.err == nil {
		in := &m.p.code[pc]
		matched := true
		switch in.op {
		case opChar, opFold, opSet:
			pos, matched = m.one(in, pos)
			pc++
		case opSplit:
			matched = m.step() && m.push(entry{kind: choice, pc: in.y, pos: pos, frame: f})
			pc = in.x
		case opJump:
			pc = in.y
		case opSave:
			matched = m.set(in.x, m.slots[in.y]) && m.set(in.x+1, pos)
			pc++
		case opAssert:
			matched = m.asserts(in.assert, pos)
			pc++
		case opRepeat:
			pos, matched = m.repeat(in, pc, pos, f)
			pc++
		case opAtomic:
			var n int
			if n, matched = m.inner(pc+1, pos, f); matched {
				pos, pc = n, in.y
			}
		case opLook:
			matched = m.around(pc+1, pos, f, in.neg)
			pc = in.y
		case opCond:
			if m.around(pc+1, pos, f, in.neg) {
				pc = in.x
			} else {
				pc = in.y
			}
		case opIfGroup:
			if !in.neg && m.slots[2*in.x+1] >= 0 {
				pc++
			} else {
				pc = in.y
			}
		case opBehind:
			for i := 0; i < in.min && matched; i++ {
				_, n := utf8.DecodeLastRune(m.text[:pos])
				pos, matched = pos-n, n > 0
			}
			pc++
		case opSubEnd:
			return pos, true
		case opBack:
			pos, matched = m.back(in, pos)
			pc++
		case opCall:
			f, matched = m.call(in, pc, pos, f)
			pc = in.y
		case opReturn:
			if f == nil || f.group != in.x {
				pc++
				break
			}
			for i, v := range f.saved {
				if m.slots[i] != v && i != m.p.keepSlot() && !m.set(i, v) {
					break
				}
			}
			pc, f = f.ret, f.parent
		case opMark:
			matched = m.set(in.x, pos)
			pc++
		case opLoop:
			if m.slots[in.x] == pos {
				pc = in.y
			} else {
				pc++
			}
		case opKeep:
			matched = m.set(m.p.keepSlot(), pos)
			pc++
		case opNewline:
			pos, matched = m.newline(pos)
			pc++
		case opMatch:
			return pos, true
		}
		if m.err != nil {
			return 0, false
		}
		if !matched {
			if pc, pos, f, ok = m.fail(base); !ok {
				return 0, false
			}
		}
	}
	return 0, false
}

// fail goes back to the last choice above base.
func (m *Machine) fail(base int) (pc, pos int, f *frame, ok bool) {
	for len(m.stack) > base {
		if !m.step() {
			return 0, 0, nil, false
		}
		e := &m.stack[len(m.stack)-1]
		switch e.kind {
		case undo:
			m.slots[e.pc] = e.pos
			m.stack = m.stack[:len(m.stack)-1]
			continue
		case choice:
			m.stack = m.stack[:len(m.stack)-1]
			return e.pc, e.pos, e.frame, true
		case repeated:
			_, n := utf8.DecodeLastRune(m.text[:e.pos])
			if e.pos -= n; e.pos <= e.low {
				m.stack = m.stack[:len(m.stack)-1]
			}
			return e.pc + 1, e.pos, e.frame, true
		case lazier:
			in := &m.p.code[e.pc]
			r, n := utf8.DecodeRune(m.text[e.pos:])
			if n == 0 || e.low == 0 || !in.set.has(r) {
				m.stack = m.stack[:len(m.stack)-1]
				continue
			}
			e.pos += n
			e.low--
			return e.pc + 1, e.pos, e.frame, true
		}
	}
	return 0, 0, nil, false
}

// undoTo takes everything back above a height of the stack.
func (m *Machine) undoTo(base int) {
	for len(m.stack) > base {
		e := &m.stack[len(m.stack)-1]
		if e.kind == undo {
			m.slots[e.pc] = e.pos
		}
		m.stack = m.stack[:len(m.stack)-1]
	}
}

// inner runs a part that is never gone back into: of its entries those remain that take back what it has set.
func (m *Machine) inner(pc, pos int, f *frame) (end int, ok bool) {
	base := len(m.stack)
	if end, ok = m.run(pc, pos, f); !ok {
		return 0, false
	}
	kept := base
	for _, e := range m.stack[base:] {
		if e.kind == undo {
			m.stack[kept] = e
			kept++
		}
	}
	m.stack = m.stack[:kept]
	return end, true
}

func (m *Machine) around(pc, pos int, f *frame, neg bool) bool {
	if !neg {
		_, ok := m.inner(pc, pos, f)
		return ok
	}
	base := len(m.stack)
	_, ok := m.run(pc, pos, f)
	m.undoTo(base)
	return !ok && m.err == nil
}

func (m *Machine) one(in *inst, pos int) (int, bool) {
	if pos >= len(m.text) {
		return pos, false
	}
	r, n := rune(m.text[pos]), 1
	if r >= utf8.RuneSelf {
		r, n = utf8.DecodeRune(m.text[pos:])
	}
	switch in.op {
	case opChar:
		return pos + n, r == in.r
	case opFold:
		return pos + n, r == in.r || same(in.r, r, m.p.bytes)
	}
	return pos + n, in.set.has(r)
}

// repeat takes characters of a set.
func (m *Machine) repeat(in *inst, pc, pos int, f *frame) (int, bool) {
	least := in.min
	if in.lazy && !in.own {
		for range least {
			if pos >= len(m.text) {
				return pos, false
			}
			r, n := utf8.DecodeRune(m.text[pos:])
			if !in.set.has(r) {
				return pos, false
			}
			pos += n
		}
		more := in.max - in.min
		if in.max < 0 {
			more = -1
		}
		if more != 0 {
			return pos, m.step() && m.push(entry{kind: lazier, pc: pc, pos: pos, low: more, frame: f})
		}
		return pos, true
	}
	low := pos
	for count := 0; in.max < 0 || count < in.max; count++ {
		if count == least {
			low = pos
		}
		if pos >= len(m.text) {
			if count < least {
				return pos, false
			}
			break
		}
		r, n := rune(m.text[pos]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(m.text[pos:])
		}
		if !in.set.has(r) {
			if count < least {
				return pos, false
			}
			break
		}
		pos += n
		if count&0xfff == 0xfff && !m.step() {
			return pos, false
		}
		if count+1 == least {
			low = pos
		}
	}
	if in.own || pos <= low {
		return pos, true
	}
	return pos, m.step() && m.push(entry{kind: repeated, pc: pc, pos: pos, low: low, frame: f})
}

func (m *Machine) back(in *inst, pos int) (int, bool) {
	from, to := m.slots[2*in.x], m.slots[2*in.x+1]
	if to < 0 || from < 0 || from > to {
		return pos, false
	}
	group := m.text[from:to]
	for len(group) > 0 {
		if pos >= len(m.text) {
			return pos, false
		}
		a, n := utf8.DecodeRune(group)
		b, k := utf8.DecodeRune(m.text[pos:])
		if a != b && (!in.fold || !same(a, b, m.p.bytes)) {
			return pos, false
		}
		group, pos = group[n:], pos+k
	}
	m.steps += (to - from) >> 8
	return pos, true
}

func (m *Machine) call(in *inst, pc, pos int, f *frame) (*frame, bool) {
	depth := 1
	if f != nil {
		depth = f.depth + 1
	}
	if depth > frameMax {
		m.err = ErrTooLarge
		return f, false
	}
	for g := f; g != nil && g.pos == pos; g = g.parent {
		if g.group == in.x {
			m.err = ErrRecursion
			return f, false
		}
	}
	if !m.step() || !m.charge(int64(8*len(m.slots)+64)) {
		return f, false
	}
	saved := append([]int(nil), m.slots...)
	return &frame{group: in.x, ret: pc + 1, pos: pos, depth: depth, saved: saved, parent: f}, true
}

// newline is \R: CR LF cannot be gone back into.
func (m *Machine) newline(pos int) (int, bool) {
	if pos >= len(m.text) {
		return pos, false
	}
	r, n := utf8.DecodeRune(m.text[pos:])
	switch {
	case r == '\r' && pos+1 < len(m.text) && m.text[pos+1] == '\n':
		return pos + 2, true
	case r >= '\n' && r <= '\r', r == 0x85, r == 0x2028, r == 0x2029:
		return pos + n, true
	}
	return pos, false
}

func (m *Machine) asserts(a assertion, pos int) bool {
	n := len(m.text)
	switch a {
	case begin:
		return pos == 0
	case beginLine:
		return pos == 0 || m.text[pos-1] == '\n' && pos < n
	case end:
		return pos == n
	case endOrLine:
		return pos == n || pos == n-1 && m.text[pos] == '\n'
	case endLine:
		return pos == n || m.text[pos] == '\n'
	case start:
		return pos == m.from
	}
	before, after := false, false
	if pos > 0 {
		r, _ := utf8.DecodeLastRune(m.text[:pos])
		before = m.p.word.has(r)
	}
	if pos < n {
		r, _ := utf8.DecodeRune(m.text[pos:])
		after = m.p.word.has(r)
	}
	return (before != after) == (a == boundary)
}
