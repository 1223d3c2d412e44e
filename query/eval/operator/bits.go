package operator

import (
	"math"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
)

var bitKernels = map[tree.Op]func(*eval.Frame, int64, int64) (int64, bool){
	tree.OpBitOr:  func(_ *eval.Frame, x, y int64) (int64, bool) { return x | y, false },
	tree.OpBitAnd: func(_ *eval.Frame, x, y int64) (int64, bool) { return x & y, false },
	tree.OpBitXor: func(_ *eval.Frame, x, y int64) (int64, bool) { return x ^ y, false },
	tree.OpShiftLeft: func(_ *eval.Frame, x, y int64) (int64, bool) {
		return int64(uint64(x) << uint64(y)), false
	},
	tree.OpShiftRight: func(_ *eval.Frame, x, y int64) (int64, bool) {
		return int64(uint64(x) >> uint64(y)), false
	},
}

// bitwise is x op y on the 64 bits of integers.
func bitwise(b *eval.Builder, op tree.Op, x, y *eval.Expr) (*eval.Expr, error) {
	if x.Type.Kind.Address() || y.Type.Kind.Address() {
		return nil, mysqlerr.New(mysqlerr.IllegalParameterTypes, x.Type.Name(), y.Type.Name(), opName(op))
	}
	t := types.BigintType(21, true).NullIf(x.Type, y.Type)
	second := b.ToInt(y)
	if op != tree.OpShiftLeft && op != tree.OpShiftRight {
		second = bitsOf(b, y)
	}
	return both(opName(op), t, bitKernels[op], bitsOf(b, x), second).Infix(op.Bind()), nil
}

// bitNot is ~x.
func bitNot(b *eval.Builder, x *eval.Expr) (*eval.Expr, error) {
	if x.Type.Kind.Address() {
		return nil, mysqlerr.New(mysqlerr.IllegalParameterDataType, x.Type.Name(), "~")
	}
	t := types.BigintType(21, true).NullIf(x.Type)
	return eval.Map1("~", t, func(_ *eval.Frame, v int64) (int64, bool) { return ^v, false }, bitsOf(b, x)).Prefix(tree.BindUnary), nil
}

// bitsOf is an operand as 64 bits: what is no integer is rounded as a DECIMAL, and clipped with warning 1916.
func bitsOf(b *eval.Builder, x *eval.Expr) *eval.Expr {
	if x.Null() || numberClass(x.Type) == types.ClassInt {
		return b.ToInt(x)
	}
	t := types.BigintType(21, true)
	t.Nullable = x.Type.Nullable
	return eval.Map1("", t, func(f *eval.Frame, d decimal.Dec) (int64, bool) {
		if d.Negative() {
			n, cond := d.Int64(decimal.HalfUp)
			if cond&decimal.Overflow != 0 {
				f.Warn(mysqlerr.DataOverflow, d.String(), "INT")
				return math.MinInt64, false
			}
			return n, false
		}
		n, cond := d.Uint64(decimal.HalfUp)
		if cond&decimal.Overflow != 0 {
			f.Warn(mysqlerr.DataOverflow, d.String(), "UNSIGNED INT")
		}
		return int64(n), false
	}, b.ToDec(x)).As(x)
}

// both is eval.Map2 which computes its second argument though the first one is NULL.
func both(name string, t types.Type, f func(*eval.Frame, int64, int64) (int64, bool), x, y *eval.Expr) *eval.Expr {
	p, q := eval.Of[int64](x), eval.Of[int64](y)
	return eval.New(name, t, func(fr *eval.Frame) (int64, bool) {
		v, null := p(fr)
		w, other := q(fr)
		if null || other {
			return 0, true
		}
		return f(fr, v, w)
	}, x, y)
}
