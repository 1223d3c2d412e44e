package json

import (
	"bytes"
	"strconv"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

func search(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	mode, err := modeOf(b, args[1])
	if err != nil {
		return nil, err
	}
	w := searching{d: d, mode: mode}
	if d.arg.Null() {
		return eval.New("json_search", d.jsonLike(b, 0), func(*eval.Frame) ([]byte, bool) { return nil, true }, args...), nil
	}
	c := d.arg.Type.Collation
	if w.order, err = c.Order(); err != nil {
		return nil, mysqlerr.Never("JSON_SEARCH with " + c.Name())
	}
	pattern := b.ToSet(b.ToText(args[2]), c.Set())
	w.pattern = eval.Of[[]byte](pattern)
	if w.escape, err = escapeOf(b, args[3:]); err != nil {
		return nil, err
	}
	if len(args) > 4 {
		if w.paths, err = pathsOf(b, args[4:], 5); err != nil {
			return nil, err
		}
	}
	octets := d.chars * d.width
	octets = min(octets*octets, octetsMax+d.width)
	return eval.New("json_search", d.jsonLike(b, octets/d.width), w.row, args...), nil
}

// escapeOf is the argument that escapes % and _: a constant of at most one character, a backslash if it is empty or NULL.
func escapeOf(b *eval.Builder, args []*eval.Expr) (rune, error) {
	if len(args) == 0 || args[0].Null() {
		return '\\', nil
	}
	x := b.ToText(args[0])
	if !x.Is(eval.Constant) {
		return 0, mysqlerr.New(mysqlerr.WrongArguments, "ESCAPE")
	}
	v := x.Compute(b.Scratch)
	if v.Null || len(v.Text) == 0 {
		return '\\', nil
	}
	r, size, ok := x.Type.Collation.Set().Decode(v.Text)
	if !ok || size != len(v.Text) {
		return 0, mysqlerr.New(mysqlerr.WrongArguments, "ESCAPE")
	}
	return r, nil
}

// searching is a bound JSON_SEARCH.
type searching struct {
	d       document
	mode    func(f *eval.Frame, name string) (all, ok bool)
	order   *charset.Order
	pattern eval.Func[[]byte]
	escape  rune
	paths   []pathArgument
}

func (w *searching) row(f *eval.Frame) ([]byte, bool) {
	const name = "json_search"
	doc, null := w.d.text(f)
	if null {
		return nil, true
	}
	pattern, null := w.pattern(f)
	if null {
		return nil, true
	}
	all, ok := w.mode(f, name)
	if !ok {
		return nil, true
	}
	var few [4]*path
	paths, ok := getAll(f, name, w.paths, few[:0])
	if !ok {
		return nil, true
	}
	m := newMatcher(doc, w.d.utf8, paths...)
	m.below = true
	out, found := w.hits(f, &place{matcher: m}, pattern, all)
	switch {
	case m.fault != fine:
		report(f, types.Warning, name, 1, &m.scanner)
		return nil, true
	case found == 0:
		return nil, true
	case found > 1:
		out = append(append(append(f.Buffer(len(out)+2), '['), out...), ']')
	}
	return roomy(f, out)
}

// hits appends the paths of the scalars that are like the pattern.
func (w *searching) hits(f *eval.Frame, p *place, pattern []byte, all bool) (out []byte, found int) {
	out = f.Buffer(64)
	for {
		t := p.next()
		if t == tokenFault || t == tokenEnd {
			return out, found
		}
		if t != tokenValue || !p.kind.scalar() || !p.wanted() {
			continue
		}
		text := p.text[p.start:p.end]
		if p.kind == string_ {
			if text = text[1 : len(text)-1]; p.escaped {
				// MariaDB has rules of its own where the document is not in utf8mb4.
				lacks := !p.utf8 && bytes.Contains(text, []byte(`\u`))
				if !lacks {
					text, lacks = appendPlain(f.Buffer(len(text)), w.order.Collation().Set(), text, p.utf8)
				}
				if lacks {
					f.Diag.Fail(mysqlerr.NotYet("JSON_SEARCH in escapes that " + w.order.Collation().Set().Name() + " lacks"))
					return out, 0
				}
			}
		}
		if !w.order.Like(text, pattern, w.escape) {
			continue
		}
		if found++; found > 1 {
			out = append(out, ", "...)
		}
		if out = p.append(out); !all || uint64(len(out)) > f.RoomMax() {
			return out, found
		}
	}
}

// place is a matcher that knows the way to its last value.
type place struct {
	*matcher
	keys [depthLimit + 1][]byte // of the object at a depth; nil in an array
}

func (p *place) next() token {
	level := p.depth
	t := p.matcher.next()
	switch {
	case t == tokenKey:
		p.keys[level] = p.key
	case t == tokenValue && p.kind == array_:
		p.keys[p.depth] = nil
	}
	return t
}

// wanted reports whether one of the paths leads to the value, or to what is around it; without paths all do.
func (p *place) wanted() bool {
	for i := range p.paths {
		if p.found(i) {
			return true
		}
	}
	return len(p.paths) == 0
}

// append appends the way as a string of JSON: keys as they are written.
func (p *place) append(dst []byte) []byte {
	dst = append(dst, `"$`...)
	for level := 1; level <= p.level; level++ {
		if p.objects>>(level&31)&1 != 0 {
			dst = append(append(dst, '.'), p.keys[level]...)
			continue
		}
		dst = append(strconv.AppendInt(append(dst, '['), int64(p.items[level]), 10), ']')
	}
	return append(dst, '"')
}
