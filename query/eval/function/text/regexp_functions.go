package text

import (
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
		at := p.re.FindIndex(text)
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
		at := p.re.FindIndex(text)
		if at == nil {
			return []byte{}, false
		}
		return m.back(f, text[at[0]:at[1]]), false
	}, texts[0], texts[1]), nil
}

// back is a text that was searched in its own character set.
func (m *matcher) back(f *eval.Frame, s []byte) []byte {
	if m.bytes {
		return m.narrow(f, s)
	}
	utf8mb4, _ := charset.SetByName("utf8mb4")
	if m.set == utf8mb4 || m.set.Name() == "utf8mb3" {
		return s
	}
	out, _ := charset.Convert(f.Buffer((len(s)+1)*m.set.MaxLen()), m.set, utf8mb4, s)
	return out
}

func regexpReplace(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
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
		if p.empty && p.context {
			failWith(f, refusal("assertions that may match nothing, in a replacement"))
			return nil, true
		}
		out, ok := p.replace(f, text, m.wide(f, with))
		if !ok {
			return nil, true
		}
		return m.back(f, out), false
	}, texts[0], texts[1], texts[2]), nil
}

// matchesMax bounds the matches that are kept of a pattern with assertions, which has to see the whole text.
const matchesMax = 1 << 16

// replace replaces matches one after the other, up to the first empty one.
func (p *pattern) replace(f *eval.Frame, s, with []byte) ([]byte, bool) {
	out := f.Buffer(len(s) + len(with))
	most := f.RoomMax()
	add := func(match []int) bool {
		out = expand(out, most, with, s, match)
		return uint64(len(out)) <= most || f.Room(uint64(len(out)))
	}
	end := 0
	if p.context {
		matches := p.re.FindAllSubmatchIndex(s, matchesMax)
		if len(matches) == matchesMax {
			failWith(f, refusal("so many matches"))
			return nil, false
		}
		for _, m := range matches {
			if m[0] == m[1] {
				break
			}
			if out = append(out, s[end:m[0]]...); !add(m) {
				return nil, false
			}
			end = m[1]
		}
	} else {
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
			if out = append(out, s[end:m[0]]...); !add(m) {
				return nil, false
			}
			end = m[1]
		}
	}
	out = append(out, s[end:]...)
	return out, f.Room(uint64(len(out)))
}

// expand appends a replacement: \0 to \9 are what the groups matched, nothing if they did not, another character behind a backslash is itself. It
// ends when dst has more bytes than most.
func expand(dst []byte, most uint64, with, s []byte, match []int) []byte {
	for i := 0; i < len(with) && uint64(len(dst)) <= most; i++ {
		c := with[i]
		if c != '\\' {
			dst = append(dst, c)
			continue
		}
		if i++; i == len(with) {
			break
		}
		if c = with[i]; c < '0' || c > '9' {
			dst = append(dst, c)
			continue
		}
		if g := 2 * int(c-'0'); g+1 < len(match) && match[g] >= 0 {
			dst = append(dst, s[match[g]:match[g+1]]...)
		}
	}
	return dst
}
