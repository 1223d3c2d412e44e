package fulltext

import "bytes"

// token is a token of a query: one of its characters, or one of those below.
type token struct {
	kind byte
	text []byte
}

// Kinds of tokens that are no characters.
const (
	end    byte = iota
	term        // what may have words in it
	number      // digits alone, in boolean mode
	quoted      // a text with its quotes
)

// String is what messages call a token.
func (t token) String() string {
	switch t.kind {
	case end:
		return "$end"
	case term:
		return "FTS_TERM"
	case number:
		return "FTS_NUMB"
	case quoted:
		return "FTS_TEXT"
	}
	return "'" + string(t.kind) + "'"
}

// lexer cuts a query into tokens, byte by byte as InnoDB does.
type lexer struct {
	text    []byte
	boolean bool
}

// operators are the characters that mean something in boolean mode.
const operators = "*()+-<>~@"

// next takes the next token. What is part of none is left out.
func (l *lexer) next() token {
	for len(l.text) > 0 {
		if c := l.text[0]; c == '"' {
			if n := bytes.IndexAny(l.text[1:], "\"\n"); n >= 0 && l.text[n+1] == '"' {
				return l.take(quoted, n+2)
			}
		}
		n := l.term()
		blank := len(l.text) - len(bytes.TrimLeft(l.text, " \t"))
		switch {
		case blank > 0 && blank >= n, n == 0 && !l.operator():
			l.text = l.text[max(blank, 1):]
		case l.operator() && n <= 1:
			return l.take(l.text[0], 1)
		case l.boolean && len(bytes.TrimLeft(l.text[:n], "0123456789")) == 0:
			return l.take(number, n)
		default:
			return l.take(term, n)
		}
	}
	return token{kind: end}
}

// operator reports whether the text begins with one.
func (l *lexer) operator() bool {
	if l.boolean {
		return bytes.IndexByte([]byte(operators), l.text[0]) >= 0
	}
	return l.text[0] == '*'
}

// term is how many bytes of the text are no end of a term.
func (l *lexer) term() int {
	ends := "\" \n%"
	if l.boolean {
		ends += operators
	}
	for i, c := range l.text {
		if bytes.IndexByte([]byte(ends), c) >= 0 {
			return i
		}
	}
	return len(l.text)
}

func (l *lexer) take(kind byte, n int) token {
	t := token{kind, l.text[:n]}
	l.text = l.text[n:]
	return t
}
