package operator

import (
	"cmp"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// order compares the values of two expressions: below 0, 0, above 0. With null, one of them is NULL; of the two, the right one is
// not computed if the left one is NULL.
type order = func(*eval.Frame) (c int, null bool)

// comparisonClass is the class in which two operands are compared.
func comparisonClass(x, y types.Type) (types.Class, error) {
	if x.Kind == types.Null {
		x, y = y, x
	}
	cx, cy := x.Class(), y.Class()
	switch {
	case x.Kind == types.Null:
		return types.ClassText, nil
	case y.Kind == types.Null:
		return cx, nil
	case x.Kind.Address() || y.Kind.Address():
		return 0, mysqlerr.NotYet("comparison of addresses")
	case x.Kind == types.Enum || x.Kind == types.Set || y.Kind == types.Enum || y.Kind == types.Set:
		return 0, mysqlerr.NotYet("comparison of ENUM and SET")
	case x.Kind == types.Year || y.Kind == types.Year:
		return 0, mysqlerr.NotYet("comparison of YEAR")
	case cx == types.ClassTime || cy == types.ClassTime:
		if x.Kind != y.Kind && !(x.Kind.HasDate() && y.Kind.HasDate()) {
			return 0, mysqlerr.NotYet("comparison of dates and times with others")
		}
		return types.ClassTime, nil
	case cx == cy:
		return cx, nil
	case cx == types.ClassFloat || cy == types.ClassFloat:
		return types.ClassFloat, nil
	case cx == types.ClassText || cy == types.ClassText:
		if cx == types.ClassDec || cy == types.ClassDec {
			return types.ClassFloat, nil
		}
	}
	return types.ClassDec, nil
}

// ordered makes the comparison of two expressions for an operation of this name.
func ordered(b *eval.Builder, name string, x, y *eval.Expr) (order, error) {
	class, err := comparisonClass(x.Type, y.Type)
	if err != nil {
		return nil, err
	}
	return orderedAs(b, name, class, x, y)
}

func orderedAs(b *eval.Builder, name string, class types.Class, x, y *eval.Expr) (order, error) {
	switch class {
	case types.ClassInt:
		return pair(b.ToInt(x), b.ToInt(y), intOrder(x.Type.Unsigned, y.Type.Unsigned)), nil
	case types.ClassFloat:
		return pair(b.ToFloat(x), b.ToFloat(y), cmp.Compare[float64]), nil
	case types.ClassDec:
		return pair(shown(b.ToDec(x)), shown(b.ToDec(y)), decimal.Cmp), nil
	case types.ClassTime:
		return pair(x, y, cmp.Compare[temporal.Packed]), nil
	}
	a, args, err := b.Agree(name, true, x, y)
	if err != nil {
		return nil, err
	}
	o, err := a.Collation.Order()
	if err != nil {
		return nil, mysqlerr.NotYet(err.Error())
	}
	return pair(args[0], args[1], o.Compare), nil
}

// shown is a DECIMAL rounded to the scale of its type, as it is compared and printed.
func shown(x *eval.Expr) *eval.Expr {
	scale := int(x.Type.Decimals)
	if x.Is(eval.Literal) || x.Type.Class() != types.ClassDec || x.Type.Dec.Scale > decimal.ScaleMax {
		return x
	}
	return eval.Map1("", x.Type, func(_ *eval.Frame, d decimal.Dec) (decimal.Dec, bool) {
		if d.Scale() > scale {
			d, _ = d.Round(scale, decimal.HalfUp)
		}
		return d, false
	}, x).As(x)
}

func intOrder(left, right bool) func(x, y int64) int {
	switch {
	case left && right:
		return func(x, y int64) int { return cmp.Compare(uint64(x), uint64(y)) }
	case left:
		return func(x, y int64) int {
			if y < 0 {
				return 1
			}
			return cmp.Compare(uint64(x), uint64(y))
		}
	case right:
		return func(x, y int64) int {
			if x < 0 {
				return -1
			}
			return cmp.Compare(uint64(x), uint64(y))
		}
	}
	return cmp.Compare[int64]
}

func pair[T eval.Scalar](x, y *eval.Expr, compare func(x, y T) int) order {
	if x.Null() || y.Null() {
		p, q := known(x), known(y)
		return func(f *eval.Frame) (int, bool) {
			if p(f) {
				q(f)
			}
			return 0, true
		}
	}
	p, q := eval.Of[T](x), eval.Of[T](y)
	return func(f *eval.Frame) (int, bool) {
		v, null := p(f)
		if null {
			return 0, true
		}
		w, null := q(f)
		if null {
			return 0, true
		}
		return compare(v, w), false
	}
}

// holds reports whether a comparison that came out so makes the operator true.
func holds(op tree.Op, c int) bool {
	switch op {
	case tree.OpEqual, tree.OpNullSafeEqual:
		return c == 0
	case tree.OpNotEqual:
		return c != 0
	case tree.OpLess:
		return c < 0
	case tree.OpLessEqual:
		return c <= 0
	case tree.OpGreater:
		return c > 0
	}
	return c >= 0
}

// compare is x op y.
func compare(b *eval.Builder, op tree.Op, x, y *eval.Expr) (*eval.Expr, error) {
	o, err := ordered(b, opName(op), x, y)
	if err != nil {
		return nil, err
	}
	t := types.BoolType()
	if op != tree.OpNullSafeEqual {
		t = t.NullIf(x.Type, y.Type)
		return condition(opName(op), t, func(f *eval.Frame) (bool, bool) {
			c, null := o(f)
			return !null && holds(op, c), null
		}, x, y).Infix(op.Bind()), nil
	}
	if x.Is(eval.Volatile) || y.Is(eval.Volatile) {
		return nil, mysqlerr.NotYet("<=> of what may change")
	}
	p, q := known(x), known(y)
	return condition(opName(op), t, func(f *eval.Frame) (bool, bool) {
		c, null := o(f)
		if !null {
			return c == 0, false
		}
		// Which one is NULL is rarely asked: the left one is computed again, without its conditions; the right one was not, if that is NULL.
		diag := f.Diag
		f.Diag = &types.Diagnostics{Most: 1}
		left := p(f)
		f.Diag = diag
		return !left && !q(f), false
	}, x, y).Infix(op.Bind()), nil
}

// In is x IN (list).
func In(b *eval.Builder, x *eval.Expr, list []*eval.Expr) (*eval.Expr, error) {
	if len(list) == 1 {
		return compare(b, tree.OpEqual, x, list[0])
	}
	return nil, mysqlerr.NotYet("IN")
}

// Between is x BETWEEN low AND high.
func Between(b *eval.Builder, x, low, high *eval.Expr) (*eval.Expr, error) {
	class, err := comparisonClass(x.Type, low.Type)
	if err != nil {
		return nil, err
	}
	other, err := comparisonClass(x.Type, high.Type)
	if err != nil {
		return nil, err
	}
	if third, err := comparisonClass(low.Type, high.Type); err != nil || class != other || third != class {
		return nil, mysqlerr.NotYet("BETWEEN of several types")
	}
	if class == types.ClassText {
		a, args, err := b.Agree("between", true, x, low, high)
		if err != nil {
			return nil, err
		}
		for _, arg := range args {
			if arg.Null() || arg.Type.Collation != a.Collation {
				return nil, mysqlerr.NotYet("BETWEEN of several collations")
			}
		}
		x, low, high = args[0], args[1], args[2]
	}
	atLeast, err := orderedAs(b, "between", class, x, low)
	if err != nil {
		return nil, err
	}
	atMost, err := orderedAs(b, "between", class, x, high)
	if err != nil {
		return nil, err
	}
	if !x.Is(eval.Literal) {
		return nil, mysqlerr.NotYet("BETWEEN of what is no literal")
	}
	return condition("between", types.BoolType().NullIf(x.Type, low.Type, high.Type), func(f *eval.Frame) (bool, bool) {
		l, lowNull := atLeast(f)
		h, highNull := atMost(f)
		if !lowNull && l < 0 || !highNull && h > 0 {
			return false, false
		}
		return !lowNull && !highNull, lowNull || highNull
	}, x, low, high).Printed(func(dst []byte) []byte {
		dst = append(x.Print(dst), " between "...)
		dst = append(low.Print(dst), " and "...)
		return high.Print(dst)
	}), nil
}

// CompareRows is (x ...) op (y ...) of rows, whose items may be rows again: see Row.
func CompareRows(*eval.Builder, tree.Op, []*eval.Expr, []*eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("rows")
}
