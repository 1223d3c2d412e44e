package query

import (
	"strings"
)

// serverVersionID is our version as versioned comments compare with it.
const serverVersionID = 101114

// lexMode is the part of sql_mode that changes how a text is read.
type lexMode struct {
	ansiQuotes         bool
	pipesAsConcat      bool
	noBackslashEscapes bool
}

// lexModeOf is the part of a value of sql_mode.
func lexModeOf(sqlMode string) lexMode {
	return lexMode{
		ansiQuotes:         strings.Contains(sqlMode, "ANSI_QUOTES"),
		pipesAsConcat:      strings.Contains(sqlMode, "PIPES_AS_CONCAT"),
		noBackslashEscapes: strings.Contains(sqlMode, "NO_BACKSLASH_ESCAPES"),
	}
}

// tokenKind is the kind of a token of the small scanner.
type tokenKind byte

const (
	tokEnd    tokenKind = iota // no token: the end of the text
	tokWord                    // keyword, identifier or number: letters, digits, _ $ @ and bytes above 127
	tokIdent                   // quoted identifier; text is without quotes
	tokString                  // string literal; text is without quotes, escapes undone
	tokPunct                   // one other byte
)

// token is one token with its place in the text.
type token struct {
	kind       tokenKind
	text       string
	start, end int
}

// is reports whether t is the given keyword (in capitals) or punctuation.
func (t token) is(word string) bool {
	return (t.kind == tokWord || t.kind == tokPunct) && strings.EqualFold(t.text, word)
}

// name reports whether t can be an identifier.
func (t token) name() bool { return t.kind == tokWord || t.kind == tokIdent }

// scanner walks over SQL text, skipping space and comments. It knows just
// enough of the lexical grammar to find tokens and the ends of statements.
type scanner struct {
	sql  string
	pos  int
	mode lexMode
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '@' || c >= 0x80
}

// next returns the next token; ok is false at the end of the text.
func (s *scanner) next() (t token, ok bool) {
	s.skipSpace()
	if s.pos >= len(s.sql) {
		return token{}, false
	}
	start := s.pos
	c := s.sql[start]
	switch {
	case c == '\'' || c == '"' || c == '`':
		s.pos = s.quotedEnd(start)
		t = token{kind: tokString, text: s.unquote(start, s.pos), start: start, end: s.pos}
		if c == '`' || c == '"' && s.mode.ansiQuotes {
			t.kind = tokIdent
		}
		return t, true
	case isWordByte(c):
		for s.pos < len(s.sql) && isWordByte(s.sql[s.pos]) {
			s.pos++
		}
		return token{kind: tokWord, text: s.sql[start:s.pos], start: start, end: s.pos}, true
	}
	s.pos++
	return token{kind: tokPunct, text: s.sql[start:s.pos], start: start, end: s.pos}, true
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.sql) {
		switch c := s.sql[s.pos]; {
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
func (s *scanner) commentAt(i int) int {
	rest := s.sql[i:]
	switch {
	case rest[0] == '#', strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return i + n + 1
		}
		return len(s.sql)
	case strings.HasPrefix(rest, "/*"):
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			return i + n + 4
		}
		return len(s.sql)
	}
	return 0
}

// quotedEnd returns the end of the quoted text that starts at i.
func (s *scanner) quotedEnd(i int) int {
	q := s.sql[i]
	for i++; i < len(s.sql); i++ {
		switch c := s.sql[i]; {
		case c == '\\' && q != '`' && !s.mode.noBackslashEscapes:
			i++
		case c == q:
			if i+1 < len(s.sql) && s.sql[i+1] == q {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(s.sql)
}

func (s *scanner) unquote(start, end int) string {
	q := s.sql[start]
	body := s.sql[start+1 : max(start+1, end-1)]
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
		case c == '\\' && q != '`' && !s.mode.noBackslashEscapes && i+1 < len(body):
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

// tokens returns all tokens of a text, at most limit (0 for all).
func tokens(sql string, mode lexMode, limit int) []token {
	s := scanner{sql: sql, mode: mode}
	var out []token
	for limit == 0 || len(out) < limit {
		t, ok := s.next()
		if !ok {
			break
		}
		out = append(out, t)
	}
	return out
}

// splitAtSemicolon returns the text before the first semicolon outside quotes
// and comments, and what follows it.
func splitAtSemicolon(sql string, mode lexMode) (first, rest string) {
	s := scanner{sql: sql, mode: mode}
	for {
		t, ok := s.next()
		if !ok {
			return sql, ""
		}
		if t.is(";") {
			return sql[:t.start], sql[t.end:]
		}
	}
}

// trimSQL removes space, comments and semicolons around a statement.
func trimSQL(sql string, mode lexMode) string {
	s := scanner{sql: sql, mode: mode}
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

// openComments replaces the executable comments /*! */, /*!NNNNN */ and /*M! */ by
// what they hold, if a MariaDB of our version would run it, or by a space.
// Text without such comments is returned as it is.
func openComments(sql string, mode lexMode) string {
	if !strings.Contains(sql, "/*!") && !strings.Contains(sql, "/*M!") {
		return sql
	}
	s := scanner{sql: sql, mode: mode}
	var b strings.Builder
	b.Grow(len(sql))
	open := 0
	for s.pos < len(sql) {
		c := sql[s.pos]
		rest := sql[s.pos:]
		switch {
		case c == '\'' || c == '"' || c == '`':
			end := s.quotedEnd(s.pos)
			b.WriteString(sql[s.pos:end])
			s.pos = end
		case strings.HasPrefix(rest, "/*!"), strings.HasPrefix(rest, "/*M!"):
			body, run := versionedComment(rest)
			b.WriteByte(' ')
			if run {
				open++
				s.pos += body
			} else {
				s.pos = skipNested(sql, s.pos)
			}
		case open > 0 && strings.HasPrefix(rest, "*/"):
			open--
			b.WriteByte(' ')
			s.pos += 2
		case s.commentAt(s.pos) > 0:
			end := s.commentAt(s.pos)
			b.WriteString(sql[s.pos:end])
			s.pos = end
		default:
			b.WriteByte(c)
			s.pos++
		}
	}
	return b.String()
}

// versionedComment reads the opening of an executable comment: its length, and
// whether a server of our version runs it. As in MariaDB, versions of MySQL 5.7
// and later are not run unless the comment is for MariaDB (M!).
func versionedComment(s string) (length int, run bool) {
	i := 3
	forMariaDB := s[2] == 'M'
	if forMariaDB {
		i = 4
	}
	version, digits := 0, 0
	for digits < 6 && i < len(s) && s[i] >= '0' && s[i] <= '9' {
		version = version*10 + int(s[i]-'0')
		i++
		digits++
	}
	switch {
	case digits == 0:
		return i, true
	case digits < 5: // part of the statement, not a version
		return i - digits, true
	case version > serverVersionID:
		return i, false
	case !forMariaDB && version >= 50700 && version <= 99999:
		return i, false
	}
	return i, true
}

// skipNested returns the end of the comment that starts at i, with the comments inside it.
func skipNested(sql string, i int) int {
	depth := 0
	for i < len(sql) {
		switch {
		case strings.HasPrefix(sql[i:], "/*"):
			depth++
			i += 2
		case strings.HasPrefix(sql[i:], "*/"):
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return i
}
