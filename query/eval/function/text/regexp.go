package text

import (
	"errors"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// matcher finds a pattern in texts of one collation. The last pattern is kept: it is the same from row to row, mostly.
type matcher struct {
	reading
	set  *charset.Set
	last atomic.Pointer[compiled]
}

type compiled struct {
	source string
	*pattern
}

// newMatcher makes the matcher of a collation, with arguments as text that it takes: UTF-8, or bytes. A literal pattern is compiled now.
func newMatcher(b *eval.Builder, a charset.Aggregation, texts []*eval.Expr) (*matcher, error) {
	m := &matcher{set: a.Collation.Set(), reading: reading{fold: folds(a.Collation), bytes: a.Collation.Set().Name() == "binary"}}
	if b.Scratch.Asked != nil { // nobody knows how large it is compiled: too large to be kept for other runs
		b.Scratch.Asked.Function = "REGEXP"
	}
	if !m.bytes && m.set.Name() != "utf8mb3" {
		utf8mb4, _ := charset.SetByName("utf8mb4")
		for i, x := range texts {
			texts[i] = b.ToSet(x, utf8mb4)
		}
	}
	if p := texts[1]; p.Is(eval.Literal) && !p.Null() && !p.Value.Null {
		diag := b.Scratch.Diag
		b.Scratch.Diag = &types.Diagnostics{Most: 1}
		source, null := eval.Of[[]byte](p)(b.Scratch)
		b.Scratch.Diag = diag
		if !null {
			if _, err := m.compile(source); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// folds reports whether REGEXP is without regard to case: not by _bin collations, and those of the old ones that end in _cs.
func folds(c *charset.Collation) bool {
	return !c.Binary() && (!strings.HasSuffix(c.Name(), "_cs") || strings.Contains(c.Name(), "_uca1400_"))
}

// wide is a text as it is searched: bytes as the characters of their numbers.
func (m *matcher) wide(f *eval.Frame, s []byte) []byte {
	if !m.bytes {
		return s
	}
	out := f.Buffer(2 * len(s))
	for _, c := range s {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}

// narrow is wide undone.
func (m *matcher) narrow(f *eval.Frame, s []byte) []byte {
	if !m.bytes {
		return s
	}
	out := f.Buffer(len(s))
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		out, s = append(out, byte(r)), s[n:]
	}
	return out
}

func (m *matcher) compile(source []byte) (*pattern, error) {
	if c := m.last.Load(); c != nil && c.source == string(source) {
		return c.pattern, nil
	}
	if !utf8.Valid(source) && !m.bytes {
		return nil, refusal("ill-formed text")
	}
	text := string(source)
	if m.bytes {
		runes := make([]rune, len(source))
		for i, c := range source {
			runes[i] = rune(c)
		}
		text = string(runes)
	}
	p, err := m.reading.compile(text)
	if err != nil {
		return nil, err
	}
	m.last.Store(&compiled{string(source), p})
	return p, nil
}

// prepare compiles a pattern for a text, and makes the statement fail where the two libraries might disagree about it.
func (m *matcher) prepare(f *eval.Frame, s, source []byte) (p *pattern, text []byte, ok bool) {
	p, err := m.compile(source)
	if err != nil {
		var wrong *mysqlerr.Error
		if !errors.As(err, &wrong) || wrong.Number != mysqlerr.Regexp { // of which MariaDB says nothing where a row has it: it is NULL
			failWith(f, err)
		}
		return nil, nil, false
	}
	why := m.doubt(p, s)
	if why == "" && p.deep != nil && p.re != nil && m.otherwise(p, s) {
		p = &pattern{deep: p.deep}
	}
	if why != "" {
		failWith(f, refusal(why))
		return nil, nil, false
	}
	return p, m.wide(f, s), true
}

func failWith(f *eval.Frame, err error) {
	var e *mysqlerr.Error
	if errors.As(err, &e) {
		f.Diag.Fail(e)
		return
	}
	f.Diag.Fail(mysqlerr.NotYet(err.Error()))
}

// doubt says what of a text the libraries might disagree about.
func (m *matcher) doubt(p *pattern, s []byte) string {
	if p.deep == nil && p.dollar && len(s) > 0 && s[len(s)-1] == '\n' {
		return "$ and a text that ends in a line end"
	}
	foreign := false
	for _, c := range s {
		foreign = foreign || c >= utf8.RuneSelf
	}
	switch {
	case !foreign:
		return ""
	case m.bytes:
		if p.boundary && p.deep == nil {
			return `\b and text that is not ASCII`
		}
		return ""
	case !utf8.Valid(s):
		return "ill-formed text"
	case p.boundary && p.deep == nil:
		return `\b and text that is not ASCII`
	}
	for _, r := range string(s) {
		if newInUnicode(r) {
			return "characters that the versions of Unicode know differently"
		}
	}
	return ""
}

// otherwise reports whether package regexp has something else for a text.
func (m *matcher) otherwise(p *pattern, s []byte) bool {
	if p.dollar && len(s) > 0 && s[len(s)-1] == '\n' {
		return true
	}
	if p.boundary {
		for _, c := range s {
			if c >= utf8.RuneSelf {
				return true
			}
		}
	}
	return false
}

// newInUnicode tells characters that are letters to one version of Unicode and unknown to another: PCRE2 has 14.0. Above U+FFFF all count.
func newInUnicode(r rune) bool {
	return r > 0xffff || r == 0x1c89 || r == 0x1c8a || r >= 0xa7cb && r <= 0xa7dc || r >= 0xa7f1 && r <= 0xa7f4
}

// regexpArgs are a regular function's arguments, ready to be searched.
func regexpArgs(b *eval.Builder, name string, args ...*eval.Expr) (charset.Aggregation, *matcher, []*eval.Expr, error) {
	a, texts, err := b.Agree(name, true, args...)
	if err != nil {
		return a, nil, nil, err
	}
	m, err := newMatcher(b, a, texts)
	return a, m, texts, err
}

// Regexp is x REGEXP pattern.
func Regexp(b *eval.Builder, x, pattern *eval.Expr) (*eval.Expr, error) {
	_, m, texts, err := regexpArgs(b, "regexp", x, pattern)
	if err != nil {
		return nil, err
	}
	return each2("regexp", nullIf(types.BoolType(), x, pattern), func(f *eval.Frame, s, source []byte) (int64, bool) {
		p, text, ok := m.prepare(f, s, source)
		if !ok {
			return 0, true
		}
		if p.re != nil {
			return oneIf(p.re.Match(text)), false
		}
		return oneIf(p.find(f, text, 0) != nil), false
	}, texts[0], texts[1]).With(eval.Bool).Infix(likeBinding), nil
}
