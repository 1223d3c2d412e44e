// Package number is the functions of SQL over numbers.
package number

import (
	"slices"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Functions are those called by name.
var Functions = slices.Concat(
	[]eval.Def{
		{Name: "ABS", Min: 1, Max: 1, Bind: abs},
		{Name: "SIGN", Min: 1, Max: 1, Bind: sign},
	},
	roundings, floats, logarithms, bases, checksums, randoms,
)

// floatType is the type of a DOUBLE that has so many digits after the point, or types.NotFixed: MariaDB's length for it.
func floatType(decimals uint8) types.Type {
	const digits = 15 // that every double has exactly
	if decimals >= types.NotFixed {
		return types.DoubleType()
	}
	return types.FixedDoubleType(digits+2+uint32(decimals), decimals)
}

// numeric is an argument as the number that arithmetic makes of it: text is a DOUBLE, a binary literal an integer without a sign,
// and dates are DECIMAL.
func numeric(b *eval.Builder, x *eval.Expr) *eval.Expr {
	switch {
	case x.Type.Hybrid:
		return b.ToInt(x)
	case x.Type.Kind == types.Enum, x.Type.Kind == types.Set:
		return b.ToFloat(x)
	}
	switch x.Type.Class() {
	case types.ClassTime:
		return b.ToDec(x)
	case types.ClassText:
		return b.ToFloat(x)
	}
	return x
}

// floatDecimals are the digits after the point of an argument that is a DOUBLE, or counts as one.
func floatDecimals(x *eval.Expr) uint8 {
	if x.Null() {
		return 0
	}
	return min(x.Type.Decimals, types.NotFixed)
}

// asciiText is a text function's node, whose row form writes ASCII, in the character set of the connection.
func asciiText(b *eval.Builder, name string, length uint64, row eval.Func[[]byte], args ...*eval.Expr) *eval.Expr {
	t := b.Text(length).OrNull()
	t.ASCII = true
	set := t.Collation.Set()
	if set.ASCIIBytes() {
		return eval.New(name, t, row, args...)
	}
	ascii, _ := charset.SetByName("ascii")
	return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
		s, null := row(f)
		if null {
			return nil, true
		}
		out, _ := charset.Convert(f.Buffer(len(s)*set.MaxLen()), set, ascii, s)
		return out, false
	}, args...)
}
