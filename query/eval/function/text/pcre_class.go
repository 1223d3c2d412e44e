package text

import (
	"slices"
	"strconv"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// posix are the classes [:name:], in brackets: of Unicode, and of bytes.
var posix = map[string][2]string{
	"alpha":  {`\p{L}`, "[:alpha:]"},
	"digit":  {unicodeDigit, "[:digit:]"},
	"alnum":  {`\p{L}\p{N}`, "[:alnum:]"},
	"space":  {unicodeSpace, `\s\x{B}`},
	"blank":  {`\p{Zs}\t\x{180E}`, "[:blank:]"},
	"punct":  {"\\p{P}$+<=>^`|~", "[:punct:]"},
	"xdigit": {"0-9A-Fa-f", "0-9A-Fa-f"},
	"upper":  {`\p{Lu}`, "[:upper:]"},
	"lower":  {`\p{Ll}`, "[:lower:]"},
	"word":   {unicodeWord, `\w`},
}

// class translates what stands in brackets; the opening one was read.
func (t *translator) class() error {
	out := "["
	if t.peek() == '^' {
		t.at++
		out = "[^"
	}
	for first := true; ; first = false {
		if t.at == len(t.in) {
			return t.unended()
		}
		c := t.in[t.at]
		t.at++
		switch {
		case c == ']' && !first:
			t.put(out+"]", true)
			return nil
		case c == '[' && (t.peek() == ':' || t.peek() == '.' || t.peek() == '='):
			name, err := t.posixClass()
			if err != nil {
				return err
			}
			out += name
			continue
		case c == '\\':
			if t.at == len(t.in) {
				return t.unended()
			}
			if s, ok := t.shorthand(t.in[t.at], true); ok {
				t.at++
				out += s
				if t.peek() == '-' {
					return refusal("a range from a class")
				}
				continue
			}
		case c == '-' && !first && t.peek() != ']':
			return refusal("such a hyphen")
		}
		low, err := t.member(c)
		if err != nil {
			return err
		}
		if out += codeOf(low); t.peek() != '-' || t.at+1 == len(t.in) || t.in[t.at+1] == ']' {
			continue
		}
		t.at += 2
		high := t.in[t.at-1]
		if high == '[' {
			return refusal("such a range")
		}
		if high, err = t.member(high); err != nil || high < low {
			return refusal("such a range")
		}
		out += "-" + codeOf(high)
	}
}

// unended is PCRE2's error where brackets do not end; its place is counted in bytes.
func (t *translator) unended() error {
	return mysqlerr.New(mysqlerr.Regexp, "missing terminating ] for character class at offset "+strconv.Itoa(len(string(t.in))))
}

// member is a character in brackets, of which c was read.
func (t *translator) member(c rune) (rune, error) {
	switch c {
	case 0:
		return 0, refusal("a zero byte")
	case '\\':
		if t.at == len(t.in) {
			return 0, t.unended()
		}
		t.at++
		return t.escaped(t.in[t.at-1])
	}
	return c, nil
}

// posixClass reads :name:].
func (t *translator) posixClass() (string, error) {
	rest := t.in[t.at+1:]
	end := slices.Index(rest, ':')
	if end < 0 || end+1 == len(rest) || rest[end+1] != ']' {
		return "", refusal("such brackets")
	}
	name := string(rest[:end])
	class, ok := posix[name]
	if !ok || t.fold && (name == "upper" || name == "lower") {
		return "", refusal("[:" + name + ":]")
	}
	if t.at += end + 3; t.peek() == '-' {
		return "", refusal("a range from a class")
	}
	if t.bytes {
		return class[1], nil
	}
	return class[0], nil
}
