package operator

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// caseOf is CASE x WHEN ... END: the first arm whose value equals x.
func caseOf(b *eval.Builder, x *eval.Expr, whens []When, otherwise *eval.Expr) (*eval.Expr, error) {
	args := []*eval.Expr{x}
	var values, thens []*eval.Expr
	nullable := otherwise == nil || x.Type.Nullable
	for _, w := range whens {
		args = append(args, w.If, w.Then)
		nullable = nullable || w.If.Type.Nullable
		values, thens = append(values, w.If), append(thens, w.Then)
	}
	last := -1
	if otherwise != nil {
		last = len(thens)
		thens, args = append(thens, otherwise), append(args, otherwise)
	}
	c, err := candidatesOf(b, "case", x, values)
	if err != nil {
		return nil, err
	}
	arms, err := c.prepare(b)
	if err != nil {
		return nil, err
	}
	t, results, err := Merge(b, "case", thens...)
	if err != nil {
		return nil, err
	}
	if !t.Kind.Address() || otherwise == nil {
		t.Nullable = t.Nullable || nullable
	}
	match := matching(arms)
	return choice("case", t, func(f *eval.Frame) int {
		if at, _ := match(f); at >= 0 {
			return at
		}
		return last
	}, results, args).With(allTruths(thens)).Printed(func(dst []byte) []byte {
		dst = append(x.Print(append(dst, "case "...)), ' ')
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

// nullIf is NULLIF(x, y): x, or NULL if they are equal.
func nullIf(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := args[0]
	p, err := ordered(b, "nullif", x, args[1])
	if err != nil {
		return nil, err
	}
	if x.Null() {
		return eval.New("nullif", x.Type, func(*eval.Frame) ([]byte, bool) { return nil, true }, args...), nil
	}
	t, results, err := Merge(b, "nullif", x)
	if err != nil {
		return nil, err
	}
	if x.Type.Kind.Integer() {
		t = x.Type
	}
	switch {
	case x.Type.Members != nil:
		t.Decimals = 0
	case x.Type.Class() == types.ClassTime:
		t.Decimals = x.Type.Decimals
	case x.Type.Kind.Blob():
		t.Kind = x.Type.Kind
	}
	t.Nullable = true
	equal := func(f *eval.Frame) bool { c, null := p.order(f); return !null && c == 0 }
	switch t.Class() {
	case types.ClassInt:
		return unless[int64](t, equal, results[0], args).With(x.Props & eval.Bool), nil
	case types.ClassFloat:
		return unless[float64](t, equal, results[0], args), nil
	case types.ClassDec:
		return unless[decimal.Dec](t, equal, results[0], args), nil
	case types.ClassTime:
		return timed(t, results,
			func(xs []*eval.Expr) *eval.Expr { return unless[temporal.Packed](t, equal, xs[0], args) },
			func(xs []*eval.Expr) *eval.Expr { return unless[int64](momentType(), equal, xs[0], args) }), nil
	}
	return unless[[]byte](t, equal, results[0], args), nil
}

func unless[T eval.Scalar](t types.Type, equal func(*eval.Frame) bool, x *eval.Expr, args []*eval.Expr) *eval.Expr {
	row := eval.Of[T](x)
	return eval.New("nullif", t, func(f *eval.Frame) (v T, null bool) {
		if equal(f) {
			return v, true
		}
		return row(f)
	}, args...)
}
