package operator

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// castNames are how error 4079 calls a CAST of what cannot become its type.
var castNames = map[tree.CastKind]string{
	tree.CastSigned: "cast_as_signed", tree.CastUnsigned: "cast_as_unsigned", tree.CastDouble: "double_typecast", tree.CastFloat: "float_typecast",
	tree.CastDecimal: "decimal_typecast", tree.CastDate: "cast_as_date", tree.CastTime: "cast_as_time", tree.CastDatetime: "cast_as_datetime",
}

// Cast is CAST(x AS type) and CONVERT(x, type): error 4079 for an address that becomes a number or a date.
func Cast(b *eval.Builder, x *eval.Expr, t *tree.CastType) (*eval.Expr, error) {
	if name, ok := castNames[t.Kind]; ok && x.Type.Kind.Address() {
		return nil, mysqlerr.New(mysqlerr.IllegalParameterDataType, x.Type.Name(), name)
	}
	switch t.Kind {
	case tree.CastBinary, tree.CastChar, tree.CastVarchar, tree.CastNchar:
		return castText(b, x, t)
	case tree.CastSigned, tree.CastUnsigned:
		return castInt(b, x, t.Kind == tree.CastUnsigned), nil
	case tree.CastDecimal:
		return castDecimal(b, x, t)
	case tree.CastDouble:
		return castDouble(b, x, t)
	case tree.CastFloat:
		return castFloat(b, x), nil
	case tree.CastDate:
		return castTime(b, x, types.Date, t)
	case tree.CastTime:
		return castTime(b, x, types.Time, t)
	case tree.CastDatetime:
		return castTime(b, x, types.Datetime, t)
	case tree.CastNamed:
		return castAddress(b, x, t.Name.Text)
	case tree.CastInterval:
		return castInterval(b, x, t)
	}
	return nil, mysqlerr.NotYet("such a CAST")
}

func castPrinted(out, x *eval.Expr, kind string) *eval.Expr {
	return out.Printed(func(dst []byte) []byte {
		dst = append(x.Print(append(dst, "cast("...)), " as "...)
		return append(append(dst, kind...), ')')
	})
}

var addressKinds = map[string]types.Kind{"uuid": types.UUID, "inet4": types.Inet4, "inet6": types.Inet6}

// shapes are the spatial types, to which nothing is cast.
var shapes = map[string]bool{
	"geometry": true, "point": true, "linestring": true, "polygon": true, "multipoint": true, "multilinestring": true, "multipolygon": true,
	"geometrycollection": true,
}

func castAddress(b *eval.Builder, x *eval.Expr, name string) (*eval.Expr, error) {
	kind, ok := addressKinds[strings.ToLower(name)]
	if shape := strings.ToLower(name); shapes[shape] {
		return nil, mysqlerr.New(mysqlerr.UnknownOperator, "CAST(expr AS "+shape+")")
	}
	if !ok {
		return nil, mysqlerr.New(mysqlerr.UnknownDataType, name)
	}
	y := b.ToAddress(x, kind)
	t := y.Type
	if t.Nullable && !x.Type.Nullable && !x.Is(eval.Literal) && x.Type.Kind != kind {
		t.Nullable = !b.IsAddress(x, kind)
	}
	out := eval.New("cast", t, eval.Of[[]byte](y), x)
	return castPrinted(out, x, kind.String()), nil
}

// written is how errors about the type of a CAST call what is cast: a text by its value.
func written(x *eval.Expr) string {
	if x.Is(eval.Literal) && x.Type.Class() == types.ClassText && !x.Null() {
		return types.Shown(x.Type.Collation.Set(), x.Value.Text)
	}
	return x.String()
}

func castTime(b *eval.Builder, x *eval.Expr, kind types.Kind, t *tree.CastType) (*eval.Expr, error) {
	fraction := 0
	if t.Length != nil {
		if *t.Length > temporal.FractionMax {
			return nil, mysqlerr.New(mysqlerr.TooBigPrecision, written(x), temporal.FractionMax)
		}
		fraction = int(*t.Length)
	}
	y, err := b.ToTime(x, kind, fraction)
	if err != nil {
		return nil, err
	}
	return castPrinted(y, x, kind.String()), nil
}

// signedMax is the longest integer as text.
const signedMax = 21

// integerLength is the length that CAST gives an integer made of an argument.
func integerLength(x *eval.Expr, unsigned bool) uint32 {
	if x.Type.Hybrid {
		digits := [...]uint32{0: 2, 1: 3, 2: 5, 3: 8, 4: 10, 5: 13, 6: 15, 7: 17, 8: 20}
		return digits[min(int(x.Type.Length), len(digits)-1)]
	}
	class := x.Type.Class()
	switch {
	case x.Null() && unsigned:
		return 1
	case unsigned && x.Is(eval.Literal) && class == types.ClassInt && x.Value.Int >= 0:
		return x.Type.Length
	case unsigned && class == types.ClassText && x.Type.Length <= 1:
		return 1
	case class == types.ClassFloat, unsigned && !x.Type.Unsigned && x.Type.Kind != types.Timestamp:
		return 20
	}
	length := uint32(min(characters(x.Type), signedMax))
	if unsigned {
		return max(length, 1)
	}
	return max(length, 2)
}

// castPrecision is how many digits arithmetic takes a CAST to an integer to have: as many as what is cast. Those of INTERVAL are two.
func castPrecision(b *eval.Builder, x *eval.Expr) int {
	of := x.Args[0]
	class := of.Type.Class()
	switch {
	case x.Name == "interval":
		return int(x.Type.Length)
	case of.Null():
		return 1
	case of.Type.Hybrid:
		return int(x.Type.Length)
	case x.Type.Unsigned && x.Type.Length == 20 && !of.Type.Unsigned:
		return 20
	case class == types.ClassFloat, class == types.ClassText:
		return int(min(characters(of.Type), decimal.PrecisionMax))
	}
	return decOf(b, of).Precision
}

// castIntType is the type of CAST AS SIGNED and UNSIGNED: INT if it is short enough.
func castIntType(x *eval.Expr, unsigned bool) types.Type {
	t := types.IntType(integerLength(x, unsigned), unsigned)
	if unsigned && t.Length == 10 {
		t.Kind = types.Int
	}
	return t.NullIf(x.Type)
}

func castInt(b *eval.Builder, x *eval.Expr, unsigned bool) *eval.Expr {
	t, kind, signed := castIntType(x, unsigned), "signed", !x.Type.Unsigned
	if unsigned {
		kind = "unsigned"
	}
	var out *eval.Expr
	switch class := x.Type.Class(); {
	case x.Null(), x.Type.Hybrid:
		out = eval.New("cast", t, eval.Of[int64](b.ToInt(x)), x)
	case class == types.ClassFloat:
		out = eval.Map1("cast", t, func(f *eval.Frame, v float64) (int64, bool) { return castFloatInt(f, v, unsigned), false }, x)
	case class == types.ClassDec:
		out = eval.Map1("cast", t, func(f *eval.Frame, d decimal.Dec) (int64, bool) { return eval.DecInt(f, d, unsigned), false }, x)
	case class == types.ClassText:
		set := x.Type.Collation.Set()
		out = eval.Map1("cast", t, func(f *eval.Frame, s []byte) (int64, bool) { return eval.CastInt(f, set, s, unsigned), false }, x)
	case class == types.ClassTime && unsigned:
		kind := eval.KindOf(x.Type.Kind)
		out = eval.Map1("cast", t, func(f *eval.Frame, p temporal.Packed) (int64, bool) {
			v := temporal.Value{Packed: p, Kind: kind}
			if v.Int() < 0 {
				f.Note(mysqlerr.DataOverflow, string(v.Append(nil, temporal.AutoFraction)), "UNSIGNED BIGINT")
				return 0, false
			}
			return v.Int(), false
		}, x)
	case class == types.ClassInt && unsigned && signed && (x.Type.Kind.Integer()):
		out = eval.Map1("cast", t, func(f *eval.Frame, n int64) (int64, bool) {
			if n < 0 {
				f.Diag.Notef(mysqlerr.UnknownError, "%s", eval.ToComplement)
			}
			return n, false
		}, x)
	default:
		out = eval.Map1("cast", t, func(_ *eval.Frame, n int64) (int64, bool) { return n, false }, b.ToInt(x))
	}
	return castPrinted(out.Taking(x), x, kind)
}

// castDecimalType is the precision and scale of a CAST. Errors 1425 to 1427 are of types that there are not.
func castDecimalType(x *eval.Expr, t *tree.CastType) (decimal.Type, error) {
	precision, scale := uint64(10), uint64(0)
	if t.Length != nil && *t.Length > 0 {
		precision = *t.Length
	}
	if t.Decimals != nil {
		scale = *t.Decimals
	}
	if t.Length != nil && *t.Length == 0 && scale > 0 {
		precision = 0
	}
	switch {
	case precision < scale && scale <= decimal.ScaleMax:
		return decimal.Type{}, mysqlerr.New(mysqlerr.MBiggerThanD, "")
	case scale > decimal.ScaleMax:
		return decimal.Type{}, mysqlerr.New(mysqlerr.TooBigScale, written(x), decimal.ScaleMax)
	case precision > decimal.PrecisionMax:
		return decimal.Type{}, mysqlerr.New(mysqlerr.TooBigPrecision, written(x), decimal.PrecisionMax)
	}
	return decimal.Type{Precision: int(precision), Scale: int(scale)}, nil
}

// outOfRange fails where warning 1264 is due and is not known: of CAST to floating point numbers, and where it has the text of the CAST.
func outOfRange(f *eval.Frame) {
	f.Diag.Fail(mysqlerr.NotYet("CAST of a number that is too large"))
}

func castDecimal(b *eval.Builder, x *eval.Expr, t *tree.CastType) (*eval.Expr, error) {
	d, err := castDecimalType(x, t)
	if err != nil {
		return nil, err
	}
	x.Call("") // of a CAST in a CAST, MariaDB says other rows
	label := eval.NewLabel()
	out := eval.Map1("cast", types.DecimalType(d).NullIf(x.Type), func(f *eval.Frame, v decimal.Dec) (decimal.Dec, bool) {
		v, cond := v.Cast(d.Precision, d.Scale)
		if cond&decimal.Overflow != 0 {
			if label.Name() == "" {
				outOfRange(f)
				return v, true
			}
			f.Warn(mysqlerr.WarnDataOutOfRange, label.Name(), max(f.Row, 1))
		}
		return v, false
	}, b.ToDec(x)).Labelled(label)
	return castPrinted(out, x, string(appendPair([]byte("decimal"), d.Precision, d.Scale))), nil
}
