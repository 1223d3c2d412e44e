package json

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

func mergePreserve(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	const name = "json_merge_preserve"
	ds, t, err := mergeOf(b, name, args)
	if err != nil {
		return nil, err
	}
	return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
		doc, null := ds[0].text(f)
		if null {
			return nil, true
		}
		for i := 1; i < len(ds); i++ {
			part, null := ds[i].text(f)
			if null {
				return nil, true
			}
			x, y := scanner{text: doc, utf8: ds[0].utf8}, scanner{text: part, utf8: ds[i].utf8}
			out := f.Buffer(len(doc) + len(part) + 4)
			ok := x.next() == tokenValue && y.next() == tokenValue
			if ok {
				out, ok = appendMerged(out, &x, &y)
			}
			if !ok {
				reportEither(f, name, &x, &y, i)
				return nil, true
			}
			if doc = out; !f.Room(uint64(len(doc))) {
				return nil, true
			}
		}
		return reformat(f, name, doc, ds[0].utf8, styleLoose)
	}, args...), nil
}

// mergeOf takes the arguments of JSON_MERGE_PRESERVE and _PATCH: documents in one character set.
func mergeOf(b *eval.Builder, name string, args []*eval.Expr) ([]document, types.Type, error) {
	_, t, err := membersOf(b, name, args)
	if err != nil {
		return nil, t, err
	}
	numbers, ascii := false, true
	ds := make([]document, len(args))
	for i, x := range args {
		numbers = numbers || x.Type.Class() != types.ClassText
		ascii = ascii && x.Type.ASCII
		if ds[i], err = documentOf(b, b.ToSet(b.ToText(x), t.Collation.Set())); err != nil {
			return nil, t, err
		}
	}
	if numbers && !ascii {
		return nil, t, mysqlerr.Never(name + " of a number and text that is not ASCII") // the server takes the number for latin1
	}
	return ds, t, nil
}

// reportEither reports the fault of what was merged so far, or of the argument that came to it.
func reportEither(f *eval.Frame, name string, x, y *scanner, argument int) {
	if x.fault != fine {
		report(f, types.Warning, name, argument, x)
	}
	if y.fault != fine {
		report(f, types.Warning, name, argument+1, y)
	}
}

// appendMerged appends what keeps both values: objects with the keys of both, else one array of the items. The values' first tokens were
// read; both are read to their ends.
func appendMerged(dst []byte, x, y *scanner) ([]byte, bool) {
	if x.kind == object_ && y.kind == object_ {
		return appendMergedObjects(dst, x, y)
	}
	first, second := *x, *y
	if !x.skip() || !y.skip() {
		return nil, false
	}
	return appendItems(dst, x, y, members(&first), members(&second)), true
}

// appendItems appends one array of two values that were read: of arrays their items, which they have so many of.
func appendItems(dst []byte, x, y *scanner, n, m int64) []byte {
	dst = append(dst, '[')
	switch x.kind {
	case array_:
		dst = append(dst, x.text[x.start+1:x.end-1]...)
	default:
		dst = append(dst, x.text[x.start:x.end]...)
		n = 1
	}
	if y.kind != array_ {
		m = 1
	}
	if n > 0 && m > 0 {
		dst = append(dst, ", "...)
	}
	if y.kind == array_ {
		return append(dst, y.text[y.start+1:y.end]...)
	}
	return append(append(dst, y.text[y.start:y.end]...), ']')
}

// field is a member of an object: its key, and its value as it is written.
type field struct{ key, value []byte }

// fields reads the object that was opened to its end.
func fields(s *scanner) (out []field, ok bool) {
	for s.next() == tokenKey {
		m := field{key: s.text[s.start:s.end]}
		if s.next() != tokenValue || !s.skip() {
			return nil, false
		}
		m.value = s.text[s.start:s.end]
		out = append(out, m)
	}
	return out, s.fault == fine
}

// fieldIndex finds the first field of each key, with escapes resolved.
func fieldIndex(list []field, utf bool) map[string]int {
	out := make(map[string]int, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		out[resolved(list[i].key, utf)] = i
	}
	return out
}

// resolved is a string without its quotes with escapes resolved.
func resolved(s []byte, utf bool) string {
	out := make([]rune, 0, len(s))
	for len(s) > 0 {
		r, n := character(s, utf)
		out = append(out, r)
		s = s[n:]
	}
	return string(out)
}

// opened is a scanner that has read the first token of a well-formed value.
func opened(value []byte, utf bool) *scanner {
	s := &scanner{text: value, utf8: utf}
	s.next()
	return s
}

func appendMergedObjects(dst []byte, x, y *scanner) ([]byte, bool) {
	ours, ok := fields(x)
	if !ok {
		return nil, false
	}
	theirs, ok := fields(y)
	if !ok {
		return nil, false
	}
	inOurs, inTheirs := fieldIndex(ours, x.utf8), fieldIndex(theirs, y.utf8)
	w := objectWriter{dst: append(dst, '{')}
	for _, m := range ours {
		i, both := inTheirs[resolved(m.key, x.utf8)]
		w.key(m.key)
		if !both {
			w.dst = append(w.dst, m.value...)
			continue
		}
		if w.dst, ok = appendMerged(w.dst, opened(m.value, x.utf8), opened(theirs[i].value, y.utf8)); !ok {
			return nil, false
		}
	}
	for _, m := range theirs {
		if _, both := inOurs[resolved(m.key, y.utf8)]; !both {
			w.key(m.key)
			w.dst = append(w.dst, m.value...)
		}
	}
	return append(w.dst, '}'), true
}

// objectWriter writes an object.
type objectWriter struct {
	dst  []byte
	some bool
}

func (w *objectWriter) key(key []byte) {
	if w.some {
		w.dst = append(w.dst, ", "...)
	}
	w.some = true
	w.dst = append(append(append(w.dst, '"'), key...), `": `...)
}
