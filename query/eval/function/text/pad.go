package text

import (
	"slices"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

var pads = slices.Concat(
	named("repeat", 2, 2, repeat, "REPEAT"),
	named("space", 1, 1, space, "SPACE"),
	named("lpad", 2, 3, padder(true), "LPAD"),
	named("rpad", 2, 3, padder(false), "RPAD"),
)

// times is the type of a text of so many times as many characters.
func times(b *eval.Builder, a charset.Aggregation, per uint64, count *eval.Expr, args ...*eval.Expr) types.Type {
	n, null, ok := constInt(b, count)
	switch {
	case !ok:
		return result(b, a, blobMax, args...)
	case null, n <= 0 && !unsigned(b, count):
		return result(b, a, 0, args...)
	case n < 0 || n > int32Max:
		n = int32Max
	}
	return result(b, a, per*uint64(n), args...)
}

func repeat(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args[0])
	if err != nil {
		return nil, err
	}
	u := unsigned(b, args[1])
	return each2(name, times(b, a, chars(texts[0]), args[1], args...), func(f *eval.Frame, s []byte, n int64) ([]byte, bool) {
		switch {
		case n <= 0 && !u, n == 0, len(s) == 0:
			return s[:0], false
		case n == 1:
			return s, false
		case n < 0 || n > int32Max:
			n = int32Max
		}
		if !f.Fits(name, uint64(len(s))*uint64(n)) {
			return nil, true
		}
		return fill(f.Buffer(len(s)*int(n)), s, int(n)), false
	}, texts[0], b.ToInt(args[1])), nil
}

// fill appends n copies of a text.
func fill(dst, s []byte, n int) []byte {
	for range n {
		dst = append(dst, s...)
	}
	return dst
}

func space(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a := ofConnection(b)
	blank, u := asciiIn(a.Collation.Set(), " "), unsigned(b, args[0])
	return eval.Map1(name, times(b, a, 1, args[0], args...), func(f *eval.Frame, n int64) ([]byte, bool) {
		switch {
		case n <= 0 && !u, n == 0:
			return []byte{}, false
		case n < 0 || n > int32Max:
			n = int32Max
		}
		if !f.Fits(name, uint64(len(blank))*uint64(n)) {
			return nil, true
		}
		return fill(f.Buffer(len(blank)*int(n)), blank, int(n)), false
	}, b.ToInt(args[0])), nil
}

// padder binds LPAD (before) and RPAD.
func padder(before bool) binder {
	return func(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
		strings := []*eval.Expr{args[0]}
		if len(args) > 2 {
			strings = append(strings, args[2])
		}
		a, texts, err := b.Agree(name, false, strings...)
		if err != nil {
			return nil, err
		}
		if err := foreignBesideNumbers(name, strings); err != nil {
			return nil, err
		}
		set, u := a.Collation.Set(), unsigned(b, args[1])
		t := times(b, a, 1, args[1], args...)
		with := eval.NewLiteral(result(b, a, 1), types.Value{Text: asciiIn(set, " ")}, []byte("' '"))
		if len(args) > 2 {
			with = texts[1]
		}
		kernel := func(f *eval.Frame, s []byte, n int64, with []byte) ([]byte, bool) {
			switch {
			case n < 0 && !u:
				return nil, true
			case n < 0 || n > int32Max:
				n = int32Max
			}
			return pad(f, name, set, s, n, with, before)
		}
		if before {
			return each3(name, t, func(f *eval.Frame, n int64, s, with []byte) ([]byte, bool) { return kernel(f, s, n, with) },
				b.ToInt(args[1]), texts[0], with), nil
		}
		return each3(name, t, kernel, texts[0], b.ToInt(args[1]), with), nil
	}
}

// pad makes a text n characters long.
func pad(f *eval.Frame, name string, set *charset.Set, s []byte, n int64, with []byte, before bool) ([]byte, bool) {
	have := int64(set.Len(s))
	if n <= have {
		return s[:set.Prefix(s, int(n))], false
	}
	if !f.Fits(name, uint64(n)*uint64(set.MaxLen())) {
		return nil, true
	}
	unit := int64(set.Len(with))
	if unit == 0 {
		return nil, true
	}
	missing := n - have
	whole, rest := int(missing/unit), set.Prefix(with, int(missing%unit))
	out := f.Buffer(len(s) + whole*len(with) + rest)
	if !before {
		out = append(out, s...)
	}
	out = append(fill(out, with, whole), with[:rest]...)
	if before {
		out = append(out, s...)
	}
	return out, false
}
