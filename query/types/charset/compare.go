package charset

import "bytes"

// Compare returns -1, 0 or 1. It allocates nothing.
func (o *Order) Compare(a, b []byte) int {
	switch {
	case o.kind == kindBytes:
		return o.compareBytes(a, b)
	case o.kind == kindPasses:
		return o.comparePasses(a, b)
	case o.kind == kindGeneral && o.set.minLen == 1:
		return o.compareGeneral(a, b)
	}
	for _, n := range o.levels {
		if c := o.compareLevel(a, b, n); c != 0 {
			return c
		}
	}
	return 0
}

// Equal reports whether Compare gives 0.
func (o *Order) Equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if o.kind == kindBytes && !o.pad && len(a) != len(b) {
		return false
	}
	return o.Compare(a, b) == 0
}

// ComparePrefix compares the first n characters of both.
func (o *Order) ComparePrefix(a, b []byte, n int) int {
	return o.Compare(a[:o.set.Prefix(a, n)], b[:o.set.Prefix(b, n)])
}

func sign(less bool) int {
	if less {
		return -1
	}
	return 1
}

func (o *Order) compareBytes(a, b []byte) int {
	n := min(len(a), len(b))
	if o.plain {
		if c := bytes.Compare(a[:n], b[:n]); c != 0 {
			return c
		}
	} else {
		t := o.byteWeight
		for i, c := range a[:n] {
			if v, w := t[c], t[b[i]]; v != w {
				return sign(v < w)
			}
		}
	}
	switch {
	case len(a) == len(b):
		return 0
	case !o.pad:
		return sign(len(a) < len(b))
	case len(a) > n:
		return o.againstSpaces(a[n:])
	}
	return -o.againstSpaces(b[n:])
}

// againstSpaces compares the rest of a string with spaces.
func (o *Order) againstSpaces(rest []byte) int {
	t := o.byteWeight
	space := t[' ']
	for _, c := range rest {
		if w := t[c]; w != space {
			return sign(w < space)
		}
	}
	return 0
}

// compareGeneral is for general_ci in UTF-8.
func (o *Order) compareGeneral(a, b []byte) int {
	t := o.general
	for len(a) > 0 && len(b) > 0 {
		if c, d := a[0], b[0]; c|d < 0x80 {
			if v, w := t[c], t[d]; v != w {
				return sign(v < w)
			}
			a, b = a[1:], b[1:]
			continue
		}
		v, n := o.generalWeight(a)
		w, m := o.generalWeight(b)
		if v != w {
			return sign(v < w)
		}
		a, b = a[n:], b[m:]
	}
	switch {
	case len(a) == 0 && len(b) == 0:
		return 0
	case !o.pad:
		return sign(len(a) == 0)
	case len(b) == 0:
		return o.generalAgainstSpaces(a)
	}
	return -o.generalAgainstSpaces(b)
}

func (o *Order) generalWeight(s []byte) (weight uint32, size int) {
	code, n := o.set.next(s)
	switch {
	case n == 0:
		return illUCA, 1
	case code > 0xffff:
		return 0xfffd, n
	}
	return uint32(o.general[code]), n
}

func (o *Order) generalAgainstSpaces(rest []byte) int {
	space := o.space[0]
	for len(rest) > 0 {
		w, n := o.generalWeight(rest)
		if w != space {
			return sign(w < space)
		}
		rest = rest[n:]
	}
	return 0
}

// padsAt reports whether spaces continue a string at a level. At the second and third one they do even in NO PAD collations.
func (o *Order) padsAt(n byte) bool { return o.pad || n > 0 }

// compareLevel is for all kinds.
func (o *Order) compareLevel(a, b []byte, n byte) int {
	v, w := o.scan(a, n), o.scan(b, n)
	for {
		skipEqual(&v, &w)
		x, okX := v.next()
		y, okY := w.next()
		switch {
		case okX && okY:
			if x != y {
				return sign(x < y)
			}
		case !okX && !okY:
			return 0
		case !o.padsAt(n):
			return sign(okY)
		case okX:
			return v.againstSpaces(x, o.space[n])
		default:
			return -w.againstSpaces(y, o.space[n])
		}
	}
}

func (w *scan) againstSpaces(first, space uint32) int {
	for x, ok := first, true; ok; x, ok = w.next() {
		if x != space {
			return sign(x < space)
		}
	}
	return 0
}
