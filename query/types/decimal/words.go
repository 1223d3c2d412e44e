package decimal

// wide is a number in MariaDB's layout: words of nine digits, those before the point first, both parts counted from the
// point. The last word of the fraction is filled with zeros; words behind it are zero.
type wide struct {
	w          [wordsMax]uint32
	intg, frac int // digits
	neg        bool
}

func (x *wide) intWords() int  { return wordsFor(x.intg) }
func (x *wide) fracWords() int { return wordsFor(x.frac) }
func (x *wide) words() []uint32 {
	return x.w[:x.intWords()+x.fracWords()]
}

// at returns the word at a place relative to the point: 0 is the first of the fraction, -1 the last before it.
func (x *wide) at(place int) uint32 {
	i := x.intWords() + place
	if i < 0 || i >= wordsMax {
		return 0
	}
	return x.w[i]
}

// set makes x the number d.
func (x *wide) set(d Dec) {
	x.intg, x.frac, x.neg = d.meta.intg(), d.meta.scale(), d.meta.neg()
	if x.intg+x.frac == 0 {
		x.intg = 1
	}
	if d.big != nil {
		x.w = *d.big
		return
	}
	x.fill(d.coef())
}

// fill sets the words to a coefficient, which has no more digits than intg and frac tell.
func (x *wide) fill(c u128) {
	x.w = [wordsMax]uint32{}
	last := len(x.words()) - 1
	if part := x.frac % wordDigits; part != 0 {
		q, r := c.div64(pow64[part])
		x.w[last] = uint32(r) * pow32[wordDigits-part]
		c = q
		last--
	}
	for ; last >= 0 && !c.isZero(); last-- {
		q, r := c.div64(wordBase)
		x.w[last] = uint32(r)
		c = q
	}
}

// dec returns x as a Dec, which is small if it can be.
func (x *wide) dec() Dec {
	m := newMeta(x.neg, x.intg, x.frac)
	if c, ok := x.coef(); ok {
		return small(c, m)
	}
	big := x.w
	return Dec{big: &big, meta: m}
}

// coef returns the coefficient if it has at most 38 digits.
func (x *wide) coef() (u128, bool) {
	words := x.words()
	part := x.frac % wordDigits
	whole := words
	if part != 0 {
		whole = words[:len(words)-1]
	}
	var c u128
	for _, w := range whole {
		if !c.belowPow(smallDigits - wordDigits) {
			return u128{}, false
		}
		c, _ = c.mul(u128{0, wordBase})
		c = c.plus(u128{0, uint64(w)})
	}
	if part == 0 {
		return c, true
	}
	unit := pow32[wordDigits-part]
	last := words[len(words)-1]
	if !c.belowPow(smallDigits - part) {
		return u128{}, false
	}
	c, _ = c.mul(u128{0, pow64[part]})
	return c.plus(u128{0, uint64(last / unit)}), true
}

func (x *wide) setZero() { *x = wide{intg: 1} }

func (x *wide) isZero() bool { return x.w == [wordsMax]uint32{} }

// maxWide returns precision nines, scale of them after the point. The number may be cut to nine words.
func maxWide(precision, scale int, neg bool) *wide {
	x := &wide{intg: precision - scale, frac: scale, neg: neg}
	if over := x.intWords() + x.fracWords() - wordsMax; over > 0 {
		x.frac = (x.fracWords() - over) * wordDigits
	}
	words := x.words()
	for i := range words {
		words[i] = wordBase - 1
	}
	if part := x.intg % wordDigits; part != 0 {
		words[0] = pow32[part] - 1
	}
	if part := x.frac % wordDigits; part != 0 {
		words[len(words)-1] = (pow32[part] - 1) * pow32[wordDigits-part]
	}
	return x
}

// intDigits returns the digits before the point without leading zeros.
func (x *wide) intDigits() int {
	n := x.intWords()
	for i, w := range x.w[:n] {
		if w != 0 {
			return (n-i-1)*wordDigits + digits32(w)
		}
	}
	return 0
}

func digits32(w uint32) int {
	n := 0
	for n < wordDigits && w >= pow32[n] {
		n++
	}
	return n
}

// strip takes leading zeros away, so that intg is what is needed.
func (x *wide) strip() {
	before := x.intWords()
	x.intg = x.intDigits()
	x.shiftLeft(before - x.intWords())
}

// stripWords takes leading words of zero away, though not digits.
func (x *wide) stripWords() {
	for x.intg > 0 && x.w[0] == 0 {
		x.shiftLeft(1)
		x.intg = (x.intWords() - 1) * wordDigits
	}
}

// shiftLeft drops the first n words.
func (x *wide) shiftLeft(n int) {
	if n > 0 {
		copy(x.w[:], x.w[n:])
		clear(x.w[wordsMax-n:])
	}
}

// fit brings the words of a result down to nine: the fraction gives way, then there is nothing to be done.
func fit(intWords, fracWords int) (int, int, Cond) {
	switch {
	case intWords > wordsMax:
		return wordsMax, 0, Overflow
	case intWords+fracWords > wordsMax:
		return intWords, wordsMax - intWords, Truncated
	}
	return intWords, fracWords, 0
}

// cmpAbs compares without signs.
func (x *wide) cmpAbs(y *wide) int {
	for p := -wordsMax; p < wordsMax; p++ {
		a, b := x.at(p), y.at(p)
		if a != b {
			if a < b {
				return -1
			}
			return 1
		}
	}
	return 0
}
