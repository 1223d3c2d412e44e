package lex

import "strings"

// Text is the source of a token.
func (l *Lexer) Text(t Token) string { return l.text[t.Start:t.End] }

// Unquote is the name of a name, quoted or not, and the value of a string literal.
func (l *Lexer) Unquote(t Token) string {
	s := l.text[t.Start:t.End]
	switch t.Kind {
	case NString:
		return l.unquote(s[1:])
	case String, QuotedName:
		return l.unquote(s)
	}
	return s
}

func (l *Lexer) unquote(s string) string {
	quote, body := s[len(s)-1], s[1:len(s)-1]
	escapes := quote == '\'' || quote == '"' && l.mode&AnsiQuotes == 0
	escapes = escapes && l.mode&NoBackslashEscapes == 0
	if strings.IndexByte(body, quote) < 0 && (!escapes || strings.IndexByte(body, '\\') < 0) {
		return body
	}
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case c >= 0x80 && l.wide != nil:
			n := min(max(l.wide(body[i:]), 1), len(body)-i)
			out = append(out, body[i:i+n]...)
			i += n - 1
		case c == quote:
			i++
			out = append(out, c)
		case c == '\\' && escapes && i+1 < len(body):
			i++
			out = unescape(out, body[i])
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// unescape appends what a backslash and a byte stand for. Before % and _ the backslash stays, for LIKE.
func unescape(dst []byte, c byte) []byte {
	switch c {
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	case '0':
		c = 0
	case 'b':
		c = '\b'
	case 'Z':
		c = 26
	case '%', '_':
		return append(dst, '\\', c)
	}
	return append(dst, c)
}
