package assign

import (
	"bytes"
	"math"
	"strconv"
)

// fixedMax is the largest power of ten, and the negative of the least one, that is written without exponent where there is room for both.
const fixedMax = 15

// digits are a number's significant digits, without zeros at the end; the point is before digits[point:].
type digits struct {
	text  []byte
	point int
}

// quickMax is up to how many digits MariaDB rounds to as many as there is room for. With more it looks for the fewest that read back as
// the same number, which makes another text only of numbers near zero that have not all their bits.
const quickMax = 14

// significant are the digits of a positive number, at most so many (at least one).
func significant(scratch []byte, f float64, most int) digits {
	if most > quickMax {
		if d := parseDigits(strconv.AppendFloat(scratch, f, 'e', -1, 64)); len(d.text) <= most {
			return d
		}
	}
	return parseDigits(strconv.AppendFloat(scratch, f, 'e', max(most, 1)-1, 64))
}

func parseDigits(s []byte) digits {
	e := bytes.IndexByte(s, 'e')
	exp, _ := strconv.Atoi(string(s[e+1:]))
	text := append(s[:1], s[min(2, e):e]...)
	if e == 1 {
		text = s[:1]
	}
	return digits{bytes.TrimRight(text, "0"), exp + 1}
}

// appendNarrow writes a DOUBLE in a column of so many characters: with as many digits as have room, in the form that has more of them.
// False: even the shortest one has none; the text is then cut.
func appendNarrow(dst []byte, f float64, width int) ([]byte, bool) {
	if width <= 0 {
		return dst, false
	}
	if f == 0 || math.IsInf(f, 0) || f != f {
		return append(dst, '0'), f == 0
	}
	start, limit := len(dst), width
	neg := f < 0
	if neg {
		f, width = -f, width-1
	}
	var scratch [40]byte
	d := significant(scratch[:0], f, width)
	if neg {
		dst = append(dst, '-')
	}
	form := appendExponent
	if d.fixed(width) {
		form = appendFixed
	}
	out, ok := form(dst, f, d, width)
	if len(out)-start > limit {
		out = out[:start+limit]
	}
	return out, ok
}

// fixed reports whether the form without exponent is chosen: it has room, or shows more digits.
func (d digits) fixed(width int) bool {
	n, p := len(d.text), d.point
	room := p
	if p <= 0 {
		room = n - p + 2
	} else if p < n {
		room = n + 1
	}
	if room <= width {
		return p > -fixedMax && (p <= fixedMax || n > p)
	}
	// 0.00123 has as many digits in both forms, but in four characters, where it is 1e-3 or 0.
	return p <= width && p <= fixedMax && (p >= -1 || p == -2 && width != 4)
}

// appendFixed writes the form without exponent. What rounds to zero loses its sign.
func appendFixed(dst []byte, f float64, d digits, width int) ([]byte, bool) {
	ok := true
	if d.point < len(d.text) {
		width--
	}
	if d.point <= 0 {
		width -= 1 - d.point
	}
	places := len(d.text) - d.point
	if width < len(d.text) {
		if width < d.point {
			ok, width = false, d.point
		}
		places = width - d.point
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', max(places, 0), 64)
	if bytes.IndexByte(dst[start:], '.') >= 0 {
		dst = bytes.TrimRight(bytes.TrimRight(dst, "0"), ".")
	}
	if string(dst[start:]) == "0" && start > 0 && dst[start-1] == '-' {
		dst = append(dst[:start-1], '0')
	}
	return dst, ok
}

func appendExponent(dst []byte, f float64, d digits, width int) ([]byte, bool) {
	ok := true
	exp := d.point - 1
	if exp < 0 {
		width--
	}
	width -= 1 + len(strconv.Itoa(max(exp, -exp)))
	if len(d.text) > 1 {
		width--
	}
	if width <= 0 {
		ok, width = false, 0
	}
	if width < len(d.text) {
		var scratch [40]byte
		d = significant(scratch[:0], f, width)
		exp = d.point - 1
	}
	dst = append(dst, d.text[0])
	if len(d.text) > 1 {
		dst = append(append(dst, '.'), d.text[1:]...)
	}
	return strconv.AppendInt(append(dst, 'e'), int64(exp), 10), ok
}
