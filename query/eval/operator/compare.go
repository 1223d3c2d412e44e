package operator

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
)

// order compares the values of two expressions: below 0, 0, above 0. With null, one of them is NULL; of the two, the right one is
// not computed if the left one is NULL.
type order = func(*eval.Frame) (c int, null bool)

// pairing is a comparison of two expressions, in the forms that operators need it.
type pairing struct {
	order order
	// same is <=>: it computes both.
	same func(*eval.Frame) bool
}

// ordered makes the comparison of two expressions for an operation of this name.
func ordered(b *eval.Builder, name string, x, y *eval.Expr) (p pairing, err error) {
	if wholeColumn(x) || wholeColumn(y) {
		return insteadOf(b, x, y, func() (pairing, error) { return orderedPlainly(b, name, x, y) })
	}
	return orderedPlainly(b, name, x, y)
}

// orderedPlainly is ordered of operands as they are.
func orderedPlainly(b *eval.Builder, name string, x, y *eval.Expr) (p pairing, err error) {
	if m := instants([]*eval.Expr{x, y}); m != nil && !x.Null() && !y.Null() {
		return orderedAs(b, Comparison{Class: types.ClassInt}, m[0], m[1])
	}
	how, err := comparisonOf(b, name, x, y)
	if err != nil {
		return p, err
	}
	if how.Class == types.ClassText && how.Kind == types.Varchar {
		x, y = unquoted(x, y)
		_, args, err := agree(b, name, x, y)
		if err != nil {
			return p, err
		}
		x, y = args[0], args[1]
	}
	return orderedAs(b, how, x, y)
}

// unquoted takes JSON_EXTRACT for the text that it is without quotes: of two of them the left one (Arg_comparator::set_cmp_func_string in MariaDB's
// sql/item_cmpfunc.cc).
func unquoted(x, y *eval.Expr) (_, _ *eval.Expr) {
	if plain := x.Compared(); plain != nil {
		return plain, y
	}
	if plain := y.Compared(); plain != nil {
		return x, plain
	}
	return x, y
}

// orderedAs makes a comparison of which it is settled how it is done; texts are in one character set.
func orderedAs(b *eval.Builder, how Comparison, x, y *eval.Expr) (p pairing, err error) {
	ux, uy := x.Type.Unsigned, y.Type.Unsigned
	floats := floatOrder(x.Type, y.Type)
	if x, err = how.once(b, x); err != nil {
		return p, err
	}
	if y, err = how.once(b, y); err != nil {
		return p, err
	}
	if x.Null() || y.Null() {
		return unknown(x, y), nil
	}
	switch how.Class {
	case types.ClassInt:
		return pair(x, y, intOrder(ux, uy)), nil
	case types.ClassFloat:
		return pair(x, y, floats), nil
	case types.ClassDec:
		return pair(x, y, decimal.Cmp), nil
	case types.ClassTime:
		return pair(x, y, cmp.Compare[temporal.Packed]), nil
	}
	compare, err := how.texts()
	if err != nil {
		return p, err
	}
	return pair(x, y, compare), nil
}

// floatOrder is the order of numbers of two types as DOUBLEs. If both have a fixed number of digits, what differs by less than half a unit of the last one is
// equal.
func floatOrder(x, y types.Type) func(x, y float64) int {
	if x.Decimals >= types.NotFixed || y.Decimals >= types.NotFixed {
		return cmp.Compare[float64]
	}
	within := 5 / math.Pow10(int(max(x.Decimals, y.Decimals))+1)
	return func(x, y float64) int {
		if math.Abs(x-y) < within {
			return 0
		}
		return cmp.Compare(x, y)
	}
}

// texts is the order of texts, or of the bytes of addresses.
func (how Comparison) texts() (func(x, y []byte) int, error) {
	switch {
	case how.Kind == types.UUID:
		return row.CompareUUIDs, nil
	case how.Kind.Address():
		return bytes.Compare, nil
	}
	o, err := how.Collation.Order()
	if err != nil {
		return nil, mysqlerr.NotYet(err.Error())
	}
	return o.Compare, nil
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

// unknown is a comparison with the literal NULL.
func unknown(x, y *eval.Expr) pairing {
	return pairing{
		order: func(f *eval.Frame) (int, bool) {
			if !x.Compute(f).Null { // for what it has to say
				y.Compute(f)
			}
			return 0, true
		},
		same: func(f *eval.Frame) bool {
			v, w := x.Compute(f).Null, y.Compute(f).Null
			return v && w
		},
	}
}

func pair[T eval.Scalar](x, y *eval.Expr, compare func(x, y T) int) pairing {
	p, q := eval.Of[T](x), eval.Of[T](y)
	return pairing{
		order: func(f *eval.Frame) (int, bool) {
			v, null := p(f)
			if null {
				return 0, true
			}
			w, null := q(f)
			if null {
				return 0, true
			}
			return compare(v, w), false
		},
		same: func(f *eval.Frame) bool {
			v, null := p(f)
			w, other := q(f)
			if null || other {
				return null && other
			}
			return compare(v, w) == 0
		},
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

// mayBeNull is the type of a condition that is NULL, too, where a text is no address.
func mayBeNull(b *eval.Builder, t types.Type, xs ...*eval.Expr) types.Type {
	var seen []types.Kind // of a long list there are few kinds
	for _, x := range xs {
		k := x.Type.Kind
		if !k.Address() || slices.Contains(seen, k) {
			continue
		}
		seen = append(seen, k)
		for _, y := range xs {
			if y.Type.Kind != k && !b.IsAddress(y, k) {
				t.Nullable = true
			}
		}
	}
	return t
}

// compare is x op y.
func compare(b *eval.Builder, op tree.Op, x, y *eval.Expr) (*eval.Expr, error) {
	p, err := ordered(b, Name(op), x, y)
	if err != nil {
		return nil, err
	}
	t := types.BoolType()
	if op == tree.OpNullSafeEqual {
		return condition(Name(op), t, func(f *eval.Frame) (bool, bool) { return p.same(f), false }, x, y).Infix(op.Bind()), nil
	}
	o := p.order
	return condition(Name(op), mayBeNull(b, t.NullIf(x.Type, y.Type), x, y), func(f *eval.Frame) (bool, bool) {
		c, null := o(f)
		return !null && holds(op, c), null
	}, x, y).Infix(op.Bind()).Plainly(), nil
}
