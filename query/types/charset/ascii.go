package charset

import (
	"math"
	"math/bits"
)

// asciiTable has the weights of ASCII characters at one level, for the sets in which they are bytes. 0 means that the long way has to be taken.
type asciiTable struct {
	simple [0x80]uint32 // the weight, whatever follows
	before [0x80]uint32 // the weight if an ASCII character or nothing follows: no contraction of the character has ASCII in the second place
	plain  [256]uint16  // simple with its bytes exchanged, if it is of two bytes and not a space's; 0 for all other bytes
}

// weight is the weight of the first character of s, which is ASCII.
func (t *asciiTable) weight(s []byte) uint32 {
	if w := t.simple[s[0]]; w != 0 || len(s) > 1 && s[1] >= 0x80 {
		return w
	}
	return t.before[s[0]]
}

// asciiWeights makes the table of a level, nil if the set has other bytes.
func (o *Order) asciiWeights(n byte) *asciiTable {
	if o.set.foreign || o.kind == kindBytes || o.kind == kindExpanding || o.kind == kindPasses {
		return nil
	}
	t := new(asciiTable)
	if o.kind != kindUCA {
		for c := range t.simple {
			t.simple[c] = o.codeWeight(uint32(c))
		}
		return t
	}
	l := o.uca.levels[n]
	for c := range t.simple {
		e := l.entry(uint32(c))
		switch e & entryKind {
		case 0:
			t.simple[c] = e
		case entryHead:
			t.before[c] = e &^ entryHead
		}
	}
	for key := range l.sequences {
		if first, second := key>>32, key&0xffffffff; first < 0x80 && second < 0x80 {
			t.before[first] = 0
		}
	}
	return t
}

// noSpace fills plain.
func (t *asciiTable) noSpace(space uint32) {
	for c, w := range t.simple {
		if w != space && w <= math.MaxUint16 {
			t.plain[c] = bits.ReverseBytes16(uint16(w))
		}
	}
}

// idle reports whether no weights wait, so that the rest of the text may be looked at as ASCII.
func (w *scan) idle() bool { return w.ascii != nil && w.tail == 0 && len(w.more) == 0 }

// skipEqual goes over ASCII that weighs the same in both texts.
func skipEqual(v, w *scan) {
	if !v.idle() || !w.idle() {
		return
	}
	a, b, t := v.s, w.s, v.ascii
	for len(a) > 0 && len(b) > 0 && a[0]|b[0] < 0x80 {
		if x := t.weight(a); x == 0 || x != t.weight(b) {
			break
		}
		a, b = a[1:], b[1:]
	}
	v.s, w.s = a, b
}
