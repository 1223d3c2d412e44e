package lex

import "strings"

// Plain reads a number, a string or NULL that a comma or a parenthesis follows directly: most of what rows of an INSERT are made of. ok is false, and
// nothing is read, if something else comes; only spaces before it are skipped then.
func (l *Lexer) Plain() (t Token, ok bool) {
	if l.last == '@' || l.last == AtAt || l.last == '.' {
		return t, false
	}
	for l.at(l.pos) == ' ' {
		l.pos++
	}
	start := l.pos
	if start >= len(l.text) {
		return t, false
	}
	t.Start, t.Line = int32(start), l.line
	switch c := l.text[start]; {
	case c == '\'':
		t.Kind = l.quoted(String)
	case classes[c]&digit != 0:
		t.Kind = l.number()
	case (c == 'N' || c == 'n') && start+4 < len(l.text) && strings.EqualFold(l.text[start:start+4], "NULL"):
		t.Kind, t.Word = Name, WNull
		l.pos += 4
	}
	t.End = int32(l.pos)
	switch t.Kind {
	case String, Integer, Decimal, Float, Name:
		if c := l.at(l.pos); (c == ',' || c == ')') && (t.Kind != Name || t.Word != NoWord) {
			l.last = t.Kind
			return t, true
		}
	}
	l.pos = start
	return t, false
}

// simple is the end of a quoted text that has no quote and no escape in it, and begins at pos; 0 for others.
func (l *Lexer) simple(quote byte, escapes bool) (end int) {
	if l.wide != nil {
		return 0
	}
	rest := l.text[l.pos+1:]
	n := strings.IndexByte(rest, quote)
	if n < 0 || n+1 < len(rest) && rest[n+1] == quote || escapes && strings.IndexByte(rest[:n], '\\') >= 0 {
		return 0
	}
	return l.pos + 1 + n + 1
}

// Sign takes a character that is a token of its own, such as a comma, if that follows, behind spaces at most; else nothing is read.
func (l *Lexer) Sign(c byte) (end int32, ok bool) {
	if l.last == '@' || l.last == AtAt {
		return 0, false
	}
	at := l.pos
	for l.at(at) == ' ' {
		at++
	}
	if l.at(at) != c {
		return 0, false
	}
	l.pos, l.last = at+1, Kind(c)
	return int32(l.pos), true
}
