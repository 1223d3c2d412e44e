package ddltext

import "strings"

// Name quotes an identifier.
func Name(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

var textEscapes = strings.NewReplacer(`\`, `\\`, "'", "''", "\n", `\n`, "\r", `\r`, "\x00", `\0`)

// Text quotes a string as definitions have it: comments, defaults, members of ENUM.
func Text(s string) string { return "'" + textEscapes.Replace(s) + "'" }

var literalEscapes = strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "\x1a", `\Z`)

// literal quotes a string as expressions have it, where MariaDB escapes a quote by a backslash.
func literal(s string) string { return "'" + literalEscapes.Replace(s) + "'" }

// unquoted takes the quotes off a literal; quoted is false for anything else.
func unquoted(text string) (bare string, quoted bool) {
	if len(text) >= 2 && text[0] == '\'' && text[len(text)-1] == '\'' {
		return strings.ReplaceAll(text[1:len(text)-1], "''", "'"), true
	}
	return text, false
}

// trimParens takes off parentheses that enclose the whole text.
func trimParens(s string) string {
	for len(s) >= 2 && s[0] == '(' && s[len(s)-1] == ')' && balanced(s[1:len(s)-1]) {
		s = s[1 : len(s)-1]
	}
	return s
}

func balanced(s string) bool {
	depth := 0
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}
