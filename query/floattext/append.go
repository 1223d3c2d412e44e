package floattext

import (
	"bytes"
	"strconv"
)

// Numbers from 1e-15 up to, but not including, 1e15 are written without an exponent, and greater ones that have a fraction.
const minExponent, maxExponent = -15, 14

// Append writes a floating point number as MariaDB does: the shortest text that
// reads back as the same DOUBLE, six digits for a FLOAT (single).
func Append(dst []byte, v float64, single bool) []byte {
	digits := -1
	if single {
		digits = 5 // after the first
	}
	var scratch [32]byte
	text := strconv.AppendFloat(scratch[:0], v, 'e', digits, 64)
	e := bytes.IndexByte(text, 'e')
	if e < 0 {
		return append(dst, text...) // not a number
	}
	exp := exponent(text[e+1:])
	mantissa := text[:e]
	if mantissa[0] == '-' {
		dst, mantissa = append(dst, '-'), mantissa[1:]
	}
	if len(mantissa) > 1 {
		mantissa = bytes.TrimRight(bytes.TrimRight(mantissa, "0"), ".")
	}
	if exp < minExponent || exp > maxExponent && len(mantissa)-2 <= exp {
		dst = append(append(dst, mantissa...), 'e')
		return strconv.AppendInt(dst, int64(exp), 10)
	}
	fraction := []byte(nil)
	if len(mantissa) > 2 {
		fraction = mantissa[2:]
	}
	if exp < 0 {
		dst = append(dst, '0', '.')
		for range -exp - 1 {
			dst = append(dst, '0')
		}
		return append(append(dst, mantissa[0]), fraction...)
	}
	dst = append(dst, mantissa[0])
	if len(fraction) <= exp {
		dst = append(dst, fraction...)
		for range exp - len(fraction) {
			dst = append(dst, '0')
		}
		return dst
	}
	dst = append(append(dst, fraction[:exp]...), '.')
	return append(dst, fraction[exp:]...)
}

// exponent reads what package strconv writes after the e: a sign and at least two digits.
func exponent(text []byte) int {
	n := 0
	for _, c := range text[1:] {
		n = 10*n + int(c-'0')
	}
	if text[0] == '-' {
		return -n
	}
	return n
}

// AppendFixed writes a number with so many digits after the point; beyond those that tell it from other numbers there are zeros.
func AppendFixed(dst []byte, v float64, decimals int) []byte {
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'f', -1, 64)
	point, digits := bytes.IndexByte(dst[start:], '.'), 0
	if point >= 0 {
		digits = len(dst) - start - point - 1
	}
	if digits > decimals {
		return strconv.AppendFloat(dst[:start], v, 'f', decimals, 64)
	}
	if point < 0 && decimals > 0 {
		dst = append(dst, '.')
	}
	for ; digits < decimals; digits++ {
		dst = append(dst, '0')
	}
	return dst
}
