package charset

import (
	"bytes"
	"fmt"
	"sync"
)

// codec is how a character set's bytes are divided into characters.
type codec uint8

const (
	codecByte    codec = iota // a byte is a character
	codecUTF8                 // up to four bytes
	codecUTF8MB3              // up to three
	codecUCS2
	codecUTF16
	codecUTF16LE
	codecUTF32
	codecBig5
	codecSJIS // and cp932
	codecEUCKR
	codecGB2312
	codecGBK
	codecEUCJP // ujis and eucjpms
)

// Set is a character set.
type Set struct {
	name           string
	codec          codec
	minLen, maxLen uint8
	foreign        bool // bytes below 0x80 are not ASCII
	standard, bin  *Collation
	once           sync.Once
	table          *mapping // nil for Unicode sets and binary
	keepsOnce      sync.Once
	keeps          bool
}

// sets are MariaDB 10.11's, by name.
var sets = []*Set{
	{name: "armscii8", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "ascii", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "big5", codec: codecBig5, minLen: 1, maxLen: 2},
	{name: "binary", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "cp1250", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "cp1251", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "cp1256", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "cp1257", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "cp850", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "cp852", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "cp866", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "cp932", codec: codecSJIS, minLen: 1, maxLen: 2},
	{name: "dec8", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "eucjpms", codec: codecEUCJP, minLen: 1, maxLen: 3},
	{name: "euckr", codec: codecEUCKR, minLen: 1, maxLen: 2},
	{name: "gb2312", codec: codecGB2312, minLen: 1, maxLen: 2},
	{name: "gbk", codec: codecGBK, minLen: 1, maxLen: 2},
	{name: "geostd8", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "greek", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "hebrew", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "hp8", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "keybcs2", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "koi8r", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "koi8u", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "latin1", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "latin2", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "latin5", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "latin7", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "macce", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "macroman", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "sjis", codec: codecSJIS, minLen: 1, maxLen: 2},
	{name: "swe7", codec: codecByte, minLen: 1, maxLen: 1, foreign: true},
	{name: "tis620", codec: codecByte, minLen: 1, maxLen: 1},
	{name: "ucs2", codec: codecUCS2, minLen: 2, maxLen: 2, foreign: true},
	{name: "ujis", codec: codecEUCJP, minLen: 1, maxLen: 3},
	{name: "utf16", codec: codecUTF16, minLen: 2, maxLen: 4, foreign: true},
	{name: "utf16le", codec: codecUTF16LE, minLen: 2, maxLen: 4, foreign: true},
	{name: "utf32", codec: codecUTF32, minLen: 4, maxLen: 4, foreign: true},
	{name: "utf8mb3", codec: codecUTF8MB3, minLen: 1, maxLen: 3},
	{name: "utf8mb4", codec: codecUTF8, minLen: 1, maxLen: 4},
}

// SetByName finds a character set; upper and lower case are the same. "utf8" is not among them: what it means is a session's choice.
func SetByName(name string) (*Set, bool) {
	s, ok := names().sets[lowerASCII(name)]
	return s, ok
}

// Sets returns all character sets, by name. The slice is the caller's.
func Sets() []*Set {
	names() // completes them
	return append([]*Set(nil), sets...)
}

// Name is the lower-case name.
func (s *Set) Name() string { return s.name }

// MaxLen is the size of the longest character in bytes.
func (s *Set) MaxLen() int { return int(s.maxLen) }

// MinLen is the size of the shortest character in bytes: 1, 2 or 4.
func (s *Set) MinLen() int { return int(s.minLen) }

// Default is the set's default collation.
func (s *Set) Default() *Collation { names(); return s.standard }

// Bin is the set's _bin collation with PAD SPACE; of binary it is binary.
func (s *Set) Bin() *Collation { names(); return s.bin }

// Unicode reports whether the set encodes Unicode.
func (s *Set) Unicode() bool { return s.codec >= codecUTF8 && s.codec <= codecUTF32 }

// ASCIIBytes reports whether bytes below 0x80 at a character's beginning are the ASCII characters, and no other bytes are.
func (s *Set) ASCIIBytes() bool { return !s.foreign }

// KeepsASCII reports whether each ASCII character is the byte that it is in ASCII, and no other one: an ASCII text goes from one such set to another as it is.
// In sjis the byte of the backslash is a backslash, but that of other sets becomes another character.
func (s *Set) KeepsASCII() bool {
	s.keepsOnce.Do(func() {
		s.keeps = s.ASCIIBytes()
		for c := rune(0); c < 0x80 && s.keeps; c++ {
			b, ok := s.Append(nil, c)
			r, n, known := s.Decode([]byte{byte(c)})
			s.keeps = ok && len(b) == 1 && b[0] == byte(c) && known && n == 1 && r == c
		}
	})
	return s.keeps
}

func (s *Set) binary() bool { return s.name == "binary" }

// supplementary reports whether the set has characters above U+FFFF.
func (s *Set) supplementary() bool {
	return s.codec == codecUTF8 || s.codec == codecUTF16 || s.codec == codecUTF16LE || s.codec == codecUTF32
}

// next takes the first character of b: its code and its size, 0 if b does not begin with a well-formed character. In a Unicode set
// the code is the code point, in the others the bytes as a big-endian number.
func (s *Set) next(b []byte) (code uint32, size int) {
	if len(b) == 0 {
		return 0, 0
	}
	c := b[0]
	switch s.codec {
	case codecByte:
		return uint32(c), 1
	case codecUTF8:
		return nextUTF8(b, 4)
	case codecUTF8MB3:
		return nextUTF8(b, 3)
	case codecUCS2, codecUTF16, codecUTF16LE, codecUTF32:
		return s.nextWide(b)
	}
	return s.nextMulti(b)
}

// nextMulti is next for the East Asian sets. The ranges of first and further bytes are what MariaDB accepts (the test asks it for all).
func (s *Set) nextMulti(b []byte) (code uint32, size int) {
	c := b[0]
	if c < 0x80 {
		return uint32(c), 1
	}
	var d byte
	if len(b) > 1 {
		d = b[1]
	}
	two := false
	switch s.codec {
	case codecBig5:
		two = c >= 0xa1 && c <= 0xf9 && (d >= 0x40 && d <= 0x7e || d >= 0xa1 && d <= 0xfe)
	case codecSJIS:
		if c >= 0xa1 && c <= 0xdf {
			return uint32(c), 1
		}
		two = (c >= 0x81 && c <= 0x9f || c >= 0xe0 && c <= 0xfc) && (d >= 0x40 && d <= 0x7e || d >= 0x80 && d <= 0xfc)
	case codecEUCKR:
		two = c >= 0x81 && c <= 0xfe && (d >= 0x41 && d <= 0x5a || d >= 0x61 && d <= 0x7a || d >= 0x81 && d <= 0xfe)
	case codecGB2312:
		two = c >= 0xa1 && c <= 0xf7 && d >= 0xa1 && d <= 0xfe
	case codecGBK:
		two = c >= 0x81 && c <= 0xfe && (d >= 0x40 && d <= 0x7e || d >= 0x80 && d <= 0xfe)
	case codecEUCJP:
		if c == 0x8f && len(b) > 2 && eucByte(d) && eucByte(b[2]) {
			return uint32(c)<<16 | uint32(d)<<8 | uint32(b[2]), 3
		}
		two = eucByte(c) && eucByte(d) || c == 0x8e && d >= 0xa1 && d <= 0xdf
	}
	if !two {
		return 0, 0
	}
	return uint32(c)<<8 | uint32(d), 2
}

func eucByte(b byte) bool { return b >= 0xa1 && b <= 0xfe }

// Valid returns the offset of the first byte that does not belong to a well-formed character, -1 if all do. A well-formed character need not
// mean anything in Unicode: in a set of single bytes every byte is one, ascii included.
func (s *Set) Valid(b []byte) int {
	if s.codec == codecByte {
		return -1
	}
	for i := 0; i < len(b); {
		if b[i] < 0x80 && !s.foreign {
			i++
			continue
		}
		_, n := s.next(b[i:])
		if n == 0 {
			return i
		}
		i += n
	}
	return -1
}

// Len counts characters, as CHAR_LENGTH does. Of ill-formed text each unit of MinLen bytes counts as one, and what is less than a unit not.
func (s *Set) Len(b []byte) int {
	switch s.codec {
	case codecByte:
		return len(b)
	case codecUCS2:
		return len(b) / 2
	case codecUTF32:
		return len(b) / 4
	}
	count := 0
	for i := 0; i+int(s.minLen) <= len(b); count++ {
		if b[i] < 0x80 && !s.foreign {
			i++
			continue
		}
		_, n := s.next(b[i:])
		i += max(n, int(s.minLen))
	}
	return count
}

// Prefix returns the size in bytes of the first n characters, or of all if there are fewer. n below 1 is 0 bytes.
func (s *Set) Prefix(b []byte, n int) int {
	if n <= 0 {
		return 0
	}
	if s.codec == codecByte {
		return min(n, len(b))
	}
	i := 0
	for ; n > 0 && i < len(b); n-- {
		if b[i] < 0x80 && !s.foreign {
			i++
			continue
		}
		_, size := s.next(b[i:])
		i += max(size, int(s.minLen))
	}
	return min(i, len(b))
}

// IsASCII reports whether all characters are ASCII: what MariaDB calls the ASCII repertoire, of text that converts to any set without loss.
func (s *Set) IsASCII(b []byte) bool {
	if !s.foreign {
		for _, c := range b {
			if c >= 0x80 {
				return false
			}
		}
		return true
	}
	for len(b) > 0 {
		r, n, ok := s.Decode(b)
		if !ok || r >= 0x80 {
			return false
		}
		b = b[n:]
	}
	return true
}

// Decode takes the first character of b: its code point and its size in bytes. ok is false, and r is U+FFFD, if there is no such code
// point: then size is 0 for bytes that are no well-formed character, and else the size of a character that Unicode lacks. Of binary, every byte is its number.
func (s *Set) Decode(b []byte) (r rune, size int, ok bool) {
	code, n := s.next(b)
	if n == 0 {
		return 0xfffd, 0, false
	}
	m := s.mapping()
	if m == nil {
		return rune(code), n, true
	}
	if r, ok = m.rune(code); !ok {
		return 0xfffd, n, false
	}
	return r, n, true
}

// Append appends a code point's character. ok is false, and nothing appended, if the set has none.
func (s *Set) Append(dst []byte, r rune) (out []byte, ok bool) {
	if r < 0 || r > 0x10ffff {
		return dst, false
	}
	switch s.codec {
	case codecUTF8:
		return appendUTF8(dst, uint32(r)), true
	case codecUTF8MB3:
		if r > 0xffff {
			return dst, false
		}
		return appendUTF8(dst, uint32(r)), true
	case codecUCS2, codecUTF16, codecUTF16LE, codecUTF32:
		return s.appendWide(dst, uint32(r))
	}
	m := s.mapping()
	if m == nil { // binary
		if r > 0xff {
			return dst, false
		}
		return append(dst, byte(r)), true
	}
	if s.name == "tis620" && r&0xffff != 0 {
		r &= 0xffff // MariaDB finds U+10041 where U+0041 is
	}
	code, ok := m.code(r)
	if !ok {
		return dst, false
	}
	return appendCode(dst, code), true
}

// appendCode appends a character of an 8-bit or East Asian set by its code.
func appendCode(dst []byte, code uint32) []byte {
	switch {
	case code > 0xffff:
		return append(dst, byte(code>>16), byte(code>>8), byte(code))
	case code > 0xff:
		return append(dst, byte(code>>8), byte(code))
	}
	return append(dst, byte(code))
}

// put appends a character by the code that next gave.
func (s *Set) put(dst []byte, code uint32) []byte {
	switch s.codec {
	case codecUTF8, codecUTF8MB3:
		return appendUTF8(dst, code)
	case codecUCS2, codecUTF16, codecUTF16LE, codecUTF32:
		dst, _ = s.appendWide(dst, code)
		return dst
	}
	return appendCode(dst, code)
}

func lowerASCII(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return string(bytes.ToLower([]byte(s)))
		}
	}
	return s
}

// corrupt is the panic of a table that cannot be read.
func corrupt(file string, err error) {
	panic(fmt.Sprintf("charset: embedded file %s: %v", file, err))
}
