package number

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

var bases = []eval.Def{
	{Name: "CONV", Min: 3, Max: 3, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return conv(b, args[0], args[1], args[2]), nil
	}},
	{Name: "BIN", Min: 1, Max: 1, Bind: toBase(2)},
	{Name: "OCT", Min: 1, Max: 1, Bind: toBase(8)},
	{Name: "BIT_COUNT", Min: 1, Max: 1, Bind: bitCount},
}

// convLength is the length of CONV's result: 64 bits and a sign.
const convLength = 65

// baseMax is the largest base that CONV takes.
const baseMax = 36

func toBase(base int64) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		of := func(n int64) *eval.Expr {
			return eval.NewLiteral(types.LongType(2), types.Value{Int: n}, strconv.AppendInt(nil, n, 10))
		}
		return conv(b, args[0], of(10), of(base)), nil
	}
}

// conv writes the number that a text has in base from, in base to. Negative bases mean numbers with a sign.
func conv(b *eval.Builder, x, from, to *eval.Expr) *eval.Expr {
	isBits := x.Type.Kind == types.Bit // whose text is not its digits
	if isBits {
		latin1, _ := charset.ByName("latin1_swedish_ci")
		x = eval.Map1("", types.StringType(convLength, latin1, charset.Numeric, true).NullIf(x.Type), func(f *eval.Frame, n int64) ([]byte, bool) {
			return strconv.AppendUint(f.Buffer(convLength), uint64(n), 10), false
		}, b.ToInt(x)).As(x)
	}
	x, from, to = b.ToText(x), b.ToInt(from), b.ToInt(to)
	text, fromOf, toOf := eval.Of[[]byte](x), eval.Of[int64](from), eval.Of[int64](to)
	set := setOf(x)
	return asciiText(b, "conv", convLength, func(f *eval.Frame) ([]byte, bool) {
		s, null := text(f)
		source, null1 := fromOf(f)
		target, null2 := toOf(f)
		if null || null1 || null2 || len(s) == 0 {
			return nil, true
		}
		i, o := int(int32(source)), int(int32(target))
		if !baseFits(i) || !baseFits(o) {
			return nil, true
		}
		if isBits {
			i = 10
		}
		n := wholeOf(set, s, i)
		out := f.Buffer(convLength)
		if o < 0 && int64(n) < 0 {
			out, n = append(out, '-'), -n
		}
		start := len(out)
		out = strconv.AppendUint(out, n, max(o, -o))
		for j := start; j < len(out); j++ {
			if out[j] >= 'a' {
				out[j] -= 'a' - 'A'
			}
		}
		return out, false
	}, x, from, to)
}

// setOf is the character set of an argument's text; NULL counts as binary.
func setOf(x *eval.Expr) *charset.Set {
	if x.Type.Collation == nil {
		binary, _ := charset.SetByName("binary")
		return binary
	}
	return x.Type.Collation.Set()
}

func baseFits(n int) bool { return n >= 2 && n <= baseMax || n <= -2 && n >= -baseMax }

// wholeOf reads a number with a sign as far as a text is one; what is too large becomes the bound. A negative base has bounds of
// numbers with a sign.
func wholeOf(set *charset.Set, s []byte, base int) uint64 {
	single := set.MinLen() == 1
	next := func() (r rune) {
		if len(s) == 0 {
			return -1
		}
		size := 1
		if r = rune(s[0]); !single {
			var ok bool
			if r, size, ok = set.Decode(s); !ok {
				s = nil
				return -1
			}
		}
		s = s[size:]
		return r
	}
	r := next()
	for r == ' ' || r >= 9 && r <= 13 {
		r = next()
	}
	negative := r == '-'
	if negative || r == '+' {
		r = next()
	}
	signed := base < 0
	radix := uint64(max(base, -base))
	var n uint64
	over := false
	for ; ; r = next() {
		digit := digitOf(r)
		if digit >= radix {
			break
		}
		high, low := bits.Mul64(n, radix)
		sum, carry := bits.Add64(low, digit, 0)
		over = over || high != 0 || carry != 0
		n = sum
	}
	switch {
	case signed && negative && (over || n > 1<<63):
		return 1 << 63
	case signed && !negative && (over || n > math.MaxInt64):
		return math.MaxInt64
	case over:
		return math.MaxUint64
	case negative:
		return -n
	}
	return n
}

func digitOf(r rune) uint64 {
	switch {
	case r >= '0' && r <= '9':
		return uint64(r - '0')
	case r >= 'a' && r <= 'z':
		return uint64(r-'a') + 10
	case r >= 'A' && r <= 'Z':
		return uint64(r-'A') + 10
	}
	return math.MaxUint64
}

func bitCount(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	t := types.LongType(2).NullIf(args[0].Type)
	x := args[0]
	if x.Type.Hybrid || x.Type.Class() == types.ClassInt {
		return eval.Map1("bit_count", t, func(_ *eval.Frame, n int64) (int64, bool) { return int64(bits.OnesCount64(uint64(n))), false }, b.ToInt(x)), nil
	}
	return eval.Map1("bit_count", t, func(f *eval.Frame, d decimal.Dec) (int64, bool) {
		return int64(bits.OnesCount64(uint64(decimalBits(f, d)))), false
	}, b.ToDec(x)), nil
}

// decimalBits is a decimal as 64 bits: with a sign if it is negative. What is out of range becomes the bound, with warning 1916.
func decimalBits(f *eval.Frame, d decimal.Dec) int64 {
	if d.Negative() {
		n, cond := d.Int64(decimal.HalfUp)
		if cond&decimal.Overflow != 0 {
			f.Warn(mysqlerr.DataOverflow, d.String(), "INT")
		}
		return n
	}
	n, cond := d.Uint64(decimal.HalfUp)
	if cond&decimal.Overflow != 0 {
		f.Warn(mysqlerr.DataOverflow, d.String(), "UNSIGNED INT")
	}
	return int64(n)
}
