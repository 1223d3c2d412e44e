package json

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// editor changes a document at one path.
type editor struct {
	f    *eval.Frame
	name string
	doc  []byte
	utf8 bool
	path *path
	// value appends the value that goes in.
	value func(dst []byte) []byte
	// failed is what the scanner found that ended the work.
	failed *scanner
}

// edit is what a function does at a path: it leaves the document in the editor. False makes the result NULL.
type edit func(e *editor) bool

// splice puts a piece made of head, the value and tail in the place of a part of the document.
func (e *editor) splice(from, to int, head, tail string) bool {
	out := append(e.f.Buffer(len(e.doc)+64), e.doc[:from]...)
	out = e.value(append(out, head...))
	out = append(append(out, tail...), e.doc[to:]...)
	e.doc = out
	return e.f.Room(uint64(len(out)))
}

// arrive finds the first value that steps lead to.
func (e *editor) arrive(steps []step) (m *matcher, found, ok bool) {
	m = newMatcher(e.doc, e.utf8, &path{steps: steps, back: e.path.back})
	m.plain = true
	if m.find() {
		return m, true, true
	}
	if m.fault != fine {
		e.failed = &m.scanner
		return m, false, false
	}
	return m, false, true
}

// broken ends the work with the scanner's fault.
func (e *editor) broken(s *scanner) bool {
	e.failed = s
	return false
}

// member finds what the path's last step leads to in the container that was opened; at is where the value is, or its fault.
func (e *editor) member(m *matcher, last *step) (at *matcher, found bool) {
	at = newMatcher(e.doc, e.utf8, &path{steps: []step{*last}, back: e.path.back})
	at.plain = true
	at.scanner = m.scanner
	at.row(m.level)[0] = 1
	at.items[at.depth] = -1
	if at.counts() {
		n, what := count(&at.scanner)
		if at.sizes[at.depth] = int32(n); what != fine {
			at.fault = what
			return at, false
		}
	}
	for inside := at.depth; ; {
		switch at.next() {
		case tokenFault:
			return at, false
		case tokenClose:
			if at.depth < inside {
				return at, false
			}
		case tokenValue:
			if at.level == inside && at.found(0) {
				return at, true
			}
		}
	}
}

func set(e *editor) bool     { return put(e, true, true) }
func insert(e *editor) bool  { return put(e, true, false) }
func replace(e *editor) bool { return put(e, false, true) }

// put is JSON_SET and its like: add says what is not there is added, change that what is there is replaced.
func put(e *editor, add, change bool) bool {
	steps := e.path.steps
	if len(steps) == 0 {
		return e.putWhole(change)
	}
	last := &steps[len(steps)-1]
	m, found, ok := e.arrive(steps[:len(steps)-1])
	if !found {
		return ok
	}
	switch {
	case last.item() && m.kind != array_:
		return e.putBeside(m, last, add, change)
	case !last.item() && m.kind != object_:
		return true
	}
	opened := m.scanner
	at, there := e.member(m, last)
	switch {
	case there && !change:
		return true
	case there:
		if !at.skip() {
			return e.broken(&at.scanner)
		}
		return e.splice(at.start, at.end, "", "")
	case at.fault != fine:
		return e.broken(&at.scanner)
	case !add:
		return true
	}
	head := ""
	if members(&opened) > 0 {
		head = ", "
	}
	if !last.item() {
		head += `"` + string(last.key) + `": `
	}
	return e.splice(at.end-1, at.end-1, head, "")
}

func (e *editor) putWhole(change bool) bool {
	s := scanner{text: e.doc, utf8: e.utf8}
	if s.next() == tokenFault || change && !s.skip() {
		return e.broken(&s)
	}
	return !change || e.splice(s.start, s.end, "", "")
}

// putBeside is put for an item of a value that is no array: it counts as the only item of one. Numbers from the end are the value itself
// for JSON_SET, another item for JSON_INSERT, and nothing for JSON_REPLACE.
func (e *editor) putBeside(m *matcher, last *step, add, change bool) bool {
	itself := last.from == 0 || last.from < 0 && add
	beside := last.from > 0 || last.from < 0 && !change
	if itself = itself && change; !itself && !(beside && add) {
		return true
	}
	if !m.skip() {
		return e.broken(&m.scanner)
	}
	if itself {
		return e.splice(m.start, m.end, "", "")
	}
	return e.wrap(m)
}

// wrap makes an array of the value that was read, and the new one.
func (e *editor) wrap(m *matcher) bool {
	old := string(e.doc[m.start:m.end])
	return e.splice(m.start, m.end, "["+old+", ", "]")
}

func arrayAppend(e *editor) bool {
	m, found, _ := e.arrive(e.path.steps)
	if !found {
		return false
	}
	opened := m.scanner
	if !m.skip() {
		return e.broken(&m.scanner)
	}
	if m.kind != array_ {
		return e.wrap(m)
	}
	head := ""
	if members(&opened) > 0 {
		head = ", "
	}
	return e.splice(m.end-1, m.end-1, head, "")
}

func arrayInsert(e *editor) bool {
	steps := e.path.steps
	if len(steps) == 0 || !steps[len(steps)-1].item() {
		return false
	}
	last := steps[len(steps)-1]
	m, found, ok := e.arrive(steps[:len(steps)-1])
	if !found || m.kind != array_ {
		return ok
	}
	opened := m.scanner
	atEnd := last.from == -1
	if last.from < 0 && !atEnd {
		last.from++ // counted from the end of the array, the new item is one of it
	}
	at, there := e.member(m, &last)
	if there && !atEnd {
		return e.splice(at.start, at.start, "", ", ")
	}
	if at.fault != fine || !at.toLevel(opened.depth-1) {
		return e.broken(&at.scanner)
	}
	if members(&opened) == 0 {
		return e.splice(at.end-1, at.end-1, "", "")
	}
	return e.splice(at.end-1, at.end-1, ", ", "")
}

// erase is JSON_REMOVE at a path.
func erase(e *editor) bool {
	steps := e.path.steps
	last := &steps[len(steps)-1]
	m, found, ok := e.arrive(steps[:len(steps)-1])
	if !found {
		return ok
	}
	if m.kind.scalar() || last.item() != (m.kind == array_) {
		return true
	}
	opened := m.at
	at, there := e.member(m, last)
	if !there {
		if at.fault != fine {
			return e.broken(&at.scanner)
		}
		return true
	}
	from := at.start
	if !last.item() {
		from = at.keyAt - 1
	}
	if !at.skip() {
		return e.broken(&at.scanner)
	}
	if behind := at.scanner; behind.next() == tokenFault {
		return e.broken(&behind)
	}
	e.doc = e.without(opened, from, at.end)
	return true
}

// without is the document without a member of a container that begins at opened, and without the comma that belonged to it.
func (e *editor) without(opened, from, to int) []byte {
	s := scanner{text: e.doc, at: to}
	if s.blanks(); s.at < len(e.doc) && e.doc[s.at] == ',' {
		to = s.at + 1
	} else {
		for i := from - 1; i >= opened; i-- {
			if e.doc[i] == ',' {
				from = i
				break
			}
		}
	}
	return append(append(e.f.Buffer(len(e.doc)), e.doc[:from]...), e.doc[to:]...)
}

// modifier binds a function of a document and pairs of a path and a value.
func modifier(name string, do edit) func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		if len(args)%2 == 0 {
			return nil, mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, name)
		}
		d, err := documentOf(b, args[0])
		if err != nil {
			return nil, err
		}
		c, _, _ := d.collation(b)
		chars, ascii := d.chars, d.arg.Type.ASCII
		var paths []pathArgument
		var values []member
		for i := 1; i < len(args); i += 2 {
			p, err := pathOf(b, args[i], i+1)
			if err != nil {
				return nil, err
			}
			if args[0].Type.Class() != types.ClassText && !args[i+1].Type.ASCII {
				return nil, mysqlerr.Never(name + " of a number and text that is not ASCII") // the server takes the number for latin1
			}
			v := embeddedOf(b, args[i+1], c.Set())
			paths, values = append(paths, p), append(values, v)
			ascii = ascii && args[i].Type.ASCII && args[i+1].Type.ASCII
			if name == "json_array_append" || name == "json_array_insert" {
				chars += uint64(args[i+1].Type.Width()) + 4
			} else {
				chars += uint64(args[i/2].Type.Width()) + uint64(args[i/2+1].Type.Width()) + 10
			}
		}
		t := d.jsonLike(b, chars)
		t.ASCII = ascii
		return modifying(name, do, d, paths, values, c.Set(), t, args), nil
	}
}

// embeddedOf is a value that goes into a document: JSON byte by byte, whatever its character set is.
func embeddedOf(b *eval.Builder, x *eval.Expr, set *charset.Set) member {
	m := memberOf(b, x, set)
	if x.Type.JSON {
		m.text = eval.Of[[]byte](unformatted(b, x))
	}
	return m
}

func modifying(
	name string, do edit, d document, paths []pathArgument, values []member, set *charset.Set, t types.Type, args []*eval.Expr,
) *eval.Expr {
	return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
		doc, null := d.text(f)
		if null {
			return nil, true
		}
		e := editor{f: f, name: name, doc: doc, utf8: d.utf8}
		for i := range paths {
			if e.path = paths[i].get(f, name, false); e.path == nil || f.Interrupted != nil && f.Interrupted() != nil {
				return nil, true
			}
			if values != nil {
				e.value = func(dst []byte) []byte { return values[i].append(f, dst, set) }
			} else if len(e.path.steps) == 0 {
				f.Warn(mysqlerr.JSONPathEmpty, paths[i].number, name)
				return nil, true
			}
			if !do(&e) {
				if e.failed != nil {
					report(f, types.Warning, name, 1, e.failed)
				}
				return nil, true
			}
		}
		return reformat(f, name, e.doc, d.utf8, styleLoose)
	}, args...)
}

func remove(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	paths, err := pathsOf(b, args[1:], 2)
	if err != nil {
		return nil, err
	}
	return modifying("json_remove", erase, d, paths, nil, nil, d.jsonLike(b, d.chars), args), nil
}
