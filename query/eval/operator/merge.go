package operator

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Merge settles the type in which the results of an operation of this name meet (IF, COALESCE, CASE), and converts them to it. The
// result is nullable if one argument is. Error 4078 says that they do not meet: an address and a number, two kinds of addresses.
func Merge(b *eval.Builder, name string, args ...*eval.Expr) (types.Type, []*eval.Expr, error) {
	kind, err := commonKind(name, args)
	if err != nil {
		return types.Type{}, nil, err
	}
	return mergeInto(b, name, kind, args)
}

// mergeInto converts results to a kind on which they agreed.
func mergeInto(b *eval.Builder, name string, kind types.Kind, args []*eval.Expr) (t types.Type, out []*eval.Expr, err error) {
	switch class := kind.Class(); {
	case kind == types.Null:
		return types.NullType(), args, nil
	case kind.Address():
		t = eval.AddressType(kind)
		out = mapped(args, func(x *eval.Expr) *eval.Expr { return b.ToAddress(x, kind) })
	case class == types.ClassText:
		t, out, err = mergeTexts(b, name, kind, false, args)
	case class == types.ClassTime:
		t = types.TemporalType(kind, fractionOf(args))
		if out, err = mergeTimes(b, kind, args); kind == types.Timestamp {
			t.Unsigned = true
		}
	case class == types.ClassFloat:
		t, out = floatsType(kind, args), mapped(args, b.ToFloat)
	case class == types.ClassDec:
		t, out = mergeDecs(b, args)
	default:
		t, out = intsType(b, kind, args), mapped(args, b.ToInt)
	}
	for _, x := range out {
		t.Nullable = t.Nullable || x.Type.Nullable
	}
	return t, out, err
}

func mapped(xs []*eval.Expr, f func(*eval.Expr) *eval.Expr) []*eval.Expr {
	out := make([]*eval.Expr, len(xs))
	for i, x := range xs {
		if out[i] = x; !x.Null() {
			out[i] = f(x)
		}
	}
	return out
}

// commonKind is the kind in which results meet: pairwise from left to right, where BIT beside other numbers is a BIGINT without a sign.
// Integers with and without a sign meet as DECIMAL; a NULL among them counts as one with a sign.
func commonKind(name string, args []*eval.Expr) (types.Kind, error) {
	kind, bits, unsigned := args[0].Type.Kind, false, 0
	for i, x := range args {
		k := x.Type.Kind
		if x.Type.Unsigned {
			unsigned++
		}
		if i == 0 {
			continue
		}
		if k != types.Null && kind != types.Null && (k == types.Bit) != (kind == types.Bit) && !stringOrTime(k) && !stringOrTime(kind) {
			bits = true
			if k == types.Bit {
				k = types.Bigint
			} else {
				kind = types.Bigint
			}
		}
		met, ok := meetKinds(kind, k)
		if !ok {
			return met, mysqlerr.New(mysqlerr.IllegalParameterTypes, nameOfKind(kind, args), nameOf(x), name)
		}
		kind = met
	}
	switch {
	case kind == types.Enum || kind == types.Set:
		return types.Varchar, nil
	case kind.Integer() && unsigned > 0 && unsigned < len(args):
		return types.Decimal, nil
	case kind.Integer() && bits && longest(args) <= 10:
		return types.Int, nil
	}
	return kind, nil
}

func stringOrTime(k types.Kind) bool {
	return k.IsString() || k.Temporal() || k == types.Enum || k == types.Set || k.Address()
}

// nameOfKind is the name of a kind in which arguments met.
func nameOfKind(k types.Kind, args []*eval.Expr) string {
	for _, x := range args {
		if x.Type.Kind == k {
			return nameOf(x)
		}
	}
	return k.String()
}

// nameOf is what error messages call the type of an expression.
func nameOf(x *eval.Expr) string {
	if x.Is(eval.Bool) {
		return "boolean"
	}
	return x.Type.Name()
}

func longest(args []*eval.Expr) uint32 {
	n := uint32(0)
	for _, x := range args {
		n = max(n, x.Type.Length)
	}
	return n
}

// meetKinds is the kind of a result that is of one kind or the other; ok is false if there is none.
func meetKinds(x, y types.Kind) (k types.Kind, ok bool) {
	if x > y {
		x, y = y, x // by the order of the kinds
	}
	switch {
	case x == types.Null:
		return y, true
	case y.Address():
		return y, x == y || x.IsString() || x == types.Enum || x == types.Set
	case x == y && x != types.Enum && x != types.Set:
		return x, true
	case y < types.Date:
		return meetNumbers(x, y), true
	case x.Temporal() && y.Temporal():
		return types.Datetime, true
	case y.Temporal(), y == types.Enum || y == types.Set:
		if x.Blob() {
			return types.Longtext, true
		}
		return types.Varchar, true
	case y.Blob():
		return types.Longtext, true
	case y == types.Char && (x < types.Char):
		return types.Char, true
	}
	return types.Varchar, true
}

// meetNumbers is meetKinds of two numbers of different kinds, the first one being the lower.
func meetNumbers(x, y types.Kind) types.Kind {
	switch {
	case y == types.Year && x.Integer():
		return x
	case y == types.Float && (x <= types.Mediumint || x == types.Year):
		return types.Float
	case y >= types.Float:
		return types.Double
	}
	return y // integers by their size, then DECIMAL
}

// intsType is the type of integers, of YEAR and of BIT.
func intsType(b *eval.Builder, kind types.Kind, args []*eval.Expr) types.Type {
	t := types.Type{Kind: kind, Unsigned: true, Derivation: charset.Numeric, ASCII: true}
	if !kind.Integer() {
		t.Length = longest(args)
		return t
	}
	digits := 0
	for _, x := range args {
		t.Unsigned = t.Unsigned && (x.Type.Unsigned || x.Null())
		if !x.Null() {
			digits = max(digits, decOf(b, x).Precision)
		}
	}
	if !t.Unsigned {
		digits++
	}
	t.Length = uint32(digits)
	return t
}

// floatsType is the type of FLOATs or DOUBLEs: digits after the point are fixed if they are so in all of them.
func floatsType(kind types.Kind, args []*eval.Expr) types.Type {
	t := types.Type{Kind: kind, Derivation: charset.Numeric, ASCII: true}
	whole, longest := uint32(0), uint32(0)
	for _, x := range args {
		if x.Null() {
			continue
		}
		decimals := floatDigits(x.Type)
		if t.Decimals < types.NotFixed {
			t.Decimals = max(t.Decimals, decimals)
			whole = max(whole, x.Type.Width()-min(x.Type.Width(), uint32(decimals)))
		}
		longest = max(longest, x.Type.Width())
	}
	if t.Length = longest; t.Decimals < types.NotFixed {
		t.Length = whole + uint32(t.Decimals)
	}
	return t
}

func mergeDecs(b *eval.Builder, args []*eval.Expr) (types.Type, []*eval.Expr) {
	whole, scale, unsigned := 0, 0, true
	for _, x := range args {
		if x.Null() {
			unsigned = false
			continue
		}
		d := decOf(b, x)
		scale = max(scale, min(d.Scale, decimal.ScaleMax))
		whole = max(whole, d.Precision-d.Scale)
		unsigned = unsigned && x.Type.Unsigned
	}
	d := decimal.Type{Precision: min(whole+scale, decimal.PrecisionMax), Scale: scale, Unsigned: unsigned}
	return types.DecimalType(d), mapped(args, b.ToDec)
}

// fractionOf is how many digits of seconds results have.
func fractionOf(args []*eval.Expr) int {
	n := 0
	for _, x := range args {
		if !x.Null() {
			n = max(n, min(int(x.Type.Decimals), temporal.FractionMax))
		}
	}
	return n
}

// mergeTimes converts temporal values to one kind: a TIME becomes a DATETIME of the statement's day.
func mergeTimes(b *eval.Builder, kind types.Kind, args []*eval.Expr) ([]*eval.Expr, error) {
	return mapped(args, func(x *eval.Expr) *eval.Expr {
		if x.Type.Kind == kind {
			return x
		}
		t := types.TemporalType(kind, int(x.Type.Decimals)).NullIf(x.Type)
		if x.Type.Kind != types.Time {
			return eval.Map1("", t, func(_ *eval.Frame, v temporal.Packed) (temporal.Packed, bool) { return v, false }, x).As(x)
		}
		return eval.Map1("", t, func(f *eval.Frame, v temporal.Packed) (temporal.Packed, bool) {
			return temporal.Value{Packed: v, Kind: temporal.Time}.As(temporal.DateTime, f.Today()).Packed, false
		}, x).As(x)
	}), nil
}

// characters is how many characters a result has at most: of a TEXT as many as bytes.
func characters(t types.Type) uint64 {
	if t.Kind.Blob() && t.Kind != types.Longtext {
		return t.Bytes()
	}
	return uint64(t.Width())
}

// bytesOf is how many bytes a text has among bytes: of a TEXT column as many as it has characters.
func bytesOf(t types.Type) uint64 {
	if t.Octets > 0 && t.Kind != types.Longtext {
		return uint64(t.Length)
	}
	return t.Bytes()
}

// mergeTexts converts results to text of one collation, which they must have if they are compared.
func mergeTexts(b *eval.Builder, name string, kind types.Kind, comparing bool, args []*eval.Expr) (types.Type, []*eval.Expr, error) {
	a, texts, err := b.Agree(name, comparing, args...)
	if err != nil {
		return types.Type{}, nil, err
	}
	length, hybrid, json := uint64(0), true, true
	for _, x := range args {
		if x.Null() {
			continue
		}
		hybrid, json = hybrid && x.Type.Hybrid, json && x.Type.JSON
		switch {
		case a.Collation.Set().Name() == "binary" && x.Type.Collation != nil:
			length = max(length, bytesOf(x.Type))
		case a.Collation.Set().Name() == "binary" && x.Type.Zerofill: // its digits as they are shown
			length = max(length, uint64(x.Type.Length))
		default:
			length = max(length, characters(x.Type))
		}
	}
	t := textOfKind(kind, length, a)
	if t.JSON = json; length == 0 {
		t.Decimals = 0
	}
	if hybrid {
		t.Hybrid, t.Unsigned, t.Decimals = true, true, 0
	}
	return t, texts, nil
}

// textOfKind is the type of text of at most so many characters, which is CHAR, VARCHAR or one of the TEXT types.
func textOfKind(kind types.Kind, length uint64, a charset.Aggregation) types.Type {
	t := eval.TextOf(a, length)
	switch bytes := length * uint64(a.Collation.Set().MaxLen()); {
	case kind == types.Char && t.Kind == types.Varchar:
		t.Kind = types.Char
	case !kind.Blob():
	case bytes < 1<<8:
		t.Kind = types.Tinytext
	case bytes < 1<<16:
		t.Kind = types.Text
	case bytes < 1<<24:
		t.Kind = types.Mediumtext
	default:
		t.Kind = types.Longtext
	}
	if kind.Blob() && length < 1<<26 {
		t.Octets, t.Length = t.Length, t.Length/uint32(a.Collation.Set().MaxLen()) // the characters count as bytes
	}
	return t
}
