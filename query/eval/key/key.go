// Package key makes bytes of the values of expressions that are equal exactly if the values are in SQL, and order as they do: what ORDER BY,
// GROUP BY, DISTINCT and sets of values compare.
//
// A key is a byte that says whether there is a value (NULL sorts first), and the value:
//
//	integers          8 bytes, big-endian; signed ones with the sign inverted. So are BIT, ENUM (the number of the member) and SET
//	FLOAT, DOUBLE     8 bytes: the bits, negative ones inverted, of others the sign set; -0 is 0
//	DECIMAL           see appendDec
//	temporal values   8 bytes, as integers
//	text              the collation's sort key with 00 as 00 ff, and 00 01 as the end
//
// Keys delimit themselves, so that they can be put behind each other. In a descending one all bytes are inverted.
package key

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Writer makes the keys of an expression. It is for one goroutine.
type Writer struct {
	append func(dst []byte, f *eval.Frame) []byte
	desc   bool
}

const (
	absent  = 0
	present = 1
)

// New makes the writer of an expression's keys. An error of type *charset.UnsupportedError says that there are none for its collation.
func New(x *eval.Expr, desc bool) (*Writer, error) {
	w := &Writer{desc: desc}
	switch x.Type.Class() {
	case types.ClassInt:
		w.append = of(x, integers(x.Type.Unsigned))
	case types.ClassFloat:
		w.append = of(x, appendFloat)
	case types.ClassDec:
		w.append = of(x, appendDec)
	case types.ClassTime:
		w.append = of(x, func(dst []byte, v temporal.Packed) []byte { return binary.BigEndian.AppendUint64(dst, uint64(v)^1<<63) })
	default:
		if x.Null() || x.Type.Kind.Address() {
			w.append = of(x, escaped)
			break
		}
		order, err := x.Type.Collation.Order()
		if err != nil {
			return nil, err
		}
		w.append = of(x, texts(order))
	}
	return w, nil
}

// Append appends the key of the value for the frame's row.
func (w *Writer) Append(dst []byte, f *eval.Frame) []byte {
	start := len(dst)
	dst = w.append(dst, f)
	if w.desc {
		for i := start; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

func of[T eval.Scalar](x *eval.Expr, value func([]byte, T) []byte) func([]byte, *eval.Frame) []byte {
	row := eval.Of[T](x)
	return func(dst []byte, f *eval.Frame) []byte {
		v, null := row(f)
		if null {
			return append(dst, absent)
		}
		return value(append(dst, present), v)
	}
}

func integers(unsigned bool) func([]byte, int64) []byte {
	if unsigned {
		return func(dst []byte, v int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(v)) }
	}
	return func(dst []byte, v int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(v)^1<<63) }
}

func appendFloat(dst []byte, v float64) []byte {
	u := math.Float64bits(v + 0) // -0 becomes 0
	if u>>63 == 1 {
		u = ^u
	} else {
		u |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(dst, u)
}

// appendDec appends the sign, the place of the point before the first digit that is not zero, and the digits up to the last one that is not.
func appendDec(dst []byte, d decimal.Dec) []byte {
	if d.IsZero() {
		return append(dst, 1)
	}
	var buf [decimal.TextMax]byte
	digits, point := significant(d.Abs().Append(buf[:0]))
	sign := byte(2)
	if d.Negative() {
		sign = 0
	}
	start := len(dst) + 1
	dst = append(append(dst, sign, byte(128+point)), digits...)
	dst = append(dst, 0)
	if sign == 0 {
		for i := start; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

// significant takes the digits from the first to the last that is not zero out of a number's text, in place; point is how many of them, or
// zeros, stand before the point; negative if zeros follow it.
func significant(text []byte) (digits []byte, point int) {
	whole := bytes.IndexByte(text, '.')
	if whole < 0 {
		whole = len(text)
	} else {
		text = append(text[:whole], text[whole+1:]...)
	}
	digits = bytes.TrimLeft(text, "0")
	point = whole - (len(text) - len(digits))
	return bytes.TrimRight(digits, "0"), point
}

func texts(order *charset.Order) func([]byte, []byte) []byte {
	var buf []byte
	return func(dst, s []byte) []byte {
		buf = order.AppendKey(buf[:0], s)
		return escaped(dst, buf)
	}
}

func escaped(dst, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, 0)
		if i < 0 {
			return append(append(dst, s...), 0, 1)
		}
		dst = append(append(dst, s[:i]...), 0, 0xff)
		s = s[i+1:]
	}
}
