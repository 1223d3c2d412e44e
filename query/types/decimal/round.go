package decimal

// Mode is how to round.
type Mode uint8

const (
	HalfUp   Mode = iota // to the nearest, halves away from zero: ROUND, and everything stored or printed
	Truncate             // toward zero
	Ceiling              // upward
	Floor                // downward
)

// Round returns d with places digits after the point: zeros are added, or digits dropped by mode. With negative places
// digits before the point become zero and the scale is 0. Truncated means that so many places do not fit; dropping
// digits is no condition. Zero has no sign.
func (d Dec) Round(places int, mode Mode) (Dec, Cond) {
	places = min(max(places, -digitsMax-1), digitsMax)
	if d.big == nil {
		if r, ok := d.roundSmall(places, mode); ok {
			return r, 0
		}
	}
	var x wide
	x.set(d)
	cond := x.round(places, mode)
	if cond&Overflow != 0 {
		return tooLarge(x.neg), Overflow
	}
	return x.dec(), cond
}

// up reports whether a number grows away from zero when first is its first dropped digit, and any tells that one of
// the dropped ones is not zero.
func (mode Mode) up(neg bool, first uint32, any bool) bool {
	switch mode {
	case HalfUp:
		return first >= 5
	case Ceiling:
		return any && !neg
	case Floor:
		return any && neg
	}
	return false
}

func (d Dec) roundSmall(places int, mode Mode) (Dec, bool) {
	scale, intg, neg := d.meta.scale(), d.meta.intg(), d.meta.neg()
	if wordsFor(intg)+wordsFor(max(places, 0)) >= wordsMax { // then the last word is there in case of a carry
		return Dec{}, false
	}
	if places >= scale {
		c, ok := d.coef().mulPow(places - scale)
		return small(c, newMeta(neg, wordsFor(intg)*wordDigits, places)), ok
	}
	if places+intg < 0 && (mode == HalfUp || mode == Truncate) {
		return zero, true
	}
	q, r := d.coef().divPow(scale - places)
	if n := scale - places - 1; n < smallDigits {
		first, _ := r.divPow(n)
		if mode.up(neg, uint32(first.lo), !r.isZero()) {
			q = q.plus(u128{0, 1})
		}
	} else if mode.up(neg, 0, !r.isZero()) {
		q = u128{0, 1}
	}
	if q.isZero() {
		return small(q, newMeta(false, 1, max(places, 0))), true
	}
	if places < 0 {
		var ok bool
		if q, ok = q.mulPow(-places); !ok {
			return Dec{}, false
		}
		places = 0
	}
	if !q.less(pow10[smallDigits]) {
		return Dec{}, false
	}
	return small(q, newMeta(neg, max(wordsFor(intg)*wordDigits, q.digits()-places), places)), true
}

// round is Round on words.
func (x *wide) round(places int, mode Mode) Cond {
	cond := Cond(0)
	if whole := x.intWords(); whole+wordsFor(max(places, 0)) > wordsMax {
		places = (wordsMax - whole) * wordDigits
		cond = Truncated
	}
	if places >= x.frac {
		x.frac = places
		x.intg = x.intWords() * wordDigits
		return cond
	}
	if places+x.intg < 0 {
		up := mode.up(x.neg, 0, !x.isZero())
		neg := x.neg
		x.setZero()
		if !up {
			return cond
		}
		if -places >= digitsMax {
			x.neg = neg
			return cond | Overflow
		}
		x.neg, x.intg = neg, 1-places
		x.w[0] = pow32[-places%wordDigits]
		return cond
	}
	x.intg = x.intWords() * wordDigits
	if x.cut(x.intg+places, mode) && !x.carryOut(&places) {
		return cond | Overflow
	}
	x.frac = max(places, 0)
	if x.isZero() {
		x.neg, x.intg = false, 1
		x.frac = min(x.frac, digitsMax-wordDigits)
		return cond
	}
	return cond
}

// cut keeps the first digits of the layout, rounds them, and reports whether that carries out of the first word.
func (x *wide) cut(keep int, mode Mode) bool {
	at, part := keep/wordDigits, keep%wordDigits
	unit := pow32[wordDigits-part] // of the last digit kept, in its word
	rest := x.w[at] % unit
	first := rest / (unit / 10)
	any := rest != 0
	x.w[at] -= rest
	for i := at + 1; i < wordsMax; i++ {
		any = any || x.w[i] != 0
		x.w[i] = 0
	}
	if !mode.up(x.neg, first, any) {
		return false
	}
	for ; at >= 0; at-- {
		if x.w[at]+unit < wordBase {
			x.w[at] += unit
			return false
		}
		x.w[at] = x.w[at] + unit - wordBase
		unit = 1
	}
	return true
}

// carryOut puts a word 1 before the others, for which the last one of the fraction gives way if there is no room.
func (x *wide) carryOut(places *int) bool {
	whole := x.intWords()
	if whole == wordsMax {
		return false
	}
	if frac := wordsMax - 1 - whole; wordsFor(max(*places, 0)) > frac {
		*places = frac * wordDigits
	}
	copy(x.w[1:], x.w[:])
	x.w[0] = 1
	x.intg = whole*wordDigits + 1 // which is not a whole word
	return true
}
