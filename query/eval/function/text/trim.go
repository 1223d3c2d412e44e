package text

import (
	"slices"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
)

var trims = slices.Concat(
	named("trim", 1, 1, trimmer(tree.TrimBoth), "TRIM"),
	named("ltrim", 1, 1, trimmer(tree.TrimLeading), "LTRIM"),
	named("rtrim", 1, 1, trimmer(tree.TrimTrailing), "RTRIM"),
)

func trimmer(side tree.TrimSide) binder {
	return func(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
		return trim(b, name, side, nil, args[0])
	}
}

// Trim is TRIM(side chars FROM x); chars is nil for spaces.
func Trim(b *eval.Builder, side tree.TrimSide, chars, x *eval.Expr) (*eval.Expr, error) {
	return trim(b, [...]string{tree.TrimBoth: "trim", tree.TrimLeading: "ltrim", tree.TrimTrailing: "rtrim"}[side], side, chars, x)
}

func trim(b *eval.Builder, name string, side tree.TrimSide, what, x *eval.Expr) (*eval.Expr, error) {
	args := []*eval.Expr{x}
	if what != nil {
		args = []*eval.Expr{what, x}
	}
	a, texts, err := b.Agree(name, what != nil, args...)
	if err != nil {
		return nil, err
	}
	set := a.Collation.Set()
	cut := func(s, what []byte) []byte {
		if side != tree.TrimTrailing {
			s = trimStart(s, what)
		}
		if side != tree.TrimLeading {
			s = trimEnd(set, s, what)
		}
		return s
	}
	t := result(b, a, chars(texts[len(texts)-1]), args...)
	if what == nil {
		blank := asciiIn(set, " ")
		return eval.Map1(name, t, func(_ *eval.Frame, s []byte) ([]byte, bool) { return cut(s, blank), false }, texts[0]), nil
	}
	return eval.Map2(name, t, func(_ *eval.Frame, s, what []byte) ([]byte, bool) { return cut(s, what), false }, texts[1], texts[0]), nil
}
