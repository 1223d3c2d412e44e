package operator

import (
	"bytes"
	"cmp"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// test is whether an expression is true: a row form of its own, without a node.
type test = func(*eval.Frame) (v, null bool)

// truth makes the test of an expression: a number other than zero; text is tested as a DOUBLE.
func truth(b *eval.Builder, x *eval.Expr) test {
	switch x.Type.Class() {
	case types.ClassInt:
		row := eval.Of[int64](x)
		return func(f *eval.Frame) (bool, bool) { v, null := row(f); return v != 0, null }
	case types.ClassDec:
		row := eval.Of[decimal.Dec](x)
		return func(f *eval.Frame) (bool, bool) { v, null := row(f); return !v.IsZero(), null }
	case types.ClassTime:
		row := eval.Of[temporal.Packed](x)
		return func(f *eval.Frame) (bool, bool) { v, null := row(f); return v != 0, null }
	}
	if x.Type.Kind.Address() { // other bytes than zeros
		row := eval.Of[[]byte](x)
		return func(f *eval.Frame) (bool, bool) {
			v, null := row(f)
			return len(bytes.Trim(v, "\x00")) > 0, null
		}
	}
	row := eval.Of[float64](b.ToFloat(x))
	return func(f *eval.Frame) (bool, bool) { v, null := row(f); return v != 0, null }
}

// Condition refuses a column with addresses as an operand of a condition, which MariaDB compares with a number.
func Condition(x *eval.Expr, operation, number string) error {
	if _, _, column := x.Column(); !column || !x.Type.Kind.Address() {
		return nil
	}
	return mysqlerr.New(mysqlerr.IllegalParameterTypes, x.Type.Name(), number, operation)
}

// Holds is whether an expression is true, and not NULL, for a frame's row: what WHERE, HAVING and CHECK ask.
func Holds(b *eval.Builder, x *eval.Expr) func(*eval.Frame) bool {
	f := truth(b, x)
	return func(fr *eval.Frame) bool {
		v, null := f(fr)
		return v && !null
	}
}

// conditionTruth is truth of an operand of AND and OR: a column of text is compared with the integer 0 there, as a DECIMAL.
func conditionTruth(b *eval.Builder, x *eval.Expr) test {
	if _, _, column := x.Column(); !column || x.Type.Class() != types.ClassText || x.Type.Kind.Address() {
		return truth(b, x)
	}
	row := eval.Of[decimal.Dec](b.ToDec(x))
	return func(f *eval.Frame) (bool, bool) { v, null := row(f); return !v.IsZero(), null }
}

// condition makes a node of a test.
func condition(name string, t types.Type, f test, args ...*eval.Expr) *eval.Expr {
	return eval.New(name, t, func(fr *eval.Frame) (int64, bool) {
		v, null := f(fr)
		if v {
			return 1, null
		}
		return 0, null
	}, args...).With(eval.Bool)
}

// logic is x op y for AND, OR and XOR.
func logic(b *eval.Builder, op tree.Op, x, y *eval.Expr) (*eval.Expr, error) {
	if err := cmp.Or(Condition(x, "<>", "int"), Condition(y, "<>", "int")); err != nil && op != tree.OpXor {
		return nil, err
	}
	p, q := truth(b, x), truth(b, y)
	var f test
	switch op {
	case tree.OpXor:
		f = func(fr *eval.Frame) (bool, bool) {
			v, null := p(fr)
			if null {
				return false, true
			}
			w, null := q(fr)
			return v != w && !null, null
		}
	default:
		p, q = conditionTruth(b, x), conditionTruth(b, y)
		// The value that settles the result, whatever the other operand is.
		settles := op == tree.OpOr
		f = func(fr *eval.Frame) (bool, bool) {
			v, unknown := p(fr)
			if !unknown && v == settles {
				return settles, false
			}
			w, null := q(fr)
			if !null && w == settles {
				return settles, false
			}
			if null || unknown {
				return false, true
			}
			return !settles, false
		}
	}
	return condition(Name(op), types.BoolType().NullIf(x.Type, y.Type), f, x, y).Infix(op.Bind()).Plainly(), nil
}

// Not is NOT x, as IN, BETWEEN, LIKE and IS with a NOT have it.
func Not(b *eval.Builder, x *eval.Expr) (*eval.Expr, error) {
	if x.Name == "isnull" && x.Is(eval.Bool) {
		is := known(x.Args[0])
		return postfix(condition("isnotnull", types.BoolType(), func(f *eval.Frame) (bool, bool) { return is(f), false }, x.Args[0]),
			" is not null"), nil
	}
	if err := Condition(x, "=", "int"); err != nil {
		return nil, err
	}
	p := truth(b, x)
	return condition("!", types.BoolType().NullIf(x.Type), func(f *eval.Frame) (bool, bool) {
		v, null := p(f)
		return !v && !null, null
	}, x).Prefix(tree.BindUnary), nil
}

var comparisons = map[string]bool{"=": true, "<=>": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true}

// known computes an expression only to know whether it is NULL.
func known(x *eval.Expr) func(*eval.Frame) bool {
	if comparisons[x.Name] && x.Is(eval.Bool) && len(x.Args) == 2 {
		// Only the operands of a comparison are looked at: it gives no warnings of its own.
		p, q := known(x.Args[0]), known(x.Args[1])
		if x.Name == "<=>" {
			return func(*eval.Frame) bool { return true }
		}
		return func(f *eval.Frame) bool { return p(f) && q(f) }
	}
	switch x.Type.Class() {
	case types.ClassInt:
		row := eval.Of[int64](x)
		return func(f *eval.Frame) bool { _, null := row(f); return !null }
	case types.ClassFloat:
		row := eval.Of[float64](x)
		return func(f *eval.Frame) bool { _, null := row(f); return !null }
	case types.ClassDec:
		row := eval.Of[decimal.Dec](x)
		return func(f *eval.Frame) bool { _, null := row(f); return !null }
	case types.ClassTime:
		row := eval.Of[temporal.Packed](x)
		return func(f *eval.Frame) bool { _, null := row(f); return !null }
	}
	row := eval.Of[[]byte](x)
	return func(f *eval.Frame) bool { _, null := row(f); return !null }
}

func postfix(x *eval.Expr, text string) *eval.Expr {
	return x.Postfix(text, tree.OpEqual.Bind())
}

// IsNull is x IS NULL.
func IsNull(_ *eval.Builder, x *eval.Expr) (*eval.Expr, error) {
	is := known(x)
	if !x.Type.Nullable && !x.Is(eval.Volatile) {
		is = func(*eval.Frame) bool { return true } // not computed: no warnings
	}
	return postfix(condition("isnull", types.BoolType(), func(f *eval.Frame) (bool, bool) { return !is(f), false }, x), " is null"), nil
}

// IsTruth is x IS TRUE, or IS FALSE.
func IsTruth(b *eval.Builder, x *eval.Expr, is bool) (*eval.Expr, error) {
	p, text := truth(b, x), " is false"
	if is {
		text = " is true"
	}
	return postfix(condition("is", types.BoolType(), func(f *eval.Frame) (bool, bool) {
		v, null := p(f)
		return v == is && !null, false
	}, x), text), nil
}
