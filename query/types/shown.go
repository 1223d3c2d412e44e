package types

import (
	"fmt"
	"strings"

	"github.com/duramendb/duramen/query/types/charset"
)

// shownMax is how many bytes of a value messages have.
const shownMax = 128

// Shown is a text as messages have it: in utf8mb3, not much more of it than they have room for.
func Shown(set *charset.Set, s []byte) string {
	out := make([]byte, 0, min(len(s), shownMax)+8)
	binary := set.Name() == "binary"
	for len(s) > 0 && len(out) <= shownMax {
		r, size, ok := set.Decode(s)
		switch {
		case binary && (r < ' ' || r > '~'), size == 0:
			size = max(size, 1)
			out = AppendEscaped(out, s[:size])
		case !ok || r > 0xFFFF:
			out = append(out, '?')
		case unprintable(r):
			out = fmt.Appendf(out, `\%04X`, r)
		default:
			out = append(out, string(r)...)
		}
		s = s[min(size, len(s)):]
	}
	return string(out)
}

// unprintable reports whether messages have a character by its number.
func unprintable(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7F && r < 0xA0
}

// Cut shortens a value in a message.
func Cut(s string) string {
	if len(s) <= shownMax {
		return s
	}
	return s[:wholeChars(s, shownMax-len(dots))] + dots
}

// CutBytes does so for 1292, where each byte of a character that is cut in two is a question mark.
func CutBytes(s string) string {
	if len(s) <= shownMax {
		return s
	}
	end := shownMax - len(dots)
	whole := wholeChars(s, end)
	return s[:whole] + strings.Repeat("?", end-whole) + dots
}

const dots = "..."

// wholeChars is how many of the first bytes of a text in UTF-8 are whole characters.
func wholeChars(s string, end int) int {
	for end > 0 && s[end]&0xC0 == 0x80 {
		end--
	}
	return end
}

// AppendEscaped appends bytes as messages have those of no character.
func AppendEscaped(dst, s []byte) []byte {
	for _, b := range s {
		dst = append(dst, '\\', 'x', "0123456789ABCDEF"[b>>4], "0123456789ABCDEF"[b&15])
	}
	return dst
}
