package operator

import (
	"cmp"
	"slices"
	"sort"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// A list of rows of constants is computed when the first row of a statement comes, and sorted, so that a row is found in it as fast as among few. Which of its
// rows leave open whether they are equal, since there are NULLs in them or in the row that is looked for, is found the same way: rows that are NULL in the
// same columns are sorted by the others.

// listColumn is one column of such a list: what is looked for and what the rows have, as values of one class.
type listColumn struct {
	load func(*eval.Frame) (null bool)           // computes the value that is looked for
	fill func(f *eval.Frame, at int) (null bool) // computes that of a row of the list, in their order
	left func(f *eval.Frame, at int) int         // orders what is looked for and the row's
	rows func(f *eval.Frame, at, other int) int
}

// listValues are the values of a listColumn in one run of a statement.
type listValues[T eval.Scalar] struct {
	value T
	rows  []T
}

// listColumnOf makes a column of expressions that are brought to one class; x is not NULL.
func listColumnOf(b *eval.Builder, how Comparison, x *eval.Expr, ys []*eval.Expr) (c listColumn, err error) {
	unsigned := x.Type.Unsigned
	signs := make([]bool, len(ys)) // of integers: those that are unsigned
	for i, y := range ys {
		signs[i] = y.Type.Unsigned
		if ys[i], err = how.bring(b, y); err != nil {
			return c, err
		}
	}
	if x, err = how.bring(b, x); err != nil {
		return c, err
	}
	switch how.Class {
	case types.ClassInt:
		return valuesOf(b, x, ys, func(v, w int64, _, at int) int { return intOrder(unsigned, signs[at])(v, w) },
			func(v, w int64, i, j int) int { return intOrder(signs[i], signs[j])(v, w) }), nil
	case types.ClassFloat:
		return sameOrder(b, x, ys, cmp.Compare[float64]), nil
	case types.ClassDec:
		return sameOrder(b, x, ys, decimal.Cmp), nil
	case types.ClassTime:
		return sameOrder(b, x, ys, cmp.Compare[temporal.Packed]), nil
	}
	order, err := how.texts()
	if err != nil {
		return c, err
	}
	return sameOrder(b, x, ys, order), nil
}

func sameOrder[T eval.Scalar](b *eval.Builder, x *eval.Expr, ys []*eval.Expr, order func(v, w T) int) listColumn {
	of := func(v, w T, _, _ int) int { return order(v, w) }
	return valuesOf(b, x, ys, of, of)
}

func valuesOf[T eval.Scalar](b *eval.Builder, x *eval.Expr, ys []*eval.Expr, left, rows func(v, w T, i, j int) int) listColumn {
	slot, value, forms := b.Slot(), formsOf[T]([]*eval.Expr{x})[0], formsOf[T](ys)
	return listColumn{
		load: func(f *eval.Frame) (null bool) {
			s := eval.StateOf[listValues[T]](f, slot)
			s.value, null = value(f)
			return null
		},
		fill: func(f *eval.Frame, at int) bool {
			s := eval.StateOf[listValues[T]](f, slot)
			if s.rows == nil {
				s.rows = make([]T, 0, len(forms))
			}
			v, null := forms[at](f)
			if null {
				var none T
				v = none
			}
			s.rows = append(s.rows, owned(v))
			return null
		},
		left: func(f *eval.Frame, at int) int {
			s := eval.StateOf[listValues[T]](f, slot)
			return left(s.value, s.rows[at], 0, at)
		},
		rows: func(f *eval.Frame, i, j int) int {
			s := eval.StateOf[listValues[T]](f, slot)
			return rows(s.rows[i], s.rows[j], i, j)
		},
	}
}

// columnsMost is how many columns the rows of a sorted list may have, so that a number says which of them are NULL.
const columnsMost = 63

// nulls says which columns of a row are NULL: column i is bit i.
type nulls uint64

// listRows are the rows of a list in one run of a statement, by which of their columns are NULL.
type listRows struct {
	done   bool
	groups []*nullGroup
}

// nullGroup are rows that are NULL in the same columns.
type nullGroup struct {
	nulls nulls
	rows  []int
	// sorted are the rows by the columns that are in nobody's way: not NULL in them, nor in what was looked for.
	sorted map[nulls][]int
}

// sortedMost is by how many sets of columns the rows of one group are sorted; beyond it they are gone through.
const sortedMost = 32

// foundIn is the test whether a row is in a list.
func foundIn(b *eval.Builder, columns []listColumn, count int) test {
	slot := b.Slot()
	return func(f *eval.Frame) (bool, bool) {
		s := eval.StateOf[listRows](f, slot)
		if !s.done {
			s.fill(f, columns, count)
		}
		var missing nulls
		for i := range columns {
			if columns[i].load(f) {
				missing |= 1 << i
			}
		}
		unknown := false
		for _, g := range s.groups {
			if missing|g.nulls != 0 && unknown || !g.has(f, columns, missing) {
				continue
			}
			if missing|g.nulls == 0 {
				return true, false
			}
			unknown = true
		}
		return false, unknown
	}
}

func (s *listRows) fill(f *eval.Frame, columns []listColumn, count int) {
	s.done = true
	byNulls := map[nulls]*nullGroup{}
	for at := range count {
		var missing nulls
		for i := range columns {
			if columns[i].fill(f, at) {
				missing |= 1 << i
			}
		}
		g := byNulls[missing]
		if g == nil {
			g = &nullGroup{nulls: missing, sorted: map[nulls][]int{}}
			byNulls[missing], s.groups = g, append(s.groups, g)
		}
		g.rows = append(g.rows, at)
	}
}

// has reports whether a row of the group equals what is looked for in the columns in which neither is NULL.
func (g *nullGroup) has(f *eval.Frame, columns []listColumn, missing nulls) bool {
	known := make([]int, 0, 8)
	for i := range columns {
		if (missing|g.nulls)&(1<<i) == 0 {
			known = append(known, i)
		}
	}
	left := func(at int) int {
		for _, i := range known {
			if c := columns[i].left(f, at); c != 0 {
				return c
			}
		}
		return 0
	}
	rows, ok := g.sorted[missing|g.nulls]
	if !ok {
		if len(g.sorted) >= sortedMost || len(g.rows) == 1 {
			return slices.ContainsFunc(g.rows, func(at int) bool { return left(at) == 0 })
		}
		rows = slices.Clone(g.rows)
		slices.SortFunc(rows, func(at, other int) int {
			for _, i := range known {
				if c := columns[i].rows(f, at, other); c != 0 {
					return c
				}
			}
			return 0
		})
		g.sorted[missing|g.nulls] = rows
	}
	i := sort.Search(len(rows), func(i int) bool { return left(rows[i]) <= 0 })
	return i < len(rows) && left(rows[i]) == 0
}
