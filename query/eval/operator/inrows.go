package operator

import (
	"cmp"
	"slices"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// InRows is (x ...) IN ((y ...), ...). Error 1241 says that a row is of another width.
func InRows(b *eval.Builder, xs []*eval.Expr, lists [][]*eval.Expr) (*eval.Expr, error) {
	args := append([]*eval.Expr{}, xs...)
	for _, ys := range lists {
		if len(ys) != len(xs) {
			return nil, mysqlerr.New(mysqlerr.OperandColumns, len(xs))
		}
		args = append(args, ys...)
	}
	if len(lists) == 1 {
		return CompareRows(b, tree.OpEqual, xs, lists[0])
	}
	constants := true
	for _, y := range args[len(xs):] {
		constants = constants && y.Is(eval.Constant) && !y.Is(eval.Volatile)
	}
	test, err := inList(b, xs, lists, constants)
	if err != nil {
		return nil, err
	}
	return condition("in", nullOf(types.BoolType(), args), test, args...).Printed(func(dst []byte) []byte {
		dst = append(printRow(dst, xs), " in ("...)
		for i, ys := range lists {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = printRow(dst, ys)
		}
		return append(dst, ')')
	}), nil
}

// inList is the test of InRows: each column is compared as one class, that of all its values together.
func inList(b *eval.Builder, xs []*eval.Expr, lists [][]*eval.Expr, constants bool) (test, error) {
	var items []rowItem
	var columns []listColumn
	for i, x := range xs {
		ys := make([]*eval.Expr, len(lists))
		for j := range lists {
			ys[j] = lists[j][i]
		}
		how, x, ys, err := columnHow(b, x, ys)
		if err != nil {
			return nil, err
		}
		if constants && len(xs) <= columnsMost {
			column, err := listColumnOf(b, how, x, ys)
			if err != nil {
				return nil, err
			}
			columns = append(columns, column)
			continue
		}
		item, err := rowItemOf(b, how, x, ys, constants)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	if columns != nil {
		return foundIn(b, columns, len(lists)), nil
	}
	test := rowsTest(items, len(lists))
	if constants {
		test = primed(b, items, len(lists), test)
	}
	return test, nil
}

// primed computes all rows on the right, which are constants, before the first test of a run.
func primed(b *eval.Builder, items []rowItem, count int, test test) test {
	slot := b.Slot()
	return func(f *eval.Frame) (bool, bool) {
		if done := eval.StateOf[bool](f, slot); !*done {
			*done = true
			for j := range count {
				for i := range items {
					items[i].prime[j](f)
				}
			}
		}
		return test(f)
	}
}

// rowsTest looks for a row that equals the one on the left, of which each item is computed once.
func rowsTest(items []rowItem, count int) test {
	return func(f *eval.Frame) (bool, bool) {
		for i := range items {
			items[i].load(f)
		}
		unknown := false
		for j := range count {
			same, null := rowEquals(f, items, j)
			if same && !null {
				return true, false
			}
			unknown = unknown || null
		}
		return false, unknown
	}
}

func rowEquals(f *eval.Frame, items []rowItem, j int) (same, null bool) {
	for i := range items {
		equal, open := items[i].same[j](f)
		if !open && !equal {
			return false, false
		}
		null = null || open
	}
	return !null, null
}

// rowItem is one column of the rows: all of it is compared as one class, that of all its values together.
type rowItem struct {
	load  func(*eval.Frame)                     // computes the left value
	same  []func(*eval.Frame) (same, null bool) // compares it, for each row
	prime []func(*eval.Frame)                   // computes the row's value
}

// columnHow is how a column of rows is compared, with its expressions as that wants texts and moments.
func columnHow(b *eval.Builder, x *eval.Expr, ys []*eval.Expr) (how Comparison, _ *eval.Expr, _ []*eval.Expr, err error) {
	if m := instants(append([]*eval.Expr{x}, ys...)); m != nil && !x.Null() {
		x, ys = m[0], m[1:]
	}
	how = alone(x.Type)
	for i, y := range ys {
		if how, err = how.with(alone(ys[i].Type), false); err != nil { // a NULL counts as a text
			return how, nil, nil, mysqlerr.New(mysqlerr.IllegalParameterTypes, x.Type.Name(), y.Type.Name(), "in")
		}
	}
	if how.Kind == types.Varchar {
		a, texts, err := agree(b, "in", append([]*eval.Expr{x}, ys...)...)
		if err != nil {
			return how, nil, nil, err
		}
		how.Collation, x, ys = a.Collation, texts[0], texts[1:]
	}
	if how.Class == types.ClassTime && !momentsOnly(b, how, append([]*eval.Expr{x}, ys...)) {
		return how, nil, nil, mysqlerr.NotYet("rows with dates, columns of other types and constants that are no dates")
	}
	return how, x, ys, nil
}

// momentsOnly reports whether, beside a column of another type, all constants that are compared as moments are some: how often MariaDB reads others,
// conditions tell.
func momentsOnly(b *eval.Builder, how Comparison, args []*eval.Expr) bool {
	other := func(x *eval.Expr) bool {
		_, _, column := x.Column()
		return column && x.Type.Class() != types.ClassTime
	}
	if !slices.ContainsFunc(args, other) {
		return true
	}
	diag := b.Scratch.Diag
	defer func() { b.Scratch.Diag = diag }()
	for _, x := range args {
		if !x.Is(eval.Constant) || x.Null() || x.Type.Class() == types.ClassTime {
			continue
		}
		b.Scratch.Diag = &types.Diagnostics{Most: 1}
		moment, err := how.bring(b, x)
		if err != nil || !x.Is(eval.Literal) {
			return false
		}
		if moment.Compute(b.Scratch); b.Scratch.Failed() || len(b.Scratch.Diag.Conditions) > 0 {
			return false
		}
	}
	return true
}

func rowItemOf(b *eval.Builder, how Comparison, x *eval.Expr, ys []*eval.Expr, constants bool) (item rowItem, err error) {
	switch how.Class {
	case types.ClassInt:
		return columnOf(b, how, x, ys, constants, func(y *eval.Expr) func(int64, int64) int { return intOrder(x.Type.Unsigned, y.Type.Unsigned) })
	case types.ClassFloat:
		return columnOf(b, how, x, ys, constants, func(*eval.Expr) func(float64, float64) int { return cmp.Compare[float64] })
	case types.ClassDec:
		return columnOf(b, how, x, ys, constants, func(*eval.Expr) func(decimal.Dec, decimal.Dec) int { return decimal.Cmp })
	case types.ClassTime:
		return columnOf(b, how, x, ys, constants, func(*eval.Expr) func(x, y temporal.Packed) int { return cmp.Compare[temporal.Packed] })
	}
	compare, err := how.texts()
	if err != nil {
		return item, err
	}
	return columnOf(b, how, x, ys, constants, func(*eval.Expr) func(x, y []byte) int { return compare })
}

func columnOf[T eval.Scalar](b *eval.Builder, how Comparison, x *eval.Expr, ys []*eval.Expr, constants bool,
	order func(y *eval.Expr) func(x, y T) int) (item rowItem, err error) {
	if x, err = how.bring(b, x); err != nil {
		return item, err
	}
	slot, left := b.Slot(), formsOf[T]([]*eval.Expr{x})[0]
	item.load = func(f *eval.Frame) {
		k := eval.StateOf[keeper[T]](f, slot)
		k.value, k.null = left(f)
	}
	for _, y := range ys {
		compare := order(y)
		if y, err = how.bring(b, y); err != nil {
			return item, err
		}
		right := formsOf[T]([]*eval.Expr{y})[0]
		if constants && !y.Null() {
			right = eval.Of[T](kept[T](b, y))
		}
		item.prime = append(item.prime, func(f *eval.Frame) { right(f) })
		item.same = append(item.same, func(f *eval.Frame) (bool, bool) {
			k := eval.StateOf[keeper[T]](f, slot)
			v, null := right(f)
			return !k.null && !null && compare(k.value, v) == 0, k.null || null
		})
	}
	return item, nil
}

// owned is a value that lives longer than the frame's row.
func owned[T eval.Scalar](v T) T {
	if text, ok := any(v).([]byte); ok {
		v = any(append([]byte{}, text...)).(T)
	}
	return v
}
