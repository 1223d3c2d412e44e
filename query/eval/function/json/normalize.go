package json

import (
	"bytes"
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
		return fitting(f, "json_normalize", out)
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
		return truth(bytes.Equal(a, c)), false
	}, ds[0].arg, ds[1].arg).With(eval.Bool), nil
}

// normal is a document in the form in which equal ones are the same bytes, in utf8mb4.
func (d *document) normal(f *eval.Frame, name string, argument int, doc []byte) ([]byte, bool) {
	s := scanner{text: doc, utf8: d.utf8}
	if !s.rest() {
		report(f, types.Warning, name, argument, &s)
		return nil, false
	}
	set, _ := charset.SetByName("utf8mb4")
	s = scanner{text: inSet(f, set, d.arg.Type.Collation.Set(), doc), utf8: true}
	s.next()
	return appendNormal(f.Buffer(len(doc)), &s), true
}

// appendNormal appends the value whose first token was read, and reads it to its end: keys in the order of their bytes, no blanks,
// numbers as digits with a point after the first and an exponent. The document is well-formed.
func appendNormal(dst []byte, s *scanner) []byte {
	switch {
	case s.kind == number_:
		return appendNumber(dst, s.text[s.start:s.end])
	case s.kind.scalar():
		return append(dst, s.text[s.start:s.end]...)
	case s.kind == array_:
		dst = append(dst, '[')
		for first := true; s.next() == tokenValue; first = false {
			if !first {
				dst = append(dst, ',')
			}
			dst = appendNormal(dst, s)
		}
		return append(dst, ']')
	}
	return appendNormalObject(dst, s)
}

func appendNormalObject(dst []byte, s *scanner) []byte {
	type pair struct {
		key, value []byte
	}
	var pairs []pair
	for s.next() == tokenKey {
		p := pair{key: s.text[s.start:s.end]}
		s.next()
		s.skip()
		p.value = s.text[s.start:s.end]
		pairs = append(pairs, p)
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return bytes.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for i := range pairs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), pairs[i].key...), `":`...)
		value := scanner{text: pairs[i].value, utf8: true}
		value.next()
		dst = appendNormal(dst, &value)
	}
	return append(dst, '}')
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
