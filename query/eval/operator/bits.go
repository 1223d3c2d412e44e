package operator

import (
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
		return int64(uint64(x) << uint32(y)), false // of the number of places, the lower 32 bits count
	},
	tree.OpShiftRight: func(_ *eval.Frame, x, y int64) (int64, bool) {
		return int64(uint64(x) >> uint32(y)), false
	},
}

// bitwise is x op y on the 64 bits of integers.
func bitwise(b *eval.Builder, op tree.Op, x, y *eval.Expr) (*eval.Expr, error) {
	for _, a := range []*eval.Expr{x, y} {
		if a.Type.Kind.Address() {
			return nil, mysqlerr.New(mysqlerr.IllegalParameterDataType, a.Type.Name(), Name(op))
		}
	}
	t := types.BigintType(21, true).NullIf(x.Type, y.Type)
	kernel, name := bitKernels[op], Name(op)
	whole := func(x *eval.Expr) bool { return x.Null() || numberClass(x.Type) == types.ClassInt }
	switch {
	case op == tree.OpShiftLeft || op == tree.OpShiftRight:
		return both(name, t, kernel, bitsOf(b, x), b.ToInt(y)).Infix(op.Bind()), nil
	case op == tree.OpBitXor:
		p, q := eval.Of[int64](bitsOf(b, x)), eval.Of[int64](bitsOf(b, y))
		return eval.New(name, t, func(f *eval.Frame) (int64, bool) {
			w, other := q(f) // the right operand first: that is the order of the warnings
			v, null := p(f)
			return v ^ w, null || other
		}, x, y).Infix(op.Bind()), nil
	case whole(x) && whole(y):
		return eval.Map2(name, t, kernel, b.ToInt(x), b.ToInt(y)).Infix(op.Bind()), nil
	}
	p, q := eval.Of[decimal.Dec](b.ToDec(x)), eval.Of[decimal.Dec](b.ToDec(y))
	return eval.New(name, t, func(f *eval.Frame) (n int64, null bool) {
		v, null := p(f)
		if null {
			return 0, true
		}
		w, null := q(f)
		if !null {
			n = decBits(f, w)
		}
		v64 := decBits(f, v)
		if null {
			return 0, true
		}
		return kernel(f, v64, n)
	}, x, y).Infix(op.Bind()), nil
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
	return eval.Map1("", t, func(f *eval.Frame, d decimal.Dec) (int64, bool) { return decBits(f, d), false }, b.ToDec(x)).As(x)
}

func decBits(f *eval.Frame, d decimal.Dec) int64 {
	if d.Negative() {
		n, cond := d.Int64(decimal.HalfUp)
		if cond&decimal.Overflow != 0 {
			f.Warn(mysqlerr.DataOverflow, d.String(), "INT")
		}
		return n
	}
	n, cond := d.Uint64(decimal.HalfUp)
	if cond&decimal.Overflow != 0 {
		f.Warn(mysqlerr.DataOverflow, d.String(), "UNSIGNED INT")
	}
	return int64(n)
}

// both is eval.Map2 which computes its second argument though the first one is NULL.
func both[T eval.Scalar](name string, t types.Type, f func(*eval.Frame, T, T) (T, bool), x, y *eval.Expr) *eval.Expr {
	p, q := eval.Of[T](x), eval.Of[T](y)
	return eval.New(name, t, func(fr *eval.Frame) (v T, null bool) {
		v, null = p(fr)
		w, other := q(fr)
		if null || other {
			return v, true
		}
		return f(fr, v, w)
	}, x, y)
}
