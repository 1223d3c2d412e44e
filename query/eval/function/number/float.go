package number

import (
	"math"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

var floats = []eval.Def{
	{Name: "SQRT", Min: 1, Max: 1, Bind: partial("sqrt", math.Sqrt, func(v float64) bool { return v >= 0 })},
	{Name: "EXP", Min: 1, Max: 1, Bind: finite("exp", exp)},
	{Name: "SIN", Min: 1, Max: 1, Bind: finite("sin", sin)},
	{Name: "COS", Min: 1, Max: 1, Bind: finite("cos", cos)},
	{Name: "TAN", Min: 1, Max: 1, Bind: finite("tan", tan)},
	{Name: "COT", Min: 1, Max: 1, Bind: finite("cot", func(v float64) float64 { return 1 / tan(v) })},
	{Name: "ASIN", Min: 1, Max: 1, Bind: partial("asin", asin, unit)},
	{Name: "ACOS", Min: 1, Max: 1, Bind: partial("acos", acos, unit)},
	{Name: "ATAN", Min: 1, Max: 2, Bind: arctangent},
	{Name: "ATAN2", Min: 1, Max: 2, Bind: arctangent},
	{Name: "POW", Min: 2, Max: 2, Bind: pow},
	{Name: "POWER", Min: 2, Max: 2, Bind: pow},
	{Name: "DEGREES", Min: 1, Max: 1, Bind: scaled("degrees", 180/math.Pi)},
	{Name: "RADIANS", Min: 1, Max: 1, Bind: scaled("radians", math.Pi/180)},
	{Name: "PI", Bind: pi},
}

func unit(v float64) bool { return v >= -1 && v <= 1 }

// partial binds a function that is NULL where it is not defined.
func partial(name string, f func(float64) float64, defined func(float64) bool) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return eval.Map1(name, types.DoubleType().OrNull(), func(_ *eval.Frame, v float64) (float64, bool) {
			if !defined(v) {
				return 0, true
			}
			return f(v), false
		}, b.ToFloat(args[0])), nil
	}
}

// finite binds a function whose result is an error if it is infinite or no number.
func finite(name string, f func(float64) float64) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return finite1(b, name, types.DoubleType().OrNull(), f, args[0]), nil
	}
}

func finite1(b *eval.Builder, name string, t types.Type, f func(float64) float64, x *eval.Expr) *eval.Expr {
	var self *eval.Expr
	self = eval.Map1(name, t, func(fr *eval.Frame, v float64) (float64, bool) { return check(fr, self, f(v)) }, b.ToFloat(x))
	return self
}

// check lets a number pass. Error 1690 names the expression.
func check(f *eval.Frame, x *eval.Expr, v float64) (float64, bool) {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		f.Fail(mysqlerr.DataOutOfRange, "DOUBLE", x.String())
		return 0, true
	}
	return v, false
}

func scaled(name string, factor float64) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return finite1(b, name, types.DoubleType().NullIf(args[0].Type), func(v float64) float64 { return v * factor }, args[0]), nil
	}
}

func arctangent(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	t := types.DoubleType().OrNull()
	if len(args) == 1 {
		return finite1(b, "atan", t, atan, args[0]), nil
	}
	return eval.Map2("atan", t, func(_ *eval.Frame, y, x float64) (float64, bool) { return atan2(y, x), false },
		b.ToFloat(args[0]), b.ToFloat(args[1])), nil
}

// pow computes both arguments even if the first is NULL.
func pow(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x, y := b.ToFloat(args[0]), b.ToFloat(args[1])
	base, exponent := eval.Of[float64](x), eval.Of[float64](y)
	var self *eval.Expr
	self = eval.New("pow", types.DoubleType().OrNull(), func(f *eval.Frame) (float64, bool) {
		v, null := base(f)
		w, other := exponent(f)
		if null || other {
			return 0, true
		}
		return check(f, self, power(v, w))
	}, x, y)
	return self, nil
}

func pi(_ *eval.Builder, _ []*eval.Expr) (*eval.Expr, error) {
	return eval.New("pi", types.FixedDoubleType(8, 6), func(*eval.Frame) (float64, bool) { return math.Pi, false }), nil
}
