package text

import (
	"slices"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
)

// oracles are functions as Oracle has them: an empty text is NULL. In sql_mode ORACLE they stand in place of those without the suffix.
var oracles = slices.Concat(
	named("concat_operator_oracle", 1, many, concatOracle, "CONCAT_OPERATOR_ORACLE"),
	named("substr", 2, 3, emptyIsNull(substrOf(true)), "SUBSTR_ORACLE"),
	named("trim", 1, 1, emptyIsNull(trimmer(tree.TrimBoth)), "TRIM_ORACLE"),
	named("ltrim", 1, 1, emptyIsNull(trimmer(tree.TrimLeading)), "LTRIM_ORACLE"),
	named("rtrim", 1, 1, emptyIsNull(trimmer(tree.TrimTrailing)), "RTRIM_ORACLE"),
	named("lpad", 2, 3, emptyIsNull(padder(true)), "LPAD_ORACLE"),
	named("rpad", 2, 3, emptyIsNull(padder(false)), "RPAD_ORACLE"),
	named("replace", 3, 3, replaceOracle, "REPLACE_ORACLE"),
)

// emptyIsNull gives NULL where a function gives an empty text.
func emptyIsNull(bind binder) binder {
	return func(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
		x, err := bind(b, name, args)
		if err != nil {
			return nil, err
		}
		form := eval.Of[[]byte](x)
		return eval.New(name, x.Type.OrNull(), func(f *eval.Frame) ([]byte, bool) {
			s, null := form(f)
			return s, null || len(s) == 0
		}, args...), nil
	}
}

// TrimOracle is TRIM(side chars FROM x) in Oracle mode; chars is nil for spaces.
func TrimOracle(b *eval.Builder, side tree.TrimSide, chars, x *eval.Expr) (*eval.Expr, error) {
	args := []*eval.Expr{x}
	if chars != nil {
		args = append(args, chars)
	}
	name := [...]string{tree.TrimBoth: "trim_oracle", tree.TrimLeading: "ltrim_oracle", tree.TrimTrailing: "rtrim_oracle"}[side]
	return emptyIsNull(func(b *eval.Builder, name string, _ []*eval.Expr) (*eval.Expr, error) {
		return trim(b, name, side, chars, x)
	})(b, name, args)
}

// replaceOracle is REPLACE in Oracle mode: to look for NULL finds nothing, and NULL in its place is nothing. An empty result is NULL, though MariaDB's type
// does not say so.
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
		if null || len(what) == 0 {
			return s, false
		}
		if index(set, s, what, 0) < 0 {
			return s, len(s) == 0
		}
		w, null := with(f)
		if null {
			w = nil
		}
		s, null = replaceAll(f, name, set, s, what, w)
		return s, null || len(s) == 0
	}, texts...), nil
}

// RegexpReplaceOracle is REGEXP_REPLACE in Oracle mode, which has no other name: what is replaced by NULL is left out.
var RegexpReplaceOracle = named("regexp_replace_oracle", 3, 3, func(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x, err := regexpReplaceWith(b, name, args, func(with *eval.Expr) *eval.Expr {
		form := eval.Of[[]byte](with)
		return eval.New("", with.Type, func(f *eval.Frame) ([]byte, bool) {
			s, null := form(f)
			if null {
				return []byte{}, false
			}
			return s, false
		}, with)
	})
	if err == nil {
		x.Type.Nullable = true
	}
	return x, err
}, "REGEXP_REPLACE")[0]
