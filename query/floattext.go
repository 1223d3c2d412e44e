package query

import (
	"bytes"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/tables"
)

// appendFloat writes a floating point number as MariaDB does: the shortest text
// that reads back as the same DOUBLE, six digits for a FLOAT; without an
// exponent from 1e-15 up to, but not including, 1e15.
func appendFloat(dst []byte, v float64, single bool) []byte {
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

// appendSingle writes a FLOAT, the value of the i-th column.
func (w *wire) appendSingle(dst []byte, v float32, i int) []byte {
	if w.binary {
		return strconv.AppendFloat(dst, float64(v), 'g', -1, 32)
	}
	if d := w.cols[i].Decimals; d < tables.NotFixed {
		return strconv.AppendFloat(dst, float64(v), 'f', int(d), 64)
	}
	return appendFloat(dst, float64(v), true)
}

// appendDouble writes a DOUBLE, the value of the i-th column.
func (w *wire) appendDouble(dst []byte, v float64, i int) []byte {
	if d := w.cols[i].Decimals; d < tables.NotFixed && !w.binary {
		return strconv.AppendFloat(dst, v, 'f', int(d), 64)
	}
	return appendFloat(dst, v, w.schema[i].Type == types.Float32)
}
