package row

import (
	"unicode/utf8"

	"github.com/duramendb/duramen/mysql"
)

// wideUnit is the size of the code unit of a character set whose ASCII
// characters take more than a byte: 2 for ucs2 and utf16, 4 for utf32,
// otherwise 1. littleEndian is true for utf16le only.
func wideUnit(set mysql.Charset) (size int, littleEndian bool) {
	switch set {
	case mysql.CharsetUCS2, mysql.CharsetUTF16:
		return 2, false
	case mysql.CharsetUTF16LE:
		return 2, true
	case mysql.CharsetUTF32:
		return 4, false
	}
	return 1, false
}

// isDoubleByte reports whether the set is an East Asian one in which
// a byte from 0x81 on starts a character of two bytes.
func isDoubleByte(set mysql.Charset) bool {
	switch set {
	case mysql.CharsetBig5, mysql.CharsetGB2312, mysql.CharsetGBK, mysql.CharsetEUCKR,
		mysql.CharsetSJIS, mysql.CharsetCP932, mysql.CharsetUJIS, mysql.CharsetEUCJPMS:
		return true
	}
	return false
}

// CharsSize is the size in bytes of the first n characters of a text in the character set of a collation, len(s) if it has fewer.
func CharsSize(collation uint16, s []byte, n int) int { return charsSize(collation, s, n) }

// TrimmedSize is the size in bytes of a text without its trailing spaces.
func TrimmedSize(collation uint16, s []byte) int { return trimmedSize(collation, s) }

// charsSize is the size in bytes of the first n characters of s, len(s) if it
// has fewer.
func charsSize(collation uint16, s []byte, n int) int {
	if collation == mysql.Collation_binary || n >= len(s) {
		return min(n, len(s))
	}
	set := mysql.CharsetOf(collation)
	if set == mysql.CharsetUTF8 {
		pos := 0
		for ; n > 0 && pos < len(s); n-- {
			if s[pos] < utf8.RuneSelf {
				pos++
				continue
			}
			_, size := utf8.DecodeRune(s[pos:])
			pos += size
		}
		return pos
	}
	if isDoubleByte(set) {
		pos := 0
		for ; n > 0 && pos < len(s); n-- {
			if size := doubleByteSize(set, s[pos:]); pos+size <= len(s) {
				pos += size
			} else {
				pos = len(s)
			}
		}
		return pos
	}
	unit, _ := wideUnit(set)
	return min(n*unit, len(s))
}

// countChars is the number of characters of s. In utf16 two units may be one of them.
func countChars(collation uint16, s []byte) (n int) {
	set := mysql.CharsetOf(collation)
	for ; len(s) > 0; n++ {
		size := charsSize(collation, s, 1)
		if high := s[size-1]; size == 2 && (set == mysql.CharsetUTF16 && s[0]&0xfc == 0xd8 || set == mysql.CharsetUTF16LE && high&0xfc == 0xd8) {
			size = min(2*size, len(s))
		}
		s = s[size:]
	}
	return n
}

// doubleByteSize is the size of the character at the start of s. Sjis and
// cp932 have one-byte katakana; ujis has three-byte characters after 0x8f.
func doubleByteSize(set mysql.Charset, s []byte) int {
	lead := s[0]
	switch set {
	case mysql.CharsetSJIS, mysql.CharsetCP932:
		if lead >= 0xa1 && lead <= 0xdf {
			return 1
		}
	case mysql.CharsetUJIS, mysql.CharsetEUCJPMS:
		if lead == 0x8f {
			return 3
		}
	}
	if lead < 0x81 {
		return 1
	}
	return 2
}
