package operator

import (
	"cmp"
	"errors"
	"strconv"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Between is x BETWEEN low AND high.
func Between(b *eval.Builder, x, low, high *eval.Expr) (*eval.Expr, error) {
	written := []*eval.Expr{x, low, high}
	if err := inOrder(tree.OpLess, written...); err != nil {
		return nil, err
	}
	within, err := within(b, x, low, high)
	if err != nil {
		return nil, err
	}
	return condition("between", types.BoolType().NullIf(x.Type, low.Type, high.Type), within, written...).Printed(func(dst []byte) []byte {
		dst = append(x.Print(dst), " between "...)
		dst = append(low.Print(dst), " and "...)
		return high.Print(dst)
	}), nil
}

// within is the test of BETWEEN: all three are compared as what they are together.
func within(b *eval.Builder, x, low, high *eval.Expr) (test, error) {
	var err error
	if yearColumn(x) {
		if low, err = year(b, low); err != nil {
			return nil, err
		}
		if high, err = year(b, high); err != nil {
			return nil, err
		}
	}
	low, high, exact, err := wholeBounds(x, low, high)
	if err != nil {
		return nil, err
	}
	args := []*eval.Expr{x, low, high}
	how := alone(x.Type)
	for _, a := range args[1:] { // a NULL is a text here
		if how, err = how.with(alone(a.Type), false); err != nil {
			return nil, mysqlerr.NotYet("BETWEEN of types that do not meet")
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
		if how.Class == types.ClassTime {
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

// wholeBounds makes constant bounds of a BIGINT column integers, if they are integers that it can have: more numbers of 64 bits differ than DOUBLEs do. Of
// bounds that are known when the statement runs, exact says that they are compared as DECIMALs, to the same effect.
func wholeBounds(x, low, high *eval.Expr) (_, _ *eval.Expr, exact bool, err error) {
	if _, _, column := x.Column(); !column || x.Type.Kind != types.Bigint || !low.Is(eval.Constant) || !high.Is(eval.Constant) {
		return low, high, false, nil
	}
	bounds, whole := [2]*eval.Expr{low, high}, 0
	for i, y := range bounds {
		switch {
		case y.Type.Kind.Integer():
			whole++
		case !y.Type.Kind.IsString() || y.Type.Hybrid || !y.Type.Collation.Set().ASCIIBytes():
			return low, high, false, nil
		case !y.Is(eval.Literal):
			exact = true
		default:
			v, err := integerOf(y.Value.Text, x.Type.Unsigned)
			if errors.Is(err, strconv.ErrSyntax) {
				return nil, nil, false, mysqlerr.NotYet("BETWEEN of a BIGINT and a text that is no integer") // MariaDB makes it one, and warns
			}
			if err == nil {
				bounds[i] = eval.NewValue(types.BigintType(20, x.Type.Unsigned), types.Value{Int: v}).As(y)
				whole++
			}
		}
	}
	if whole == len(bounds) {
		return bounds[0], bounds[1], false, nil
	}
	return low, high, exact, nil
}

func integerOf(s []byte, unsigned bool) (int64, error) {
	if unsigned {
		n, err := strconv.ParseUint(string(s), 10, 64)
		return int64(n), err
	}
	return strconv.ParseInt(string(s), 10, 64)
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
