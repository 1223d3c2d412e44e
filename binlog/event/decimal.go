package event

import (
	"encoding/binary"
	"fmt"
)

// decimalDigitsMax is more than the 65 digits of the longest DECIMAL, rounded
// up to whole groups of nine.
const decimalDigitsMax = 81

// AppendDecimalText appends a packed NEWDECIMAL as text, with all digits of
// its scale: "-12.30".
func AppendDecimalText(dst, packed []byte, precision, scale int) ([]byte, error) {
	size := DecimalSize(precision, scale)
	if len(packed) != size || scale > precision || precision > decimalDigitsMax || size == 0 {
		return dst, fmt.Errorf("%w: DECIMAL(%d,%d) in %d bytes", ErrMalformed, precision, scale, len(packed))
	}
	var buf [decimalDigitsMax]byte
	b := append(buf[:0], packed...)
	negative := b[0]&0x80 == 0
	b[0] ^= 0x80
	if negative {
		dst = append(dst, '-')
		for i := range b {
			b[i] = ^b[i]
		}
	}
	whole := precision - scale
	start := len(dst)
	var err error
	for n := whole; n > 0; {
		group := n % 9
		if group == 0 {
			group = 9
		}
		if dst, b, err = appendGroupText(dst, b, group); err != nil {
			return dst, err
		}
		n -= group
	}
	dst = trimLeadingZeros(dst, start)
	if scale == 0 {
		return dst, nil
	}
	dst = append(dst, '.')
	for n := scale; n > 0; {
		group := min(n, 9)
		if dst, b, err = appendGroupText(dst, b, group); err != nil {
			return dst, err
		}
		n -= group
	}
	return dst, nil
}

// trimLeadingZeros leaves at least one digit from start on.
func trimLeadingZeros(dst []byte, start int) []byte {
	i := start
	for i < len(dst)-1 && dst[i] == '0' {
		i++
	}
	dst = append(dst[:start], dst[i:]...)
	if len(dst) == start {
		dst = append(dst, '0')
	}
	return dst
}

func appendGroupText(dst, b []byte, group int) (text, rest []byte, err error) {
	n := decimalDigitBytes[group]
	var word [4]byte
	copy(word[4-n:], b[:n])
	v := binary.BigEndian.Uint32(word[:])
	start := len(dst)
	for range group {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; i >= start; i-- {
		dst[i] = byte('0' + v%10)
		v /= 10
	}
	if v != 0 {
		return dst, b, fmt.Errorf("%w: group of %d digits in a decimal holds more", ErrMalformed, group)
	}
	return dst, b[n:], nil
}
