package operator

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

// CompareRows is (x ...) op (y ...) of rows of the same width.
func CompareRows(b *eval.Builder, op tree.Op, xs, ys []*eval.Expr) (*eval.Expr, error) {
	t := types.BoolType()
	if op != tree.OpNullSafeEqual {
		t = nullOf(t, xs, ys)
	}
	test, err := rowTest(b, Name(op), op, xs, ys)
	if err != nil {
		return nil, err
	}
	args := append(append([]*eval.Expr{}, xs...), ys...)
	return condition(Name(op), t, test, args...).Printed(func(dst []byte) []byte {
		dst = append(printRow(dst, xs), ' ')
		dst = append(append(dst, Name(op)...), ' ')
		return printRow(dst, ys)
	}), nil
}

func nullOf(t types.Type, lists ...[]*eval.Expr) types.Type {
	for _, list := range lists {
		for _, x := range list {
			t = t.NullIf(x.Type)
		}
	}
	return t
}

func printRow(dst []byte, xs []*eval.Expr) []byte {
	dst = append(dst, '(')
	for i, x := range xs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = x.Print(dst)
	}
	return append(dst, ')')
}

// rowTest compares rows item by item. A NULL leaves open whether rows are equal unless a later item differs, and ends the search for their
// order.
func rowTest(b *eval.Builder, name string, op tree.Op, xs, ys []*eval.Expr) (test, error) {
	pairs := make([]pairing, len(xs))
	for i := range xs {
		var err error
		if pairs[i], err = orderedPlainly(b, name, xs[i], ys[i]); err != nil {
			return nil, err
		}
	}
	if op == tree.OpNullSafeEqual {
		return func(f *eval.Frame) (bool, bool) {
			for _, p := range pairs {
				if !p.same(f) {
					return false, false
				}
			}
			return true, false
		}, nil
	}
	equality := op == tree.OpEqual || op == tree.OpNotEqual
	return func(f *eval.Frame) (bool, bool) {
		unknown := false
		for _, p := range pairs {
			c, null := p.order(f)
			switch {
			case null && !equality:
				return false, true
			case null:
				unknown = true
			case c != 0:
				return holds(op, c), false
			}
		}
		return !unknown && holds(op, 0), unknown
	}, nil
}
