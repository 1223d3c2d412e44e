package text

import (
	"slices"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

var lengths = slices.Concat(
	named("length", 1, 1, length, "LENGTH", "LENGTHB"),
	named("octet_length", 1, 1, length, "OCTET_LENGTH"),
	named("char_length", 1, 1, charLength, "CHAR_LENGTH", "CHARACTER_LENGTH"),
	named("bit_length", 1, 1, bitLength, "BIT_LENGTH"),
	named("ascii", 1, 1, asciiCode, "ASCII"),
	named("ord", 1, 1, ord, "ORD"),
)

// Widths of the results, in digits.
const (
	lengthDigits    = 10
	bitLengthDigits = 11
	asciiDigits     = 3
	ordDigits       = 7
)

func length(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x := raw(b, args[0])
	return eval.Map1(name, nullIf(types.LongType(lengthDigits), x), func(_ *eval.Frame, s []byte) (int64, bool) {
		return int64(len(s)), false
	}, x), nil
}

func bitLength(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x := raw(b, args[0])
	return eval.Map1(name, nullIf(types.BigintType(bitLengthDigits, false), x), func(_ *eval.Frame, s []byte) (int64, bool) {
		return 8 * int64(len(s)), false
	}, x), nil
}

func charLength(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x := raw(b, args[0])
	t := nullIf(types.LongType(lengthDigits), x)
	if x.Null() {
		return eval.New(name, t, func(*eval.Frame) (int64, bool) { return 0, true }, x), nil
	}
	set := x.Type.Collation.Set()
	return eval.Map1(name, t, func(_ *eval.Frame, s []byte) (int64, bool) { return int64(set.Len(s)), false }, x), nil
}

func asciiCode(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x := raw(b, args[0])
	return eval.Map1(name, nullIf(types.LongType(asciiDigits), x), func(_ *eval.Frame, s []byte) (int64, bool) {
		if len(s) == 0 {
			return 0, false
		}
		return int64(s[0]), false
	}, x), nil
}

// ord is the bytes of the first character as a number; where that is ill-formed, the first byte.
func ord(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x := raw(b, args[0])
	t := nullIf(types.LongType(ordDigits), x)
	if x.Null() {
		return eval.New(name, t, func(*eval.Frame) (int64, bool) { return 0, true }, x), nil
	}
	set := x.Type.Collation.Set()
	return eval.Map1(name, t, func(_ *eval.Frame, s []byte) (int64, bool) {
		if len(s) == 0 {
			return 0, false
		}
		size := min(step(set, s), len(s))
		if set.Valid(s[:size]) >= 0 {
			size = 1
		}
		var n int64
		for _, c := range s[:size] {
			n = n<<8 | int64(c)
		}
		return n, false
	}, x), nil
}
