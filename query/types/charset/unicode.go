package charset

import "encoding/binary"

// nextUTF8 is next for UTF-8 of up to most bytes. Surrogates are characters here, as they are for MariaDB.
func nextUTF8(b []byte, most int) (code uint32, size int) {
	c := b[0]
	switch {
	case c < 0x80:
		return uint32(c), 1
	case c < 0xc2:
		return 0, 0
	case c < 0xe0:
		if len(b) < 2 || b[1]^0x80 >= 0x40 {
			return 0, 0
		}
		return uint32(c&0x1f)<<6 | uint32(b[1]&0x3f), 2
	case c < 0xf0:
		if len(b) < 3 || b[1]^0x80 >= 0x40 || b[2]^0x80 >= 0x40 || c == 0xe0 && b[1] < 0xa0 {
			return 0, 0
		}
		return uint32(c&0x0f)<<12 | uint32(b[1]&0x3f)<<6 | uint32(b[2]&0x3f), 3
	case c < 0xf5 && most == 4:
		if len(b) < 4 || b[1]^0x80 >= 0x40 || b[2]^0x80 >= 0x40 || b[3]^0x80 >= 0x40 || c == 0xf0 && b[1] < 0x90 || c == 0xf4 && b[1] > 0x8f {
			return 0, 0
		}
		return uint32(c&0x07)<<18 | uint32(b[1]&0x3f)<<12 | uint32(b[2]&0x3f)<<6 | uint32(b[3]&0x3f), 4
	}
	return 0, 0
}

// appendUTF8 is unlike utf8.AppendRune in that it writes surrogates.
func appendUTF8(dst []byte, c uint32) []byte {
	switch {
	case c < 0x80:
		return append(dst, byte(c))
	case c < 0x800:
		return append(dst, 0xc0|byte(c>>6), 0x80|byte(c&0x3f))
	case c < 0x10000:
		return append(dst, 0xe0|byte(c>>12), 0x80|byte(c>>6&0x3f), 0x80|byte(c&0x3f))
	}
	return append(dst, 0xf0|byte(c>>18), 0x80|byte(c>>12&0x3f), 0x80|byte(c>>6&0x3f), 0x80|byte(c&0x3f))
}

const (
	highSurrogates = 0xd800
	lowSurrogates  = 0xdc00
	surrogatesEnd  = 0xe000
)

// nextWide is next for the sets whose characters are two or four bytes.
func (s *Set) nextWide(b []byte) (code uint32, size int) {
	if s.codec == codecUTF32 {
		if len(b) < 4 {
			return 0, 0
		}
		if code = binary.BigEndian.Uint32(b); code > 0x10ffff {
			return 0, 0
		}
		return code, 4
	}
	code, ok := s.unit(b)
	switch {
	case !ok:
		return 0, 0
	case s.codec == codecUCS2 || code < highSurrogates || code >= surrogatesEnd:
		return code, 2
	case code >= lowSurrogates:
		return 0, 0
	}
	low, ok := s.unit(b[2:])
	if !ok || low < lowSurrogates || low >= surrogatesEnd {
		return 0, 0
	}
	return 0x10000 + (code-highSurrogates)<<10 + (low - lowSurrogates), 4
}

// unit is one number of 16 bits.
func (s *Set) unit(b []byte) (uint32, bool) {
	if len(b) < 2 {
		return 0, false
	}
	if s.codec == codecUTF16LE {
		return uint32(binary.LittleEndian.Uint16(b)), true
	}
	return uint32(binary.BigEndian.Uint16(b)), true
}

func (s *Set) appendWide(dst []byte, c uint32) ([]byte, bool) {
	switch {
	case s.codec == codecUTF32:
		return binary.BigEndian.AppendUint32(dst, c), true
	case s.codec == codecUCS2:
		if c > 0xffff {
			return dst, false
		}
		return binary.BigEndian.AppendUint16(dst, uint16(c)), true
	case c >= highSurrogates && c < surrogatesEnd:
		return dst, false
	case c > 0xffff:
		c -= 0x10000
		dst, _ = s.appendUnit(dst, highSurrogates+c>>10)
		return s.appendUnit(dst, lowSurrogates+c&0x3ff)
	}
	return s.appendUnit(dst, c)
}

func (s *Set) appendUnit(dst []byte, c uint32) ([]byte, bool) {
	if s.codec == codecUTF16LE {
		return binary.LittleEndian.AppendUint16(dst, uint16(c)), true
	}
	return binary.BigEndian.AppendUint16(dst, uint16(c)), true
}
