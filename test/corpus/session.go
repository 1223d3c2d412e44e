package corpus

import (
	"regexp"
	"strings"
)

// session follows what decides how the texts of one connection are read.
type session struct {
	mode modes
	// lost says that the mode was set to a value that nobody but a server can compute.
	lost    bool
	charset string            // of the texts that it sends; "" until a statement names one
	saved   map[string]string // user variables that hold a value of sql_mode
	global  *session          // what new connections begin with
}

func newSession(global *session) *session {
	s := &session{saved: map[string]string{}, global: global}
	if global != nil {
		s.mode, s.lost, s.charset = global.mode, global.lost, global.charset
	}
	return s
}

var saves = regexp.MustCompile(`(?is)^\s*select\s+@@(?:session\.|local\.)?sql_mode\s+into\s+@(\w+)`)

// follow takes note of what a text sets, and reports whether that changes anything.
func (s *session) follow(text string) (changed bool) {
	if len(text) < 4 {
		return false
	}
	switch {
	case strings.EqualFold(text[:3], "set") && !isNameByte(text[3]):
		p := &assignments{tokens: setTokens(text[3:], s.mode), session: s}
		p.statement()
		return p.changed
	case strings.EqualFold(text[:3], "sel"):
		if m := saves.FindStringSubmatch(text); m != nil && !s.lost {
			s.saved[strings.ToLower(m[1])] = s.mode.String()
			return true
		}
	}
	return false
}

// token is one token of a SET statement.
type token struct {
	kind tokenKind
	text string // of a name and a variable in lower case
}

type tokenKind byte

const (
	endToken tokenKind = iota
	nameToken
	textToken     // string or number
	userToken     // @name
	systemToken   // @@name
	operatorToken // one byte
)

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// setTokens reads what stands behind the word SET.
func setTokens(s string, mode modes) []token {
	var list []token
	for i := 0; i < len(s); {
		c := s[i]
		end := i + 1
		switch {
		case isSpace(c):
		case c == '#', strings.HasPrefix(s[i:], "-- "):
			if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
				end = i + n
			} else {
				end = len(s)
			}
		case strings.HasPrefix(s[i:], "/*"):
			if n := strings.Index(s[i:], "*/"); n >= 0 {
				end = i + n + 2
			} else {
				end = len(s)
			}
		case c == '\'' || c == '"' || c == '`':
			var text string
			text, end = quoted(s, i, mode)
			kind := textToken
			if c == '`' || c == '"' && mode&ansiQuotes != 0 {
				kind, text = nameToken, strings.ToLower(text)
			}
			list = append(list, token{kind, text})
		case c == '@':
			kind := userToken
			if strings.HasPrefix(s[i:], "@@") {
				kind, end = systemToken, i+2
			}
			from := end
			for end < len(s) && (isNameByte(s[end]) || s[end] == '.') {
				end++
			}
			list = append(list, token{kind, strings.ToLower(s[from:end])})
		case isNameByte(c):
			for end < len(s) && (isNameByte(s[end]) || s[end] == '.') {
				end++
			}
			kind := nameToken
			if c >= '0' && c <= '9' {
				kind = textToken
			}
			list = append(list, token{kind, strings.ToLower(s[i:end])})
		default:
			list = append(list, token{operatorToken, s[i:end]})
		}
		i = end
	}
	return list
}

// quoted reads what begins with a quote at i; end is behind the closing one.
func quoted(s string, i int, mode modes) (text string, end int) {
	quote := s[i]
	var b []byte
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quote != '`' && mode&noBackslashEscapes == 0 && i+1 < len(s):
			i++
			b = append(b, escaped(s[i])...)
		case c != quote:
			b = append(b, c)
		case i+1 < len(s) && s[i+1] == quote:
			i++
			b = append(b, c)
		default:
			return string(b), i + 1
		}
	}
	return string(b), len(s)
}

// escaped is what a backslash and a byte stand for.
func escaped(c byte) string {
	if n := strings.IndexByte("0btnrZ", c); n >= 0 {
		return "\x00\b\t\n\r\x1a"[n : n+1]
	}
	if c == '%' || c == '_' {
		return string([]byte{'\\', c})
	}
	return string([]byte{c})
}

// assignments reads the assignments of a SET statement.
type assignments struct {
	tokens  []token
	session *session
	changed bool
}

func (p *assignments) peek() token {
	if len(p.tokens) == 0 {
		return token{}
	}
	return p.tokens[0]
}

func (p *assignments) next() token {
	t := p.peek()
	if len(p.tokens) > 0 {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *assignments) is(kind tokenKind, text string) bool {
	t := p.peek()
	return t.kind == kind && t.text == text
}

func (p *assignments) take(kind tokenKind, text string) bool {
	if p.is(kind, text) {
		p.next()
		return true
	}
	return false
}

// statement follows the statement as far as it is understood.
func (p *assignments) statement() {
	switch {
	case p.take(nameToken, "names"), p.take(nameToken, "charset"), p.take(nameToken, "character") && p.take(nameToken, "set"):
		p.setCharset(p.session, p.next())
		return
	case p.is(nameToken, "statement"): // for the rest of this text only
		return
	}
	for p.peek().kind != endToken {
		p.assignment()
		p.take(operatorToken, ",")
	}
}

// assignment takes one assignment with the comma after it.
func (p *assignments) assignment() {
	target := p.session
	for _, scope := range []string{"session", "local", "global"} {
		if p.take(nameToken, scope) && scope == "global" {
			target = p.session.global
		}
	}
	t := p.next()
	name := t.text
	for _, scope := range []string{"session.", "local.", "global."} {
		if rest, ok := strings.CutPrefix(name, scope); ok && t.kind != userToken {
			name = rest
			if scope == "global." {
				target = p.session.global
			}
		}
	}
	p.take(operatorToken, ":")
	if !p.take(operatorToken, "=") {
		p.upToComma()
		return
	}
	switch {
	case t.kind == userToken:
		was, had := p.session.saved[name]
		value, ok := p.value(target)
		if ok = ok && p.atEnd(); ok {
			p.session.saved[name] = value
		} else {
			delete(p.session.saved, name)
		}
		p.changed = p.changed || had != ok || was != value
	case name == "sql_mode" && target != nil:
		was, had := target.mode, !target.lost
		value, ok := p.value(target)
		target.lost = !ok || !p.atEnd()
		if !target.lost {
			target.mode = parseModes(value)
		}
		p.changed = p.changed || had == target.lost || was != target.mode
	case name == "character_set_client":
		p.setCharset(target, p.next())
	}
	p.upToComma()
}

// setCharset takes note of a character set.
func (p *assignments) setCharset(target *session, t token) {
	if target == nil {
		return
	}
	name, was := strings.ToLower(t.text), target.charset
	defer func() { p.changed = p.changed || target.charset != was }()
	switch {
	case t.kind != nameToken && t.kind != textToken:
	case name == "default":
		target.charset = ""
	case clientCharsets[name]:
		target.charset = name
	}
}

// clientCharsets are the character sets of release 10.11 in which a client may send its texts.
var clientCharsets = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(`armscii8 ascii big5 binary cp1250 cp1251 cp1256 cp1257 cp850 cp852 cp866 cp932 dec8 eucjpms euckr gb2312 gbk
		geostd8 greek hebrew hp8 keybcs2 koi8r koi8u latin1 latin2 latin5 latin7 macce macroman sjis swe7 tis620 ujis utf8 utf8mb3 utf8mb4`) {
		names[name] = true
	}
	return names
}()

// atEnd reports whether an assignment ends here.
func (p *assignments) atEnd() bool { return p.peek().kind == endToken || p.is(operatorToken, ",") }

// upToComma skips to the next comma outside of parentheses, or the end.
func (p *assignments) upToComma() {
	for depth := 0; p.peek().kind != endToken; p.next() {
		switch {
		case p.is(operatorToken, "("):
			depth++
		case p.is(operatorToken, ")"):
			depth--
		case p.is(operatorToken, ",") && depth <= 0:
			return
		}
	}
}

// value computes an expression over modes; ok is false for those it does not know.
func (p *assignments) value(target *session) (value string, ok bool) {
	t := p.next()
	switch t.kind {
	case textToken:
		return t.text, true
	case userToken:
		value, ok = p.session.saved[t.text]
		return value, ok
	case systemToken:
		from := p.session
		name := strings.TrimPrefix(strings.TrimPrefix(t.text, "session."), "local.")
		if rest, global := strings.CutPrefix(name, "global."); global {
			name, from = rest, p.session.global
		}
		if name != "sql_mode" || from == nil || from.lost {
			return "", false
		}
		return from.mode.String(), true
	case operatorToken:
		if t.text == "(" {
			p.take(nameToken, "select")
			value, ok = p.value(target)
			return value, ok && p.take(operatorToken, ")")
		}
	case nameToken:
		return p.named(t.text, target)
	}
	return "", false
}

// named computes a call, or takes the name of a mode.
func (p *assignments) named(name string, target *session) (value string, ok bool) {
	if p.take(operatorToken, "(") {
		var args []string
		for !p.take(operatorToken, ")") {
			arg, ok := p.value(target)
			if !ok || !p.take(operatorToken, ",") && !p.is(operatorToken, ")") {
				return "", false
			}
			args = append(args, arg)
		}
		switch {
		case name == "concat":
			return strings.Join(args, ""), true
		case name == "concat_ws" && len(args) > 0:
			return strings.Join(args[1:], args[0]), true
		case name == "replace" && len(args) == 3:
			return strings.ReplaceAll(args[0], args[1], args[2]), true
		}
		return "", false
	}
	if name == "default" {
		if target == nil || target.global == nil {
			return "", true
		}
		return target.global.mode.String(), !target.global.lost
	}
	return name, true
}
