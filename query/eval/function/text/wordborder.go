package text

import "strings"

// The beginning and the end of a word, as they are written in brackets, and as assertions.
var borders = map[string]string{"[[:<:]]": `\b(?=\w)`, "[[:>:]]": `\b(?<=\w)`}

const borderLength = len("[[:<:]]")

// withBorders puts assertions in place of borders of words in brackets, as PCRE2 does.
func withBorders(source string) string {
	if !strings.Contains(source, "[[:<:]]") && !strings.Contains(source, "[[:>:]]") {
		return source
	}
	var out strings.Builder
	for i := 0; i < len(source); {
		end := i + 1
		switch rest := source[i:]; {
		case strings.HasPrefix(rest, `\Q`):
			end = len(source)
			if n := strings.Index(rest, `\E`); n >= 0 {
				end = i + n
			}
		case rest[0] == '\\':
			end = i + 2
		case len(rest) >= borderLength && borders[rest[:borderLength]] != "":
			out.WriteString(borders[rest[:borderLength]])
			i += borderLength
			continue
		case rest[0] == '[':
			end = i + classLength(rest)
		}
		end = min(end, len(source))
		out.WriteString(source[i:end])
		i = end
	}
	return out.String()
}

// classLength is the length of a class that a text begins with.
func classLength(s string) int {
	i := 1
	if i < len(s) && s[i] == '^' {
		i++
	}
	for first := i; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == ']' && i > first:
			return i + 1
		case strings.HasPrefix(s[i:], "[:"):
			if n := strings.Index(s[i:], ":]"); n > 0 {
				i += n + 1
			}
		}
	}
	return len(s)
}
