package text

import (
	"slices"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

var joins = slices.Concat(
	named("concat", 1, many, concat, "CONCAT"),
	named("concat_ws", 2, many, concatWS, "CONCAT_WS"),
	named("elt", 2, many, elt, "ELT"),
	named("make_set", 2, many, makeSet, "MAKE_SET"),
	named("export_set", 3, 5, exportSet, "EXPORT_SET"),
)

func concat(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args...)
	if err != nil {
		return nil, err
	}
	var length uint64
	for _, x := range texts {
		length += chars(x)
	}
	return eval.MapN(name, result(b, a, length, args...), func(f *eval.Frame, parts [][]byte) ([]byte, bool) {
		return joinFitting(f, name, nil, parts)
	}, texts...), nil
}

// joinFitting puts texts together, with a separator between them, as long as max_allowed_packet allows.
func joinFitting(f *eval.Frame, name string, between []byte, parts [][]byte) ([]byte, bool) {
	return join(f, between, parts, func(n uint64) bool { return f.Fits(name, n) })
}

// join puts texts together, with a separator between them; may is asked for the length.
func join(f *eval.Frame, between []byte, parts [][]byte, may func(n uint64) bool) ([]byte, bool) {
	if len(parts) == 1 {
		return parts[0], false
	}
	size := 0
	for i, p := range parts {
		if i > 0 {
			size += len(between)
		}
		size += len(p)
	}
	if !may(uint64(size)) {
		return nil, true
	}
	out := f.Buffer(size)
	for i, p := range parts {
		if i > 0 {
			out = append(out, between...)
		}
		out = append(out, p...)
	}
	return out, false
}

// concatOracle is || in Oracle mode: NULL is empty, and the result is NULL only if all is.
func concatOracle(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args...)
	if err != nil {
		return nil, err
	}
	var length uint64
	for _, x := range texts {
		length += chars(x)
	}
	forms := formsOf(texts)
	return eval.New(name, result(b, a, length, args...), func(f *eval.Frame) ([]byte, bool) {
		parts := make([][]byte, 0, len(forms))
		for _, form := range forms {
			if s, null := form(f); !null {
				parts = append(parts, s)
			}
		}
		if len(parts) == 0 {
			return nil, true
		}
		return joinFitting(f, name, nil, parts)
	}, texts...), nil
}

func formsOf(texts []*eval.Expr) []eval.Func[[]byte] {
	forms := make([]eval.Func[[]byte], len(texts))
	for i, x := range texts {
		forms[i] = eval.Of[[]byte](x)
	}
	return forms
}

func concatWS(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args...)
	if err != nil {
		return nil, err
	}
	length := chars(texts[0]) * uint64(len(args)-2)
	for _, x := range texts[1:] {
		length += chars(x)
	}
	forms := formsOf(texts)
	return eval.New(name, result(b, a, length, args...), func(f *eval.Frame) ([]byte, bool) {
		between, null := forms[0](f)
		if null {
			return nil, true
		}
		var few [8][]byte
		parts := few[:0]
		for _, form := range forms[1:] {
			if s, null := form(f); !null {
				parts = append(parts, s)
			}
		}
		if len(parts) == 0 {
			return []byte{}, false
		}
		return joinFitting(f, name, between, parts)
	}, texts...), nil
}

func elt(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args[1:]...)
	if err != nil {
		return nil, err
	}
	var length uint64
	var decimals uint8
	for i, x := range args[1:] {
		length, decimals = max(length, chars(texts[i])), max(decimals, x.Type.Decimals)
	}
	if decimals >= types.NotFixed {
		decimals = types.NotFixedText
	}
	t := result(b, a, length).OrNull()
	t.Decimals = decimals
	index, forms := eval.Of[int64](b.ToInt(args[0])), formsOf(texts)
	return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
		n, null := index(f)
		if null || n < 1 || n > int64(len(forms)) {
			return nil, true
		}
		return forms[n-1](f)
	}, append([]*eval.Expr{args[0]}, texts...)...), nil
}

func makeSet(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args[1:]...)
	if err != nil {
		return nil, err
	}
	length := uint64(len(args) - 2)
	for _, x := range texts {
		length += chars(x)
	}
	if err := foreignBesideNumbers(name, args[1:]); err != nil {
		return nil, err
	}
	comma := asciiIn(a.Collation.Set(), ",")
	bits, forms := eval.Of[int64](b.ToInt(args[0])), formsOf(texts)
	return eval.New(name, plain(b, a, length, args[0]), func(f *eval.Frame) ([]byte, bool) {
		set, null := bits(f)
		if null {
			return nil, true
		}
		parts := make([][]byte, 0, len(forms))
		for i, form := range forms {
			if i >= 64 || uint64(set)>>i&1 == 0 {
				continue
			}
			if s, null := form(f); !null {
				parts = append(parts, s)
			}
		}
		if len(parts) == 0 {
			return []byte{}, false
		}
		return join(f, comma, parts, f.Room)
	}, append([]*eval.Expr{args[0]}, texts...)...), nil
}

const setBits = 64

// exportSet is EXPORT_SET(bits, on, off, separator, count).
func exportSet(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args[1:min(len(args), 4)]...)
	if err != nil {
		return nil, err
	}
	between := uint64(1)
	if len(args) > 3 {
		between = chars(texts[2])
	}
	t := result(b, a, max(chars(texts[0]), chars(texts[1]))*setBits+between*(setBits-1), args...)
	comma := asciiIn(a.Collation.Set(), ",")
	bits, forms := eval.Of[int64](b.ToInt(args[0])), formsOf(texts)
	count := eval.Func[int64](func(*eval.Frame) (int64, bool) { return setBits, false })
	if len(args) > 4 {
		count = eval.Of[int64](b.ToInt(args[4]))
	}
	return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
		set, null0 := bits(f)
		on, null1 := forms[0](f)
		off, null2 := forms[1](f)
		if null0 || null1 || null2 {
			return nil, true
		}
		n, null := count(f)
		if null {
			return nil, true
		}
		if n < 0 || n > setBits {
			n = setBits
		}
		sep := comma
		if len(forms) > 2 {
			if sep, null = forms[2](f); null {
				return nil, true
			}
		}
		return export(f, name, uint64(set), int(n), on, off, sep)
	}, append(append([]*eval.Expr{args[0]}, texts...), args[min(len(args), 4):]...)...), nil
}

func export(f *eval.Frame, name string, set uint64, n int, on, off, sep []byte) ([]byte, bool) {
	parts := make([][]byte, n)
	for i := range parts {
		if parts[i] = off; set>>i&1 != 0 {
			parts[i] = on
		}
	}
	if n == 0 {
		return []byte{}, false
	}
	// The server reckons with the longer one of the two, whatever the bits are.
	if !f.Fits(name, uint64(max(len(on), len(off)))*uint64(n)+uint64(len(sep))*uint64(n-1)) {
		return nil, true
	}
	return join(f, sep, parts, f.Room)
}
