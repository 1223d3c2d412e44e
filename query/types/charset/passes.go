package charset

import (
	"bytes"
	"sync"
)

// passTable is a collation that compares in several passes over a text: a Czech one, or that of Thai, whose texts are brought into another order first.
type passTable struct {
	levels  int
	weights [256][passesMax]byte // 0: the character has none at this level
	pairs   map[[2]byte][passesMax]byte
	like    [256]byte
}

// passesMax is the largest number of levels.
const passesMax = 4

// What a weight of latin2_czech_cs says of blanks, and what ends levels.
const (
	passBlank = 2
	passEnd   = 1
)

// passTables reads the tables of collations of several passes: number of tables; each: name, number of levels, 256 times the weights at each level, number
// of pairs of characters that count as one; each: the two and their weights; and 256 bytes that are equal where LIKE takes two bytes for the same.
var passTables = sync.OnceValue(func() map[string]*passTable {
	r := open("passes.gz")
	tables := map[string]*passTable{}
	for n := r.uint(); n > 0; n-- {
		name := r.str()
		t := &passTable{levels: int(r.uint()), pairs: map[[2]byte][passesMax]byte{}}
		tables[name] = t
		for i := range t.weights {
			copy(t.weights[i][:], r.bytes(t.levels))
		}
		for n := r.uint(); n > 0; n-- {
			var pair [2]byte
			var weights [passesMax]byte
			copy(pair[:], r.bytes(len(pair)))
			copy(weights[:], r.bytes(t.levels))
			t.pairs[pair] = weights
		}
		copy(t.like[:], r.bytes(256))
	}
	return tables
})

// next takes the weights of the character at the start of s, or of a pair that counts as one.
func (t *passTable) next(s []byte) (weights [passesMax]byte, size int) {
	if len(s) > 1 {
		if w, ok := t.pairs[[2]byte(s[:2])]; ok {
			return w, 2
		}
	}
	return t.weights[s[0]], 1
}

// Combined reports whether WEIGHT_STRING mixes the levels, so that they are asked for together: then AppendCombined has the weights.
func (o *Order) Combined() bool { return o.kind == kindPasses && o.passes.levels > 1 }

// Reorders reports whether characters change places before they are compared.
func (o *Order) Reorders() bool { return o.kind == kindPasses && !o.Combined() }

// CombinedLevels is how many levels AppendCombined has.
func (o *Order) CombinedLevels() int { return o.passes.levels }

// AppendCombined appends the weights of some levels: bit 0 of the mask means the first. latin2_czech_cs compares word by word, each at the first level
// and at the second, then all words at the third, then all and the blanks between them at the fourth. cp1250_czech_cs has two levels.
func (o *Order) AppendCombined(dst, s []byte, mask uint) []byte {
	t := o.passes
	if t.levels == passesMax {
		return t.appendWords(dst, s, mask)
	}
	for level := range t.levels {
		if mask>>level&1 == 0 {
			continue
		}
		for rest := s; len(rest) > 0; {
			w, n := t.next(rest)
			dst, rest = append(dst, w[level]), rest[n:]
		}
	}
	return dst
}

// blank reports whether a byte parts words.
func (t *passTable) blank(c byte) bool { return t.weights[c][0] == passBlank }

func (t *passTable) appendWords(dst, s []byte, mask uint) []byte {
	for len(s) > 0 && t.blank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	for begin := 0; ; {
		end := begin
		for end < len(s) && !t.blank(s[end]) {
			end++
		}
		after := byte(passBlank)
		if end == len(s) {
			after = passEnd
		}
		for level := range 2 {
			if mask>>level&1 != 0 {
				dst = append(t.appendLevel(dst, s[begin:end], level), after)
			}
		}
		if end == len(s) {
			break
		}
		for begin = end; t.blank(s[begin]); {
			begin++
		}
	}
	if mask>>2&1 != 0 {
		dst = append(t.appendLevel(dst, s, 2), passEnd)
	}
	if mask>>3&1 != 0 {
		dst = append(t.appendLevel(dst, s, 3), 0)
	}
	return dst
}

// appendLevel appends weights, with one blank for several ones except at the last level.
func (t *passTable) appendLevel(dst, s []byte, level int) []byte {
	before := false
	for len(s) > 0 {
		blank := t.blank(s[0])
		w, n := t.next(s)
		if s = s[n:]; w[level] != 0 && (!blank || !before || level == passesMax-1) {
			dst = append(dst, w[level])
		}
		before = blank
	}
	return dst
}

// Bytes of tis620 that its collation brings into another order.
const (
	thaiConsonants    = 0xA1
	thaiConsonantsEnd = 0xCF
	thaiVowels        = 0xE0 // those that are written before the consonant that they follow in speech
	thaiVowelsEnd     = 0xE5
	thaiMarks         = 0xE7 // tones and the like
	thaiMarksEnd      = 0xED
)

// thaiLast is the weight of each mark behind the letters, where none is before it.
var thaiLast = [thaiMarksEnd - thaiMarks]byte{0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xF9}

// appendThai appends a text in the order in which it is compared: a vowel after its consonant, marks at the end. A mark is put into the last place,
// over the one that was put there before; what has moved up leaves its last byte behind. Both is so in MariaDB.
func (o *Order) appendThai(dst, s []byte) []byte {
	begin := len(dst)
	dst = append(dst, s...)
	text := dst[begin:]
	bias := byte(0)
	for i, rest := 0, len(text); rest > 0; {
		c := text[i]
		switch {
		case c >= thaiMarks && c < thaiMarksEnd:
			copy(text[i:i+rest-1], text[i+1:i+rest])
			text[len(text)-1] = thaiLast[c-thaiMarks] - bias
			rest--
			continue
		case c >= thaiVowels && c < thaiVowelsEnd && rest > 1 && text[i+1] >= thaiConsonants && text[i+1] < thaiConsonantsEnd:
			text[i], text[i+1] = text[i+1], c
			i, rest = i+2, rest-2
			continue
		case c < 0x80 || c >= thaiConsonants && c < thaiConsonantsEnd:
			bias += 8
		}
		text[i] = o.passes.weights[c][0]
		i, rest = i+1, rest-1
	}
	return dst
}

// appendPasses appends what texts are compared by, byte by byte.
func (o *Order) appendPasses(dst, s []byte) []byte {
	if !o.Combined() {
		return o.appendThai(dst, s)
	}
	return o.AppendCombined(dst, bytes.TrimRight(s, " "), 1<<passesMax-1)
}

func (o *Order) comparePasses(a, b []byte) int {
	var ofA, ofB [256]byte
	v, w := o.appendPasses(ofA[:0], a), o.appendPasses(ofB[:0], b)
	if o.Combined() {
		return bytes.Compare(v, w)
	}
	return o.compareBytes(v, w)
}

func (o *Order) appendPassesKey(dst, s []byte) []byte {
	if o.Combined() {
		return append(o.appendPasses(dst, s), 0) // below all weights, so that no key begins another one
	}
	return o.appendByteKey(dst, o.appendThai(nil, s))
}
