package operator

import (
	"bytes"
	"cmp"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
)

// extreme is LEAST (sign below 0) and GREATEST (above).
func extreme(name string, sign int) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		kind, err := extremeKind(name, args)
		if err != nil {
			return nil, err
		}
		if kind.Temporal() {
			return extremeTime(b, name, sign, kind, args)
		}
		t, out, err := extremeType(b, name, kind, args)
		if err != nil {
			return nil, err
		}
		for _, x := range args {
			t.Nullable = t.Nullable || x.Type.Nullable
		}
		switch t.Class() {
		case types.ClassInt:
			return bestOf(name, t, sign, intOrder(t.Unsigned, t.Unsigned), out, args).With(truths(args...)), nil
		case types.ClassFloat:
			return readAs(b, name, sign, bestOf(name, t, sign, cmp.Compare[float64], out, args), args), nil
		case types.ClassDec:
			return bestOf(name, t, sign, decimal.Cmp, out, args), nil
		}
		if kind == types.Null {
			return eval.NewNull(name, args...), nil
		}
		switch {
		case kind == types.UUID:
			return bestOf(name, t, sign, row.CompareUUIDs, out, args), nil
		case kind.Address():
			return bestOf(name, t, sign, bytes.Compare, out, args), nil
		}
		o, err := t.Collation.Order()
		if err != nil {
			return nil, mysqlerr.NotYet(err.Error())
		}
		return readAs(b, name, sign, bestOf(name, t, sign, o.Compare, out, args), args), nil
	}
}

// readAs lets a number of another kind be asked for: the arguments are compared as such numbers then.
func readAs(b *eval.Builder, name string, sign int, x *eval.Expr, args []*eval.Expr) *eval.Expr {
	float, dec, whole := types.DoubleType().NullIf(x.Type), types.DecimalType(b.DecimalOf(x.Type)).NullIf(x.Type), types.BigintType(21, false).NullIf(x.Type)
	if x.Type.Class() == types.ClassFloat {
		float = x.Type
	}
	return x.ReadAs(bestOf(name, float, sign, cmp.Compare[float64], converted(args, b.ToFloat), args),
		bestOf(name, dec, sign, decimal.Cmp, converted(args, b.ToDec), args),
		bestOf(name, whole, sign, cmp.Compare[int64], converted(args, b.ToInt), args))
}

// extremeKind is the kind in which LEAST and GREATEST compare: a temporal one if there is one, else text if all are text, else a number.
// An untyped NULL counts as text beside numbers.
func extremeKind(name string, args []*eval.Expr) (types.Kind, error) {
	kind, numbers := args[0].Type.Kind, 0
	for i, x := range args {
		k := x.Type.Kind
		if isNumber(k) {
			numbers++
		}
		if i == 0 {
			continue
		}
		met, ok := meetExtremes(kind, k)
		if !ok {
			return met, mysqlerr.New(mysqlerr.IllegalParameterTypes, nameOfKind(kind, args), nameOf(x), name)
		}
		kind = met
	}
	if numbers == len(args) && kind != types.Double || kind == types.Enum || kind == types.Set {
		return commonNumber(name, kind, args)
	}
	return kind, nil
}

func isNumber(k types.Kind) bool { return k > types.Null && k < types.Date }

// commonNumber is commonKind of numbers, where FLOAT stays only among FLOATs.
func commonNumber(name string, kind types.Kind, args []*eval.Expr) (types.Kind, error) {
	if kind == types.Float {
		for _, x := range args {
			if x.Type.Kind != types.Float {
				return types.Double, nil
			}
		}
	}
	return commonKind(name, args)
}

// meetExtremes is meetKinds for LEAST and GREATEST.
func meetExtremes(x, y types.Kind) (types.Kind, bool) {
	switch {
	case x.Address() || y.Address():
		return meetKinds(x, y)
	case x.Temporal() && y.Temporal():
		return meetKinds(x, y)
	case x.Temporal() || y.Temporal():
		if y.Temporal() {
			x = y
		}
		if x == types.Timestamp {
			return types.Datetime, true
		}
		return x, true
	case isNumber(x) != isNumber(y):
		return types.Double, true
	case x == types.Bit && y != types.Bit && isNumber(y): // commonKind looks closer
		x = types.Bigint
	case y == types.Bit && x != types.Bit && isNumber(x):
		y = types.Bigint
	}
	return meetKinds(x, y)
}

// extremeType is the type of LEAST and GREATEST of what is not temporal, with the arguments converted to its class.
func extremeType(b *eval.Builder, name string, kind types.Kind, args []*eval.Expr) (types.Type, []*eval.Expr, error) {
	switch class := kind.Class(); {
	case class == types.ClassFloat:
		digits := uint8(0)
		for _, x := range args {
			if !x.Null() {
				digits = max(digits, floatDigits(x.Type))
			}
		}
		t := types.DoubleType()
		if digits < types.NotFixed {
			t = types.FixedDoubleType(17+uint32(digits), digits)
		}
		t.Kind = kind
		return t, converted(args, b.ToFloat), nil
	case class == types.ClassDec:
		t, _ := mergeDecs(b, args)
		return t, converted(args, b.ToDec), nil
	case class == types.ClassText && kind != types.Null && !kind.Address():
		return mergeTexts(b, name, kind, true, args)
	}
	return mergeInto(b, name, kind, args)
}

func converted(args []*eval.Expr, f func(*eval.Expr) *eval.Expr) []*eval.Expr {
	out := make([]*eval.Expr, len(args))
	for i, x := range args {
		out[i] = f(x)
	}
	return out
}

// bestOf is the least or the greatest of values; the first one that is NULL ends it.
func bestOf[T eval.Scalar](name string, t types.Type, sign int, compare func(x, y T) int, values, args []*eval.Expr) *eval.Expr {
	forms := formsOf[T](values)
	return eval.New(name, t, func(f *eval.Frame) (best T, null bool) {
		for i, form := range forms {
			v, null := form(f)
			if null {
				return best, true
			}
			if i == 0 || compare(v, best)*sign > 0 {
				best = v
			}
		}
		return best, false
	}, args...)
}

// extremeTime is LEAST and GREATEST of dates and times, and of what is read as such.
func extremeTime(b *eval.Builder, name string, sign int, kind types.Kind, args []*eval.Expr) (*eval.Expr, error) {
	to := eval.KindOf(kind)
	mode := b.Env.Mode.Temporal()
	read := temporal.Mode{InvalidDates: true, RoundFraction: mode.RoundFraction}
	how := eval.Reading{Context: temporal.ContextOf(to), Mode: read, Comparing: kind != types.Time}
	moments := make([]eval.Moment, len(args))
	fraction, shown := 0, 0
	for i, x := range args {
		m, err := b.Moment(x, how)
		if err != nil {
			return nil, err
		}
		moments[i] = m
		if x.Null() {
			continue
		}
		if kind != types.Date {
			fraction = max(fraction, b.Fraction(x, how.Context))
		}
		if x.Type.Class() != types.ClassInt {
			shown = max(shown, min(int(x.Type.Decimals), temporal.FractionMax))
		}
	}
	t := types.TemporalType(kind, shown).OrNull()
	if kind != types.Date {
		t.Decimals = uint8(fraction)
	}
	t.Nullable = false
	for _, x := range args {
		t.Nullable = t.Nullable || x.Type.Nullable || !x.Type.Kind.Temporal()
	}
	checked := func(f *eval.Frame, best temporal.Packed) (temporal.Packed, bool) {
		if kind != types.Time && mode.Check(best) != 0 {
			v := temporal.Value{Packed: best, Kind: to}
			f.Diag.Warnf(mysqlerr.TruncatedWrongValue, "Incorrect %s value: '%s'", "datetime", v.Append(nil, temporal.AutoFraction))
			return 0, true
		}
		return best, false
	}
	if stamps := instants(args); kind == types.Timestamp && stamps != nil {
		best := bestOf[int64](name, momentType(), sign, cmp.Compare[int64], stamps, args)
		row := eval.Of[int64](best)
		return eval.New(name, t, func(f *eval.Frame) (temporal.Packed, bool) {
			m, null := row(f)
			if null {
				return 0, true
			}
			return checked(f, local(f, m))
		}, args...).At(best), nil
	}
	return eval.New(name, t, func(f *eval.Frame) (best temporal.Packed, null bool) {
		for i, m := range moments {
			v, null := m(f)
			if null {
				return 0, true
			}
			p := v.As(to, f.Today()).Packed
			if kind == types.Date {
				p = v.As(temporal.DateTime, f.Today()).Packed
			}
			if i == 0 || cmp.Compare(p, best)*sign > 0 {
				best = p
			}
		}
		switch kind {
		case types.Date:
			best = best.Date()
		case types.Time:
			best = best.Truncate(fraction) // the last moment that a TIME may be has more digits
		}
		return checked(f, best)
	}, args...), nil
}
