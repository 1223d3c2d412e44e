package semantics

import (
	"bytes"
	"strconv"
)

// AppendFloat writes a floating point number as MariaDB does: the shortest text
// that reads back as the same DOUBLE, six digits for a FLOAT; without an
// exponent from 1e-15 up to, but not including, 1e15.
func AppendFloat(dst []byte, v float64, single bool) []byte {
	digits := -1
	if single {
		digits = 5 // behind the first
	}
	var scratch [32]byte
	text := strconv.AppendFloat(scratch[:0], v, 'e', digits, 64)
	mantissa, exponent, found := bytes.Cut(text, []byte("e"))
	if !found {
		return append(dst, text...) // not a number
	}
	if bytes.IndexByte(mantissa, '.') >= 0 {
		mantissa = bytes.TrimRight(bytes.TrimRight(mantissa, "0"), ".")
	}
	exp, err := strconv.Atoi(string(exponent))
	if err != nil {
		return append(dst, text...)
	}
	if exp < -15 || exp > 14 {
		dst = append(append(dst, mantissa...), 'e')
		return strconv.AppendInt(dst, int64(exp), 10)
	}
	rounded, err := strconv.ParseFloat(string(mantissa)+"e"+string(exponent), 64)
	if err != nil {
		return append(dst, text...)
	}
	return strconv.AppendFloat(dst, rounded, 'f', -1, 64)
}
