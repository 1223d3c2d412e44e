package charset

import "sync"

// caseTable is what LOWER and UPPER do: characters to characters, by their codes.
type caseTable struct {
	lower, upper     paged // the other character's code plus one, 0 if there is none
	lowers, uppers   [256]byte
	quickLo, quickUp [256]bool // the byte is a character, and the byte in lowers or uppers its other case
}

// AppendLower appends LOWER(s). Bytes that are no characters stay.
func (c *Collation) AppendLower(dst, s []byte) []byte {
	t := c.caseTable()
	if t == nil {
		return append(dst, s...)
	}
	return c.set.appendCase(dst, s, &t.lowers, &t.quickLo, &t.lower)
}

// AppendUpper appends UPPER(s).
func (c *Collation) AppendUpper(dst, s []byte) []byte {
	t := c.caseTable()
	if t == nil {
		return append(dst, s...)
	}
	return c.set.appendCase(dst, s, &t.uppers, &t.quickUp, &t.upper)
}

func (s *Set) appendCase(dst, text []byte, table *[256]byte, quick *[256]bool, others *paged) []byte {
	wide := s.minLen > 1
	for len(text) > 0 {
		if b := text[0]; !wide && quick[b] {
			dst = append(dst, table[b])
			text = text[1:]
			continue
		}
		code, n := s.next(text)
		if n == 0 {
			n = min(int(s.minLen), len(text))
			dst = append(dst, text[:n]...)
		} else if other := others.get(slot(code)); other != 0 {
			dst = s.put(dst, other-1)
		} else {
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}

// caseTable is nil where nothing has a case.
func (c *Collation) caseTable() *caseTable {
	if c.cases == "-" {
		return nil
	}
	c.caseOnce.Do(func() {
		t := caseTables()[c.cases]
		if t == nil {
			corrupt("case.gz", &UnsupportedError{c.name})
		}
		c.caseMade = t
	})
	return c.caseMade
}

// caseTables reads case.gz: number of tables; each: name, 1 if it is of an 8-bit set, then for LOWER and for UPPER the number of
// characters that change, and for each the differences of its code from the one before and of the other's code from its own.
var caseTables = sync.OnceValue(func() map[string]*caseTable {
	r := open("case.gz")
	tables := map[string]*caseTable{}
	for n := r.uint(); n > 0; n-- {
		t := new(caseTable)
		tables[r.str()] = t
		quick := 0x80
		if r.uint() == 1 {
			quick = 0x100
		}
		r.cases(&t.lower, &t.lowers, &t.quickLo, quick)
		r.cases(&t.upper, &t.uppers, &t.quickUp, quick)
	}
	return tables
})

// cases reads one direction. The first quick bytes are characters.
func (r *reader) cases(others *paged, table *[256]byte, isQuick *[256]bool, quick int) {
	code := uint32(0)
	for n := r.uint(); n > 0; n-- {
		code += r.uint()
		others.set(slot(code), code+r.int()+1)
	}
	for b := range quick {
		other := others.get(uint32(b))
		switch {
		case other == 0:
			table[b], isQuick[b] = byte(b), true
		case int(other)-1 < quick:
			table[b], isQuick[b] = byte(other-1), true
		}
	}
}
