package plan

import (
	"bytes"
	"slices"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
)

// Columns that have one of several values together: (a, b) IN ((1, 2), (3, 4)), and a = 1 AND b = 2 OR a = 3 AND b = 4.

// takeRow notes that columns equal the items of one of several rows.
func (f *found) takeRow(x tree.Expr, list ...tree.Expr) {
	names, ok := x.(*tree.Row)
	if !ok {
		return
	}
	var t tuples
	at := make([]int, len(names.Items)) // the column of each item, -1 for none
	for i, item := range names.Items {
		if at[i] = f.column(item); at[i] >= 0 && !slices.Contains(t.columns, at[i]) {
			t.columns = append(t.columns, at[i])
		} else {
			at[i] = -1
		}
	}
	if len(t.columns) == 0 {
		return
	}
	for _, y := range list {
		items, ok := y.(*tree.Row)
		if !ok || len(items.Items) != len(names.Items) {
			return
		}
		var values []*eval.Expr
		for i, item := range items.Items {
			if at[i] < 0 {
				continue
			}
			v := f.constant(item)
			if v == nil || v.Null() {
				return
			}
			values = append(values, v)
		}
		t.rows = append(t.rows, values)
	}
	for i := range t.columns {
		if !alike(t.list(i)) {
			return
		}
	}
	f.together(t)
}

// takeEither notes what alternatives have in common: the columns that have a constant in all of them.
func (f *found) takeEither(operands []tree.Expr) {
	var t tuples
	for i, x := range operands {
		values := map[int]*eval.Expr{}
		for _, y := range conjuncts(nil, x) {
			if at, v := f.equality(y); v != nil && (i == 0 || slices.Contains(t.columns, at)) {
				values[at] = v
				if i == 0 && !slices.Contains(t.columns, at) {
					t.columns = append(t.columns, at)
				}
			}
		}
		for at := len(t.columns) - 1; at >= 0; at-- {
			if values[t.columns[at]] == nil {
				t.without(at)
			}
		}
		if len(t.columns) == 0 {
			return
		}
		one := make([]*eval.Expr, len(t.columns))
		for at, column := range t.columns {
			one[at] = values[column]
		}
		t.rows = append(t.rows, one)
	}
	f.together(t)
}

// without takes away a column.
func (t *tuples) without(at int) {
	t.columns = slices.Delete(t.columns, at, at+1)
	for i := range t.rows {
		t.rows[i] = slices.Delete(t.rows[i], at, at+1)
	}
}

// list are the constants of one column.
func (t *tuples) list(at int) []*eval.Expr {
	list := make([]*eval.Expr, len(t.rows))
	for i, r := range t.rows {
		list[i] = r[at]
	}
	return list
}

func (f *found) together(t tuples) {
	for i, column := range t.columns {
		f.conds = append(f.conds, cond{column: column, op: tree.OpEqual, list: t.list(i), loose: true})
	}
	if len(t.columns) > 1 {
		f.tuples = append(f.tuples, t)
	}
}

// equality is column = constant; v is nil for what is something else.
func (f *found) equality(n tree.Expr) (column int, v *eval.Expr) {
	eq, ok := n.(*tree.Binary)
	if !ok || eq.Op != tree.OpEqual {
		return 0, nil
	}
	x, y := eq.Left, eq.Right
	if column = f.column(x); column < 0 {
		x, y = y, x
		column = f.column(x)
	}
	if column < 0 {
		return 0, nil
	}
	if v = f.constant(y); v != nil && v.Null() {
		v = nil
	}
	return column, v
}

// column is the ordinal of a column that an index may have, less than 0 for what is none.
func (f *found) column(x tree.Expr) int {
	name, ok := x.(*tree.ColumnRef)
	if !ok {
		return -1
	}
	at, err := f.c.scope.ordinal(name)
	if err != nil || at < 0 || f.c.scope.src.Table.Columns[at].Unknown != "" {
		return -1
	}
	return at
}

// constant is an expression that has one value while the statement runs; nil for any other.
func (f *found) constant(n tree.Expr) *eval.Expr {
	v, err := f.c.b.Expr(n)
	if err != nil || !v.Is(eval.Constant) || v.Is(eval.Volatile) {
		return nil
	}
	return v
}

// beginnings are the keys with which entries of an index begin whose columns have values together, and of how many parts they are; 0 if that says nothing of
// the first two parts. What single columns have is in them, too.
func (f *found) beginnings(parts []row.KeyPart, prefix []byte) (keys [][]byte, count int) {
	for i := range f.tuples {
		t := &f.tuples[i]
		n := 0
		for n < len(parts) && slices.Contains(t.columns, parts[n].Column) && f.whole(parts[n]) {
			n++
		}
		if n < 2 || n <= count || len(t.rows) > spansMost {
			continue
		}
		if found, ok := f.keysOf(t, parts[:n], prefix); ok {
			keys, count = found, n
		}
	}
	return keys, count
}

// whole reports whether a part of an index has the values of a column as they are, in the order of bytes.
func (f *found) whole(part row.KeyPart) bool {
	return part.PrefixLen == 0 && !part.Desc && part.Padded == 0
}

func (f *found) keysOf(t *tuples, parts []row.KeyPart, prefix []byte) (keys [][]byte, ok bool) {
	seen := map[string]bool{}
	for _, values := range t.rows {
		key := slices.Clone(prefix)
		for _, part := range parts {
			c, null, ok := f.component(part, values[slices.Index(t.columns, part.Column)])
			if null || !ok || !bytes.Equal(c.low, c.high) {
				return nil, false
			}
			key = append(key, c.low...)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			keys = append(keys, key)
		}
	}
	return keys, true
}

// alike reports whether constants that a column is compared with together leave each comparison as it would be alone.
func alike(list []*eval.Expr) bool {
	class := types.ClassText
	for i, x := range slices.DeleteFunc(slices.Clone(list), (*eval.Expr).Null) {
		this := x.Type.Class()
		if this == types.ClassDec {
			this = types.ClassInt // both are exact
		}
		if i > 0 && this != class {
			return false
		}
		class = this
	}
	return true
}
