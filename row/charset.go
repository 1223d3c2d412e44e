package row

import "unicode/utf8"

// wideUnit is the size of the code unit of a character set whose ASCII
// characters take more than a byte: 2 for ucs2 and utf16, 4 for utf32,
// otherwise 1. littleEndian is true for utf16le only.
// The ids are those of MariaDB's INFORMATION_SCHEMA.COLLATIONS.
func wideUnit(collation uint16) (size int, littleEndian bool) {
	switch id := collation; {
	case id == 35 || id == 90 || id >= 128 && id <= 151 || id == 159 || id >= 640 && id <= 663: // ucs2
		return 2, false
	case id == 54 || id == 55 || id >= 101 && id <= 124 || id >= 672 && id <= 695: // utf16
		return 2, false
	case id == 56 || id == 62: // utf16le
		return 2, true
	case id == 60 || id == 61 || id >= 160 && id <= 183 || id >= 736 && id <= 759: // utf32
		return 4, false
	}
	return wideUnitGenerated(collation)
}

// wideUnitGenerated covers MariaDB's newer ids, which are made of the old id
// and flags (NO PAD collations: old id + 1024; UCA 14.0.0: from 2048 on, by
// character set).
func wideUnitGenerated(id uint16) (size int, littleEndian bool) {
	switch {
	case id >= 1024 && id < 2048:
		return wideUnit(id - 1024)
	case id >= 2560 && id < 2816: // ucs2 UCA 14.0.0
		return 2, false
	case id >= 2816 && id < 3072: // utf16 UCA 14.0.0
		return 2, false
	case id >= 3072 && id < 3328: // utf32 UCA 14.0.0
		return 4, false
	}
	return 1, false
}

// isUTF8 reports whether the collation is of utf8mb3 or utf8mb4.
func isUTF8(id uint16) bool {
	switch {
	case id == 33 || id == 83 || id == 45 || id == 46 || id == 76 || id == 223:
		return true
	case id >= 192 && id <= 215, id >= 224 && id <= 247, id >= 576 && id <= 599, id >= 608 && id <= 631:
		return true
	case id == 255 || id >= 256 && id <= 323: // MySQL 8
		return true
	case id >= 1024 && id < 2048:
		return isUTF8(id - 1024)
	case id >= 2048 && id < 2560: // UCA 14.0.0 of utf8mb3 and utf8mb4
		return true
	}
	return false
}

// isDoubleByte reports whether the collation is of an East Asian set in which
// a byte from 0x81 on starts a character of two bytes.
func isDoubleByte(id uint16) bool {
	if id >= 1024 && id < 2048 {
		id -= 1024
	}
	switch id {
	case 1, 84, 13, 88, 28, 87, 24, 86, 19, 85, 12, 91, 95, 96, 97, 98:
		return true
	}
	return false
}

// charsSize is the size in bytes of the first n characters of s, len(s) if it
// has fewer.
func charsSize(collation uint16, s []byte, n int) int {
	if collation == CollationBinary || n >= len(s) {
		return min(n, len(s))
	}
	if isUTF8(collation) {
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
	if isDoubleByte(collation) {
		pos := 0
		for ; n > 0 && pos < len(s); n-- {
			if size := doubleByteSize(collation, s[pos:]); pos+size <= len(s) {
				pos += size
			} else {
				pos = len(s)
			}
		}
		return pos
	}
	unit, _ := wideUnit(collation)
	return min(n*unit, len(s))
}

// doubleByteSize is the size of the character at the start of s. Sjis and
// cp932 have one-byte katakana; ujis has three-byte characters after 0x8f.
func doubleByteSize(id uint16, s []byte) int {
	lead := s[0]
	switch id & 1023 {
	case 13, 88, 95, 96:
		if lead >= 0xa1 && lead <= 0xdf {
			return 1
		}
	case 12, 91, 97, 98:
		if lead == 0x8f {
			return 3
		}
	}
	if lead < 0x81 {
		return 1
	}
	return 2
}
