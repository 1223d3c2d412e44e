package mysql

import (
	"encoding/binary"
	"fmt"
)

// DecimalDigitsMax is more than the 65 digits of the longest DECIMAL, rounded
// up to whole groups of nine.
const DecimalDigitsMax = 81

// decimalGroupSizes are what DecimalGroupSize returns.
var decimalGroupSizes = [10]int{0, 1, 1, 2, 2, 3, 3, 4, 4, 4}

// DecimalGroupSize is the size of a group of 0 to 9 decimal digits in a NEWDECIMAL.
func DecimalGroupSize(digits int) int { return decimalGroupSizes[digits] }

// DecimalSize is the packed size of a NEWDECIMAL: digits in groups of nine, four
// bytes each, counted from the decimal point; the odd ones take fewer bytes.
func DecimalSize(precision, scale int) int {
	whole := max(precision-scale, 0)
	return whole/9*4 + DecimalGroupSize(whole%9) + scale/9*4 + DecimalGroupSize(scale%9)
}

// AppendDecimalText appends a packed NEWDECIMAL as text, with all digits of
// its scale: "-12.30". Other errors than ErrMalformed do not occur.
func AppendDecimalText(dst, packed []byte, precision, scale int) ([]byte, error) {
	size := DecimalSize(precision, scale)
	if len(packed) != size || scale > precision || precision > DecimalDigitsMax || size == 0 {
		return dst, fmt.Errorf("%w: DECIMAL(%d,%d) in %d bytes", ErrMalformed, precision, scale, len(packed))
	}
	var buf [DecimalDigitsMax]byte
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
	n := DecimalGroupSize(group)
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
