package operator

import (
	"cmp"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Between is x BETWEEN low AND high.
func Between(b *eval.Builder, x, low, high *eval.Expr) (*eval.Expr, error) {
	written := []*eval.Expr{x, low, high}
	within, err := within(b, x, low, high)
	if err != nil {
		return nil, err
	}
	return condition("between", mayBeNull(b, types.BoolType().NullIf(x.Type, low.Type, high.Type), written...), within, written...).Printed(func(dst []byte) []byte {
		dst = append(x.Print(dst), " between "...)
		dst = append(low.Print(dst), " and "...)
		return high.Print(dst)
	}), nil
}

// within is the test of BETWEEN: all three are compared as what they are together.
func within(b *eval.Builder, x, low, high *eval.Expr) (test, error) {
	if test, err := lateBounds(b, x, low, high); test != nil || err != nil {
		return test, err
	}
	low, high, exact, err := keptBounds(b, x, low, high)
	if err != nil {
		return nil, err
	}
	args := []*eval.Expr{x, low, high}
	if m := instants(args); m != nil {
		args = m
		x, low, high = m[0], m[1], m[2]
	}
	how := alone(x.Type)
	for _, a := range args[1:] { // a NULL is a text here
		if how, err = how.with(alone(a.Type), false); err != nil {
			return nil, mysqlerr.New(mysqlerr.IllegalParameterTypes, nameOf(x), nameOf(a), "between")
		}
	}
	if exact {
		how.Class = types.ClassDec
	}
	if how.Kind == types.Varchar {
		a, texts, err := agree(b, "between", args...)
		if err != nil {
			return nil, err
		}
		how.Collation, args = a.Collation, texts
	}
	signs := [3]bool{x.Type.Unsigned, low.Type.Unsigned, high.Type.Unsigned}
	for i, a := range args {
		bring := how.bring
		if how.Class == types.ClassTime || exact {
			bring = how.once
		}
		if args[i], err = bring(b, a); err != nil {
			return nil, err
		}
	}
	switch how.Class {
	case types.ClassInt:
		return enclosed(args, intOrder(signs[0], signs[1]), intOrder(signs[0], signs[2])), nil
	case types.ClassFloat:
		return enclosed(args, cmp.Compare[float64], cmp.Compare[float64]), nil
	case types.ClassDec:
		return enclosed(args, decimal.Cmp, decimal.Cmp), nil
	case types.ClassTime:
		return enclosed(args, cmp.Compare[temporal.Packed], cmp.Compare[temporal.Packed]), nil
	}
	compare, err := how.texts()
	if err != nil {
		return nil, err
	}
	return enclosed(args, compare, compare), nil
}

// lateBounds is the test of a column of YEAR where only a run of the statement says whether the column keeps a bound, and so how all three are compared; nil where
// that is known.
func lateBounds(b *eval.Builder, x, low, high *eval.Expr) (test, error) {
	if !wholeColumn(x) || x.Type.Kind != types.Year || low.Type.Class() == types.ClassTime || high.Type.Class() == types.ClassTime {
		return nil, nil //nolint:nilnil // see above
	}
	bounds := [2]*eval.Expr{low, high}
	for i, y := range bounds {
		if y.Is(eval.Volatile) {
			return nil, mysqlerr.Never("BETWEEN of a year and a value that is computed for each row")
		}
		k, err := keptBy(b, x, y)
		if err != nil {
			return nil, err
		}
		if k == nil || y.Type.Kind.Integer() {
			continue
		}
		if _, _, known, err := settledNow(b, x, y); known || err != nil {
			continue // keptBounds says so
		}
		slot := b.Slot()
		looked := func(f *eval.Frame) *keptValue {
			v := eval.StateOf[keptValue](f, slot)
			if !v.done {
				v.n, v.ok = k(f)
				v.done = true
			}
			return v
		}
		kept, plain := bounds, bounds
		kept[i] = inColumn(x, y, func(f *eval.Frame) (int64, bool) { v := looked(f); return v.n, v.ok })
		plain[i] = y.Unsettled()
		as, err := within(b, x, kept[0], kept[1])
		if err != nil {
			return nil, err
		}
		is, err := within(b, x, plain[0], plain[1])
		if err != nil {
			return nil, err
		}
		return func(f *eval.Frame) (bool, bool) {
			if looked(f).ok {
				return as(f)
			}
			return is(f)
		}, nil
	}
	return nil, nil //nolint:nilnil // see above
}

// keptBounds makes constant bounds of a column of YEAR or BIGINT what the column keeps of them, if none of them is a date or time. Of texts that are bounds of a
// BIGINT exact says that they are compared as DECIMALs: more numbers of 64 bits differ than DOUBLEs do.
func keptBounds(b *eval.Builder, x, low, high *eval.Expr) (_, _ *eval.Expr, exact bool, err error) {
	bounds := [2]*eval.Expr{low, high}
	for _, y := range bounds {
		if y.Type.Class() == types.ClassTime {
			return low, high, false, nil
		}
	}
	if !wholeColumn(x) {
		return low, high, false, nil
	}
	whole, texts := 0, 0
	for i, y := range bounds {
		z, converted, ok, err := settledNow(b, x, y)
		switch {
		case err != nil:
			return nil, nil, false, err
		case !ok:
			if z, ok, err = keptLater(b, x, y); err != nil {
				return nil, nil, false, err
			}
			if !ok {
				return nil, nil, false, mysqlerr.Never("BETWEEN of a " + x.Type.Name() + " and a time that is no literal")
			}
			converted = y.Type.Kind.Integer()
		case y.Is(eval.Constant) && y.Type.Kind.IsString() && !y.Type.Hybrid && x.Type.Kind == types.Bigint && y.Type.Collation.Set().ASCIIBytes():
			texts, converted = texts+1, true
			if y.Is(eval.Literal) {
				whole, fits := wholeText(y.Value.Text, x.Type.Unsigned)
				if !whole {
					return nil, nil, false, mysqlerr.NotYet("BETWEEN of a BIGINT and a text that is no integer")
				}
				converted = fits
			}
		}
		if bounds[i] = z; converted {
			whole++
		}
	}
	return bounds[0], bounds[1], texts > 0 && whole == len(bounds), nil
}

// wholeText reports whether a text is, as far as it is a number, an integer, and whether a BIGINT has it.
func wholeText(s []byte, unsigned bool) (whole, fits bool) {
	d, some := eval.LeadingDec(s)
	n, cond := d.Round(0, decimal.Truncate)
	whole = some && cond&decimal.Overflow == 0 && decimal.Cmp(n, d) == 0
	if unsigned {
		_, cond = d.Uint64(decimal.Truncate)
	} else {
		_, cond = d.Int64(decimal.Truncate)
	}
	return whole, cond&decimal.Overflow == 0
}

func enclosed[T eval.Scalar](args []*eval.Expr, toLow, toHigh func(x, y T) int) test {
	forms := formsOf[T](args)
	return func(f *eval.Frame) (bool, bool) {
		v, null := forms[0](f)
		if null {
			return false, true
		}
		low, noLow := forms[1](f)
		high, noHigh := forms[2](f)
		if !noLow && toLow(v, low) < 0 || !noHigh && toHigh(v, high) > 0 {
			return false, false
		}
		return !noLow && !noHigh, noLow || noHigh
	}
}
