package clienttext

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// escapeSize is how many bytes an escape has.
const escapeSize = 3

// Foreign reports whether texts of a character set are converted. Those of Unicode are UTF-8 already (no client sends another one), and binary is
// taken for UTF-8.
func Foreign(set *charset.Set) bool { return set != nil && !set.Unicode() && set.Name() != "binary" }

// Encode is a text of a client as UTF-8. An error says that a quoted name is no text of the character set.
func Encode(text string, set *charset.Set, mode dialect.Mode) (string, error) {
	if !Foreign(set) || ascii(text) {
		return text, nil
	}
	e := encoder{set: set, mode: mode, out: make([]byte, 0, len(text)*3/2)}
	for e.rest = []byte(text); len(e.rest) > 0; {
		if err := e.step(); err != nil {
			return "", err
		}
	}
	return string(e.out), nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// encoder goes through a text. It knows in what it stands, as MariaDB's lexer does.
type encoder struct {
	set  *charset.Set
	mode dialect.Mode
	rest []byte
	out  []byte

	inside byte   // the quote of the literal or name that is open, '/' of a comment to its end, '#' of one to the end of the line; 0 in none
	name   []byte // of a quoted name, as the client has sent it
	bad    bool   // it has bytes that are no character
}

// step takes what is next.
func (e *encoder) step() error {
	c := e.rest[0]
	if c >= utf8.RuneSelf {
		e.character()
		return nil
	}
	e.take(1)
	switch {
	case e.inside == 0:
		e.opens(c)
	case e.inside == '/':
		if c == '*' && len(e.rest) > 0 && e.rest[0] == '/' {
			e.take(1)
			e.inside = 0
		}
	case e.inside == '#':
		if c == '\n' {
			e.inside = 0
		}
	case c == e.inside:
		e.inside = 0
		if e.quotesName(c) && e.bad {
			return mysqlerr.New(mysqlerr.InvalidCharacterString, e.set.Name(), shownBytes(e.name[:len(e.name)-1]))
		}
	case c == '\\' && e.escapes() && len(e.rest) > 0:
		if e.rest[0] >= utf8.RuneSelf && e.set.MaxLen() > 1 { // only this byte belongs to it, even if a character begins there
			e.escape(1)
			break
		}
		if e.rest[0] < utf8.RuneSelf {
			e.take(1)
		}
	}
	return nil
}

// opens looks whether a byte outside of everything begins something, of which e.rest is what follows.
func (e *encoder) opens(c byte) {
	follows := func(s string) bool { return len(e.rest) >= len(s) && string(e.rest[:len(s)]) == s }
	switch {
	case c == '\'' || c == '"' || c == '`':
		e.inside, e.name, e.bad = c, e.name[:0], false
	case c == '/' && follows("*") && !follows("*!") && !follows("*M!"):
		e.take(1)
		e.inside = '/'
	case c == '#', c == '-' && follows("-") && (len(e.rest) == 1 || e.rest[1] <= ' '):
		e.inside = '#'
	}
}

// quotesName reports whether a quote is that of names.
func (e *encoder) quotesName(c byte) bool { return c == '`' || c == '"' && e.mode.AnsiQuotes }

// escapes reports whether a backslash where e stands escapes what follows.
func (e *encoder) escapes() bool {
	return (e.inside == '\'' || e.inside == '"' && !e.mode.AnsiQuotes) && !e.mode.NoBackslashEscapes
}

// take copies n bytes.
func (e *encoder) take(n int) {
	e.out = append(e.out, e.rest[:n]...)
	e.seen(n)
}

// escape takes n bytes as escapes.
func (e *encoder) escape(n int) {
	for _, b := range e.rest[:n] {
		e.out = append(e.out, 0xed, 0xb0|b>>6, 0x80|b&0x3f)
	}
	e.seen(n)
}

func (e *encoder) seen(n int) {
	if e.quotesName(e.inside) {
		e.name = append(e.name, e.rest[:n]...)
	}
	e.rest = e.rest[n:]
}

// character takes one that is not ASCII.
func (e *encoder) character() {
	r, n, ok := e.set.Decode(e.rest)
	if !ok {
		e.bad = true
		e.escape(max(n, 1))
		return
	}
	var same [4]byte
	back, ok := e.set.Append(same[:0], r)
	if !ok || r < utf8.RuneSelf || string(back) != string(e.rest[:n]) {
		e.escape(n)
		return
	}
	e.out = utf8.AppendRune(e.out, r)
	e.seen(n)
}

// shownBytes are the bytes of a name in an error.
func shownBytes(name []byte) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range name {
		if c >= ' ' && c < utf8.RuneSelf-1 {
			b.WriteByte(c)
			continue
		}
		b.WriteString(`\x`)
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// escaped is the byte whose escape a text begins with.
func escaped(s string) (byte, bool) {
	if len(s) < escapeSize || s[0] != 0xed || s[1]&^3 != 0xb0 || s[2]&0xc0 != 0x80 {
		return 0, false
	}
	return s[1]<<6 | s[2]&0x3f, true
}

// Exact reports whether a text that Encode has made has no escapes: it is UTF-8 that means the same.
func Exact(text string) bool {
	for i := strings.IndexByte(text, 0xed); i >= 0; {
		if _, ok := escaped(text[i:]); ok {
			return false
		}
		next := strings.IndexByte(text[i+1:], 0xed)
		if next < 0 {
			return true
		}
		i += 1 + next
	}
	return true
}

// Decode is a text that Encode has made, or a part of it, as the client has sent it. lossy says that it has characters which the character set lacks: then it is not of that
// client.
func Decode(text string, set *charset.Set) (out []byte, lossy bool) {
	if !Foreign(set) || ascii(text) {
		return []byte(text), false
	}
	out = make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			out = append(out, c)
			i++
			continue
		}
		if b, ok := escaped(text[i:]); ok {
			out = append(out, b)
			i += escapeSize
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		known := false
		if out, known = set.Append(out, r); !known {
			out, lossy = append(out, '?'), true
		}
	}
	return out, lossy
}

// Shown is a part of a text that Encode has made, for somebody to read: what is no character or has no code point is a question mark.
func Shown(text string, set *charset.Set) string {
	if ascii(text) || Exact(text) && utf8.ValidString(text) {
		return text
	}
	bytes, _ := Decode(text, set)
	if !Foreign(set) {
		set = utf8mb4
	}
	out, _ := charset.Convert(nil, utf8mb4, set, bytes)
	return string(out)
}

// Written is Shown for the text of an expression, of which bytes that are no characters are numbers: \xE9.
func Written(text string, set *charset.Set) string {
	if ascii(text) || Exact(text) && utf8.ValidString(text) {
		return text
	}
	bytes, _ := Decode(text, set)
	if !Foreign(set) {
		set = utf8mb4
	}
	var out []byte
	for len(bytes) > 0 {
		bad := set.Valid(bytes)
		if bad < 0 {
			bad = len(bytes)
		}
		out, _ = charset.Convert(out, utf8mb4, set, bytes[:bad])
		if bytes = bytes[bad:]; len(bytes) > 0 {
			out = fmt.Appendf(out, "\\x%02X", bytes[0])
			bytes = bytes[1:]
		}
	}
	return string(out)
}

var utf8mb4, _ = charset.SetByName("utf8mb4")

// Sent is what a client has sent for a text that Encode has made of one in the named character set.
func Sent(text, set string) string {
	s, ok := charset.SetByName(set)
	if !ok {
		return text
	}
	out, _ := Decode(text, s)
	return string(out)
}

// Plain reports whether a text that Encode has made means the same if it is taken for that of a client which sends UTF-8: it has no escapes, and no
// literal with an introducer, whose bytes count, that is not ASCII.
func Plain(text string, mode dialect.Mode) bool {
	if !Exact(text) {
		return false
	}
	lx := lex.New(text, mode.Lex(), nil)
	introduced := false
	for {
		t := lx.Next()
		switch t.Kind {
		case lex.EOF, lex.Bad:
			return true
		case lex.NString: // whose bytes are taken for UTF-8
			if !ascii(lx.Text(t)) {
				return false
			}
		case lex.String:
			if introduced && !ascii(lx.Text(t)) {
				return false
			}
		}
		introduced = t.Kind == lex.Introducer || introduced && t.Kind == lex.String
	}
}

// Message is an error's message in a character set. A character that it lacks is written as MariaDB does: \ and its number.
func Message(text string, set *charset.Set) string {
	out, _ := charset.Convert(nil, set, utf8mb4, []byte(Numbered(text, set)))
	return string(out)
}

// Numbered is a message whose characters that a character set lacks are numbers.
func Numbered(text string, set *charset.Set) string {
	if ascii(text) {
		return text
	}
	var out []byte
	for _, r := range text {
		if _, known := set.Append(nil, r); known {
			out = utf8.AppendRune(out, r)
		} else if r > 0xffff {
			out = fmt.Appendf(out, "\\+%06X", r)
		} else {
			out = fmt.Appendf(out, "\\%04X", r)
		}
	}
	return string(out)
}
