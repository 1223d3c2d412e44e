package lex

import "strings"

// skipSpace goes on to the next token. Comments that this server runs are opened, all others are space. closed is false in a comment
// without an end.
func (l *Lexer) skipSpace() (closed bool) {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch c := rest[0]; {
		case c == '\n':
			l.line++
			l.pos++
		case classes[c]&space != 0:
			l.pos++
		case c == '#', c == '-' && strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				l.pos += n // its newline counts
			} else {
				l.pos = len(l.text)
			}
		case c == '*' && l.open && strings.HasPrefix(rest, "*/"):
			l.open = false
			l.pos += 2
		case c == '/' && strings.HasPrefix(rest, "/*"):
			if !l.comment(rest) {
				return false
			}
		default:
			return true
		}
	}
	return !l.open
}

// comment opens a comment that this server runs, or skips one. It returns false for one without an end.
func (l *Lexer) comment(rest string) bool {
	if strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*M!") {
		if length, run := versioned(rest); run {
			l.open = true
			l.pos += length
			return true
		}
		return l.skipTo(nestedEnd(rest))
	}
	return l.skipTo(strings.Index(rest[2:], "*/") + 4)
}

// skipTo skips a comment of so many bytes; fewer than four: it has no end.
func (l *Lexer) skipTo(length int) bool {
	if length < 4 {
		return false
	}
	l.line += int32(strings.Count(l.text[l.pos:l.pos+length], "\n"))
	l.pos += length
	return true
}

// versioned reads the start of an executable comment: its length, and whether this server runs what is in it. Versions of MySQL 5.7 and
// later are not run, unless the comment is for MariaDB (M!).
func versioned(s string) (length int, run bool) {
	length = strings.IndexByte(s, '!') + 1
	version, digits := 0, 0
	for digits < 6 && length+digits < len(s) && classes[s[length+digits]]&digit != 0 {
		version = version*10 + int(s[length+digits]-'0')
		digits++
	}
	if digits < 5 { // a part of the statement
		return length, true
	}
	length += digits
	return length, version <= serverVersion && (s[2] == 'M' || version < 50700 || version > 99999)
}

// nestedEnd is the length of a comment with comments in it; 0: it has no end.
func nestedEnd(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
