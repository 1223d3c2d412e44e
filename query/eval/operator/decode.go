package operator

import (
	"slices"

	"github.com/duramendb/duramen/query/eval"
)

// decode is DECODE_ORACLE(x, y, z, ... otherwise): a CASE in which NULL equals NULL.
func decode(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x, rest := args[0], args[1:]
	var values, thens []*eval.Expr
	for ; len(rest) > 1; rest = rest[2:] {
		values, thens = append(values, rest[0]), append(thens, rest[1])
	}
	last := -1
	if len(rest) > 0 {
		last = len(thens)
		thens = append(thens, rest[0])
	}
	c, err := candidatesOf(b, "decode", x, values)
	if err != nil {
		return nil, err
	}
	arms, err := c.prepare(b)
	if err != nil {
		return nil, err
	}
	t, results, err := Merge(b, "decode", thens...)
	if err != nil {
		return nil, err
	}
	t.Nullable = t.Nullable || last < 0 || x.Type.Nullable || slices.ContainsFunc(values, func(y *eval.Expr) bool { return y.Type.Nullable })
	given := make([]func(*eval.Frame) bool, len(values))
	for i, y := range values {
		given[i] = known(y)
	}
	match, xGiven := matching(arms), known(x)
	return choice("decode", t, func(f *eval.Frame) int {
		at, unknown := match(f)
		switch {
		case at >= 0:
			return at
		case !unknown, xGiven(f):
			return last
		}
		for i := range given {
			if !given[i](f) {
				return i
			}
		}
		return last
	}, results, args).With(allTruths(thens)), nil
}
