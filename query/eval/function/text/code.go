package text

import (
	"encoding/base64"
	"math"
	"slices"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

var codes = slices.Concat(
	named("hex", 1, 1, hex, "HEX"),
	named("unhex", 1, 1, unhex, "UNHEX"),
	named("to_base64", 1, 1, toBase64, "TO_BASE64"),
	named("from_base64", 1, 1, fromBase64, "FROM_BASE64"),
	named("chr", 1, 1, chr, "CHR"),
)

const (
	hexDigits     = "0123456789ABCDEF"
	hexNumberMax  = 16 // digits of a number
	chrBytesMax   = 4
	base64LineLen = 76
)

// noDecimals is the type of text that announces no digits after a point.
func noDecimals(t types.Type) types.Type {
	t.Decimals = 0
	return t
}

// hex is HEX: of text its bytes, of numbers the integer in 64 bits.
func hex(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x, a := args[0], ofConnection(b)
	if x.Type.Members != nil {
		x = b.ToText(x)
	}
	set := a.Collation.Set()
	length := uint64(hexNumberMax)
	if c := x.Type.Class(); c == types.ClassText || c == types.ClassTime || x.Type.Unsigned {
		if length = 2 * x.Type.Bytes(); x.Type.Zerofill {
			length = 2 * uint64(x.Type.Width())
		}
	}
	t := noDecimals(plain(b, a, length, x))
	number := func(f *eval.Frame, n uint64) ([]byte, bool) {
		var digits [hexNumberMax]byte
		i := len(digits)
		for i--; ; i-- {
			digits[i] = hexDigits[n&15]
			if n >>= 4; n == 0 {
				break
			}
		}
		return appendASCII(f.Buffer(hexNumberMax*set.MaxLen()), set, digits[i:]), false
	}
	switch x.Type.Class() {
	case types.ClassInt:
		return eval.Map1(name, t, func(f *eval.Frame, n int64) ([]byte, bool) { return number(f, uint64(n)) }, x), nil
	case types.ClassFloat:
		return eval.Map1(name, t, func(f *eval.Frame, v float64) ([]byte, bool) { return number(f, floatBits(v)) }, x), nil
	case types.ClassDec:
		return eval.Map1(name, t, func(f *eval.Frame, d decimal.Dec) ([]byte, bool) { return number(f, floatBits(d.Float64())) }, x), nil
	}
	if !x.Type.Kind.Address() { // of which it shows the bytes
		x = raw(b, x)
	}
	return eval.Map1(name, t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if !f.Fits(name, 2*uint64(len(s))*uint64(set.MinLen())) {
			return nil, true
		}
		out := f.Buffer(2 * len(s) * set.MaxLen())
		for _, c := range s {
			out = appendASCII(out, set, []byte{hexDigits[c>>4], hexDigits[c&15]})
		}
		return out, false
	}, x), nil
}

// floatBits is a number as HEX has it: rounded half away from zero, all ones if it does not fit.
func floatBits(v float64) uint64 {
	if v <= math.MinInt64 || v >= math.MaxUint64 {
		return math.MaxUint64
	}
	if v > 0 {
		return uint64(v + 0.5)
	}
	return uint64(int64(v - 0.5))
}

func unhex(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x := raw(b, args[0])
	t := noDecimals(plain(b, ofBinary(), (1+args[0].Type.Bytes())/2)).OrNull()
	return eval.Map1(name, t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		out := f.Buffer((len(s) + 1) / 2)
		high, odd := byte(0), len(s)%2 == 1
		for i, c := range s {
			d, ok := hexDigit(c)
			if !ok {
				return nil, true
			}
			if (i%2 == 1) == odd { // the first of two
				high = d << 4
				if odd && i == 0 {
					out = append(out, d)
				}
				continue
			}
			if odd && i == 0 {
				out = append(out, d)
				continue
			}
			out = append(out, high|d)
		}
		return out, false
	}, x), nil
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// base64Size is the length of the text of n bytes, with its line ends; it is 0 for nothing.
func base64Size(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	size := (n + 2) / 3 * 4
	return size + (size-1)/base64LineLen
}

func toBase64(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x, a := raw(b, args[0]), ofConnection(b)
	set := a.Collation.Set()
	return eval.Map1(name, result(b, a, base64Size(args[0].Type.Bytes()), x), func(f *eval.Frame, s []byte) ([]byte, bool) {
		size := base64Size(uint64(len(s)))
		if !f.Fits(name, size) {
			return nil, true
		}
		const line = base64LineLen / 4 * 3
		out := f.Buffer(int(size))
		for len(s) > 0 {
			n := min(len(s), line)
			if out = base64.StdEncoding.AppendEncode(out, s[:n]); len(s) > n {
				out = append(out, '\n')
			}
			s = s[n:]
		}
		if set.ASCIIBytes() {
			return out, false
		}
		return appendASCII(f.Buffer(len(out)*set.MaxLen()), set, out), false
	}, x), nil
}

func fromBase64(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x := inASCII(b, raw(b, args[0]))
	t := plain(b, ofBinary(), (args[0].Type.Bytes()+3)/4*3).OrNull()
	return eval.Map1(name, t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if size := uint64(len(s)+3) / 4 * 3; !f.Fits(name, size) {
			return nil, true
		}
		out, bad := decodeBase64(f.Buffer(len(s)/4*3+3), s)
		if bad >= 0 {
			f.Warn(mysqlerr.BadBase64Data, bad)
			return nil, true
		}
		return out, false
	}, x), nil
}

// inASCII is text of a set with wide characters in one of single bytes, which is enough for what is ASCII.
func inASCII(b *eval.Builder, x *eval.Expr) *eval.Expr {
	if x.Null() || x.Type.Collation.Set().ASCIIBytes() {
		return x
	}
	latin1, _ := charset.SetByName("latin1")
	return b.ToClient(x, latin1)
}

// decodeBase64 reads groups of four characters, between which and within which there may be blanks. bad is where it went wrong, -1 if it
// did not.
func decodeBase64(dst, s []byte) (out []byte, bad int) {
	var group uint32
	count, marks := 0, 0
	for i, c := range s {
		var v uint32
		switch {
		case c == ' ' || c >= 9 && c <= 13:
			continue
		case marks > 0 && (c != '=' || count == 0):
			return dst, i
		case c >= 'A' && c <= 'Z':
			v = uint32(c - 'A')
		case c >= 'a' && c <= 'z':
			v = uint32(c-'a') + 26
		case c >= '0' && c <= '9':
			v = uint32(c-'0') + 52
		case c == '+':
			v = 62
		case c == '/':
			v = 63
		case c == '=' && count >= 2:
			marks++
		default:
			return dst, i
		}
		group = group<<6 | v
		if count++; count == 4 {
			dst = append(dst, byte(group>>16), byte(group>>8), byte(group))
			dst = dst[:len(dst)-marks]
			group, count = 0, 0
		}
	}
	if count > 0 {
		return dst, len(s)
	}
	return dst, -1
}

// appendCode appends the bytes of a number without those in front that are zero, at least one.
func appendCode(dst []byte, n uint32) []byte {
	switch {
	case n > 0xffffff:
		dst = append(dst, byte(n>>24), byte(n>>16), byte(n>>8))
	case n > 0xffff:
		dst = append(dst, byte(n>>16), byte(n>>8))
	case n > 0xff:
		dst = append(dst, byte(n>>8))
	}
	return append(dst, byte(n))
}

// wellFormed is text that a function made of bytes. Where that is ill-formed there is a warning, and in strict mode no result, else what
// stands before.
func wellFormed(f *eval.Frame, set *charset.Set, s []byte) ([]byte, bool) {
	if set.Name() == "ascii" && !set.IsASCII(s) {
		f.Diag.Fail(mysqlerr.NotYet("bytes above 7F in character set ascii")) // what follows has no rule: some call it ill-formed
		return nil, true
	}
	at := set.Valid(s)
	if at < 0 {
		return s, false
	}
	const most = 3
	var digits []byte
	for _, c := range s[at:min(len(s), at+most)] {
		digits = append(digits, hexDigits[c>>4], hexDigits[c&15])
	}
	f.Warn(mysqlerr.InvalidCharacterString, set.Name(), string(digits))
	if f.Env.Mode.Strict() {
		return nil, true
	}
	return s[:at], false
}

// chr is CHR: a character of the database's character set by its bytes.
func chr(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	c := b.Env.Database
	set := c.Set()
	t := plain(b, charset.Aggregation{Collation: c, Derivation: charset.Coercible}, chrBytesMax, args...)
	return eval.Map1(name, t, func(f *eval.Frame, n int64) ([]byte, bool) {
		return wellFormed(f, set, appendCode(f.Buffer(chrBytesMax), uint32(n)))
	}, b.ToInt(args[0])), nil
}

// CharOf is CHAR(args USING set); set is empty without USING. NULL is left out.
func CharOf(b *eval.Builder, args []*eval.Expr, set string) (*eval.Expr, error) {
	a := ofBinary()
	if set != "" {
		s, ok := b.Env.CharsetNamed(set)
		if !ok {
			return nil, mysqlerr.New(mysqlerr.UnknownCharacterSet, set)
		}
		a.Collation = s.Default()
	}
	to := a.Collation.Set()
	t := plain(b, a, chrBytesMax*uint64(len(args))/uint64(to.MaxLen()), args...)
	codes := converted(args, b.ToInt)
	forms := make([]eval.Func[int64], len(codes))
	for i, x := range codes {
		forms[i] = eval.Of[int64](x)
	}
	return eval.New("char", t, func(f *eval.Frame) ([]byte, bool) {
		out := f.Buffer(chrBytesMax * len(forms))
		var one [chrBytesMax]byte
		for _, form := range forms {
			n, null := form(f)
			if null {
				continue
			}
			code := appendCode(one[:0], uint32(n))
			for i := len(code); i%to.MinLen() != 0; i++ {
				out = append(out, 0)
			}
			out = append(out, code...)
		}
		return wellFormed(f, to, out)
	}, codes...), nil
}
