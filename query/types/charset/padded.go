package charset

import "bytes"

// Levels is how many levels of weights take part in comparisons.
func (o *Order) Levels() int { return len(o.levels) }

// AppendPadded appends the weights of the first n characters of s at a level, counted from 1 among those that take part, as WEIGHT_STRING(s AS CHAR(n))
// has them. pad asks for the weights of as many spaces as are missing; NO PAD collations have others for those.
func (o *Order) AppendPadded(dst, s []byte, level, n int, pad bool) []byte {
	at := int(o.levels[level-1]) + 1
	blank, _ := o.set.Append(nil, ' ')
	space := o.AppendLevel(nil, blank, at)
	switch {
	case o.set.maxLen > 1 && !o.set.Unicode(): // weights of as many bytes as the characters have
		s = s[:o.set.Prefix(s, n)]
		n -= o.set.Len(s)
		dst = o.AppendLevel(dst, s, at)
	default:
		begin := len(dst)
		dst = o.AppendLevel(dst, s, at)
		dst = dst[:min(len(dst), begin+n*len(space))]
		n -= (len(dst) - begin) / len(space)
	}
	if !o.pad {
		clear(space)
		if o.kind == kindUCA {
			space[0] = 2
		}
	}
	for ; pad && n > 0; n-- {
		dst = append(dst, space...)
	}
	return dst
}

// AppendFill fills weights up to a length in bytes, as WEIGHT_STRING does whose length is given.
func (o *Order) AppendFill(dst []byte, length int) []byte {
	if o.Combined() {
		fill := byte(' ')
		if o.set.name == "cp1250" {
			fill = 0
		}
		return append(dst, bytes.Repeat([]byte{fill}, max(length-len(dst), 0))...)
	}
	blank, _ := o.set.Append(nil, ' ')
	space := o.AppendLevel(nil, blank, int(o.levels[len(o.levels)-1])+1)
	if !o.pad || len(o.levels) > 1 {
		clear(space)
	}
	for i := 0; len(dst) < length; i++ {
		dst = append(dst, space[i%len(space)])
	}
	return dst
}
