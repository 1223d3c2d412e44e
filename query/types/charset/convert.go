package charset

// Conversion is what went wrong in Convert, as offsets into the text; -1 if nothing did. Which warning or error that becomes
// (1300, 1366, 1977) is the caller's business.
type Conversion struct {
	Bad      int // the first byte that belongs to no well-formed character
	Unmapped int // the first well-formed character that Unicode or the target lacks
}

// OK reports whether all was converted.
func (c Conversion) OK() bool { return c.Bad < 0 && c.Unmapped < 0 }

// Convert appends the characters of src, which is in set from, in set to. A byte that belongs to no character and a character that cannot be
// converted become question marks. To binary the bytes stay; from binary they are checked, with zeros in front up to whole units
// of wide characters. Each of the bytes that begin no character there is one question mark.
func Convert(dst []byte, to, from *Set, src []byte) ([]byte, Conversion) {
	done := Conversion{Bad: -1, Unmapped: -1}
	switch {
	case from.binary() && to.minLen > 1:
		return convertBytes(dst, to, src)
	case from.binary():
		from = to
	}
	if to.binary() || from == to && from.Valid(src) < 0 {
		return append(dst, src...), done
	}
	ascii := !from.foreign && !to.foreign
	twoBytes := to.name == "sjis" && from != to // of the backslash
	for i := 0; i < len(src); {
		if c := src[i]; ascii && c < 0x80 && (c != '\\' || !twoBytes) {
			dst = append(dst, c)
			i++
			continue
		}
		r, n, ok := from.Decode(src[i:])
		if ok {
			dst, ok = to.Append(dst, r)
		}
		if !ok {
			switch {
			case n == 0 && done.Bad < 0:
				done.Bad = i
			case n > 0 && done.Unmapped < 0:
				done.Unmapped = i
			}
			dst, _ = to.Append(dst, '?')
		}
		i += max(n, 1)
		if n == 0 && from.minLen > 1 {
			i += int(from.minLen) - 1
		}
	}
	return dst, done
}

// Padded is a binary string with the zeros in front that make whole units of a set.
func Padded(set *Set, b []byte) []byte {
	unit := int(set.minLen)
	if len(b)%unit == 0 {
		return b
	}
	return append(make([]byte, unit-len(b)%unit), b...)
}

// convertBytes is Convert from binary to a set of wide characters. A unit that is no character with its zeros in front is one question mark.
func convertBytes(dst []byte, to *Set, src []byte) ([]byte, Conversion) {
	done := Conversion{Bad: -1, Unmapped: -1}
	i := len(src) % int(to.minLen)
	if i > 0 {
		first := Padded(to, src[:i])
		if to.Valid(first) < 0 {
			dst = append(dst, first...)
		} else {
			done.Bad = 0
			dst, _ = to.Append(dst, '?')
		}
	}
	for i < len(src) {
		_, n := to.next(src[i:])
		if n > 0 {
			dst = append(dst, src[i:i+n]...)
			i += n
			continue
		}
		if done.Bad < 0 {
			done.Bad = i
		}
		dst, _ = to.Append(dst, '?')
		i++
	}
	return dst, done
}
