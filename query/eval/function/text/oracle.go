package text

import (
	"slices"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
)

// oracles are the forms that functions have in sql_mode=ORACLE, under the names that any mode knows: a text without characters is NULL.
var oracles = slices.Concat(
	named("trim", 1, 1, orNull(trimmer(tree.TrimBoth)), "TRIM_ORACLE"),
	named("ltrim", 1, 1, orNull(trimmer(tree.TrimLeading)), "LTRIM_ORACLE"),
	named("rtrim", 1, 1, orNull(trimmer(tree.TrimTrailing)), "RTRIM_ORACLE"),
	named("lpad", 2, 3, orNull(padder(true)), "LPAD_ORACLE"),
	named("rpad", 2, 3, orNull(padder(false)), "RPAD_ORACLE"),
	named("replace", 3, 3, orNull(replaceOracle), "REPLACE_ORACLE"),
	named("substr", 2, 3, orNull(substrOracle), "SUBSTR_ORACLE"),
)

// orNull binds a function whose empty texts are NULL.
func orNull(bind binder) binder {
	return func(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
		x, err := bind(b, name, args)
		if err != nil {
			return nil, err
		}
		return emptyNull(x), nil
	}
}

func emptyNull(x *eval.Expr) *eval.Expr {
	return eval.Map1("oracle", x.Type.OrNull(), func(_ *eval.Frame, s []byte) ([]byte, bool) { return s, len(s) == 0 }, x)
}

// replaceOracle is REPLACE that takes NULL for an empty text, in what is looked for and in what is put in its place.
func replaceOracle(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, true, args...)
	if err != nil {
		return nil, err
	}
	length := chars(texts[0]) * max(1, chars(texts[2]))
	set := a.Collation.Set()
	from, find, with := eval.Of[[]byte](texts[0]), eval.Of[[]byte](texts[1]), eval.Of[[]byte](texts[2])
	return eval.New(name, result(b, a, length, args...), func(f *eval.Frame) ([]byte, bool) {
		s, null := from(f)
		if null {
			return nil, true
		}
		what, null := find(f)
		if null || len(what) == 0 || index(set, s, what, 0) < 0 {
			return s, false
		}
		w, null := with(f)
		if null {
			w = nil
		}
		return replaceAll(f, name, set, s, what, w)
	}, texts...), nil
}

// substrOracle is SUBSTR whose place 0 is the first.
func substrOracle(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	at := b.ToInt(args[1])
	first := eval.Map1("first", at.Type, func(_ *eval.Frame, n int64) (int64, bool) {
		if n == 0 {
			n = 1
		}
		return n, false
	}, at)
	return substr(b, name, append([]*eval.Expr{args[0], first}, args[2:]...))
}
