package decimal

import "bytes"

// Parse reads a number as MariaDB's CAST and literals do: blanks, a sign, digits with a point, an exponent. It returns
// how many bytes were used; what comes after them is the caller's to judge. Bad: there is no number (used is then 0).
// Overflow: it has more than 81 digits before the point. Truncated: digits after the point
// had no room. The scale is the number of digits written after the point, unless an exponent moves it.
func Parse(text []byte) (d Dec, used int, cond Cond) {
	s := scan(text)
	if s.end == 0 {
		return zero, 0, Bad
	}
	whole, frac := text[s.whole:s.wholeEnd], text[s.frac:s.fracEnd]
	if len(whole) > wordDigits {
		// Two or more zeros before a long number do not count, a single one does.
		for several := whole[1] == '0'; several && len(whole) > 1 && whole[0] == '0'; {
			whole = whole[1:]
		}
	}
	if s.exp == exponentMax && (len(bytes.TrimLeft(whole, "0")) > 0 || len(bytes.TrimLeft(frac, "0")) > 0) {
		return tooLarge(false), s.end, Overflow // MariaDB has lost the sign
	}
	if s.exp == 0 && len(whole)+len(frac) <= smallDigits {
		c := appendDigits(appendDigits(u128{}, whole), frac)
		return small(c, newMeta(s.neg && !c.isZero(), len(whole), len(frac))), s.end, 0
	}
	var x wide
	cond = x.read(whole, frac)
	x.neg = s.neg
	if cond != Overflow && s.exp != 0 {
		cond |= x.shift(s.exp)
	}
	if cond&Overflow != 0 {
		return tooLarge(s.neg), s.end, Overflow
	}
	if x.isZero() {
		x.neg = false
	}
	return x.dec(), s.end, cond
}

// exponentMax stands for all exponents from there on. What has one of them is zero, or out of range and without its sign.
const exponentMax = 1 << 30

// scanned are the parts of a number's text.
type scanned struct {
	neg             bool
	whole, wholeEnd int
	frac, fracEnd   int
	end             int // 0: no number
	exp             int // cut at exponentMax
}

func scan(text []byte) (s scanned) {
	i := 0
	for i < len(text) && (text[i] == ' ' || text[i] >= '\t' && text[i] <= '\r') {
		i++
	}
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		s.neg = text[i] == '-'
		i++
	}
	s.whole, s.wholeEnd = i, digitsEnd(text, i)
	i = s.wholeEnd
	s.frac, s.fracEnd = i, i
	if i < len(text) && text[i] == '.' {
		s.frac, s.fracEnd = i+1, digitsEnd(text, i+1)
		i = s.fracEnd
	}
	if s.wholeEnd-s.whole+s.fracEnd-s.frac == 0 {
		return scanned{}
	}
	s.end = i
	s.exponent(text)
	return s
}

// exponent reads what may follow at the end of the digits.
func (s *scanned) exponent(text []byte) {
	i := s.end
	if i >= len(text) || text[i] != 'e' && text[i] != 'E' {
		return
	}
	i++
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	neg := false
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		neg = text[i] == '-'
		i++
	}
	end := digitsEnd(text, i)
	if end == i {
		return
	}
	s.end = end
	n := 0
	for _, c := range text[i:end] {
		n = min(n*10+int(c-'0'), exponentMax)
	}
	s.exp = n
	if neg {
		s.exp = -s.exp
	}
}

func digitsEnd(text []byte, i int) int {
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	return i
}

// appendDigits returns c with digits behind it. It is for 38 digits at most.
func appendDigits(c u128, digits []byte) u128 {
	for len(digits) > 0 {
		n := min(len(digits), 18)
		var part uint64
		for _, b := range digits[:n] {
			part = part*10 + uint64(b-'0')
		}
		digits = digits[n:]
		if c.isZero() {
			c = u128{0, part}
			continue
		}
		c, _ = c.mul(u128{0, pow64[n]})
		c = c.plus(u128{0, part})
	}
	return c
}

// read makes x the number with these digits; those of the fraction that have no room are dropped.
func (x *wide) read(whole, frac []byte) Cond {
	n, m, cond := fit(wordsFor(len(whole)), wordsFor(len(frac)))
	if cond == Overflow {
		return cond
	}
	if cond == Truncated {
		frac = frac[:min(len(frac), m*wordDigits)]
	}
	*x = wide{intg: len(whole), frac: len(frac)}
	for i, at := len(whole), n-1; i > 0; i, at = i-wordDigits, at-1 {
		x.w[at] = word(whole[max(i-wordDigits, 0):i])
	}
	for at := n; len(frac) > 0; at++ {
		k := min(len(frac), wordDigits)
		x.w[at] = word(frac[:k]) * pow32[wordDigits-k]
		frac = frac[k:]
	}
	return cond
}

func word(digits []byte) uint32 {
	var w uint32
	for _, b := range digits {
		w = w*10 + uint32(b-'0')
	}
	return w
}

// shift multiplies by 10^exp. Zeros at both ends of the digits go; if digits of the fraction have no room, it is
// rounded to whole words.
func (x *wide) shift(exp int) Cond {
	var buf [digitsMax]byte
	digits := x.appendDigits(buf[:0])
	point := x.intWords()*wordDigits + exp
	for len(digits) > 0 && digits[0] == '0' {
		digits, point = digits[1:], point-1
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	neg := x.neg
	if len(digits) == 0 {
		x.setZero()
		return 0
	}
	whole := max(point, 0)
	if wordsFor(whole) > wordsMax {
		return Overflow
	}
	frac := max(len(digits)-point, 0)
	room := (wordsMax - wordsFor(whole)) * wordDigits
	cond := Cond(0)
	if frac > room {
		cond = Truncated
		keep := point + room // digits that have room
		if keep < 0 {
			x.setZero()
			return cond
		}
		up := digits[keep] >= '5'
		digits = digits[:keep]
		for up && len(digits) > 0 {
			last := len(digits) - 1
			if up = digits[last] == '9'; !up {
				digits[last]++
				break
			}
			digits = digits[:last]
		}
		if up {
			// All of them were nines, or there was none: a one is before them.
			digits, point = append(digits, '1'), point+1
			whole = max(point, 0)
			if wordsFor(whole) > wordsMax {
				return Overflow
			}
		}
		frac = min(room, (wordsMax-wordsFor(whole))*wordDigits)
	}
	*x = wide{intg: whole, frac: frac, neg: neg}
	// Digit i is at place i-point after the point.
	origin := x.intWords()*wordDigits - point
	for i, b := range digits {
		at := origin + i
		x.w[at/wordDigits] += uint32(b-'0') * pow32[wordDigits-1-at%wordDigits]
	}
	if x.isZero() {
		x.setZero()
	}
	return cond
}

// appendDigits appends all digits of the words.
func (x *wide) appendDigits(dst []byte) []byte {
	for _, w := range x.words() {
		dst = appendWord(dst, w)
	}
	return dst
}

func appendWord(dst []byte, w uint32) []byte {
	for unit := uint32(wordBase / 10); unit > 0; unit /= 10 {
		dst = append(dst, '0'+byte(w/unit%10))
	}
	return dst
}
