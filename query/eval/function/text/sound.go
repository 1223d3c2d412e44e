package text

import (
	"bytes"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

var sounds = named("soundex", 1, 1, soundex, "SOUNDEX")

const soundexMin = 4 // characters

func soundex(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args[0])
	if err != nil {
		return nil, err
	}
	set := a.Collation.Set()
	return eval.Map1(name, result(b, a, max(chars(texts[0]), soundexMin), args...), func(f *eval.Frame, s []byte) ([]byte, bool) {
		return appendSoundex(f, name, set, s)
	}, texts[0]), nil
}

// soundexCodes are those of the letters A to Z; 0 is none.
const soundexCodes = "01230120022455012623010202"

// alphabet is what SOUNDEX takes for letters in a character set: those of ASCII, and foreign ones.
type alphabet struct {
	set     *charset.Set
	foreign string // of a set of single bytes: see foreignLetters
}

// letter reads a character: is it a letter, and which; foreign ones are 0. size is 0 where the text ends, or has no character.
func (a alphabet) letter(s []byte) (c byte, size int, is bool) {
	r, n, ok := a.set.Decode(s)
	if !ok {
		return 0, 0, false
	}
	switch {
	case r|0x20 >= 'a' && r|0x20 <= 'z' && r < 0x80:
		return byte(r) &^ 0x20, n, true
	case a.set.MaxLen() > 1:
		return 0, n, r >= 0xc0
	case s[0] >= 0x80 && a.foreign != "":
		bit := s[0] - 0x80
		digit, _ := hexDigit(a.foreign[bit/4])
		return 0, n, digit>>(3-bit%4)&1 != 0
	}
	return 0, n, false
}

func appendSoundex(f *eval.Frame, name string, set *charset.Set, s []byte) ([]byte, bool) {
	if !f.Fits(name, uint64(max(len(s), soundexMin*set.MaxLen()))) {
		return nil, true
	}
	out, letters := f.Buffer(max(len(s), soundexMin*set.MaxLen())), alphabet{set, foreignLetters[set.Name()]}
	for {
		c, n, is := letters.letter(s)
		if n == 0 {
			return out, false
		}
		if is {
			if c != 0 {
				out, _ = set.Append(out, rune(c))
			} else {
				out = append(out, s[:n]...)
			}
			return letters.rest(out, c, s[n:]), false
		}
		s = s[n:]
	}
}

// rest appends the codes of the letters behind the first one.
func (a alphabet) rest(out []byte, first byte, s []byte) []byte {
	code := func(c byte) byte {
		if c == 0 {
			return '0'
		}
		return soundexCodes[c-'A']
	}
	last, count := code(first), 1
	for {
		c, n, is := a.letter(s)
		if n == 0 {
			break
		}
		if s = s[n:]; !is {
			continue
		}
		if next := code(c); next != '0' && next != last {
			out, _ = a.set.Append(out, rune(next))
			last = next
			count++
		}
	}
	for ; count < soundexMin; count++ {
		out, _ = a.set.Append(out, '0')
	}
	return out
}

// SoundsLike is x SOUNDS LIKE y.
func SoundsLike(b *eval.Builder, x, y *eval.Expr) (*eval.Expr, error) {
	xs, err := soundex(b, "soundex", []*eval.Expr{x})
	if err != nil {
		return nil, err
	}
	ys, err := soundex(b, "soundex", []*eval.Expr{y})
	if err != nil {
		return nil, err
	}
	a, texts, err := b.Agree("=", true, xs, ys)
	if err != nil {
		return nil, err
	}
	o, err := orderOf(a.Collation)
	if err != nil {
		return nil, err
	}
	return eval.Map2("=", nullIf(types.BoolType(), xs, ys), func(_ *eval.Frame, v, w []byte) (int64, bool) {
		if bytes.Equal(v, w) || o.Equal(v, w) {
			return 1, false
		}
		return 0, false
	}, texts[0], texts[1]).With(eval.Bool).Infix(soundsBinding), nil
}

// soundsBinding is how tightly the comparison binds that SOUNDS LIKE is printed as.
const soundsBinding = 10
