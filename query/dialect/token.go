package dialect

import "strings"

// Mode is the part of sql_mode that changes how a text is read.
type Mode struct {
	AnsiQuotes         bool
	PipesAsConcat      bool
	NoBackslashEscapes bool
	IgnoreSpace        bool
	HighNotPrecedence  bool
	Brackets           bool // of MSSQL: [x] is a name. Only package grammar reads it
	Oracle             bool // || binds as + does, and functions are those of Oracle
}

// ModeOf is the part of a value of sql_mode.
func ModeOf(sqlMode string) Mode {
	return Mode{
		AnsiQuotes:         strings.Contains(sqlMode, "ANSI_QUOTES"),
		PipesAsConcat:      strings.Contains(sqlMode, "PIPES_AS_CONCAT"),
		NoBackslashEscapes: strings.Contains(sqlMode, "NO_BACKSLASH_ESCAPES"),
		IgnoreSpace:        strings.Contains(sqlMode, "IGNORE_SPACE"),
		HighNotPrecedence:  strings.Contains(sqlMode, "HIGH_NOT_PRECEDENCE"),
		Brackets:           strings.Contains(sqlMode, "MSSQL"),
		Oracle:             strings.Contains(sqlMode, "ORACLE"),
	}
}

// Kind is the kind of a token.
type Kind byte

const (
	NoToken Kind = iota // no token: the end of the text
	Word                // keyword, identifier or number: letters, digits, _ $ @ and bytes above 127
	Quoted              // quoted identifier; text is without quotes
	String              // string literal; text is without quotes, escapes undone
	Punct               // one other byte
)

// Token is one token with its place in the text.
type Token struct {
	Kind       Kind
	Text       string
	Start, End int
}

// Is reports whether t is the given keyword (in capitals) or punctuation.
func (t Token) Is(word string) bool {
	return (t.Kind == Word || t.Kind == Punct) && strings.EqualFold(t.Text, word)
}

// IsName reports whether t can be an identifier.
func (t Token) IsName() bool { return t.Kind == Word || t.Kind == Quoted }

// Scanner walks over SQL text, skipping space and comments. It knows just
// enough of the lexical grammar to find tokens and the ends of statements.
type Scanner struct {
	SQL  string
	pos  int
	Mode Mode
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '@' || c >= 0x80
}

// Next returns the next token; ok is false at the end of the text.
func (s *Scanner) Next() (t Token, ok bool) {
	s.skipSpace()
	if s.pos >= len(s.SQL) {
		return Token{}, false
	}
	start := s.pos
	c := s.SQL[start]
	switch {
	case c == '\'' || c == '"' || c == '`':
		s.pos = s.quotedEnd(start)
		t = Token{Kind: String, Text: s.unquote(start, s.pos), Start: start, End: s.pos}
		if c == '`' || c == '"' && s.Mode.AnsiQuotes {
			t.Kind = Quoted
		}
		return t, true
	case isWordByte(c):
		for s.pos < len(s.SQL) && isWordByte(s.SQL[s.pos]) {
			s.pos++
		}
		return Token{Kind: Word, Text: s.SQL[start:s.pos], Start: start, End: s.pos}, true
	}
	s.pos++
	return Token{Kind: Punct, Text: s.SQL[start:s.pos], Start: start, End: s.pos}, true
}

func (s *Scanner) skipSpace() {
	for s.pos < len(s.SQL) {
		switch c := s.SQL[s.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			s.pos++
		case s.commentAt(s.pos) > 0:
			s.pos = s.commentAt(s.pos)
		default:
			return
		}
	}
}

// commentAt returns the end of the comment that starts at i, 0 if none does.
func (s *Scanner) commentAt(i int) int {
	rest := s.SQL[i:]
	switch {
	case rest[0] == '#', strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return i + n + 1
		}
		return len(s.SQL)
	case strings.HasPrefix(rest, "/*"):
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			return i + n + 4
		}
		return len(s.SQL)
	}
	return 0
}

// quotedEnd returns the end of the quoted text that starts at i.
func (s *Scanner) quotedEnd(i int) int {
	end, _ := s.quoted(i)
	return end
}

// quoted returns the end of the quoted text that starts at i, and whether its quote is closed.
func (s *Scanner) quoted(i int) (end int, closed bool) {
	q := s.SQL[i]
	for i++; i < len(s.SQL); i++ {
		switch c := s.SQL[i]; {
		case c == '\\' && q != '`' && !s.Mode.NoBackslashEscapes:
			i++
		case c == q:
			if i+1 < len(s.SQL) && s.SQL[i+1] == q {
				i++
				continue
			}
			return i + 1, true
		}
	}
	return len(s.SQL), false
}

func (s *Scanner) unquote(start, end int) string {
	q := s.SQL[start]
	body := s.SQL[start+1 : max(start+1, end-1)]
	if strings.IndexByte(body, q) < 0 && (q == '`' || strings.IndexByte(body, '\\') < 0) {
		return body
	}
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case c == q && i+1 < len(body):
			i++
			b.WriteByte(q)
		case c == '\\' && q != '`' && !s.Mode.NoBackslashEscapes && i+1 < len(body):
			i++
			b.WriteString(unescape(body[i]))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '0':
		return "\x00"
	case 'b':
		return "\b"
	case 'Z':
		return "\x1a"
	case '%', '_':
		return "\\" + string(c)
	}
	return string(c)
}

// Tokens returns all tokens of a text, at most limit (0 for all).
func Tokens(sql string, mode Mode, limit int) []Token {
	s := Scanner{SQL: sql, Mode: mode}
	var out []Token
	for limit == 0 || len(out) < limit {
		t, ok := s.Next()
		if !ok {
			break
		}
		out = append(out, t)
	}
	return out
}

// Split returns the text before the first semicolon outside quotes
// and comments, and what follows it.
func Split(sql string, mode Mode) (first, rest string) {
	s := Scanner{SQL: sql, Mode: mode}
	for {
		t, ok := s.Next()
		if !ok {
			return sql, ""
		}
		if t.Is(";") {
			return sql[:t.Start], sql[t.End:]
		}
	}
}

// Trim removes space, comments and semicolons around a statement.
func Trim(sql string, mode Mode) string {
	s := Scanner{SQL: sql, Mode: mode}
	for {
		s.skipSpace()
		if s.pos < len(sql) && sql[s.pos] == ';' {
			s.pos++
			continue
		}
		break
	}
	return strings.TrimRight(sql[s.pos:], "; \t\r\n\f\v")
}
