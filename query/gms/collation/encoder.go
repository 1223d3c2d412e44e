package collation

import (
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql/encodings"

	"github.com/duramendb/duramen/query/types/charset"
)

// encoder is go-mysql-server's view of a character set that it has no tables of.
type encoder struct{ set *charset.Set }

var _ encodings.Encoder = encoder{}

var utf8mb4, _ = charset.SetByName("utf8mb4")

func (e encoder) Decode(b []byte) ([]byte, bool) {
	out, done := charset.Convert(nil, utf8mb4, e.set, b)
	return out, done.OK()
}

func (e encoder) Encode(b []byte) ([]byte, bool) {
	out, done := charset.Convert(nil, e.set, utf8mb4, b)
	return out, done.OK()
}

func (e encoder) EncodeReplaceUnknown(b []byte) []byte {
	out, _ := charset.Convert(nil, e.set, utf8mb4, b)
	return out
}

func (e encoder) DecodeRune(b []byte) ([]byte, bool) {
	r, n, ok := e.set.Decode(b)
	if !ok || n != len(b) {
		return nil, false
	}
	return utf8.AppendRune(nil, r), true
}

func (e encoder) EncodeRune(b []byte) ([]byte, bool) {
	r, n := utf8.DecodeRune(b)
	if n != len(b) || r == utf8.RuneError && n <= 1 {
		return nil, false
	}
	return e.set.Append(nil, r)
}

func (e encoder) Uppercase(s string) string { return e.cased(s, (*charset.Collation).AppendUpper) }
func (e encoder) Lowercase(s string) string { return e.cased(s, (*charset.Collation).AppendLower) }

// cased changes a text, which is UTF-8, as the set's default collation does.
func (e encoder) cased(s string, change func(c *charset.Collation, dst, s []byte) []byte) string {
	b, ok := e.Encode([]byte(s))
	if ok {
		b, ok = e.Decode(change(e.set.Default(), nil, b))
	}
	if !ok { // it has characters that the set lacks
		b = change(utf8mb4.Default(), nil, []byte(s))
	}
	return string(b)
}

func (e encoder) UppercaseRune(r rune) rune { return firstRune(e.Uppercase(string(r))) }
func (e encoder) LowercaseRune(r rune) rune { return firstRune(e.Lowercase(string(r))) }

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func (encoder) NextRune(s string) (rune, int) { return utf8.DecodeRuneInString(s) }

func (encoder) IsReturnSafe() bool { return true }
