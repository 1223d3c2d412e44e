package json

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

// style is how a document is written.
type style uint8

const (
	styleCompact  style = iota // without blanks
	styleLoose                 // blanks after commas and colons
	styleDetailed              // each item in a line of its own
)

// formatter writes a document in a style; scalars and keys stay as they are.
type formatter struct {
	scanner
	style style
	tab   int    // of styleDetailed: how many spaces a level is
	most  uint64 // it stops when more bytes than that were written
	out   []byte
}

func (w *formatter) newline(level int) {
	w.out = append(w.out, '\n')
	for range level * w.tab {
		w.out = append(w.out, ' ')
	}
}

// run reports whether the document has no fault.
func (w *formatter) run() bool {
	first, afterKey, flat := true, false, false
	for uint64(len(w.out)) <= w.most {
		level := w.depth
		t := w.next()
		switch t {
		case tokenFault:
			return false
		case tokenEnd:
			return true
		case tokenClose:
			if w.style == styleDetailed && !flat {
				w.newline(w.depth)
			}
			w.out = append(w.out, w.text[w.at-1])
			first, flat = false, false
			continue
		}
		if !afterKey {
			w.separate(first, flat, level)
		}
		if t == tokenKey {
			w.out = append(w.out, w.text[w.start-1:w.end+1]...)
			if w.out = append(w.out, ':'); w.style != styleCompact {
				w.out = append(w.out, ' ')
			}
			afterKey = true
			continue
		}
		if w.kind.scalar() {
			w.out = append(w.out, w.text[w.start:w.end]...)
			first = false
		} else {
			if w.style == styleDetailed && afterKey {
				w.newline(level)
			}
			w.out = append(w.out, w.text[w.at-1])
			first, flat = true, w.flat()
		}
		afterKey = false
	}
	return true
}

// flat reports whether the container that was opened is an array of at most one scalar: it stays in one line.
func (w *formatter) flat() bool {
	if w.kind != array_ {
		return false
	}
	ahead := w.scanner
	t := ahead.next()
	if t == tokenValue && ahead.kind.scalar() {
		t = ahead.next()
	}
	return t == tokenClose
}

// separate writes what is before an item or a key.
func (w *formatter) separate(first, flat bool, level int) {
	if level == 0 {
		return
	}
	if !first {
		w.out = append(w.out, ',')
	}
	switch {
	case w.style == styleDetailed:
		if !flat {
			w.newline(level)
		}
	case w.style == styleLoose && !first:
		w.out = append(w.out, ' ')
	}
}

// reformat is a document in a style; NULL, with its condition, if there is a fault.
func reformat(f *eval.Frame, name string, doc []byte, utf bool, how style) ([]byte, bool) {
	return reformatTab(f, name, doc, utf, how, 4)
}

func reformatTab(f *eval.Frame, name string, doc []byte, utf bool, how style, tab int) ([]byte, bool) {
	w := formatter{scanner: scanner{text: doc, utf8: utf}, style: how, tab: tab, most: f.RoomMax(), out: f.Buffer(len(doc) + len(doc)/4)}
	if !w.run() {
		report(f, types.Warning, name, 1, &w.scanner)
		return nil, true
	}
	return roomy(f, w.out)
}

func compact(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return formatting(b, "json_compact", args[0], styleCompact, 1)
}

func loose(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return formatting(b, "json_loose", args[0], styleLoose, 2)
}

func formatting(b *eval.Builder, name string, x *eval.Expr, how style, factor uint64) (*eval.Expr, error) {
	d, err := documentOf(b, x)
	if err != nil {
		return nil, err
	}
	t := d.jsonLike(b, factor*d.chars)
	t.Decimals = 0
	return eval.Map1(name, t, func(f *eval.Frame, doc []byte) ([]byte, bool) {
		return reformat(f, name, doc, d.utf8, how)
	}, d.arg), nil
}

func detailed(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	const tabMax = 8
	c, derivation, ascii := d.collation(b)
	t := bounded(types.StringType(octetsMax, c, derivation, ascii)).OrNull()
	t.Decimals, t.JSON = 0, true
	tab := eval.Func[int64](func(*eval.Frame) (int64, bool) { return 4, false })
	if len(args) > 1 {
		tab = eval.Of[int64](b.ToInt(args[1]))
	}
	return eval.New("json_detailed", t, func(f *eval.Frame) ([]byte, bool) {
		doc, null := d.text(f)
		if null {
			return nil, true
		}
		n, null := tab(f)
		if null {
			return nil, true
		}
		return reformatTab(f, "json_detailed", doc, d.utf8, styleDetailed, int(min(max(n, 0), tabMax)))
	}, args...), nil
}
