package charset

import (
	"slices"
	"sync"
)

const (
	levelsMax     = 3
	pagesOfLevel  = 0x1100 // of 256 code points each
	sequenceMax   = 6      // characters of the longest contraction
	entryHead     = 1 << 31
	entryExpand   = 1 << 30 // bits 24 to 28: number of weights, bits 0 to 23: where they begin
	entryImplicit = 1 << 29 // bits 0 to 15: base
	entryKind     = entryHead | entryExpand | entryImplicit
)

// uca is a table of the Unicode Collation Algorithm: the root of a version or a tailoring of it.
type uca struct{ levels []*level }

// level has the weights of one level: an entry per code point. An entry without flags is a weight, 0 is no weight at all. entryHead marks
// the first characters of contractions.
type level struct {
	pages     [pagesOfLevel]*[256]uint32
	uniform   [pagesOfLevel]bool // the page has the same weight everywhere, or only computed ones
	weights   []uint16
	sequences map[uint64][]sequence // by the first two characters, the longest first
}

// sequence is a contraction, with what comes after its first two characters.
type sequence struct {
	rest    []rune
	weights []uint16
}

func (l *level) entry(r uint32) uint32 { return l.pages[r>>8][r&0xff] }

// nextUCA is next of kindUCA.
func (w *scan) nextUCA() (weight uint32, ok bool) {
	if w.tail != 0 {
		weight, w.tail = w.tail, 0
		return weight, true
	}
	if len(w.more) > 0 {
		weight = uint32(w.more[0])
		w.more = w.more[1:]
		return weight, true
	}
	for len(w.s) > 0 {
		code, n := uint32(w.s[0]), 1
		if w.ascii != nil && code < 0x80 {
			if weight = w.ascii.weight(w.s); weight != 0 {
				w.s = w.s[1:]
				return weight, true
			}
		}
		if code >= 0x80 || w.o.set.foreign {
			if code, n = w.o.set.next(w.s); n == 0 {
				w.s = w.s[min(len(w.s), int(w.o.set.minLen)):]
				return illUCA, true
			}
		}
		e := w.level.entry(code)
		if e&entryHead != 0 {
			if found, size := w.contraction(code, n); size > 0 {
				w.s = w.s[size:]
				if len(found) == 0 {
					continue
				}
				w.more = found[1:]
				return uint32(found[0]), true
			}
			e &^= entryHead
		}
		w.s = w.s[n:]
		if e != 0 {
			if e&entryKind == 0 {
				return e, true
			}
			return w.several(code, e), true
		}
	}
	return 0, false
}

// several takes the first weight of an entry of several, and keeps the others.
func (w *scan) several(code, e uint32) uint32 {
	if e&entryImplicit != 0 {
		// The two weights of characters that no table has (UCA section 10.1.3).
		var first uint32
		first, w.tail = implicit(code, e)
		return first
	}
	found := w.level.expansion(e)
	w.more = found[1:]
	return uint32(found[0])
}

func (l *level) expansion(e uint32) []uint16 {
	from := e & 0xffffff
	return l.weights[from : from+e>>24&0x1f]
}

// implicitTail is the smallest second weight of a character that has no weights in a table.
const implicitTail = 0x8000

func implicit(code, e uint32) (first, second uint32) {
	return e&0xffff + code>>15, implicitTail | code&0x7fff
}

// contraction finds the longest contraction at the beginning of the rest, whose first character is known, and its size in bytes.
func (w *scan) contraction(first uint32, size int) (weights []uint16, all int) {
	second, n := w.o.set.next(w.s[size:])
	if n == 0 {
		return nil, 0
	}
	size += n
search:
	for _, q := range w.level.sequences[pair(first, second)] {
		all = size
		for _, r := range q.rest {
			code, n := w.o.set.next(w.s[all:])
			if n == 0 || code != uint32(r) {
				continue search
			}
			all += n
		}
		return q.weights, all
	}
	return nil, 0
}

func pair(first, second uint32) uint64 { return uint64(first)<<32 | uint64(second) }

// alike reports whether two characters have the same weights at a level, as LIKE sees it: of a page in which all code points have the same
// weight, or computed ones, MariaDB has no table, and its characters are like nothing but themselves.
func (l *level) alike(a, b uint32) bool {
	if l.uniform[a>>8] || l.uniform[b>>8] {
		return false
	}
	var storeA, storeB [2]uint16
	return slices.Equal(l.of(a, &storeA), l.of(b, &storeB))
}

// of gives the weights of a character; what it computes is put into store.
func (l *level) of(code uint32, store *[2]uint16) []uint16 {
	e := l.entry(code) &^ entryHead
	switch {
	case e&entryExpand != 0:
		return l.expansion(e)
	case e&entryImplicit != 0:
		first, second := implicit(code, e)
		*store = [2]uint16{uint16(first), uint16(second)}
		return store[:]
	case e == 0:
		return nil
	}
	store[0] = uint16(e)
	return store[:1]
}

// findUniform completes a root's level.
func (l *level) findUniform() {
	known := map[*[256]uint32]bool{}
	for i, page := range l.pages {
		same, ok := known[page]
		if !ok {
			same = true
			for _, e := range page {
				// Code points that are assigned and those that are not have different bases, in one page.
				same = same && (e&^entryHead == page[0]&^entryHead || e&page[0]&entryImplicit != 0)
			}
			known[page] = same
		}
		l.uniform[i] = same
	}
}

// roots are the tables that are not tailorings.
var roots = struct {
	sync.Mutex
	made map[string]*uca
}{made: map[string]*uca{}}

func rootTable(name string) *uca {
	roots.Lock()
	defer roots.Unlock()
	if roots.made[name] == nil {
		roots.made[name] = readRoot(open(name + ".gz"))
	}
	return roots.made[name]
}

// readRoot reads a file of a root: number of levels; each: number of different pages; per page 256 entries; per page of Unicode the number of its
// page; then the contractions.
func readRoot(r *reader) *uca {
	t := new(uca)
	for n := r.uint(); n > 0; n-- {
		l := &level{sequences: map[uint64][]sequence{}}
		t.levels = append(t.levels, l)
		pages := make([]*[256]uint32, r.uint())
		previous := uint32(0)
		for i := range pages {
			pages[i] = new([256]uint32)
			for j := range pages[i] {
				pages[i][j] = r.entry(l, &previous)
			}
		}
		for i := range l.pages {
			l.pages[i] = pages[r.uint()]
		}
		r.contractions(l, map[*[256]uint32]bool{})
		l.findUniform()
	}
	return t
}

// entryImplicitMark stands for a number of weights in a file.
const entryImplicitMark = 255

// entry reads a number of weights and each weight as the difference from the one before in the file; or the mark and a base.
func (r *reader) entry(l *level, previous *uint32) uint32 {
	n := r.uint()
	if n == entryImplicitMark {
		return entryImplicit | r.uint()
	}
	if n == 0 {
		return 0
	}
	from := len(l.weights)
	for range n {
		*previous += r.int()
		l.weights = append(l.weights, uint16(*previous))
	}
	if n == 1 {
		e := uint32(l.weights[from])
		l.weights = l.weights[:from]
		return e
	}
	return entryExpand | n<<24 | uint32(from)
}

// contractions reads a number of contractions; each: number of characters, the characters, number of weights, the weights. Pages in own
// belong to the level, others are copied before a mark is set in them.
func (r *reader) contractions(l *level, own map[*[256]uint32]bool) {
	for n := r.uint(); n > 0; n-- {
		chars := make([]rune, r.uint())
		for i := range chars {
			chars[i] = rune(r.uint())
		}
		q := sequence{rest: chars[2:], weights: make([]uint16, r.uint())}
		for i := range q.weights {
			q.weights[i] = uint16(r.uint())
		}
		l.change(uint32(chars[0]), l.entry(uint32(chars[0]))|entryHead, own)
		key := pair(uint32(chars[0]), uint32(chars[1]))
		list := slices.DeleteFunc(slices.Clone(l.sequences[key]), func(old sequence) bool { return slices.Equal(old.rest, q.rest) })
		list = append(list, q)
		slices.SortStableFunc(list, func(a, b sequence) int { return len(b.rest) - len(a.rest) })
		l.sequences[key] = list
	}
}

// change sets an entry, in a page of the level's own.
func (l *level) change(code, e uint32, own map[*[256]uint32]bool) {
	page := &l.pages[code>>8]
	if (e^l.entry(code))&^entryHead != 0 {
		l.uniform[code>>8] = false
	}
	if !own[*page] {
		clone := **page
		*page = &clone
		own[*page] = true
	}
	(*page)[code&0xff] = e
}

var tailorings = struct {
	sync.Mutex
	made map[string]*uca
}{made: map[string]*uca{}}

// ucaTable is a root or a tailoring by its name: uca1400, or uca1400_czech.
func ucaTable(name string) *uca {
	if _, err := data.Open("data/" + name + ".gz"); err == nil {
		return rootTable(name)
	}
	tailorings.Lock()
	defer tailorings.Unlock()
	if tailorings.made[name] == nil {
		tailorings.made[name] = readTailoring(name)
	}
	return tailorings.made[name]
}

// readTailoring reads tailorings.gz: any number of: name, size in bytes, then the root's name and per level of the root the number of characters that differ, each as the
// difference of its code point from the one before and its entry, and the contractions that differ or are new.
func readTailoring(name string) *uca {
	const file = "tailorings.gz"
	for r := open(file); ; {
		found, size := r.str(), int(r.uint())
		body := &reader{file, r.bytes(size)}
		if found == name {
			return body.tailoring()
		}
	}
}

func (r *reader) tailoring() *uca {
	root := rootTable(r.str())
	t := new(uca)
	for _, from := range root.levels {
		l := &level{pages: from.pages, uniform: from.uniform, weights: slices.Clone(from.weights), sequences: map[uint64][]sequence{}}
		t.levels = append(t.levels, l)
		for key, list := range from.sequences {
			l.sequences[key] = list
		}
		own := map[*[256]uint32]bool{}
		code, previous := uint32(0), uint32(0)
		for n := r.uint(); n > 0; n-- {
			code += r.uint()
			e := r.entry(l, &previous)
			l.change(code, e|l.entry(code)&entryHead, own)
		}
		r.contractions(l, own)
	}
	return t
}
