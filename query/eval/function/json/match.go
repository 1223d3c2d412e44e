package json

// matcher reads a document and follows paths in it. For each open container it keeps, as bits, which steps of which path may come
// next; so a value costs a number of operations that the number of paths bounds.
type matcher struct {
	scanner
	paths []*path
	// plain is how functions find that work at one place: keys are compared with their escapes resolved, else as they are written; ** is
	// as if it were not there, and no range stays at a value that is no array.
	plain bool
	// below lets all that is inside of a match match, too.
	below bool

	masks []uint32 // of each path, at each depth
	few   [4 * (depthLimit + 1)]uint32
	items [depthLimit + 1]int32 // number of the current item of the array at a depth
	sizes [depthLimit + 1]int32 // how many it has, if a path asks
	key   []byte                // the last one, without its quotes, which begins at keyAt
	keyAt int
	level int // of the last value: how many containers are around it
}

func newMatcher(doc []byte, utf bool, paths ...*path) *matcher {
	m := &matcher{scanner: scanner{text: doc, utf8: utf}, paths: paths}
	if n := len(paths) * (depthLimit + 1); n <= len(m.few) {
		m.masks = m.few[:n]
	} else {
		m.masks = make([]uint32, n)
	}
	return m
}

func (m *matcher) row(level int) []uint32 {
	n := len(m.paths)
	return m.masks[level*n : (level+1)*n]
}

// next reads a token; of a value it finds out which paths lead to it.
func (m *matcher) next() token {
	level := m.depth
	t := m.scanner.next()
	switch t {
	case tokenKey:
		m.key, m.keyAt = m.text[m.start:m.end], m.start
	case tokenValue:
		m.arrive(level)
	}
	return t
}

func (m *matcher) arrive(level int) {
	m.level = level
	row := m.row(level)
	inObject := m.objects>>(level&31)&1 != 0
	if level > 0 && !inObject {
		m.items[level]++
	}
	for i, p := range m.paths {
		if level == 0 {
			row[i] = 1
		} else {
			row[i] = m.advance(p, m.row(level - 1)[i], inObject, level)
		}
		if m.kind != array_ {
			for j := range p.steps {
				if row[i]>>j&1 != 0 && m.stays(&p.steps[j]) {
					row[i] |= 2 << j
				}
			}
		}
	}
	if m.kind.scalar() {
		return
	}
	m.items[m.depth] = -1
	if m.kind == array_ && m.counts() {
		n, what := count(&m.scanner)
		if m.sizes[m.depth] = int32(n); what != fine && (!m.plain || m.asksBack(row)) {
			m.fault = what // MariaDB's messages have the position of the bracket
		}
	}
}

// asksBack reports whether a number from the end of the array is asked for at the value.
func (m *matcher) asksBack(row []uint32) bool {
	for i, p := range m.paths {
		for j := range p.steps {
			if row[i]>>j&1 != 0 && p.steps[j].kind == stepItem && p.steps[j].from < 0 {
				return true
			}
		}
	}
	return false
}

// advance goes one step into a container. A last step **[0] leads to all members of objects, whatever they are.
func (m *matcher) advance(p *path, mask uint32, inObject bool, level int) (out uint32) {
	if full := uint32(1) << len(p.steps); m.below && mask&full != 0 {
		out = full
	}
	for j := range p.steps {
		if mask>>j&1 == 0 {
			continue
		}
		s := &p.steps[j]
		if s.deep && !m.plain {
			out |= 1 << j
		}
		if m.takes(s, inObject, level) || inObject && s.deep && !m.plain && j == len(p.steps)-1 && s.itself() {
			out |= 2 << j
		}
	}
	return out
}

// stays reports whether a step into an array stays at a value that is none.
func (m *matcher) stays(s *step) bool {
	if m.plain {
		return s.kind == stepItem && s.from == 0 && !s.deep
	}
	return s.itself()
}

func (m *matcher) takes(s *step, inObject bool, level int) bool {
	if inObject {
		switch s.kind {
		case stepAnyKey:
			return true
		case stepKey:
			if s.lost {
				return false
			}
			if m.plain {
				return sameText(m.key, s.key, m.utf8)
			}
			return string(m.key) == string(s.key)
		}
		return false
	}
	size := m.sizes[level]
	if m.plain && s.kind == stepRange && s.from >= 0 {
		size = 0 // MariaDB counts the items only if the first number asks for it
	}
	return s.item() && s.covers(m.items[level], size)
}

func (m *matcher) counts() bool {
	for _, p := range m.paths {
		if p.back {
			return true
		}
	}
	return false
}

// found reports whether a path leads to the last value.
func (m *matcher) found(i int) bool {
	return m.row(m.level)[i]>>len(m.paths[i].steps)&1 != 0
}

// find reads on to the next value to which the only path leads.
func (m *matcher) find() bool {
	for {
		switch m.next() {
		case tokenFault, tokenEnd:
			return false
		case tokenValue:
			if m.found(0) {
				return true
			}
		}
	}
}
