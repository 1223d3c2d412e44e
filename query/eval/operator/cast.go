package operator

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
)

// Cast is CAST(x AS type).
func Cast(b *eval.Builder, x *eval.Expr, t *tree.CastType) (*eval.Expr, error) {
	if x.Null() || x.Type.Kind.Address() {
		return nil, mysqlerr.NotYet("CAST of " + x.Type.Name())
	}
	switch t.Kind {
	case tree.CastDouble:
		if t.Length == nil && x.Type.Class() == types.ClassText && !x.Type.Hybrid {
			out := eval.Map1("cast", types.FixedDoubleType(22, types.NotFixed).OrNull(), func(_ *eval.Frame, v float64) (float64, bool) {
				return v, false
			}, b.ToFloat(x))
			return castPrinted(out, x, "double"), nil
		}
	case tree.CastSigned, tree.CastUnsigned:
		return castInt(b, x, t.Kind == tree.CastUnsigned)
	case tree.CastDecimal:
		return castDecimal(b, x, t)
	}
	return nil, mysqlerr.NotYet("CAST")
}

func castPrinted(out, x *eval.Expr, kind string) *eval.Expr {
	return out.Printed(func(dst []byte) []byte {
		dst = append(x.Print(append(dst, "cast("...)), " as "...)
		return append(append(dst, kind...), ')')
	})
}

// castInt is CAST(x AS SIGNED) and UNSIGNED of integers that it leaves as they are.
func castInt(b *eval.Builder, x *eval.Expr, unsigned bool) (*eval.Expr, error) {
	if x.Type.Class() != types.ClassInt || x.Type.Unsigned != unsigned && !x.Is(eval.Literal) {
		return nil, mysqlerr.NotYet("CAST as an integer")
	}
	if x.Type.Unsigned != unsigned && x.Value.Int < 0 {
		return nil, mysqlerr.NotYet("CAST of an integer that does not fit")
	}
	length, kind := max(x.Type.Length, 1), "signed"
	if unsigned {
		kind = "unsigned"
	}
	out := eval.Map1("cast", types.IntType(length, unsigned).NullIf(x.Type), func(_ *eval.Frame, v int64) (int64, bool) {
		return v, false
	}, b.ToInt(x))
	return castPrinted(out, x, kind), nil
}

// castDecimal is CAST(x AS DECIMAL(precision, scale)): errors 1425 to 1427 for types that there are not.
func castDecimal(b *eval.Builder, x *eval.Expr, t *tree.CastType) (*eval.Expr, error) {
	precision, scale := uint64(10), uint64(0)
	if t.Length != nil && *t.Length > 0 {
		precision = *t.Length
	}
	if t.Decimals != nil {
		scale = *t.Decimals
	}
	switch {
	case scale > decimal.ScaleMax:
		return nil, mysqlerr.New(mysqlerr.TooBigScale, x.String(), decimal.ScaleMax)
	case precision > decimal.PrecisionMax:
		return nil, mysqlerr.New(mysqlerr.TooBigPrecision, x.String(), decimal.PrecisionMax)
	case precision < scale:
		return nil, mysqlerr.New(mysqlerr.MBiggerThanD, "")
	}
	// Warning 1264 about a value that does not fit has the text of the whole column of the select list, which is not known here.
	if from := decOf(b, x); x.Type.Class() == types.ClassText || x.Type.Class() == types.ClassFloat ||
		int(precision-scale) <= from.Precision-from.Scale {
		return nil, mysqlerr.NotYet("CAST as a DECIMAL that may be too small")
	}
	d := decimal.Type{Precision: int(precision), Scale: int(scale)}
	out := eval.Map1("cast", types.DecimalType(d).NullIf(x.Type), func(_ *eval.Frame, v decimal.Dec) (decimal.Dec, bool) {
		v, _ = v.Cast(d.Precision, d.Scale)
		return v, false
	}, b.ToDec(x))
	return castPrinted(out, x, "decimal"), nil
}
