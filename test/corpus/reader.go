package corpus

import (
	"strings"
)

// reader takes a script for mysqltest apart into commands, by the rules of that program's manual, with which it agrees on what ends a
// command: the delimiter outside of quotes, the end of the line after a dash or # at the beginning, a brace that opens or closes a block.
type reader struct {
	text string // lines end with \n alone
	pos  int
	line int // of pos, from 1

	delimiter string
	// wide is how many bytes the character at the beginning of a text has; nil: 1.
	wide func(string) int
	// escapes reports whether a backslash between such quotes (0: outside of them) takes away the next byte's meaning.
	escapes func(quote byte) bool
}

func newReader(text string) *reader {
	return &reader{text: strings.ReplaceAll(text, "\r\n", "\n"), line: 1, delimiter: ";", escapes: func(byte) bool { return true }}
}

// skip goes n bytes on and counts lines.
func (r *reader) skip(n int) {
	n = min(n, len(r.text)-r.pos)
	r.line += strings.Count(r.text[r.pos:r.pos+n], "\n")
	r.pos += n
}

// next gives the next command, without its delimiter, and the line on which it begins; ok is false at the end of the script. The command
// may be empty.
func (r *reader) next() (text string, line int, ok bool) {
	blank := 0
	for r.pos+blank < len(r.text) && isSpace(r.text[r.pos+blank]) {
		blank++
	}
	r.skip(blank)
	start, line := r.pos, r.line
	rest := r.text[start:]
	switch {
	case rest == "":
		return "", line, false
	case rest[0] == '#' || rest[0] == '-':
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		r.skip(end + 1)
		return rest[:end], line, true
	case strings.HasPrefix(rest, r.delimiter):
		r.skip(len(r.delimiter))
		return "", line, true
	case rest[0] == '}':
		r.skip(1)
		return "}", line, true
	}
	end, taken := r.end(rest)
	r.skip(taken)
	return rest[:end], line, true
}

// end finds the end of the command that begins a text, and how many bytes it takes with its delimiter.
func (r *reader) end(s string) (end, taken int) {
	block := startsBlock(s)
	var quote, last byte // the quote that is open, and the last one that was
	slash := false
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			if c == '\\' && r.escapes(quote) {
				i++
			}
		case i > 0 && strings.HasPrefix(s[i:], r.delimiter):
			return i, i + len(r.delimiter)
		case c == '{' && block:
			return i + 1, i + 1
		case c == '\'' || c == '"' || c == '`':
			if !slash {
				quote, last = c, c
			}
			slash = false
		default:
			slash = c == '\\' && last != '`' && r.escapes(last)
		}
		if n := 1; i < len(s) {
			if r.wide != nil {
				n = max(r.wide(s[i:]), 1)
			}
			i += n
		}
	}
	return len(s), len(s)
}

// startsBlock reports whether a brace ends the command.
func startsBlock(s string) bool {
	return len(s) >= 2 && strings.EqualFold(s[:2], "if") || len(s) >= 5 && strings.EqualFold(s[:5], "while")
}

// upTo skips what stands before a mark, the mark included: the contents of a file or a program inside the script.
func (r *reader) upTo(mark string) {
	n := strings.Index(r.text[r.pos:], mark)
	if n < 0 {
		r.skip(len(r.text))
		return
	}
	r.skip(n + len(mark))
}

// upToLine skips the rest of the line.
func (r *reader) upToLine() { r.upTo("\n") }

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// wideOf is the length of characters in the character sets whose second bytes may be those of quotes and backslashes; nil for others.
func wideOf(charset string) func(string) int {
	var lead, trail func(byte) bool
	between := func(c, from, to byte) bool { return c >= from && c <= to }
	switch charset {
	case "sjis", "cp932":
		lead = func(c byte) bool { return between(c, 0x81, 0x9f) || between(c, 0xe0, 0xfc) }
		trail = func(c byte) bool { return between(c, 0x40, 0x7e) || between(c, 0x80, 0xfc) }
	case "big5":
		lead = func(c byte) bool { return between(c, 0xa1, 0xf9) }
		trail = func(c byte) bool { return between(c, 0x40, 0x7e) || between(c, 0xa1, 0xfe) }
	case "gbk":
		lead = func(c byte) bool { return between(c, 0x81, 0xfe) }
		trail = func(c byte) bool { return between(c, 0x40, 0x7e) || between(c, 0x80, 0xfe) }
	default:
		return nil
	}
	return func(s string) int {
		if len(s) >= 2 && lead(s[0]) && trail(s[1]) {
			return 2
		}
		return 1
	}
}
