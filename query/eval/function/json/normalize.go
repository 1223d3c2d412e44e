package json

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

func normalize(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	t := types.StringType(5*d.chars, utf8Bin(), charset.Coercible, false).OrNull()
	t.JSON = true
	return eval.New("json_normalize", t, func(f *eval.Frame) ([]byte, bool) {
		doc, null := d.text(f)
		if null {
			return nil, true
		}
		out, ok := d.normal(f, "json_normalize", 1, doc)
		if !ok {
			return nil, true
		}
		return roomy(f, out.dst)
	}, d.arg), nil
}

func equals(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	const name = "json_equals"
	ds, err := documentsOf(b, args)
	if err != nil {
		return nil, err
	}
	return eval.New(name, types.BoolType().OrNull(), func(f *eval.Frame) (int64, bool) {
		x, null := ds[0].text(f)
		if null {
			return 0, true
		}
		y, null := ds[1].text(f)
		if null {
			return 0, true
		}
		a, ok := ds[0].normal(f, name, 1, x)
		if !ok {
			return 0, true
		}
		c, ok := ds[1].normal(f, name, 2, y)
		if !ok {
			return 0, true
		}
		return truth(bytes.Equal(a.dst, c.dst)), false
	}, ds[0].arg, ds[1].arg).With(eval.Bool), nil
}

// normal is a document in the form in which equal ones are the same bytes, in utf8mb4.
func (d *document) normal(f *eval.Frame, name string, argument int, doc []byte) (*normalizer, bool) {
	set, _ := charset.SetByName("utf8mb4")
	doc = inSet(f, set, d.arg.Type.Collation.Set(), doc)
	s := scanner{text: doc, utf8: true}
	if !s.rest() {
		report(f, types.Warning, name, argument, &s)
		return nil, false
	}
	s = scanner{text: doc, utf8: true}
	s.next()
	w := normalizer{f: f, dst: f.Buffer(len(doc))}
	w.value(&s)
	return &w, true
}

// normalizer writes keys in the order of their bytes, those of one key in the order of their values, no blanks, numbers as digits with a point after
// the first and an exponent.
type normalizer struct {
	f   *eval.Frame
	dst []byte
}

// value appends the value whose first token was read, and reads it to its end. The document is well-formed.
func (w *normalizer) value(s *scanner) {
	switch {
	case s.kind == number_:
		w.dst = appendNumber(w.dst, s.text[s.start:s.end])
	case s.kind.scalar():
		w.dst = append(w.dst, s.text[s.start:s.end]...)
	case s.kind == array_:
		w.dst = append(w.dst, '[')
		for first := true; s.next() == tokenValue; first = false {
			if !first {
				w.dst = append(w.dst, ',')
			}
			w.value(s)
		}
		w.dst = append(w.dst, ']')
	default:
		w.object(s)
	}
}

func (w *normalizer) object(s *scanner) {
	list, _ := fields(s)
	slices.SortStableFunc(list, func(a, b field) int { return bytes.Compare(a.key, b.key) })
	w.dst = append(w.dst, '{')
	for i := 0; i < len(list); {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		same := i + 1
		for same < len(list) && bytes.Equal(list[same].key, list[i].key) {
			same++
		}
		if same == i+1 {
			w.field(list[i])
		} else {
			w.repeated(list[i:same])
		}
		i = same
	}
	w.dst = append(w.dst, '}')
}

func (w *normalizer) field(m field) {
	w.dst = append(append(append(w.dst, '"'), m.key...), `":`...)
	w.value(opened(m.value, true))
}

// repeated appends fields of one key.
func (w *normalizer) repeated(list []field) {
	start := len(w.dst)
	spans := make([][2]int, len(list)) // of the values, from start on
	for i, m := range list {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.field(m)
		end := len(w.dst) - start
		spans[i] = [2]int{0, end}
		if i > 0 {
			spans[i][0] = spans[i-1][1] + 1
		}
		spans[i][0] += len(m.key) + len(`"":`)
	}
	written := append(w.f.Buffer(len(w.dst)-start), w.dst[start:]...)
	slices.SortStableFunc(spans, func(a, b [2]int) int {
		return compareNormal(opened(written[a[0]:a[1]], true), opened(written[b[0]:b[1]], true))
	})
	w.dst = w.dst[:start]
	for i, at := range spans {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.dst = append(append(append(w.dst, '"'), list[0].key...), `":`...)
		w.dst = append(w.dst, written[at[0]:at[1]]...)
	}
}

// compareNormal says which of two values in their normal form is before the other: objects, arrays, strings, numbers, true, false, null. Of a kind,
// the one with fewer members is first, or of fewer bytes; then those decide in their order. Both are read to their ends if they are the same.
func compareNormal(x, y *scanner) int {
	if x.kind != y.kind {
		return cmp.Compare(x.kind, y.kind)
	}
	switch {
	case x.kind > number_:
		return 0
	case x.kind.scalar():
		a, b := x.text[x.start:x.end], y.text[y.start:y.end]
		return cmp.Or(cmp.Compare(len(a), len(b)), bytes.Compare(a, b))
	}
	if c := cmp.Compare(members(x), members(y)); c != 0 {
		return c
	}
	for {
		t := x.next()
		y.next()
		if t == tokenKey {
			if c := bytes.Compare(x.text[x.start:x.end], y.text[y.start:y.end]); c != 0 {
				return c
			}
			t = x.next()
			y.next()
		}
		if t != tokenValue {
			return 0
		}
		if c := compareNormal(x, y); c != 0 {
			return c
		}
	}
}

// appendNumber appends a number as -d.dddE-n: without zeros at its ends, zero as 0.0E0.
func appendNumber(dst, s []byte) []byte {
	start := len(dst)
	if s[0] == '-' {
		dst = append(dst, '-')
		s = s[1:]
	}
	mantissa, exponent := s, 0
	if i := bytes.IndexAny(s, "eE"); i >= 0 {
		mantissa = s[:i]
		exponent, _ = strconv.Atoi(string(s[i+1:]))
	}
	point := bytes.IndexByte(mantissa, '.')
	if point < 0 {
		point = len(mantissa)
	}
	exponent += point - 1
	first := len(dst)
	for i, c := range mantissa {
		switch {
		case i == point:
		case len(dst) == first && c == '0':
			exponent--
		default:
			dst = append(dst, c)
		}
	}
	for len(dst) > first && dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	if len(dst) == first {
		return append(dst[:start], "0.0E0"...)
	}
	dst = append(dst, 0)
	copy(dst[first+2:], dst[first+1:])
	if dst[first+1] = '.'; len(dst) == first+2 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(append(dst, 'E'), int64(exponent), 10)
}
