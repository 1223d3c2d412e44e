package json

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

func extract(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	const name = "json_extract"
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	paths, err := pathsOf(b, args[1:], 2)
	if err != nil {
		return nil, err
	}
	chars := 2 * d.chars
	if len(paths) > 1 {
		chars = 2 * uint64(len(paths)) * (d.chars + 1)
	}
	out := eval.New(name, d.jsonLike(b, chars), func(f *eval.Frame) ([]byte, bool) {
		doc, null := d.text(f)
		if null {
			return nil, true
		}
		var few [4]*path
		ps, ok := getAll(f, name, paths, few[:0])
		if !ok {
			return nil, true
		}
		m := newMatcher(doc, d.utf8, ps...)
		out, found := m.collect(f.Buffer(len(doc)+2), f.RoomMax())
		if m.fault != fine {
			report(f, types.Warning, name, 1, &m.scanner)
			return nil, true
		}
		if !found || !f.Room(uint64(len(out))) {
			return nil, true
		}
		return reformat(f, name, out, d.utf8, styleLoose)
	}, args...)
	float, dec := extractedNumber(b, out, &d, paths)
	return out.ReadAs(float, dec, nil).ComparedAs(plainText(out, d.utf8)), nil
}

// plainText is JSON text where it is compared: of a string what is in its quotes, with escapes resolved.
func plainText(x *eval.Expr, utf bool) *eval.Expr {
	set := x.Type.Collation.Set()
	return eval.Map1(x.Name, x.Type, func(f *eval.Frame, text []byte) ([]byte, bool) {
		s := scanner{text: text, utf8: utf}
		if s.blanks(); s.at == len(text) || text[s.at] != '"' || s.next() == tokenFault {
			return text, false
		}
		out, lacks := appendPlain(f.Buffer(s.end-s.start), set, text[s.start+1:s.end-1], utf)
		return out, lacks
	}, x)
}

// extractedNumber is what JSON_EXTRACT is where a number is asked for: that of the first value that is found, true being 1, and 0 for arrays, objects and
// where several values are asked for. Only a DECIMAL warns of what is no number.
func extractedNumber(b *eval.Builder, x *eval.Expr, d *document, paths []pathArgument) (float, dec *eval.Expr) {
	whole := eval.Of[[]byte](x)
	first := eval.New(x.Name, d.textLike(b, d.chars).OrNull(), func(f *eval.Frame) ([]byte, bool) {
		doc, null := d.text(f)
		if null {
			return nil, true
		}
		var few [4]*path
		ps, ok := getAll(f, x.Name, paths, few[:0])
		if !ok {
			return nil, true
		}
		if len(ps) > 1 || ps[0].wild {
			_, null := whole(f)
			return []byte{'0'}, null
		}
		m := newMatcher(doc, d.utf8, ps...)
		if !m.find() {
			if m.fault != fine {
				report(f, types.Warning, x.Name, 1, &m.scanner)
			}
			return nil, true
		}
		switch m.kind {
		case string_:
			return m.text[m.start+1 : m.end-1], false
		case number_:
			return m.text[m.start:m.end], false
		case true_:
			return []byte{'1'}, false
		}
		return []byte{'0'}, false
	}, x.Args...)
	number := eval.Of[float64](b.ToFloat(first))
	return eval.New(x.Name, types.DoubleType().OrNull(), func(f *eval.Frame) (float64, bool) {
		kept, own := f.Diag, &types.Diagnostics{Most: f.Diag.Most}
		f.Diag = own
		v, null := number(f)
		f.Diag = kept
		if err := own.Failed(); err != nil {
			kept.Fail(err)
		}
		for _, c := range own.Conditions {
			if c.Number != mysqlerr.TruncatedWrongValue {
				kept.Warnf(c.Number, "%s", c.Message)
			}
		}
		return v, null
	}, x.Args...), b.ToDec(first)
}

// collect appends the values that the paths lead to, as an array if they may be several, and reads the document to its end.
// It stops when there are more than so many bytes.
func (m *matcher) collect(dst []byte, most uint64) (out []byte, found bool) {
	several := len(m.paths) > 1 || m.paths[0].wild
	if several {
		dst = append(dst, '[')
	}
	for {
		t := m.next()
		if t == tokenFault || t == tokenEnd {
			break
		}
		if t != tokenValue || found && !several {
			continue
		}
		for i := range m.paths {
			if !m.found(i) {
				continue
			}
			whole := m.scanner
			if !whole.skip() {
				m.scanner = whole
				return nil, false
			}
			if found {
				dst = append(dst, ", "...)
			}
			found = true
			if dst = append(dst, m.text[whole.start:whole.end]...); uint64(len(dst)) > most {
				return dst, true
			}
		}
	}
	if several {
		dst = append(dst, ']')
	}
	return dst, found
}

func value(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, p, err := oneOf(b, args)
	if err != nil {
		return nil, err
	}
	set := d.arg.Type.Collation
	t := d.textLike(b, d.chars)
	t.ASCII = false
	return eval.New("json_value", t, func(f *eval.Frame) ([]byte, bool) {
		m := at(f, "json_value", &d, &p, false)
		for m != nil && m.find() {
			switch m.kind {
			case string_:
				text := m.text[m.start+1 : m.end-1]
				out, lacks := appendPlain(f.Buffer(len(text)), set.Set(), text, m.utf8)
				if lacks {
					f.Warn(mysqlerr.JSONBadChr, 0, "st_append_json", 0)
				}
				return out, lacks
			case true_:
				return append(f.Buffer(1), '1'), false
			case false_:
				return append(f.Buffer(1), '0'), false
			case null_:
				return nil, true
			case number_:
				return append(f.Buffer(m.end-m.start), m.text[m.start:m.end]...), false
			}
		}
		return nil, true
	}, args...), nil
}

func query(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, p, err := oneOf(b, args)
	if err != nil {
		return nil, err
	}
	return eval.New("json_query", d.jsonLike(b, d.chars), func(f *eval.Frame) ([]byte, bool) {
		m := at(f, "json_query", &d, &p, true)
		for m != nil && m.find() {
			if m.kind.scalar() {
				continue
			}
			if whole := m.scanner; whole.skip() {
				return append(f.Buffer(whole.end-whole.start), m.text[whole.start:whole.end]...), false
			}
			return nil, true
		}
		return nil, true
	}, args...), nil
}

func exists(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, p, err := oneOf(b, args)
	if err != nil {
		return nil, err
	}
	return eval.New("json_exists", types.BoolType().OrNull(), func(f *eval.Frame) (int64, bool) {
		doc, null := d.text(f)
		if null {
			return 0, true
		}
		path := p.quiet(f)
		if path == nil || path.fault != fine {
			return 0, true
		}
		m := newMatcher(doc, d.utf8, path)
		m.plain = true
		if len(path.steps) == 0 || m.find() {
			return 1, false
		}
		if m.fault != fine {
			report(f, types.Warning, "json_exists", 1, &m.scanner)
			return 0, true
		}
		return 0, false
	}, args...).With(eval.Bool), nil
}

// oneOf takes a document and a path.
func oneOf(b *eval.Builder, args []*eval.Expr) (d document, p pathArgument, err error) {
	if d, err = documentOf(b, args[0]); err == nil {
		p, err = pathOf(b, args[1], 2)
	}
	return d, p, err
}

// at is a matcher of the row's document; nil if the document or the path is none.
func at(f *eval.Frame, name string, d *document, p *pathArgument, wild bool) *matcher {
	doc, null := d.text(f)
	path := p.get(f, name, wild)
	if null || path == nil {
		return nil
	}
	m := newMatcher(doc, d.utf8, path)
	m.plain = true
	return m
}

func containsPath(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	const name = "json_contains_path"
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	mode, err := modeOf(b, args[1])
	if err != nil {
		return nil, err
	}
	paths, err := pathsOf(b, args[2:], 3)
	if err != nil {
		return nil, err
	}
	return eval.New(name, types.BoolType().OrNull(), func(f *eval.Frame) (int64, bool) {
		doc, null := d.text(f)
		if null {
			return 0, true
		}
		all, ok := mode(f, name)
		if !ok {
			return 0, true
		}
		var few [4]*path
		ps, ok := getAll(f, name, paths, few[:0])
		if !ok {
			return 0, true
		}
		m := newMatcher(doc, d.utf8, ps...)
		found, ok := m.reaches(all)
		if !ok {
			report(f, types.Warning, name, 1, &m.scanner)
			return 0, true
		}
		return found, false
	}, args...).With(eval.Bool), nil
}

// reaches reports whether one of the paths, or all, lead somewhere; it reads the document to its end.
func (m *matcher) reaches(all bool) (found int64, ok bool) {
	reached := make([]bool, len(m.paths))
	missing := len(m.paths)
	for {
		switch m.next() {
		case tokenFault:
			return 0, false
		case tokenEnd:
			return truth(missing == 0 || !all && missing < len(m.paths)), true
		case tokenValue:
			for i := range m.paths {
				if !reached[i] && m.found(i) {
					reached[i] = true
					missing--
				}
			}
		}
	}
}

// modeOf takes the argument "one" or "all"; the function it returns says whether a row's is "all".
func modeOf(b *eval.Builder, x *eval.Expr) (func(f *eval.Frame, name string) (all, ok bool), error) {
	d, err := textOf(b, x)
	if err != nil {
		return nil, err
	}
	return func(f *eval.Frame, name string) (all, ok bool) {
		text, null := d.text(f)
		if null {
			return false, false
		}
		switch {
		case equalFold(text, "all"):
			return true, true
		case equalFold(text, "one"):
			return false, true
		}
		f.Warn(mysqlerr.JSONOneOrAll, name)
		return false, false
	}, nil
}

func equalFold(text []byte, word string) bool {
	if len(text) != len(word) {
		return false
	}
	for i, c := range text {
		if c|0x20 != word[i] {
			return false
		}
	}
	return true
}
