package eval

import (
	"math"
	"strconv"

	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// ToInt is the expression as an integer, as functions with integer arguments ask for it (not CAST): decimals are rounded, text is read
// as far as it is a number. The result keeps the signedness of an integer; of others it is signed.
func (b *Builder) ToInt(x *Expr) *Expr {
	if x.asInt != nil {
		return x.asInt
	}
	t := types.BigintType(min(x.Type.Length, 21), x.Type.Unsigned && x.Type.Class() != types.ClassText)
	t.Nullable = x.Type.Nullable
	if x.Type.Hybrid {
		t.Unsigned = true
		return Map1("", t, func(_ *Frame, s []byte) (int64, bool) { return hybridInt(s), false }, x).As(x)
	}
	if x.Timely() {
		return b.timeInt(x, t)
	}
	switch x.Type.Class() {
	case types.ClassInt:
		return x
	case types.ClassFloat:
		return Map1("", t, floatInt, x).As(x)
	case types.ClassDec:
		unsigned := x.Type.Unsigned
		return Map1("", t, func(f *Frame, d decimal.Dec) (int64, bool) { return DecInt(f, d, unsigned), false }, x).As(x)
	}
	if x.Null() || x.Type.Kind.Address() {
		return New("", t.OrNull(), noNumber[int64](x), x).As(x)
	}
	set := x.Type.Collation.Set()
	read := reading(x, textInt)
	return Map1("", t, func(f *Frame, s []byte) (int64, bool) { return read(f, set, s), false }, x).As(x)
}

// ToFloat is the expression as a DOUBLE.
func (b *Builder) ToFloat(x *Expr) *Expr {
	if x.asFloat != nil {
		return x.asFloat
	}
	t := types.DoubleType()
	t.Nullable = x.Type.Nullable
	if x.Type.Hybrid {
		return Map1("", t, func(_ *Frame, s []byte) (float64, bool) { return float64(uint64(hybridInt(s))), false }, x).As(x)
	}
	if x.moment != nil && x.Type.Class() == types.ClassText {
		return b.momentFloat(x, t)
	}
	switch x.Type.Class() {
	case types.ClassInt:
		if x.Type.Unsigned {
			return Map1("", t, func(_ *Frame, n int64) (float64, bool) { return float64(uint64(n)), false }, x).As(x)
		}
		return Map1("", t, func(_ *Frame, n int64) (float64, bool) { return float64(n), false }, x).As(x)
	case types.ClassFloat:
		return x
	case types.ClassDec:
		return Map1("", t, func(_ *Frame, d decimal.Dec) (float64, bool) { return d.Float64(), false }, x).As(x)
	case types.ClassTime:
		return b.ToFloat(b.ToDec(x))
	}
	if x.Null() || x.Type.Kind.Address() {
		return New("", t.OrNull(), noNumber[float64](x), x).As(x)
	}
	set := x.Type.Collation.Set()
	read := reading(x, textFloat)
	return Map1("", t, func(f *Frame, s []byte) (float64, bool) { return read(f, set, s), false }, x).As(x)
}

// ToDec is the expression as a DECIMAL.
func (b *Builder) ToDec(x *Expr) *Expr {
	if x.asDec != nil {
		return x.asDec
	}
	t := types.DecimalType(b.DecimalOf(x.Type))
	t.Nullable = x.Type.Nullable
	if x.Type.Hybrid {
		return Map1("", t, func(_ *Frame, s []byte) (decimal.Dec, bool) { return decimal.FromUint64(uint64(hybridInt(s))), false }, x).As(x)
	}
	if x.moment != nil && x.Type.Class() == types.ClassText {
		return b.momentDec(x, t)
	}
	switch x.Type.Class() {
	case types.ClassInt:
		if x.Type.Unsigned {
			return Map1("", t, func(_ *Frame, n int64) (decimal.Dec, bool) { return decimal.FromUint64(uint64(n)), false }, x).As(x)
		}
		return Map1("", t, func(_ *Frame, n int64) (decimal.Dec, bool) { return decimal.FromInt64(n), false }, x).As(x)
	case types.ClassFloat:
		return Map1("", t, floatDec, x).As(x)
	case types.ClassDec:
		return x
	case types.ClassTime:
		kind, fraction := x.Type.Kind, int(x.Type.Decimals)
		return Map1("", t, func(_ *Frame, v temporal.Packed) (decimal.Dec, bool) { return timeDec(v, kind, fraction), false }, x).As(x)
	}
	if x.Null() || x.Type.Kind.Address() {
		return New("", t.OrNull(), noNumber[decimal.Dec](x), x).As(x)
	}
	set := x.Type.Collation.Set()
	read := reading(x, textDec)
	return Map1("", t, func(f *Frame, s []byte) (decimal.Dec, bool) { return read(f, set, s), false }, x).As(x)
}

// DecimalOf is the precision that an expression of a type has as a DECIMAL.
func (b *Builder) DecimalOf(t types.Type) decimal.Type {
	switch t.Class() {
	case types.ClassDec:
		return t.Dec
	case types.ClassInt:
		digits := int(t.Width())
		if !t.Unsigned && t.Kind.Integer() && digits > 1 {
			digits--
		}
		return decimal.IntType(digits, t.Unsigned)
	case types.ClassTime:
		digits := map[types.Kind]int{types.Date: 8, types.Time: 7}[t.Kind]
		if digits == 0 {
			digits = 14
		}
		fraction := min(int(t.Decimals), temporal.FractionMax) // FROM_UNIXTIME of text has any
		return decimal.Type{Precision: digits + fraction, Scale: fraction}
	}
	return decimal.Type{Precision: decimal.PrecisionMax, Scale: decimal.ScaleMax}
}

// ToText is the expression as text: of numbers, temporal values and addresses in the character set of the connection. A column of BIT is a
// binary string of as many bytes as it has; what is computed of BIT is a number.
func (b *Builder) ToText(x *Expr) *Expr {
	if x.asText != nil {
		return x.asText
	}
	t := types.StringType(uint64(x.Type.Width()), b.Env.Connection, charset.Numeric, true)
	t.Nullable = x.Type.Nullable
	switch x.Type.Class() {
	case types.ClassInt:
		if y, ok := b.bitsOrMembers(x, t); ok {
			return y
		}
		unsigned, width := x.Type.Unsigned, fillOf(x.Type)
		return b.fromASCII(Map1("", t, func(f *Frame, n int64) ([]byte, bool) {
			if unsigned {
				return filled(strconv.AppendUint(f.Buffer(max(20, 2*width)), uint64(n), 10), width), false
			}
			return strconv.AppendInt(f.Buffer(20), n, 10), false
		}, x).As(x))
	case types.ClassFloat:
		single, decimals, width := x.Type.Kind == types.Float, x.Type.Decimals, fillOf(x.Type)
		return b.fromASCII(Map1("", t, func(f *Frame, v float64) ([]byte, bool) {
			if v == 0 {
				v = 0 // without the sign that a zero may have
			}
			if decimals < types.NotFixed {
				return filled(floattext.AppendFixed(f.Buffer(max(32, 2*width)), v, int(decimals)), width), false
			}
			return filled(floattext.Append(f.Buffer(max(32, 2*width)), v, single), width), false
		}, x).As(x))
	case types.ClassDec:
		scale, width, own := int(x.Type.Decimals), fillOf(x.Type), x.Type.OwnScale
		return b.fromASCII(Map1("", t, func(f *Frame, d decimal.Dec) ([]byte, bool) {
			if !own {
				d, _ = d.Round(scale, decimal.HalfUp)
			}
			return filled(d.Append(f.Buffer(decimal.TextMax+width)), width), false
		}, x).As(x))
	case types.ClassTime:
		kind, fraction := x.Type.Kind, int(x.Type.Decimals)
		return b.fromASCII(Map1("", t, func(f *Frame, v temporal.Packed) ([]byte, bool) {
			return appendTime(f.Buffer(32), v, kind, fraction), false
		}, x).As(x))
	}
	if x.Type.Kind.Address() {
		return b.addressText(x, t)
	}
	return x
}

// fromASCII brings text of ASCII characters, which claims to be in the connection's character set, into it.
func (b *Builder) fromASCII(x *Expr) *Expr {
	set := x.Type.Collation.Set()
	if set.ASCIIBytes() {
		return x
	}
	ascii, _ := charset.SetByName("ascii")
	return Map1("", x.Type, func(f *Frame, s []byte) ([]byte, bool) {
		out, _ := charset.Convert(f.Buffer(len(s)*set.MaxLen()), set, ascii, s)
		return out, false
	}, x).As(x)
}

func appendTime(dst []byte, v temporal.Packed, k types.Kind, fraction int) []byte {
	switch k {
	case types.Date:
		return temporal.AppendDate(dst, v)
	case types.Time:
		return temporal.AppendTime(dst, v, fraction)
	}
	return temporal.AppendDateTime(dst, v, min(fraction, temporal.AutoFraction))
}

// timeDec is a temporal value as a number: YYYYMMDD, hhmmss, YYYYMMDDhhmmss, with the fraction.
func timeDec(v temporal.Packed, k types.Kind, fraction int) decimal.Dec {
	var p temporal.Parts
	var n int64
	if k == types.Time {
		p = v.TimeParts()
	} else {
		p = v.DateParts()
		n = int64(p.Year)*10000 + int64(p.Month)*100 + int64(p.Day)
	}
	if k != types.Date {
		n = n*1_000_000 + int64(p.Hour)*10000 + int64(p.Minute)*100 + int64(p.Second)
	}
	d := decimal.FromInt64(n)
	if fraction > 0 {
		micro, _ := decimal.Div(decimal.FromInt64(int64(p.Micro)), decimal.FromInt64(1_000_000), 6)
		d, _ = decimal.Add(d, micro)
		d, _ = d.Round(fraction, decimal.Truncate)
	}
	if p.Negative {
		d = d.Neg()
	}
	return d
}

// hybridInt is the number of a binary literal: its last eight bytes.
func hybridInt(s []byte) int64 {
	var n uint64
	for _, c := range s {
		n = n<<8 | uint64(c)
	}
	return int64(n)
}

// floatInt is a DOUBLE as an integer: rounded to even, the nearest bound if it is out of range.
func floatInt(_ *Frame, v float64) (int64, bool) {
	switch v = math.RoundToEven(v); {
	case v >= math.MaxInt64:
		return math.MaxInt64, false
	case v <= math.MinInt64:
		return math.MinInt64, false
	}
	return int64(v), false
}

// DecInt is a DECIMAL as an integer: rounded; the nearest bound if it is out of range, with warning 1916.
func DecInt(f *Frame, d decimal.Dec, unsigned bool) int64 {
	word := "INT"
	n, cond := d.Int64(decimal.HalfUp)
	if unsigned {
		var u uint64
		u, cond = d.Uint64(decimal.HalfUp)
		n, word = int64(u), "UNSIGNED INT"
	}
	if cond&decimal.Overflow != 0 {
		f.Warn(mysqlerr.DataOverflow, d.String(), word)
	}
	return n
}

func floatDec(f *Frame, v float64) (decimal.Dec, bool) {
	d, cond := decimal.FromFloat64(v)
	if cond&decimal.Overflow != 0 {
		f.Warn(mysqlerr.DataOverflow, "", "DECIMAL")
	}
	return d, false
}
