package ddltext

import "strings"

// words reads the head of a CREATE statement word by word. It skips white space and comments.
type words struct {
	text     string
	at       int
	accepted []string
}

// start is the offset of the next word.
func (w *words) start() int {
	for w.at < len(w.text) {
		switch rest := w.text[w.at:]; {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			w.at++
		case strings.HasPrefix(rest, "/*!"), strings.HasPrefix(rest, "/*M!"): // executable comment: opened
			w.at += strings.IndexByte(rest, '!') + 1
			for w.at < len(w.text) && w.text[w.at] >= '0' && w.text[w.at] <= '9' {
				w.at++
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				end = len(rest) - 2
			}
			w.at += end + 2
		case strings.HasPrefix(rest, "*/"):
			w.at += 2
		case rest[0] == '#', strings.HasPrefix(rest, "-- "), strings.HasPrefix(rest, "--\n"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest) - 1
			}
			w.at += end + 1
		default:
			return w.at
		}
	}
	return w.at
}

func (w *words) done() bool { return w.start() >= len(w.text) }

// next reads a word, a quoted name or string (without quotes), or one character.
func (w *words) next() string {
	at := w.start()
	if at >= len(w.text) {
		return ""
	}
	switch c := w.text[at]; {
	case c == '`' || c == '\'' || c == '"':
		return w.quoted(c)
	case isNameByte(c):
		end := at
		for end < len(w.text) && isNameByte(w.text[end]) {
			end++
		}
		w.at = end
		return w.text[at:end]
	}
	w.at++
	return w.text[at : at+1]
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (w *words) quoted(quote byte) string {
	var b strings.Builder
	for w.at++; w.at < len(w.text); w.at++ {
		c := w.text[w.at]
		switch {
		case c == '\\' && quote != '`' && w.at+1 < len(w.text):
			w.at++
			b.WriteByte(unescape(w.text[w.at]))
		case c == quote && w.at+1 < len(w.text) && w.text[w.at+1] == quote:
			w.at++
			b.WriteByte(quote)
		case c == quote:
			w.at++
			return b.String()
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case '0':
		return 0
	}
	return c
}

// accept reads these words, in any case, if they come next.
func (w *words) accept(want ...string) bool {
	was := w.at
	for _, word := range want {
		if at := w.start(); at < len(w.text) && strings.IndexByte("`'\"", w.text[at]) >= 0 || !strings.EqualFold(w.next(), word) {
			w.at = was
			return false
		}
	}
	w.accepted = want
	return true
}

func (w *words) rest() string { return w.text[w.start():] }

// account reads user@host, CURRENT_USER or CURRENT_USER(): "" for these.
func (w *words) account() string {
	if w.accept("CURRENT_USER") {
		if w.accept("(") {
			w.accept(")")
		}
		return ""
	}
	user := w.next()
	host := "%"
	if w.accept("@") {
		start := w.start()
		if start < len(w.text) && strings.IndexByte("`'\"", w.text[start]) >= 0 {
			host = w.next()
		} else {
			for w.at < len(w.text) && (isNameByte(w.text[w.at]) || strings.IndexByte(".-%:", w.text[w.at]) >= 0) {
				w.at++
			}
			host = w.text[start:w.at]
		}
	}
	return user + "@" + host
}

// parenthesized reads ( ... ) and returns what is inside.
func (w *words) parenthesized() string {
	if !w.accept("(") {
		return ""
	}
	from, depth := w.at, 1
	for !w.done() {
		start := w.start()
		switch w.next() {
		case "(":
			if w.text[start] == '(' {
				depth++
			}
		case ")":
			if w.text[start] == ')' {
				if depth--; depth == 0 {
					return w.text[from:start]
				}
			}
		}
	}
	return w.text[from:]
}

// typeText reads the type that a function returns.
func (w *words) typeText() string {
	from := w.start()
	w.next()
	if at := w.start(); at < len(w.text) && w.text[at] == '(' {
		w.parenthesized()
	}
	for w.accept("UNSIGNED") || w.accept("ZEROFILL") || w.accept("CHARSET") || w.accept("CHARACTER", "SET") || w.accept("COLLATE") {
		if last := w.accepted[len(w.accepted)-1]; last == "CHARSET" || last == "SET" || last == "COLLATE" {
			w.next()
		}
	}
	return strings.TrimSpace(w.text[from:w.at])
}

// splitList splits at the commas outside of parentheses and quotes.
func splitList(text string) []string {
	var out []string
	w := words{text: text}
	from, depth := 0, 0
	for !w.done() {
		start := w.start()
		w.next()
		switch text[start] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, text[from:start])
				from = w.at
			}
		}
	}
	if strings.TrimSpace(text[from:]) != "" {
		out = append(out, text[from:])
	}
	return out
}
