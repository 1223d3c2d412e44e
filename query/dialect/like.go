package dialect

import "strings"

// Like is SQL's LIKE without regard to case, with \ as the escape.
func Like(text, pattern string) bool {
	return likeRunes([]rune(strings.ToLower(text)), []rune(strings.ToLower(pattern)))
}

func likeRunes(text, pattern []rune) bool {
	for len(pattern) > 0 {
		switch p := pattern[0]; {
		case p == '%':
			for len(pattern) > 0 && pattern[0] == '%' {
				pattern = pattern[1:]
			}
			if len(pattern) == 0 {
				return true
			}
			for i := range text {
				if likeRunes(text[i:], pattern) {
					return true
				}
			}
			return false
		case len(text) == 0:
			return false
		case p == '_':
		case p == '\\' && len(pattern) > 1:
			pattern = pattern[1:]
			if text[0] != pattern[0] {
				return false
			}
		case text[0] != p:
			return false
		}
		text, pattern = text[1:], pattern[1:]
	}
	return len(text) == 0
}
