package operator

import "github.com/duramendb/duramen/query/eval"

// decode is DECODE(x, value, result, ..., otherwise) as Oracle has it: CASE x WHEN, where NULL equals NULL.
func decode(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := args[0]
	var values, thens []*eval.Expr
	rest := args[1:]
	for ; len(rest) > 1; rest = rest[2:] {
		values, thens = append(values, rest[0]), append(thens, rest[1])
	}
	last := -1
	if len(rest) == 1 {
		last = len(thens)
		thens = append(thens, rest[0])
	}
	c, err := candidatesOf(b, "decode_oracle", x, values)
	if err != nil {
		return nil, err
	}
	arms, err := c.prepare(b)
	if err != nil {
		return nil, err
	}
	t, results, err := Merge(b, "decode_oracle", thens...)
	if err != nil {
		return nil, err
	}
	for _, y := range append([]*eval.Expr{x}, values...) {
		t.Nullable = t.Nullable || y.Type.Nullable
	}
	t.Nullable = t.Nullable || last < 0
	knows, known := known(x), knownAll(values)
	return choice("decode_oracle", t, func(f *eval.Frame) int {
		var c cells
		null, asked := false, false // x is NULL, and that has been looked at
		for i := range arms {
			if !asked && arms[i].null {
				null, asked = c.loaded == 0 && !knows(f), true
			}
			if !null && !arms[i].null {
				same, unknown := arms[i].same(f, &c)
				if same {
					return i
				}
				null, asked = null || unknown && c.loaded == 0, true
			}
			if null && !known[i](f) {
				return i
			}
		}
		return last
	}, results, args).With(allTruths(thens)), nil
}

func knownAll(xs []*eval.Expr) []func(*eval.Frame) bool {
	out := make([]func(*eval.Frame) bool, len(xs))
	for i, x := range xs {
		out[i] = known(x)
	}
	return out
}
