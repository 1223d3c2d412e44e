package charset

import (
	"encoding/binary"
	"slices"
)

// Marks of a sort key after a weight that is a space's.
const (
	markLess    = 1 // the next weight that is not a space's is less
	markEnd     = 2 // there is none
	markGreater = 3
)

// AppendKey appends the sort key: bytes.Compare of two keys of one collation is what Compare says of the strings. Its layout is in the
// package comment; it is not WEIGHT_STRING.
func (o *Order) AppendKey(dst, s []byte) []byte {
	if o.kind == kindBytes {
		return o.appendByteKey(dst, s)
	}
	if o.kind == kindPasses {
		return o.appendPassesKey(dst, s)
	}
	dst = slices.Grow(dst, len(o.levels)*(int(o.unit)*(len(s)+1)+1))
	for _, n := range o.levels {
		w := o.scan(s, n)
		pads, space, blanks := o.padsAt(n), o.space[n], 0
		for {
			weight, ok := w.next()
			if !ok {
				break
			}
			if pads {
				if weight == space {
					blanks++
					continue
				}
				for ; blanks > 0; blanks-- {
					dst = append(o.appendUnit(dst, space), mark(weight < space))
				}
			}
			dst = o.appendUnit(dst, weight)
			if o.unit == 2 && w.idle() {
				dst = w.appendASCII(dst, space)
			}
		}
		switch {
		case pads:
			dst = append(o.appendUnit(dst, space), markEnd)
		case len(o.levels) > 1:
			dst = o.appendUnit(dst, 0)
		}
	}
	return dst
}

// appendASCII appends the weights of what follows as long as it is ASCII and no space.
func (w *scan) appendASCII(dst []byte, space uint32) []byte {
	s, t := w.s, w.ascii
	for len(s) > 0 && s[0] < 0x80 {
		x := t.weight(s)
		if x == 0 || x == space {
			break
		}
		dst = append(dst, byte(x>>8), byte(x))
		s = s[1:]
		n := 0
		dst, n = t.appendPlain(dst, s)
		s = s[n:]
	}
	w.s = s
	return dst
}

// appendPlain appends the weights of the n characters at the beginning of s whose weights are the same whatever follows. dst has room for all of s.
func (t *asciiTable) appendPlain(dst, s []byte) (longer []byte, n int) {
	const unit = 2
	room := dst[len(dst):cap(dst)]
	for n < len(s) && len(room) >= unit {
		x := t.plain[s[n]]
		if x == 0 {
			break
		}
		binary.LittleEndian.PutUint16(room, x)
		room = room[unit:]
		n++
	}
	return dst[:len(dst)+unit*n], n
}

func mark(less bool) byte {
	if less {
		return markLess
	}
	return markGreater
}

func (o *Order) appendByteKey(dst, s []byte) []byte {
	if !o.pad {
		return o.appendBytes(dst, s)
	}
	t := o.byteWeight
	space := t[' ']
	for len(s) > 0 && t[s[len(s)-1]] == space {
		s = s[:len(s)-1]
	}
	blanks := 0
	for _, c := range s {
		w := t[c]
		if w == space {
			blanks++
			continue
		}
		for ; blanks > 0; blanks-- {
			dst = append(dst, space, mark(w < space))
		}
		dst = append(dst, w)
	}
	return append(dst, space, markEnd)
}

func (o *Order) appendBytes(dst, s []byte) []byte {
	if o.plain {
		return append(dst, s...)
	}
	for _, c := range s {
		dst = append(dst, o.byteWeight[c])
	}
	return dst
}

// appendUnit appends a weight in the size that the collation's keys have.
func (o *Order) appendUnit(dst []byte, w uint32) []byte {
	switch o.unit {
	case 1:
		return append(dst, byte(w))
	case 2:
		return append(dst, byte(w>>8), byte(w))
	}
	return append(dst, byte(w>>16), byte(w>>8), byte(w))
}

// AppendWeights appends what WEIGHT_STRING(s) gives: the weights of the levels one after the other, without padding.
func (o *Order) AppendWeights(dst, s []byte) []byte {
	for _, n := range o.levels {
		dst = o.AppendLevel(dst, s, int(n)+1)
	}
	return dst
}

// AppendLevel appends the weights of one level, 1 to 3, as WEIGHT_STRING(s LEVEL n) does. A level that the collation lacks has none.
func (o *Order) AppendLevel(dst, s []byte, level int) []byte {
	if level < 1 || level > 1 && (o.kind != kindUCA || level > len(o.uca.levels)) {
		return dst
	}
	switch {
	case o.kind == kindPasses && o.Combined():
		return o.AppendCombined(dst, s, 1<<passesMax-1)
	case o.kind == kindPasses:
		return o.appendThai(dst, s)
	case o.kind == kindBytes && (!o.plain || !o.set.Unicode()):
		return o.appendBytes(dst, s)
	case o.kind == kindBytes || o.kind == kindCode:
		return o.appendCodes(dst, s)
	}
	if o.kind == kindMulti {
		for len(s) > 0 {
			code, n := o.character(s)
			dst = appendCode(dst, o.tableWeight(code))
			s = s[n:]
		}
		return dst
	}
	w := o.scan(s, byte(level-1))
	for weight, ok := w.next(); ok; weight, ok = w.next() {
		dst = o.appendUnit(dst, weight)
	}
	return dst
}

// appendCodes appends code points, in three bytes where the set has some above U+FFFF, else in two. It ends at bytes that are no character.
func (o *Order) appendCodes(dst, s []byte) []byte {
	for {
		code, n := o.set.next(s)
		switch {
		case n == 0:
			return dst
		case o.set.supplementary():
			dst = append(dst, byte(code>>16))
		}
		dst = append(dst, byte(code>>8), byte(code))
		s = s[n:]
	}
}

const (
	hashStart = 14695981039346656037 // FNV-1a, 64 bits
	hashPrime = 1099511628211
)

// Hash is the same number for strings that Equal takes for the same. It is not MariaDB's, and no protection against chosen
// strings beyond what the seed gives.
func (o *Order) Hash(seed uint64, s []byte) uint64 {
	h := seed ^ hashStart
	if o.kind == kindBytes {
		t := o.byteWeight
		if o.pad {
			for len(s) > 0 && t[s[len(s)-1]] == t[' '] {
				s = s[:len(s)-1]
			}
		}
		for _, c := range s {
			h = (h ^ uint64(t[c])) * hashPrime
		}
		return mix(h)
	}
	if o.kind == kindPasses {
		for _, c := range o.appendPassesKey(nil, s) {
			h = (h ^ uint64(c)) * hashPrime
		}
		return mix(h)
	}
	for _, n := range o.levels {
		w := o.scan(s, n)
		space, blanks := o.space[n], 0
		for weight, ok := w.next(); ok; weight, ok = w.next() {
			if o.padsAt(n) && weight == space {
				blanks++
				continue
			}
			for ; blanks > 0; blanks-- {
				h = (h ^ uint64(space)) * hashPrime
			}
			h = (h ^ uint64(weight)) * hashPrime
			if !w.idle() {
				continue
			}
			rest, t := w.s, w.ascii
			for len(rest) > 0 && rest[0] < 0x80 {
				x := t.weight(rest)
				if x == 0 || x == space {
					break
				}
				h = (h ^ uint64(x)) * hashPrime
				rest = rest[1:]
			}
			w.s = rest
		}
		h = (h ^ 1<<32) * hashPrime // a level's end
	}
	return mix(h)
}

// mix makes all bits depend on all others (the finalizer of MurmurHash3).
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
