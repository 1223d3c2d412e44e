package dialect

import (
	"strings"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Parser walks over the tokens of one statement. Its methods take what they name if it stands there, and leave their place
// unchanged if it does not, unless they say otherwise.
type Parser struct {
	Tokens []Token
	Pos    int    // of the next token, in Tokens
	SQL    string // the statement
}

// NewParser stands at the first token of a statement.
func NewParser(sql string, mode Mode) *Parser {
	return &Parser{Tokens: Tokens(sql, mode, 0), SQL: sql}
}

// Peek is the next token, which stays; at the end, one of kind NoToken.
func (p *Parser) Peek() Token {
	if p.Pos < len(p.Tokens) {
		return p.Tokens[p.Pos]
	}
	return Token{Start: len(p.SQL), End: len(p.SQL)}
}

// End reports whether nothing follows.
func (p *Parser) End() bool { return p.Pos >= len(p.Tokens) }

// Accept takes the given words, all or none of them.
func (p *Parser) Accept(words ...string) bool {
	for n, w := range words {
		if p.Pos+n >= len(p.Tokens) || !p.Tokens[p.Pos+n].Is(w) {
			return false
		}
	}
	p.Pos += len(words)
	return true
}

// AcceptAny takes one of the words.
func (p *Parser) AcceptAny(words ...string) bool {
	for _, w := range words {
		if p.Accept(w) {
			return true
		}
	}
	return false
}

// Next takes the next token; at the end, one of kind NoToken.
func (p *Parser) Next() Token {
	t := p.Peek()
	p.Pos++
	return t
}

// SyntaxError is the error of a text that is wrong from a place on (1064, as MariaDB words it: 80 bytes of text, and the line).
func SyntaxError(sql string, pos int) *mysqlerr.Error {
	line := 1 + strings.Count(sql[:pos], "\n")
	near := sql[pos:]
	if len(near) > 80 {
		near = near[:80]
	}
	return mysqlerr.New(mysqlerr.Parse, mysqlerr.SyntaxErrorText, near, line)
}

// IsNumber reports whether a text is nothing but digits.
func IsNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// Account takes user[@host], whatever stands there: a host that is missing is %. The scanner keeps @ in words.
func (p *Parser) Account() (user, host string) {
	host = "%"
	t := p.Next()
	user = t.Text
	if t.Kind == Word {
		if u, h, ok := strings.Cut(t.Text, "@"); ok {
			user = u
			if h != "" {
				return user, h
			}
			return user, p.Next().Text
		}
	}
	if at := p.Peek(); at.Kind == Word && strings.HasPrefix(at.Text, "@") {
		p.Next()
		if at.Text != "@" {
			return user, at.Text[1:]
		}
		return user, p.Next().Text
	}
	return user, host
}

// TableName takes [db.]name; a token that is no name is taken, too.
func (p *Parser) TableName() (db, name string, ok bool) {
	t := p.Next()
	if !t.IsName() {
		return "", "", false
	}
	if p.Accept(".") {
		n := p.Next()
		return t.Text, n.Text, n.IsName()
	}
	return "", t.Text, true
}
