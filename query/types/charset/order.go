package charset

import (
	"strings"
	"sync"
)

// kind is a way to weights; the package comment tells them.
type kind uint8

const (
	kindBytes kind = iota
	kindExpanding
	kindMulti
	kindCode
	kindGeneral
	kindUCA
	kindPasses
)

// Order compares strings by a collation.
type Order struct {
	c      *Collation
	set    *Set
	kind   kind
	pad    bool
	plain  bool   // kindBytes: the weight is the byte
	unit   uint8  // size of a weight in a sort key
	levels []byte // numbers of the levels that take part

	byteWeight *[256]byte   // kindBytes
	likeWeight *[256]byte   // bytes that LIKE takes for the same
	expand     *[256][]byte // kindExpanding
	multi      *paged       // kindMulti: weight plus one where it is not the code
	general    *[1 << 16]uint16
	passes     *passTable
	uca        *uca
	lonely     string            // characters that LIKE finds like no others
	space      [levelsMax]uint32 // a space's weight
	ascii      [levelsMax]*asciiTable
	folds      [0x80]byte // classes of ASCII characters that LIKE takes for the same
}

// ill is the weight of a byte that belongs to no character: above those of all characters.
const (
	illUCA   = 0xffff
	illMulti = 0xff00   // and the byte
	illOther = 0xff0000 // and the byte
)

func newOrder(c *Collation) *Order {
	o := &Order{c: c, set: c.set, pad: c.pad, unit: 1, levels: []byte{0}}
	form, table, _ := strings.Cut(c.weights, ":")
	switch form {
	case "bytes":
		o.byteWeight, o.likeWeight, o.plain = &identity, &identity, true
	case "8":
		t := weights8()[table]
		o.byteWeight, o.likeWeight = t.weight, t.like
		if t.expand != nil {
			o.kind, o.expand = kindExpanding, t.expand
		}
	case "mb":
		o.kind, o.unit, o.multi = kindMulti, 3, weightsMulti()[table]
	case "code":
		o.kind, o.unit = kindCode, 3
	case "general":
		o.kind, o.unit, o.general = kindGeneral, 3, generalTables()[table]
	case "uca":
		o.kind, o.unit, o.uca, o.levels, o.lonely = kindUCA, 2, ucaTable(table), nil, lonely(c)
		for n := range byte(levelsMax) {
			if c.levels&(1<<n) != 0 {
				o.levels = append(o.levels, n)
			}
		}
	case "pass":
		o.kind, o.passes = kindPasses, passTables()[table]
		o.likeWeight, o.byteWeight, o.plain = &o.passes.like, &identity, true
	default:
		corrupt(namesFile, &UnsupportedError{c.name})
	}
	if o.kind == kindGeneral {
		o.unit = 2
	}
	blank, _ := c.set.Append(nil, ' ')
	for _, n := range o.levels {
		w := o.scan(blank, n)
		o.space[n], _ = w.next()
		if o.ascii[n] = o.asciiWeights(n); o.ascii[n] != nil {
			o.ascii[n].noSpace(o.space[n])
		}
	}
	o.makeFolds()
	return o
}

// Collation is what the order is of.
func (o *Order) Collation() *Collation { return o.c }

var identity = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
	}
	return t
}()

// scan is the sequence of a string's weights at one level.
type scan struct {
	o     *Order
	s     []byte
	level *level
	ascii *asciiTable // nil if bytes are not ASCII
	more  []uint16    // of a character of several weights
	tail  uint32      // the second of two that are computed, 0 if none waits
	rest  []byte      // the same, of kindExpanding
}

func (o *Order) scan(s []byte, n byte) scan {
	w := scan{o: o, s: s, ascii: o.ascii[n]}
	if o.kind == kindUCA {
		w.level = o.uca.levels[n]
	}
	return w
}

// next takes the next weight; ok is false at the end.
func (w *scan) next() (weight uint32, ok bool) {
	if w.level != nil {
		return w.nextUCA()
	}
	if len(w.s) == 0 && len(w.rest) == 0 {
		return 0, false
	}
	o := w.o
	switch o.kind {
	case kindBytes:
		weight = uint32(o.byteWeight[w.s[0]])
		w.s = w.s[1:]
		return weight, true
	case kindExpanding:
		if len(w.rest) == 0 {
			w.rest, w.s = o.expand[w.s[0]], w.s[1:]
		}
		weight, w.rest = uint32(w.rest[0]), w.rest[1:]
		return weight, true
	}
	code, n := o.set.next(w.s)
	if n == 0 {
		weight = illOther + uint32(w.s[0])
		switch {
		case o.kind == kindMulti && o.set.maxLen == 2:
			weight = illMulti + uint32(w.s[0])
		case o.kind == kindGeneral:
			weight = illUCA
		}
		w.s = w.s[min(len(w.s), int(o.set.minLen)):]
		return weight, true
	}
	w.s = w.s[n:]
	return o.codeWeight(code), true
}

// codeWeight is the weight of a character of the kinds that give one to each.
func (o *Order) codeWeight(code uint32) uint32 {
	switch o.kind {
	case kindMulti:
		return o.multiWeight(code)
	case kindGeneral:
		if code > 0xffff {
			return 0xfffd
		}
		return uint32(o.general[code])
	}
	return code
}

// CharacterWeight is what a character is compared by, by its code point; ok is false if the set lacks it. Only the weights of a collation that is Simple say
// how texts compare.
func (o *Order) CharacterWeight(r rune) (weight uint32, ok bool) {
	var store [4]byte
	b, ok := o.set.Append(store[:0], r)
	if !ok {
		return 0, false
	}
	if o.kind == kindBytes {
		for i := range int(o.set.maxLen) { // compared byte by byte
			weight <<= 8
			if i < len(b) {
				weight |= uint32(o.byteWeight[b[i]])
			}
		}
		return weight, true
	}
	w := o.scan(b, o.levels[0])
	return w.next()
}

// tableWeight is what WEIGHT_STRING gives for a character of an East Asian set.
func (o *Order) tableWeight(code uint32) uint32 {
	if v := o.multi.get(slot(code)); v != 0 {
		return v - 1
	}
	return code
}

// multiWeight is what a character of an East Asian set is compared by.
func (o *Order) multiWeight(code uint32) uint32 {
	weight := code
	if o.set.codec != codecBig5 || code < 0x100 { // Big5 compares Chinese characters by their codes, whatever WEIGHT_STRING says
		weight = o.tableWeight(code)
	}
	switch {
	case o.set.codec == codecSJIS && code < 0x100:
		weight <<= 8 // one byte is compared as the first one of two
	case o.set.codec == codecEUCJP && code < 0x100:
		weight <<= 16 // here of three
	case o.set.codec == codecEUCJP && code < 0x10000:
		weight <<= 8
	}
	return weight
}

// byteTable is a table of an 8-bit set.
type byteTable struct {
	weight, like *[256]byte
	expand       *[256][]byte // nil if all have one weight
}

// weights8 reads the tables of 8-bit sets: number of tables; each: name, 256 times the number of weights and the weights, and 256 bytes that are equal
// where LIKE takes two bytes for the same.
var weights8 = sync.OnceValue(func() map[string]*byteTable {
	r := open("weights8.gz")
	tables := map[string]*byteTable{}
	for n := r.uint(); n > 0; n-- {
		t := &byteTable{weight: new([256]byte), like: new([256]byte)}
		tables[r.str()] = t
		expand, expands := new([256][]byte), false
		for i := range 256 {
			expand[i] = r.bytes(int(r.uint()))
			if len(expand[i]) != 1 {
				expands = true
				continue
			}
			t.weight[i] = expand[i][0]
		}
		copy(t.like[:], r.bytes(256))
		if expands {
			t.expand = expand
		}
	}
	return tables
})

// weightsMulti reads the tables of East Asian sets: number of tables; each: name, number of characters whose weight is not their code, and per
// character the difference of its code from the one before and of its weight from its code.
var weightsMulti = sync.OnceValue(func() map[string]*paged {
	r := open("weightsmb.gz")
	tables := map[string]*paged{}
	for n := r.uint(); n > 0; n-- {
		t := new(paged)
		tables[r.str()] = t
		code := uint32(0)
		for count := r.uint(); count > 0; count-- {
			code += r.uint()
			t.set(slot(code), code+r.int()+1)
		}
	}
	return tables
})

// generalTables reads the tables of general_ci: number of tables; each: name, and per code point below U+10000 the weight less the code point, as
// the difference from the one before.
var generalTables = sync.OnceValue(func() map[string]*[1 << 16]uint16 {
	r := open("general.gz")
	tables := map[string]*[1 << 16]uint16{}
	for n := r.uint(); n > 0; n-- {
		t := new([1 << 16]uint16)
		tables[r.str()] = t
		d := uint32(0)
		for i := range t {
			d += r.int()
			t[i] = uint16(uint32(i) + d)
		}
	}
	return tables
})
