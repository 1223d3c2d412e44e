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
// of wide characters. Bytes that are no utf16, utf16le or utf32 are refused: Bad is set and nothing appended, since what MariaDB makes of them
// depends on how it divides them.
func Convert(dst []byte, to, from *Set, src []byte) ([]byte, Conversion) {
	done := Conversion{Bad: -1, Unmapped: -1}
	switch {
	case from.binary() && to.minLen > 1:
		start, unit := len(dst), int(to.minLen)
		if len(src)%unit != 0 {
			dst = append(dst, make([]byte, unit-len(src)%unit)...)
		}
		dst = append(dst, src...)
		if done.Bad = to.Valid(dst[start:]); done.Bad >= 0 {
			dst = dst[:start]
		}
		return dst, done
	case from.binary():
		from = to
	}
	if to.binary() || from == to && from.Valid(src) < 0 {
		return append(dst, src...), done
	}
	ascii := !from.foreign && !to.foreign
	for i := 0; i < len(src); {
		if c := src[i]; ascii && c < 0x80 && (c != '\\' || to.name != "sjis" || from == to) { // that of sjis is FULLWIDTH REVERSE SOLIDUS
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
