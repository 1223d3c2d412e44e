package number

import (
	"math"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

var logarithms = []eval.Def{
	{Name: "LN", Min: 1, Max: 1, Bind: logarithm("ln", ln)},
	{Name: "LOG", Min: 1, Max: 2, Bind: log},
	{Name: "LOG2", Min: 1, Max: 1, Bind: logarithm("log2", func(v float64) float64 { return ln(v) / math.Ln2 })},
	{Name: "LOG10", Min: 1, Max: 1, Bind: logarithm("log10", log10)},
}

// divisionByZero is what a logarithm of 0 or less says; it yields NULL.
func divisionByZero(f *eval.Frame) (float64, bool) {
	if f.Env.Mode.Has(types.ErrorForDivisionByZero) {
		f.Warn(mysqlerr.DivisionByZero)
	}
	return 0, true
}

func logarithm(name string, log func(float64) float64) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return eval.Map1(name, types.DoubleType().OrNull(), func(f *eval.Frame, v float64) (float64, bool) {
			if v <= 0 {
				return divisionByZero(f)
			}
			return log(v), false
		}, b.ToFloat(args[0])), nil
	}
}

// log is LOG(x) and LOG(base, x); the base is looked at before x is computed.
func log(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	if len(args) == 1 {
		return logarithm("log", ln)(b, args)
	}
	x, y := b.ToFloat(args[0]), b.ToFloat(args[1])
	base, value := eval.Of[float64](x), eval.Of[float64](y)
	return eval.New("log", types.DoubleType().OrNull(), func(f *eval.Frame) (float64, bool) {
		v, null := base(f)
		if null {
			return 0, true
		}
		if v <= 0 {
			return divisionByZero(f)
		}
		w, null := value(f)
		if null {
			return 0, true
		}
		if w <= 0 || v == 1 {
			return divisionByZero(f)
		}
		return ln(w) / ln(v), false
	}, x, y), nil
}
