package decimal

// carryBound[k] is 999999999*10^k: a sum of numbers with words of nine digits above place k surely needs no word more if it is below.
var carryBound = func() (bounds [smallDigits - wordDigits + 1]u128) {
	for k := range bounds {
		bounds[k], _ = pow10[k].mul(u128{0, wordBase - 1})
	}
	return bounds
}()

// Add returns a+b. Scale is the larger one; zero from two numbers that cancel has scale 0. With Overflow the result is
// positive, as MariaDB's SUM shows, which goes on with it.
func Add(a, b Dec) (Dec, Cond) {
	if (a.meta^b.meta)&signBit == 0 {
		return addAbs(a, b)
	}
	return subAbs(a, b)
}

// Sub returns a-b; see [Add].
func Sub(a, b Dec) (Dec, Cond) {
	b.meta ^= signBit
	return Add(a, b)
}

// addAbs returns |a|+|b| with the sign of a.
func addAbs(a, b Dec) (Dec, Cond) {
	if a.big == nil && b.big == nil {
		if d, ok := addSmall(a, b); ok {
			return d, 0
		}
	}
	var x, y, sum wide
	x.set(a)
	y.set(b)
	if cond := sum.add(&x, &y); cond != 0 {
		if cond == Overflow {
			return tooLarge(false), Overflow
		}
		return sum.dec(), cond
	}
	return sum.dec(), 0
}

func addSmall(a, b Dec) (Dec, bool) {
	x, y, scale, ok := align(a, b)
	if !ok {
		return Dec{}, false
	}
	whole := wordsFor(max(a.meta.intg(), b.meta.intg()))
	if whole == 0 || whole+wordsFor(scale) > wordsMax {
		return Dec{}, false
	}
	sum := x.plus(y) // of two numbers below 10^38
	bound := pow10[smallDigits]
	if k := (whole-1)*wordDigits + scale; k < len(carryBound) {
		bound = carryBound[k]
	}
	if !sum.less(bound) {
		return Dec{}, false // perhaps one word more: the words know
	}
	return small(sum, newMeta(a.meta.neg(), whole*wordDigits, scale)), true
}

// add makes sum the sum of the absolute values, with the sign of x. Like MariaDB it takes a word more for a carry if
// the first words alone might make one, and adds nothing of the words that get lost.
func (sum *wide) add(x, y *wide) Cond {
	xi, yi := x.intWords(), y.intWords()
	first := x.w[0]
	switch {
	case xi < yi:
		first = y.w[0]
	case xi == yi:
		first += y.w[0]
	}
	whole := max(xi, yi)
	if first >= wordBase-1 {
		whole++
	}
	whole, frac, cond := fit(whole, max(x.fracWords(), y.fracWords()))
	*sum = wide{intg: whole * wordDigits, frac: min(max(x.frac, y.frac), frac*wordDigits), neg: x.neg}
	if cond == Overflow {
		return cond
	}
	carry := uint32(0)
	for p := frac - 1; p >= -whole; p-- {
		w := x.at(p) + y.at(p) + carry
		carry = 0
		if w >= wordBase {
			w, carry = w-wordBase, 1
		}
		sum.w[whole+p] = w
	}
	return cond
}

// subAbs returns |a|-|b| if a is positive, else |b|-|a|.
func subAbs(a, b Dec) (Dec, Cond) {
	if a.big == nil && b.big == nil {
		if d, ok := subSmall(a, b); ok {
			return d, 0
		}
	}
	var x, y, diff wide
	x.set(a)
	y.set(b)
	cond := diff.sub(&x, &y)
	if cond == Overflow {
		return tooLarge(diff.neg), cond
	}
	return diff.dec(), cond
}

func subSmall(a, b Dec) (Dec, bool) {
	x, y, scale, ok := align(a, b)
	if !ok {
		return Dec{}, false
	}
	neg, intg := a.meta.neg(), a.meta.intg()
	switch x.cmp(y) {
	case 0:
		return zero, true
	case -1:
		x, y, neg, intg = y, x, !neg, b.meta.intg()
	}
	whole := wordsFor(intg)
	for whole > 0 && x.belowPow((whole-1)*wordDigits+scale) {
		whole--
	}
	if whole+wordsFor(scale) > wordsMax {
		return Dec{}, false
	}
	return small(x.minus(y), newMeta(neg, whole*wordDigits, scale)), true
}

// sub makes diff the difference of the absolute values, with the sign of x, or the opposite if y is the larger one.
func (diff *wide) sub(x, y *wide) Cond {
	neg := x.neg
	switch x.cmpAbs(y) {
	case 0:
		diff.setZero()
		return 0
	case -1:
		x, y, neg = y, x, !neg
	}
	whole := x.intWords()
	for whole > 0 && x.at(-whole) == 0 {
		whole--
	}
	whole, frac, cond := fit(whole, max(x.fracWords(), y.fracWords()))
	*diff = wide{intg: whole * wordDigits, frac: min(max(x.frac, y.frac), frac*wordDigits), neg: neg}
	borrow := uint32(0)
	for p := frac - 1; p >= -whole; p-- {
		w, s := x.at(p), y.at(p)+borrow
		borrow = 0
		if w < s {
			w, borrow = w+wordBase, 1
		}
		diff.w[whole+p] = w - s
	}
	return cond
}
