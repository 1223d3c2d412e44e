package number

import (
	"math"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
)

func abs(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := numeric(b, args[0])
	switch x.Type.Class() {
	case types.ClassInt:
		t := types.IntType(args[0].Type.Width(), x.Type.Unsigned).NullIf(args[0].Type)
		if x.Type.Unsigned {
			return eval.Map1("abs", t, func(_ *eval.Frame, n int64) (int64, bool) { return n, false }, x), nil
		}
		var self *eval.Expr
		self = eval.Map1("abs", t, func(f *eval.Frame, n int64) (int64, bool) {
			if n == math.MinInt64 {
				f.Fail(mysqlerr.DataOutOfRange, "BIGINT", self.String())
				return 0, true
			}
			return max(n, -n), false
		}, x)
		return self, nil
	case types.ClassDec:
		t := types.DecimalType(decimal.AbsType(x.Type.Dec)).NullIf(args[0].Type)
		if args[0].Type.Class() == types.ClassTime {
			t.Length = args[0].Type.Length // its delimiters count
		}
		return eval.Map1("abs", t, func(_ *eval.Frame, d decimal.Dec) (decimal.Dec, bool) { return d.Abs(), false }, x), nil
	}
	t := floatType(floatDecimals(args[0])).NullIf(args[0].Type)
	t.Unsigned = args[0].Type.Unsigned
	return eval.Map1("abs", t, func(_ *eval.Frame, v float64) (float64, bool) { return math.Abs(v), false }, x), nil
}

func sign(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	t := types.LongType(2).NullIf(args[0].Type)
	x := numeric(b, args[0])
	switch x.Type.Class() {
	case types.ClassInt:
		unsigned := x.Type.Unsigned
		return eval.Map1("sign", t, func(_ *eval.Frame, n int64) (int64, bool) {
			if n < 0 && !unsigned {
				return -1, false
			}
			return min(n&math.MaxInt64|int64(uint64(n)>>63), 1), false
		}, x), nil
	case types.ClassDec:
		return eval.Map1("sign", t, func(_ *eval.Frame, d decimal.Dec) (int64, bool) {
			switch {
			case d.IsZero():
				return 0, false
			case d.Negative():
				return -1, false
			}
			return 1, false
		}, x), nil
	}
	return eval.Map1("sign", t, func(_ *eval.Frame, v float64) (int64, bool) {
		switch {
		case v > 0:
			return 1, false
		case v < 0:
			return -1, false
		}
		return 0, false
	}, x), nil
}
