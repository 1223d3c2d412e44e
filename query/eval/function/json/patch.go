package json

import (
	"bytes"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
)

func mergePatch(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	const name = "json_merge_patch"
	ds, t, err := mergeOf(b, name, args)
	if err != nil {
		return nil, err
	}
	return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
		var w patcher
		doc, unknown := ds[0].text(f)
		for i := 1; i < len(ds); i++ {
			part, null := ds[i].text(f)
			if null {
				unknown = true
				continue
			}
			y := scanner{text: part, utf8: ds[i].utf8}
			if y.next() != tokenValue {
				reportEither(f, name, &scanner{}, &y, i)
				return nil, true
			}
			if unknown && y.kind == object_ {
				continue
			}
			x := scanner{text: doc, utf8: ds[0].utf8}
			if unknown {
				x.text = []byte("null")
			}
			ok := x.next() == tokenValue
			out := f.Buffer(len(doc) + len(part) + 4)
			if ok {
				out, ok = w.value(out, &x, &y)
			}
			if !ok {
				reportEither(f, name, &x, &y, i)
				return nil, true
			}
			if w.double {
				f.Diag.Fail(errPatchDouble)
				return nil, true
			}
			if doc, unknown = out, false; !f.Room(uint64(len(doc))) {
				return nil, true
			}
		}
		if unknown {
			return nil, true
		}
		return reformat(f, name, doc, ds[0].utf8, styleLoose)
	}, args...), nil
}

// errPatchDouble is the refusal of null for a key that is there twice, of which MariaDB leaves one.
var errPatchDouble = mysqlerr.NotYet("JSON_MERGE_PATCH with null for a key that is there twice")

// patcher is the work of JSON_MERGE_PATCH.
type patcher struct {
	double bool // a key that is there twice was to be taken out
}

// value appends the value x changed by y: of objects keys of y replace those of x, and are left out if they are null; anything
// else takes the place of x. The values' first tokens were read; both are read to their ends.
func (w *patcher) value(dst []byte, x, y *scanner) ([]byte, bool) {
	if y.kind != object_ {
		if !x.skip() || !y.skip() {
			return nil, false
		}
		return append(dst, y.text[y.start:y.end]...), true
	}
	var ours []field
	var ok bool
	if x.kind == object_ {
		ours, ok = fields(x)
	} else {
		ok = x.skip()
	}
	if !ok {
		return nil, false
	}
	theirs, ok := fields(y)
	if !ok {
		return nil, false
	}
	return w.object(dst, ours, theirs, x.utf8, y.utf8)
}

func (w *patcher) object(dst []byte, ours, theirs []field, utf, theirUTF bool) ([]byte, bool) {
	var ok bool
	inOurs, inTheirs := fieldIndex(ours, utf), fieldIndex(theirs, theirUTF)
	o := objectWriter{dst: append(dst, '{')}
	for at, m := range ours {
		key := resolved(m.key, utf)
		i, both := inTheirs[key]
		switch {
		case !both:
			o.key(m.key)
			o.dst = append(o.dst, m.value...)
		case isNull(theirs[i].value):
			w.double = w.double || inOurs[key] != at
		default:
			o.key(m.key)
			if o.dst, ok = w.value(o.dst, opened(m.value, utf), opened(theirs[i].value, theirUTF)); !ok {
				return nil, false
			}
		}
	}
	for _, m := range theirs {
		if _, both := inOurs[resolved(m.key, theirUTF)]; both || isNull(m.value) {
			continue
		}
		o.key(m.key)
		if o.dst, ok = w.value(o.dst, opened([]byte("null"), utf), opened(m.value, theirUTF)); !ok {
			return nil, false
		}
	}
	return append(o.dst, '}'), true
}

func isNull(value []byte) bool { return bytes.Equal(value, []byte("null")) }
