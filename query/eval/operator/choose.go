package operator

import (
	"strings"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// choice makes a node that computes one of several results, all of one class: pick says which, below 0 for NULL.
func choice(name string, t types.Type, pick func(*eval.Frame) int, results, args []*eval.Expr) *eval.Expr {
	if t.Kind == types.Null {
		return eval.NewNull(name, args...)
	}
	switch t.Class() {
	case types.ClassInt:
		return chosen[int64](name, t, pick, results, args)
	case types.ClassFloat:
		return chosen[float64](name, t, pick, results, args)
	case types.ClassDec:
		return chosen[decimal.Dec](name, t, pick, results, args)
	case types.ClassTime:
		return timed(t, results,
			func(xs []*eval.Expr) *eval.Expr { return chosen[temporal.Packed](name, t, pick, xs, args) },
			func(xs []*eval.Expr) *eval.Expr { return chosen[int64](name, momentType(), pick, xs, args) })
	}
	return chosen[[]byte](name, t, pick, results, args)
}

func chosen[T eval.Scalar](name string, t types.Type, pick func(*eval.Frame) int, results, args []*eval.Expr) *eval.Expr {
	forms := formsOf[T](results)
	return eval.New(name, t, func(f *eval.Frame) (v T, null bool) {
		i := pick(f)
		if i < 0 {
			return v, true
		}
		return forms[i](f)
	}, args...)
}

// formsOf are the row forms of expressions of one class; those of type NULL have it whatever it is.
func formsOf[T eval.Scalar](xs []*eval.Expr) []eval.Func[T] {
	forms := make([]eval.Func[T], len(xs))
	for i, x := range xs {
		if x.Null() {
			is := known(x)
			forms[i] = func(f *eval.Frame) (v T, null bool) { return v, !is(f) }
			continue
		}
		forms[i] = eval.Of[T](x)
	}
	return forms
}

func firstKnown[T eval.Scalar](name string, t types.Type, results, args []*eval.Expr) *eval.Expr {
	forms := formsOf[T](results)
	return eval.New(name, t, func(f *eval.Frame) (v T, null bool) {
		for _, form := range forms {
			if v, null = form(f); !null {
				return v, false
			}
		}
		return v, true
	}, args...)
}

// coalesce is the first argument that is not NULL.
func coalesce(name string) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		t, results, err := Merge(b, strings.Replace(name, "nvl", "ifnull", 1), args...) // as messages call it
		if err != nil {
			return nil, err
		}
		for i, x := range results {
			t.Nullable = t.Nullable && (x.Type.Nullable || args[i].Null())
		}
		switch {
		case t.Kind == types.Null:
			return eval.NewNull(name, args...), nil
		case t.Class() == types.ClassInt:
			return firstKnown[int64](name, t, results, args).With(allTruths(args)), nil
		case t.Class() == types.ClassFloat:
			return firstKnown[float64](name, t, results, args), nil
		case t.Class() == types.ClassDec:
			return firstKnown[decimal.Dec](name, t, results, args), nil
		case t.Class() == types.ClassTime:
			t.Unsigned = false
			return timed(t, results,
				func(xs []*eval.Expr) *eval.Expr { return firstKnown[temporal.Packed](name, t, xs, args) },
				func(xs []*eval.Expr) *eval.Expr { return firstKnown[int64](name, momentType(), xs, args) }), nil
		}
		return firstKnown[[]byte](name, t, results, args), nil
	}
}

// mergeTwo is Merge of the results of IF and NVL2, where a NULL that is written changes nothing in the other one's type.
func mergeTwo(b *eval.Builder, name string, x, y *eval.Expr) (types.Type, []*eval.Expr, error) {
	only, none := x, func(x *eval.Expr) bool { return x.Null() && x.Is(eval.Literal) }
	switch {
	case none(x) == none(y):
		return Merge(b, name, x, y)
	case none(x):
		only = y
	}
	t, out, err := Merge(b, name, only)
	if err != nil {
		return t, nil, err
	}
	if t.Nullable = true; t.Class() == types.ClassText && only.Type.Class() == types.ClassText || only.Type.Kind == types.Enum || only.Type.Kind == types.Set {
		t.Decimals = only.Type.Decimals
		t.Unsigned = only.Type.Unsigned && only.Type.Class() == types.ClassText
	}
	if t.Kind.Integer() {
		t.Length = only.Type.Width()
	}
	if x == only {
		return t, []*eval.Expr{out[0], y}, nil
	}
	return t, []*eval.Expr{x, out[0]}, nil
}

func ifThen(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	t, results, err := mergeTwo(b, "if", args[1], args[2])
	if err != nil {
		return nil, err
	}
	p := truth(b, args[0])
	foldWarnings(b, args[0])
	t.Nullable = t.Nullable || args[0].Type.Nullable
	return choice("if", t, func(f *eval.Frame) int {
		if v, null := p(f); v && !null {
			return 0
		}
		return 1
	}, results, args).With(truths(args[1:]...)), nil
}

func nvl2(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	t, results, err := mergeTwo(b, "nvl2", args[1], args[2])
	if err != nil {
		return nil, err
	}
	is := known(args[0])
	t.Nullable = t.Nullable || args[0].Type.Nullable
	return choice("nvl2", t, func(f *eval.Frame) int {
		if is(f) {
			return 0
		}
		return 1
	}, results, args).With(truths(args[1:]...)), nil
}

// truths is Bool if what a function chooses from are conditions; a NULL among them changes nothing.
func truths(xs ...*eval.Expr) eval.Props {
	p := eval.Props(0)
	for _, x := range xs {
		if x.Is(eval.Bool) {
			p = eval.Bool
		} else if !x.Null() {
			return 0
		}
	}
	return p
}

// allTruths is Bool if all that is chosen from are conditions.
func allTruths(xs []*eval.Expr) eval.Props {
	for _, x := range xs {
		if !x.Is(eval.Bool) {
			return 0
		}
	}
	return eval.Bool
}

// foldWarnings computes a constant AND or OR that decides: MariaDB does so when it resolves names, and has its warnings twice.
func foldWarnings(b *eval.Builder, x *eval.Expr) {
	if x.Is(eval.Constant|eval.Bool) && (x.Name == "and" || x.Name == "or") {
		truth(b, x)(b.Scratch)
	}
}

// When is an arm of CASE.
type When struct{ If, Then *eval.Expr }

// Case is CASE x WHEN ... END; x and otherwise may be nil.
func Case(b *eval.Builder, x *eval.Expr, whens []When, otherwise *eval.Expr) (*eval.Expr, error) {
	if x != nil {
		return caseOf(b, x, whens, otherwise)
	}
	var args, thens []*eval.Expr
	tests := make([]test, len(whens))
	unknown := otherwise == nil
	for i, w := range whens {
		args = append(args, w.If, w.Then)
		thens = append(thens, w.Then)
		tests[i] = truth(b, w.If)
		unknown = unknown || w.If.Type.Nullable
	}
	last := -1
	if otherwise != nil {
		last = len(thens)
		thens = append(thens, otherwise)
		args = append(args, otherwise)
	}
	t, results, err := Merge(b, "case", thens...)
	if err != nil {
		return nil, err
	}
	if !t.Kind.Address() || otherwise == nil { // of which only the results count
		t.Nullable = t.Nullable || unknown
	}
	return choice("case", t, func(f *eval.Frame) int {
		for i, p := range tests {
			if v, null := p(f); v && !null {
				return i
			}
		}
		return last
	}, results, args).With(allTruths(thens)).Printed(func(dst []byte) []byte {
		dst = append(dst, "case "...)
		for _, w := range whens {
			dst = w.If.Print(append(dst, "when "...))
			dst = append(w.Then.Print(append(dst, " then "...)), ' ')
		}
		if otherwise != nil {
			dst = append(otherwise.Print(append(dst, "else "...)), ' ')
		}
		return append(dst, "end"...)
	}), nil
}

// lastValue is the last argument, with its type; those before it are computed as integers, for what they do.
func lastValue(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	last := args[len(args)-1]
	if last.Type.Hybrid {
		return nil, mysqlerr.NotYet("LAST_VALUE of a binary literal") // which is a number where one is asked for
	}
	before := make([]eval.Func[int64], len(args)-1)
	for i := range before {
		if x := args[i]; x.Null() {
			before[i] = func(*eval.Frame) (int64, bool) { return 0, true }
		} else {
			before[i] = eval.Of[int64](b.ToInt(x))
		}
	}
	compute := func(f *eval.Frame) int {
		for _, x := range before {
			x(f)
		}
		return 0
	}
	if last.Null() {
		return eval.New("last_value", last.Type, func(f *eval.Frame) ([]byte, bool) { return nil, compute(f) == 0 }, args...), nil
	}
	return choice("last_value", last.Type, compute, []*eval.Expr{last}, args).With(last.Props & eval.Bool), nil
}
