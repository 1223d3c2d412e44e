package assign

import (
	"math"

	"github.com/duramendb/duramen/query/types/charset"
)

// plain is a text of any character set in ASCII, for what reads numbers and dates; the first character that is not ASCII ends it as a byte
// that belongs to neither, as two if it is not the last one.
func plain(c *Context, set *charset.Set, s []byte) []byte {
	if set.MinLen() == 1 {
		return s
	}
	out := c.buffer(len(s)/set.MinLen() + 2)
	for len(s) > 0 {
		r, size, ok := set.Decode(s)
		if size == 0 || !ok && size < len(s) || r > 0x7F && size < len(s) {
			return append(out, 0xFF, 0xFF)
		}
		if !ok || r > 0x7F {
			return append(out, 0xFF)
		}
		out = append(out, byte(r))
		s = s[size:]
	}
	return out
}

// numeral are the parts of a number's text.
type numeral struct {
	neg, point  bool
	whole, frac []byte
	exp         int // at most exponentMax, and its negative
	expDigits   []byte
	huge        bool // out of every range, see readInteger
	start, end  int  // 0 for end: it is no number
}

// exponentMax stands for all exponents beyond it: the number is zero or out of every range.
const exponentMax = 1 << 24

// integerExponentMax is the exponent beyond which MariaDB reads no further digit of it.
const integerExponentMax = 20

// readInteger is readNumeral for integer columns, with MariaDB's oddities. A second point ends the number, and there is then no point at
// all: '1.2.3' is 12. If digits of an exponent follow that is already more than 20, '0e210' is out of range; '1e-210' is zero, with
// the last digit left over.
func readInteger(s []byte) numeral {
	n := readNumeral(s)
	if n.point && n.end < len(s) && s[n.end] == '.' && n.exp == 0 {
		n.exp = len(n.frac)
	}
	exp := 0
	for i, d := range n.expDigits {
		if exp > integerExponentMax {
			n.huge = n.exp > 0
			n.end -= len(n.expDigits) - i
			n.exp = -exponentMax
			break
		}
		exp = exp*10 + int(d-'0')
	}
	return n
}

// readNumeral reads white space, a sign, digits with a point, and an exponent.
func readNumeral(s []byte) (n numeral) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	n.start = i
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		n.neg = s[i] == '-'
		i++
	}
	end := digitsEnd(s, i)
	n.whole, i = s[i:end], end
	if i < len(s) && s[i] == '.' {
		end = digitsEnd(s, i+1)
		n.frac, n.point, i = s[i+1:end], true, end
	}
	if len(n.whole)+len(n.frac) == 0 {
		return numeral{}
	}
	n.end = i
	if i == len(s) || s[i]|0x20 != 'e' {
		return n
	}
	neg := false
	if i++; i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	if end = digitsEnd(s, i); end == i {
		return n
	}
	n.expDigits = s[i:end]
	for _, d := range n.expDigits {
		n.exp = min(n.exp*10+int(d-'0'), exponentMax)
	}
	if neg {
		n.exp = -n.exp
	}
	n.end = end
	return n
}

func digitsEnd(s []byte, i int) int {
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	return i
}

// rounded is the number without its sign, rounded half up; false if it has more than 64 bits.
func (n *numeral) rounded() (uint64, bool) {
	if n.huge {
		return math.MaxUint64, false
	}
	var v uint64
	at := len(n.whole) + n.exp // how many digits are before the point
	digit := func(i int) byte {
		if i < len(n.whole) {
			return n.whole[i] - '0'
		}
		return n.frac[i-len(n.whole)] - '0'
	}
	count := len(n.whole) + len(n.frac)
	for i := 0; i < min(at, count); i++ {
		d := uint64(digit(i))
		if v > (math.MaxUint64-d)/10 {
			return math.MaxUint64, false
		}
		v = v*10 + d
	}
	for i := count; i < at && v != 0; i++ {
		if v > math.MaxUint64/10 {
			return math.MaxUint64, false
		}
		v *= 10
	}
	if at >= 0 && at < count && digit(at) >= 5 {
		if v == math.MaxUint64 {
			return v, false
		}
		v++
	}
	return v, true
}
