package decimal

import "math/bits"

// Div returns a/b, cut at whole words: so many that there are increment (div_precision_increment) digits more than a
// and b have fraction digits together. A zero a gives 0 of scale 0.
func Div(a, b Dec, increment int) (Dec, Cond) {
	if b.IsZero() {
		return zero, DivZero
	}
	if a.IsZero() {
		return zero, 0
	}
	frac := quotientWords(a.Scale(), b.Scale(), increment)
	if a.big == nil && b.big == nil {
		if d, ok := divSmall(a, b, frac); ok {
			return d, 0
		}
	}
	var x, y, q wide
	x.set(a)
	y.set(b)
	cond := q.div(&x, &y, frac)
	if cond == Overflow {
		return tooLarge(q.neg), cond
	}
	return q.dec(), cond
}

// quotientWords returns the words after a quotient's point, before they are too many. What filling up the operands'
// words has added counts as part of the increment.
func quotientWords(scaleA, scaleB, increment int) int {
	fa, fb := wordsFor(scaleA)*wordDigits, wordsFor(scaleB)*wordDigits
	increment = min(max(increment, 0), digitsMax) // the server allows 30
	return wordsFor(fa + fb + max(increment-(fa-scaleA)-(fb-scaleB), 0))
}

// divSmall divides by 64 bits.
func divSmall(a, b Dec, frac int) (Dec, bool) {
	exp := frac*wordDigits - a.meta.scale() + b.meta.scale()
	if b.hi != 0 || exp > smallDigits {
		return Dec{}, false
	}
	x, p := a.coef(), pow10[exp]
	// num = x*p, four limbs from low to high.
	var num [4]uint64
	num[1], num[0] = bits.Mul64(x.lo, p.lo)
	if x.hi|p.hi != 0 {
		var carry, carry2 uint64
		h1, l1 := bits.Mul64(x.lo, p.hi)
		h2, l2 := bits.Mul64(x.hi, p.lo)
		h3, l3 := bits.Mul64(x.hi, p.hi)
		num[1], carry = bits.Add64(num[1], l1, 0)
		num[1], carry2 = bits.Add64(num[1], l2, 0)
		num[2], carry = bits.Add64(h1, h2, carry)
		num[3] = h3 + carry
		num[2], carry = bits.Add64(num[2], l3, carry2)
		num[3] += carry
	}
	rem := uint64(0)
	for i := 3; i >= 0; i-- {
		if rem|num[i] != 0 {
			num[i], rem = bits.Div64(rem, num[i], b.lo)
		}
	}
	q := u128{num[1], num[0]}
	if num[2]|num[3] != 0 || !q.less(pow10[smallDigits]) {
		return Dec{}, false
	}
	whole := wordsFor(max(q.digits()-frac*wordDigits, 0))
	if whole+1+frac > wordsMax {
		return Dec{}, false
	}
	// If a and b begin with the same word, MariaDB expects a word more than may come; then it is zero, and counts.
	if half := (whole+frac)*wordDigits - 1; half < 0 || half < smallDigits && !q.less(pow10[half].times5()) {
		topA, wordsA := a.coef().lead(a.meta.scale())
		topB, wordsB := b.coef().lead(b.meta.scale())
		if topA >= topB {
			wordsA++
		}
		whole = max(whole, wordsA-wordsB)
	}
	if whole+frac == 0 {
		return zero, true
	}
	return small(q, newMeta((a.meta^b.meta)&signBit != 0, whole*wordDigits, frac*wordDigits)), true
}

// lead returns a coefficient's first word that is not zero, and how many words there are before the point; see
// wide.lead. a is not zero.
func (a u128) lead(scale int) (first uint64, intWords int) {
	digits := a.digits() - scale // before the point, negative if zeros follow it
	intWords = (digits+digitsMax+wordDigits-1)/wordDigits - wordsMax
	unit := (intWords-1)*wordDigits + scale
	if unit < 0 {
		return a.lo * pow64[-unit], intWords
	}
	q, _ := a.divPow(unit)
	return q.lo, intWords
}

// lead returns a number's words without leading zeros, and how many of them stand before the point: none or less if
// the fraction begins with words of zero.
func (x *wide) lead() (words []uint32, intWords int) {
	words, intWords = x.words(), x.intWords()
	for len(words) > 0 && words[0] == 0 {
		words, intWords = words[1:], intWords-1
	}
	return words, intWords
}

// div makes q the quotient, with frac words after the point. y is not zero.
func (q *wide) div(x, y *wide, frac int) Cond {
	num, numInt := x.lead()
	den, denInt := y.lead()
	if len(num) == 0 {
		q.setZero()
		return 0
	}
	whole := numInt - denInt // as MariaDB expects it from the first words
	if num[0] >= den[0] {
		whole++
	}
	whole, frac, cond := fit(max(whole, 0), frac)
	*q = wide{intg: whole * wordDigits, frac: frac * wordDigits, neg: x.neg != y.neg}
	if cond == Overflow {
		return cond
	}
	if whole+frac == 0 {
		q.setZero()
		return cond
	}
	var buf, quo [divideMax]uint32
	n := max(len(num)+frac-x.fracWords()+y.fracWords(), 0)
	copy(buf[:n], num) // and zeros, or less
	divide(quo[:n], buf[:n], den)
	keep := min(whole+frac, n)
	copy(q.w[whole+frac-keep:whole+frac], quo[n-keep:n])
	// A first word of zero stays: MariaDB counts it.
	return cond
}

// Mod returns the remainder of a/b, with the sign of a and the larger scale.
func Mod(a, b Dec) (Dec, Cond) {
	if b.IsZero() {
		return zero, DivZero
	}
	if a.IsZero() {
		return zero, 0
	}
	if a.big == nil && b.big == nil {
		if d, ok := modSmall(a, b); ok {
			return d, 0
		}
	}
	var x, y, r wide
	x.set(a)
	y.set(b)
	cond := r.mod(&x, &y)
	return r.dec(), cond
}

func modSmall(a, b Dec) (Dec, bool) {
	x, y, scale, ok := align(a, b)
	if !ok || max(wordsFor(b.meta.intg()), 1)+wordsFor(scale) > wordsMax {
		return Dec{}, false
	}
	r := x
	switch {
	case x.less(y):
	case y.hi == 0:
		_, rest := x.div64(y.lo)
		r = u128{0, rest}
	default:
		return Dec{}, false
	}
	// The remainder has the divisor's words, or one less.
	whole, most := wordsFor(max(r.digits()-scale, 0)), wordsFor(max(y.digits()-scale, 0))
	if r != x && whole < most {
		whole = most - 1
	}
	if whole == 0 && scale == 0 {
		return zero, true
	}
	return small(r, newMeta(a.meta.neg(), min(whole*wordDigits, b.meta.intg()), scale)), true
}

// mod makes r the remainder. Neither x nor y is zero.
func (r *wide) mod(x, y *wide) Cond {
	frac := max(x.fracWords(), y.fracWords())
	var num, den, quo [divideMax]uint32
	xw, _ := x.lead()
	yw, denInt := y.lead()
	n, m := len(xw)+frac-x.fracWords(), len(yw)+frac-y.fracWords()
	copy(num[:n], xw)
	copy(den[:m], yw)
	divide(quo[:n], num[:n], den[:m])
	// The remainder is at the end of num: at most denInt words before the point.
	rest, whole := num[:n], n-frac
	for whole > denInt {
		rest, whole = rest[1:], whole-1
	}
	if len(rest) > 0 && rest[0] == 0 { // more of them stay
		rest, whole = rest[1:], whole-1
	}
	*r = wide{intg: max(whole, 0) * wordDigits, frac: max(x.frac, y.frac), neg: x.neg}
	cond := Cond(0)
	needed := r.intWords()
	if whole == 0 {
		needed = 1 // MariaDB needs room for a zero then
	}
	if needed+frac > wordsMax {
		frac = wordsMax - needed
		r.frac = min(r.frac, frac*wordDigits)
		cond = Truncated
	}
	copy(r.w[r.intWords()-whole:r.intWords()+frac], rest)
	if r.intg == 0 && r.frac == 0 {
		r.setZero()
		return cond
	}
	r.intg = min(r.intg, y.intg)
	return cond
}
