package operator

import (
	"cmp"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// In is x IN (list).
func In(b *eval.Builder, x *eval.Expr, list []*eval.Expr) (*eval.Expr, error) {
	if len(list) == 1 {
		return compare(b, tree.OpEqual, x, list[0])
	}
	find, err := membership(b, x, list)
	if err != nil {
		return nil, err
	}
	t := types.BoolType().NullIf(x.Type)
	for _, y := range list {
		t = t.NullIf(y.Type)
	}
	return condition("in", mayBeNull(b, t, append([]*eval.Expr{x}, list...)...), find, append([]*eval.Expr{x}, list...)...).Printed(func(dst []byte) []byte {
		dst = append(x.Print(dst), " in ("...)
		for i, y := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = y.Print(dst)
		}
		return append(dst, ')')
	}), nil
}

// membership is the test of In.
func membership(b *eval.Builder, x *eval.Expr, list []*eval.Expr) (test, error) {
	compared, late, err := keptList(b, x, list)
	if err != nil {
		return nil, err
	}
	if late {
		return oneOf(b, x, list)
	}
	c, err := candidatesOf(b, "in", x, compared)
	if err != nil {
		return nil, err
	}
	if find := c.lookup(b); find != nil {
		return find, nil
	}
	arms, err := c.prepare(b)
	if err != nil {
		return nil, err
	}
	match := matching(arms)
	return func(f *eval.Frame) (bool, bool) {
		at, unknown := match(f)
		return at >= 0, unknown
	}, nil
}

// oneOf compares with each element of a list by itself.
func oneOf(b *eval.Builder, x *eval.Expr, list []*eval.Expr) (test, error) {
	pairs := make([]pairing, len(list))
	for i, y := range list {
		var err error
		if pairs[i], err = ordered(b, "in", x, y); err != nil {
			return nil, err
		}
	}
	return func(f *eval.Frame) (bool, bool) {
		unknown := false
		for i := range pairs {
			c, null := pairs[i].order(f)
			if c == 0 && !null {
				return true, false
			}
			unknown = unknown || null
		}
		return false, unknown
	}, nil
}

// keptList is a list of constants as a column of YEAR or BIGINT keeps them, if they are compared as values of one class. late says that it is known only when
// the statement runs of which class the elements are then.
func keptList(b *eval.Builder, x *eval.Expr, list []*eval.Expr) (_ []*eval.Expr, late bool, err error) {
	if !wholeColumn(x) {
		return list, false, nil
	}
	floats, times, others := 0, 0, 0
	for _, y := range list {
		if y.Is(eval.Volatile) && x.Type.Kind == types.Year {
			return nil, false, mysqlerr.Never("a list for a year with a value that is computed for each row")
		}
		if !y.Is(eval.Constant) || y.Is(eval.Volatile) {
			return list, false, nil
		}
		switch {
		case y.Null():
		case y.Type.Class() == types.ClassFloat:
			floats++
		case y.Type.Class() == types.ClassTime:
			times++
		default:
			others++
		}
	}
	if floats > 0 && times+others > 0 || times > 0 && others > 0 {
		return list, false, nil
	}
	out := make([]*eval.Expr, len(list))
	for i, y := range list {
		z, _, ok, err := settledNow(b, x, y)
		if err != nil {
			return nil, false, err
		}
		if out[i] = z; !ok {
			if out[i], ok, err = keptLater(b, x, y); err != nil {
				return nil, false, err
			}
			late = late || !ok
		}
	}
	return out, late, nil
}

// keptLater is a constant, of which only a run of the statement says what it is, as a column keeps it: that is done of integers, whose class is the same either
// way, and of BIGINT columns, which compare with DECIMALs to the same effect. ok is false for others.
func keptLater(b *eval.Builder, column, y *eval.Expr) (_ *eval.Expr, ok bool, err error) {
	switch {
	case column.Type.Kind == types.Bigint && y.Type.Class() != types.ClassTime:
		return y, true, nil
	case !y.Type.Kind.Integer():
		return y, false, nil
	}
	k, err := keptBy(b, column, y)
	if err != nil {
		return nil, false, err
	}
	row := eval.Of[int64](y)
	return eval.New("", y.Type, func(f *eval.Frame) (int64, bool) {
		if n, ok := k(f); ok {
			return n, false
		}
		return row(f)
	}, y).As(y), true, nil
}

// candidates are values that one value is compared with: the list of IN, the WHENs of CASE.
type candidates struct {
	x, shared *eval.Expr // shared is x as text in the character set in which all texts meet
	list      []*eval.Expr
	hows      []Comparison // of each of list
}

func candidatesOf(b *eval.Builder, name string, x *eval.Expr, list []*eval.Expr) (*candidates, error) {
	if m := instants(append([]*eval.Expr{x}, list...)); m != nil && !x.Null() {
		x, list = m[0], m[1:]
	}
	c := &candidates{x: x, shared: x, list: slices.Clone(list), hows: make([]Comparison, len(list))}
	texts, others := false, false
	for i, y := range list {
		var err error
		if c.hows[i], err = classOf(strings.Replace(name, "case", "case..when", 1), x, y); err != nil {
			return nil, err
		}
		c.list[i] = y
		if !y.Null() {
			texts, others = texts || c.hows[i].Kind == types.Varchar, others || c.hows[i].Kind != types.Varchar
		}
	}
	if name == "in" {
		c.signs()
	}
	if !texts || x.Null() {
		return c, nil
	}
	a, args, err := agree(b, name, append([]*eval.Expr{x}, list...)...)
	if err != nil {
		return nil, err
	}
	for _, y := range append([]*eval.Expr{x}, list...) {
		if others && y.Type.Hybrid && a.Collation.Set().Name() != "binary" {
			return nil, mysqlerr.Never(name + " of binary literals among texts") // which makes them texts for other comparisons, too
		}
	}
	c.shared = args[0]
	for i := range list {
		if c.hows[i].Kind == types.Varchar {
			c.hows[i].Collation, c.list[i] = a.Collation, args[i+1]
		}
	}
	return c, nil
}

// signs compares integers of which one has a sign and the other has none as DECIMALs, if others of the list are compared so, too: then they are one list, in
// which each constant is read once.
func (c *candidates) signs() {
	dec := Comparison{Class: types.ClassDec}
	if !slices.Contains(c.hows, dec) {
		return
	}
	for i, y := range c.list {
		if c.hows[i].Class == types.ClassInt && (y.Type.Unsigned != c.x.Type.Unsigned || c.x.Type.Kind == types.Year) {
			c.hows[i] = dec
		}
	}
}

// subject is x as a comparison takes it.
func (c *candidates) subject(how Comparison) *eval.Expr {
	if how.Kind == types.Varchar {
		return c.shared
	}
	return c.x
}

// single is the one comparison by which all constants of the list are found; ok is false if there are several.
func (c *candidates) single() (how Comparison, ok bool) {
	for i, y := range c.list {
		if !y.Is(eval.Constant) || y.Is(eval.Volatile) {
			return how, false
		}
		if y.Null() {
			continue
		}
		if ok && c.hows[i] != how {
			return how, false
		}
		how, ok = c.hows[i], true
	}
	return how, ok
}

// lookup finds x in a list of constants that is sorted when the first row comes; nil if the list is not of that sort.
func (c *candidates) lookup(b *eval.Builder) test {
	how, ok := c.single()
	if !ok || c.x.Null() {
		return nil
	}
	switch how.Class {
	case types.ClassInt:
		return c.lookupInts(b)
	case types.ClassFloat:
		return sorted(b, c, how, cmp.Compare[float64])
	case types.ClassDec:
		return sorted(b, c, how, decimal.Cmp)
	case types.ClassTime:
		return sorted(b, c, how, cmp.Compare[temporal.Packed])
	}
	compare, err := how.texts()
	if err != nil {
		return nil // prepare says so
	}
	return sorted(b, c, how, compare)
}

// table is a sorted list.
type table[T eval.Scalar] struct {
	values     []T
	null, done bool
}

func (t *table[T]) find(v T, compare func(x, y T) int) (bool, bool) {
	_, found := slices.BinarySearchFunc(t.values, v, compare)
	return found, !found && t.null
}

// sorted is lookup of one class. Nil stands for a list that cannot be brought to it.
func sorted[T eval.Scalar](b *eval.Builder, c *candidates, how Comparison, compare func(x, y T) int) test {
	x, err := how.bring(b, c.subject(how))
	if err != nil {
		return nil
	}
	var rows []eval.Func[T]
	null := false
	for _, y := range c.list {
		if y.Null() {
			null = true
			continue
		}
		y, err := how.bring(b, y)
		if err != nil {
			return nil
		}
		rows = append(rows, eval.Of[T](y))
	}
	return search(b, c, eval.Of[T](x), compare, func(f *eval.Frame, t *table[T]) {
		t.null = null
		t.values = make([]T, 0, len(rows))
		for _, row := range rows {
			v, null := row(f)
			if null {
				t.null = true
				continue
			}
			t.values = append(t.values, owned(v))
		}
	})
}

// lookupInts is lookup of integers: those that x cannot have, as its sign is, are left out.
func (c *candidates) lookupInts(b *eval.Builder) test {
	unsigned := c.x.Type.Unsigned
	var rows []eval.Func[int64]
	var other []bool // the sign of the element's type is not that of x
	null := false
	for _, y := range c.list {
		if y.Null() {
			null = true
			continue
		}
		rows = append(rows, eval.Of[int64](b.ToInt(y)))
		other = append(other, y.Type.Unsigned != unsigned)
	}
	return search(b, c, eval.Of[int64](b.ToInt(c.x)), cmp.Compare[int64], func(f *eval.Frame, t *table[int64]) {
		t.null = null
		for i, row := range rows {
			v, null := row(f)
			if t.null = t.null || null; !null && (v >= 0 || !other[i]) {
				t.values = append(t.values, v)
			}
		}
	})
}

// search finds x in a sorted list. It is made at once if the statement alone says what is in it, and there are no conditions; else for the
// first row of each run.
func search[T eval.Scalar](b *eval.Builder, c *candidates, x eval.Func[T], compare func(x, y T) int, fill func(*eval.Frame, *table[T])) test {
	once := func(f *eval.Frame, t *table[T]) {
		fill(f, t)
		slices.SortFunc(t.values, compare)
		t.done = true
	}
	var t table[T]
	if settled(c.list) && silently(b, func(f *eval.Frame) { once(f, &t) }) {
		return func(f *eval.Frame) (bool, bool) {
			v, missing := x(f)
			if missing {
				return false, true
			}
			return t.find(v, compare)
		}
	}
	slot := b.Slot()
	return func(f *eval.Frame) (bool, bool) {
		t := eval.StateOf[table[T]](f, slot)
		if !t.done {
			once(f, t)
		}
		v, missing := x(f)
		if missing {
			return false, true
		}
		return t.find(v, compare)
	}
}

// silently computes something now, and reports whether that gave no conditions; if it did they are forgotten.
func silently(b *eval.Builder, compute func(*eval.Frame)) bool {
	kept := b.Scratch.Diag
	defer func() { b.Scratch.Diag = kept }()
	b.Scratch.Diag = &types.Diagnostics{Most: 1}
	compute(b.Scratch)
	return len(b.Scratch.Diag.Conditions) == 0
}

// settled reports whether constants are the same in all runs of the statement: there are no parameters in them, and nothing of the session.
func settled(xs []*eval.Expr) bool {
	for _, x := range xs {
		if !x.Is(eval.Constant) || x.Props&(eval.Volatile|eval.Session) != 0 || x.Name == "?" && !x.Is(eval.Literal) || !settled(x.Args) {
			return false
		}
	}
	return true
}
