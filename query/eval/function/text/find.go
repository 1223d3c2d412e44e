package text

import (
	"bytes"
	"slices"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

var finds = slices.Concat(
	named("locate", 2, 3, locate, "LOCATE"),
	named("locate", 2, 2, locate, "POSITION"),
	named("locate", 2, 2, func(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
		return locate(b, name, []*eval.Expr{args[1], args[0]})
	}, "INSTR"),
	named("strcmp", 2, 2, strcmp, "STRCMP"),
	named("find_in_set", 2, 2, findInSet, "FIND_IN_SET"),
	named("field", 2, many, field, "FIELD"),
)

// Widths of the results, in digits.
const (
	placeDigits = 11
	fieldDigits = 3
	signDigits  = 2
)

// locate is LOCATE(what, s, start).
func locate(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, true, args[1], args[0])
	if err != nil {
		return nil, err
	}
	find, err := newFinder(a.Collation)
	if err != nil {
		return nil, err
	}
	set := a.Collation.Set()
	t := nullIf(types.LongType(placeDigits), args...)
	if len(args) == 2 {
		return each2(name, t, func(f *eval.Frame, s, what []byte) (int64, bool) {
			at, _ := find.place(f, s, what)
			return at, false
		}, texts[0], texts[1]), nil
	}
	text, what, start := eval.Of[[]byte](texts[0]), eval.Of[[]byte](texts[1]), eval.Of[int64](b.ToInt(args[2]))
	return eval.New(name, t, func(f *eval.Frame) (int64, bool) {
		s, null0 := text(f)
		w, null1 := what(f)
		if null0 || null1 {
			return 0, true
		}
		n, null := start(f)
		switch {
		case null:
			return 0, true
		case n < 1 || n > int64(len(s)):
			return 0, false
		}
		skip := set.Prefix(s, int(n)-1)
		if set.Len(s[:skip]) < int(n)-1 || skip+len(w) > len(s) {
			return 0, false
		}
		if len(w) == 0 {
			return int64(skip) + 1, false // bytes: so does MariaDB count here
		}
		at, found := find.place(f, s[skip:], w)
		if !found {
			return 0, false
		}
		return at + n - 1, false
	}, texts[0], texts[1], args[2]), nil
}

// finder finds a text in another one by a collation: MariaDB compares as many bytes as the text has that is looked for, at each character,
// without regard to spaces at the end.
type finder struct {
	set   *charset.Set
	order *charset.Order
	exact bool // bytes are compared
}

func newFinder(c *charset.Collation) (*finder, error) {
	o, err := orderOf(c)
	if err != nil {
		return nil, err
	}
	if c.Set().MaxLen() == 1 && c.Name() == "latin1_german2_ci" {
		return nil, mysqlerr.NotYet("a search by collation " + c.Name())
	}
	return &finder{set: c.Set(), order: o, exact: c.Binary()}, nil
}

// place is the number of the character where what begins, from 1.
func (f *finder) place(fr *eval.Frame, s, what []byte) (place int64, found bool) {
	if len(what) == 0 {
		return 1, true
	}
	if f.exact {
		i := index(f.set, s, what, 0)
		if i < 0 {
			return 0, false
		}
		return int64(f.set.Len(s[:i])) + 1, true
	}
	const often = 1 << 16 // bytes between two looks at whether the statement is to end
	next := often
	for i := 0; i+len(what) <= len(s); place++ {
		if i > next {
			if next += often; interrupted(fr) {
				return 0, false
			}
		}
		if f.same(fr, s[i:i+len(what)], what) {
			return place + 1, true
		}
		i += step(f.set, s[i:])
	}
	return 0, false
}

// same reports whether two texts are equal, spaces at the end included.
func (f *finder) same(fr *eval.Frame, s, what []byte) bool {
	if bytes.Equal(s, what) {
		return true
	}
	if !f.order.Equal(s, what) {
		return false
	}
	if n := f.set.Len(s); n == f.set.Len(what) && !endsInSpace(s) && !endsInSpace(what) {
		return true
	}
	room := 16 * (len(s) + len(what))
	x := f.order.AppendWeights(fr.Buffer(room), s)
	return bytes.Equal(x, f.order.AppendWeights(fr.Buffer(room), what))
}

func endsInSpace(s []byte) bool { return len(s) > 0 && s[len(s)-1] == ' ' }

// interrupted makes the statement fail if it is to end.
func interrupted(f *eval.Frame) bool {
	if f.Interrupted == nil {
		return false
	}
	err := f.Interrupted()
	if err != nil {
		f.Diag.Fail(mysqlerr.Newf(mysqlerr.QueryInterrupted, "%s", "Query execution was interrupted").WithCause(err))
	}
	return err != nil
}

func strcmp(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, true, args...)
	if err != nil {
		return nil, err
	}
	o, err := orderOf(a.Collation)
	if err != nil {
		return nil, err
	}
	return each2(name, nullIf(types.LongType(signDigits), args...), func(_ *eval.Frame, s, t []byte) (int64, bool) {
		return int64(o.Compare(s, t)), false
	}, texts[0], texts[1]), nil
}

func findInSet(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, true, args...)
	if err != nil {
		return nil, err
	}
	find, err := newFinder(a.Collation)
	if err != nil {
		return nil, err
	}
	comma := asciiIn(a.Collation.Set(), ",")
	return each2(name, nullIf(types.LongType(fieldDigits), args...), func(f *eval.Frame, what, list []byte) (int64, bool) {
		if len(list) == 0 {
			return 0, false
		}
		for at, n := 0, int64(1); ; n++ {
			end := index(find.set, list, comma, at)
			if end < 0 {
				end = len(list)
			}
			if find.same(f, list[at:end], what) {
				return n, false
			}
			if end == len(list) || interrupted(f) {
				return 0, false
			}
			at = end + len(comma)
		}
	}, texts[0], texts[1]), nil
}

// field is FIELD(x, list ...): texts if all are, integers if all are, decimals if all are numbers that are exact, else DOUBLEs.
func field(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	text, whole, exact := true, true, true
	for _, x := range args {
		c := x.Type.Class()
		text = text && (c == types.ClassText || c == types.ClassTime)
		whole = whole && c == types.ClassInt
		exact = exact && (c == types.ClassInt || c == types.ClassDec)
	}
	t := types.LongType(fieldDigits)
	switch {
	case text:
		a, texts, err := b.Agree(name, true, args...)
		if err != nil {
			return nil, err
		}
		o, err := orderOf(a.Collation)
		if err != nil {
			return nil, err
		}
		return search(name, t, o.Equal, texts), nil
	case whole:
		return search(name, t, func(v, w int64) bool { return v == w }, converted(args, b.ToInt)), nil
	case exact:
		return search(name, t, func(v, w decimal.Dec) bool { return decimal.Cmp(v, w) == 0 }, converted(args, b.ToDec)), nil
	}
	return search(name, t, func(v, w float64) bool { return v == w }, converted(args, b.ToFloat)), nil
}

func converted(args []*eval.Expr, to func(*eval.Expr) *eval.Expr) []*eval.Expr {
	out := make([]*eval.Expr, len(args))
	for i, x := range args {
		out[i] = to(x)
	}
	return out
}

// search makes the node that finds the first argument among the others; what is NULL is not found, and does not find.
func search[T eval.Scalar](name string, t types.Type, same func(v, w T) bool, args []*eval.Expr) *eval.Expr {
	forms := make([]eval.Func[T], len(args))
	for i, x := range args {
		forms[i] = eval.Of[T](x)
	}
	return eval.New(name, t, func(f *eval.Frame) (int64, bool) {
		v, null := forms[0](f)
		if null {
			return 0, false
		}
		for i, form := range forms[1:] {
			if w, null := form(f); !null && same(v, w) {
				return int64(i) + 1, false
			}
		}
		return 0, false
	}, args...)
}
