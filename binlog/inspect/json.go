package inspect

import (
	"math"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendJSONString appends text as a JSON string. Bytes that are no UTF-8
// become U+FFFD, as JSON has no notation for them.
func appendJSONString(dst, text []byte) []byte {
	dst = append(dst, '"')
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r < ' ' || r == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
		text = text[size:]
	}
	return append(dst, '"')
}

// appendJSONFloat appends a number; what JSON has no number for becomes a string.
func appendJSONFloat(dst []byte, v float64, bits int) []byte {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return strconv.AppendQuote(dst, strconv.FormatFloat(v, 'g', -1, bits))
	}
	return strconv.AppendFloat(dst, v, 'g', -1, bits)
}
