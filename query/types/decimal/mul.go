package decimal

import "math/bits"

// Mul returns a*b. Its scale is the sum of the scales, if there is room.
func Mul(a, b Dec) (Dec, Cond) {
	if a.big == nil && b.big == nil {
		if d, ok := mulSmall(a, b); ok {
			return d, 0
		}
	}
	var x, y, p wide
	x.set(a)
	y.set(b)
	cond := p.mul(&x, &y)
	if cond&Overflow != 0 {
		return tooLarge(p.neg), Overflow
	}
	return p.dec(), cond
}

func mulSmall(a, b Dec) (Dec, bool) {
	var c u128
	if c.hi, c.lo = bits.Mul64(a.lo, b.lo); a.hi|b.hi != 0 || c.hi >= pow10[smallDigits].hi {
		var ok bool
		if c, ok = a.coef().mul(b.coef()); !ok {
			return Dec{}, false
		}
	}
	sa, sb := a.meta.scale(), b.meta.scale()
	scale := sa + sb
	whole := wordsFor(a.meta.intg() + b.meta.intg())
	if whole+wordsFor(sa)+wordsFor(sb) > wordsMax {
		return Dec{}, false
	}
	neg := (a.meta^b.meta)&signBit != 0
	if neg && c.isZero() {
		return zero, true
	}
	for whole > 1 && c.belowPow((whole-1)*wordDigits+scale) {
		whole--
	}
	return small(c, newMeta(neg, whole*wordDigits, scale)), true
}

// shorten leaves out words of the fractions of two factors, which have xf and yf, until there are no more than most: words
// of zero at the end, even those before the point, then the last one of the longer fraction; of two equally long ones, the smaller last word, or that of y.
// (Found by asking MariaDB 10.11.19 for some 2,000 products.)
func shorten(x, y *wide, xf, yf, most int) (int, int) {
	for xf+yf > most {
		switch {
		case xf > -x.intWords() && x.at(xf-1) == 0:
			xf--
		case yf > -y.intWords() && y.at(yf-1) == 0:
			yf--
		case xf > yf || xf == yf && x.at(xf-1) < y.at(yf-1):
			xf--
		default:
			yf--
		}
	}
	return xf, yf
}

// mul makes p the product. If its words are too many, the factors are shortened before.
func (p *wide) mul(x, y *wide) Cond {
	xi, yi, xf, yf := x.intWords(), y.intWords(), x.fracWords(), y.fracWords()
	whole, frac, cond := fit(wordsFor(x.intg+y.intg), xf+yf)
	*p = wide{intg: whole * wordDigits, frac: min(x.frac+y.frac, frac*wordDigits), neg: x.neg != y.neg}
	if cond == Overflow {
		return cond
	}
	xf, yf = shorten(x, y, xf, yf, frac)
	var acc [2 * wordsMax]uint64 // the first is at place -(xi+yi)
	for i := xf - 1; i >= -xi; i-- {
		carry := uint64(0)
		at := i + 1 + xi + yi
		for j := yf - 1; j >= -yi; j-- {
			w := acc[at+j] + uint64(x.at(i))*uint64(y.at(j)) + carry
			carry = w / wordBase
			acc[at+j] = w % wordBase
		}
		if carry != 0 {
			acc[at-yi-1] += carry // nothing has come there yet
		}
	}
	skip := xi + yi - whole // words that the estimate says are zero
	for _, w := range acc[:skip] {
		if w != 0 {
			return Overflow
		}
	}
	for i := range p.words() {
		p.w[i] = uint32(acc[skip+i])
	}
	if p.neg && p.isZero() {
		p.setZero()
		return cond
	}
	for p.w[0] == 0 && p.intg > wordDigits {
		p.shiftLeft(1)
		p.intg -= wordDigits
	}
	return cond
}
