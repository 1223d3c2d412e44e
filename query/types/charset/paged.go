package charset

// paged maps numbers to numbers, in pages of 256. The zero value maps all to 0.
type paged struct{ pages []*[256]uint32 }

func (p *paged) get(i uint32) uint32 {
	if n := i >> 8; n < uint32(len(p.pages)) {
		if page := p.pages[n]; page != nil {
			return page[i&0xff]
		}
	}
	return 0
}

func (p *paged) set(i, v uint32) {
	n := int(i >> 8)
	if n >= len(p.pages) {
		p.pages = append(p.pages, make([]*[256]uint32, n+1-len(p.pages))...)
	}
	if p.pages[n] == nil {
		p.pages[n] = new([256]uint32)
	}
	p.pages[n][i&0xff] = v
}

// slot makes codes of three bytes small: only EUC has them, and all begin with 8F. Code points stay what they are.
func slot(code uint32) uint32 {
	if code > 0x10ffff {
		return 0x10000 | code&0xffff
	}
	return code
}

// mapping is a character set's way to Unicode and back; values are one more than what they stand for, 0 is none.
type mapping struct{ runes, codes paged }

func (m *mapping) rune(code uint32) (rune, bool) {
	v := m.runes.get(slot(code))
	return rune(v) - 1, v != 0
}

func (m *mapping) code(r rune) (uint32, bool) {
	v := m.codes.get(uint32(r))
	return v - 1, v != 0
}

// mapping is nil for Unicode sets and binary.
func (s *Set) mapping() *mapping {
	if s.Unicode() || s.binary() {
		return nil
	}
	s.once.Do(func() { s.table = readMapping(s.name) })
	return s.table
}
