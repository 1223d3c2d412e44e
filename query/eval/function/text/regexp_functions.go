package text

import (
	"bytes"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

func regexpInstr(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	_, m, texts, err := regexpArgs(b, name, args...)
	if err != nil {
		return nil, err
	}
	return each2(name, nullIf(types.LongType(placeDigits), args...), func(f *eval.Frame, s, source []byte) (int64, bool) {
		p, text, ok := m.prepare(f, s, source)
		if !ok {
			return 0, true
		}
		at := p.find(f, text, 0)
		if at == nil {
			return 0, false
		}
		return int64(utf8.RuneCount(text[:at[0]])) + 1, false
	}, texts[0], texts[1]), nil
}

// regexpSubstr is REGEXP_SUBSTR: empty if the pattern is not there.
func regexpSubstr(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, m, texts, err := regexpArgs(b, name, args...)
	if err != nil {
		return nil, err
	}
	return each2(name, result(b, a, chars(texts[0]), args...), func(f *eval.Frame, s, source []byte) ([]byte, bool) {
		p, text, ok := m.prepare(f, s, source)
		if !ok {
			return nil, true
		}
		at := p.find(f, text, 0)
		if at == nil {
			return []byte{}, false
		}
		return m.back(f, text[at[0]:at[1]])
	}, texts[0], texts[1]), nil
}

// back is a text that was searched in its own character set. NULL says that the statement has failed.
func (m *matcher) back(f *eval.Frame, s []byte) (text []byte, null bool) {
	if m.bytes {
		return m.narrow(f, s), false
	}
	utf8mb4, _ := charset.SetByName("utf8mb4")
	if m.set == utf8mb4 || m.set.Name() == "utf8mb3" {
		return s, false
	}
	size := (len(s) + 1) * m.set.MaxLen()
	if !f.Room(uint64(size)) {
		return nil, true
	}
	out, _ := charset.Convert(f.Buffer(size), m.set, utf8mb4, s)
	return out, false
}

func regexpReplace(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	return regexpReplaceWith(b, name, args, func(with *eval.Expr) *eval.Expr { return with })
}

func regexpReplaceWith(b *eval.Builder, name string, args []*eval.Expr, with func(*eval.Expr) *eval.Expr) (*eval.Expr, error) {
	a, m, texts, err := regexpArgs(b, name, args...)
	if err != nil {
		return nil, err
	}
	t := result(b, a, blobMax, args...)
	t.Nullable = nullIf(strict(b, eval.TextOf(a, 0)).Type, args...).Nullable
	return each3(name, t, func(f *eval.Frame, s, source, with []byte) ([]byte, bool) {
		p, text, ok := m.prepare(f, s, source)
		if !ok {
			return nil, true
		}
		if p.empty && p.context && p.re != nil {
			if p.deep == nil {
				failWith(f, refusal("assertions that may match nothing, in a replacement"))
				return nil, true
			}
			p = &pattern{deep: p.deep}
		}
		out, ok := p.replace(f, text, m.wide(f, with))
		if !ok {
			return nil, true
		}
		return m.back(f, out)
	}, texts[0], texts[1], with(texts[2])), nil
}

// matchesMax bounds the matches that are kept of a pattern with assertions, which has to see the whole text.
const matchesMax = 1 << 16

// replace replaces matches one after the other, up to the first empty one.
func (p *pattern) replace(f *eval.Frame, s, with []byte) ([]byte, bool) {
	out := growing{[]byte{}} // not nil: an empty text is not NULL
	if !out.room(f, len(s)) {
		return nil, false
	}
	end := 0
	switch {
	case p.re == nil:
		for !interrupted(f) {
			m := p.find(f, s, end)
			if m == nil || m[0] == m[1] {
				break
			}
			if !out.add(f, s[end:m[0]]) || !out.expand(f, with, s, m) {
				return nil, false
			}
			end = m[1]
		}
	case p.context:
		matches := p.re.FindAllSubmatchIndex(s, matchesMax)
		if len(matches) == matchesMax {
			failWith(f, refusal("so many matches"))
			return nil, false
		}
		for _, m := range matches {
			if m[0] == m[1] {
				break
			}
			if !out.add(f, s[end:m[0]]) || !out.expand(f, with, s, m) {
				return nil, false
			}
			end = m[1]
		}
	default:
		for !interrupted(f) {
			m := p.re.FindSubmatchIndex(s[end:])
			if m == nil || m[0] == m[1] {
				break
			}
			for i := range m {
				if m[i] >= 0 {
					m[i] += end
				}
			}
			if !out.add(f, s[end:m[0]]) || !out.expand(f, with, s, m) {
				return nil, false
			}
			end = m[1]
		}
	}
	ok := out.add(f, s[end:])
	return out.text, ok
}

// growing is a text whose length is not known before it is made.
type growing struct{ text []byte }

// room makes room for n more bytes. They are counted as the statement's memory before they are taken; refused, the statement has failed.
func (g *growing) room(f *eval.Frame, n int) bool {
	need, has, most := uint64(len(g.text)+n), uint64(cap(g.text)), f.RoomMax()
	if need <= has {
		return true
	}
	if need > most {
		return f.Room(need)
	}
	size := min(max(need, 2*has), most)
	if !f.Room(size - has) {
		return false
	}
	g.text = append(f.Buffer(int(size)), g.text...)
	return true
}

// add appends s; false says that the statement has failed.
func (g *growing) add(f *eval.Frame, s []byte) bool {
	if !g.room(f, len(s)) {
		return false
	}
	g.text = append(g.text, s...)
	return true
}

// expand appends a replacement: \0 to \9 are what the groups matched, nothing if they did not, another character behind a backslash is itself.
func (g *growing) expand(f *eval.Frame, with, s []byte, match []int) bool {
	for len(with) > 0 {
		plain := bytes.IndexByte(with, '\\')
		if plain < 0 {
			return g.add(f, with)
		}
		if !g.add(f, with[:plain]) {
			return false
		}
		with = with[plain+1:]
		if len(with) == 0 {
			break
		}
		piece := with[:1]
		if c := with[0]; c >= '0' && c <= '9' {
			piece = nil
			if group := 2 * int(c-'0'); group+1 < len(match) && match[group] >= 0 {
				piece = s[match[group]:match[group+1]]
			}
		}
		if !g.add(f, piece) {
			return false
		}
		with = with[1:]
	}
	return true
}
