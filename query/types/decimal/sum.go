package decimal

import "math/bits"

// Sum adds numbers exactly: in 128 bits as long as they suffice, then as [Add] does. The zero Sum is that of no numbers.
type Sum struct {
	lo, hi      uint64 // two's complement, at scale
	scale, intg int
	rest        Dec // what has left the 128 bits
	cond        Cond
	// serial: the sum is so long that the fraction of each number may have to be cut, as MariaDB does it: one by one.
	serial bool
}

// Add adds d.
func (s *Sum) Add(d Dec) {
	if d.big != nil || s.serial || d.meta.scale() != s.scale {
		s.addUneven(d)
		return
	}
	s.intg = max(s.intg, d.meta.intg())
	flip := -(uint64(d.meta/signBit) & 1) // all ones if negative
	lo, carry := bits.Add64(d.lo^flip, flip&1, 0)
	s.add128(lo, d.hi^flip+carry)
}

// AddInt adds an integer, of which unsigned says that it has no sign.
func (s *Sum) AddInt(n int64, unsigned bool) {
	if s.serial || s.scale != 0 {
		if unsigned {
			s.Add(FromUint64(uint64(n)))
		} else {
			s.Add(FromInt64(n))
		}
		return
	}
	high, magnitude := uint64(0), uint64(n)
	if n < 0 && !unsigned {
		high, magnitude = ^high, -magnitude
	}
	if c := (u128{0, magnitude}); s.intg == 0 || s.intg < smallDigits && !c.less(pow10[s.intg]) {
		s.intg = max(s.intg, c.digits(), 1)
	}
	s.add128(uint64(n), high)
}

// add128 adds a number in two's complement.
func (s *Sum) add128(lo, hi uint64) {
	sumLo, carry := bits.Add64(s.lo, lo, 0)
	sumHi, _ := bits.Add64(s.hi, hi, carry)
	if int64((sumHi^s.hi)&(sumHi^hi)) < 0 { // the sign is wrong
		s.spill()
		sumLo, sumHi = lo, hi
	}
	s.lo, s.hi = sumLo, sumHi
}

// addUneven adds a number with words, or of another scale. The sum keeps the largest scale.
func (s *Sum) addUneven(d Dec) {
	if d.big != nil || s.serial {
		s.spill()
		s.toRest(d)
		return
	}
	if d.Scale() > s.scale {
		s.spill()
		s.scale = d.Scale()
		if s.isSerial(); s.serial {
			s.toRest(d)
			return
		}
	}
	c, ok := d.coef().mulPow(s.scale - d.Scale())
	if !ok {
		s.spill()
		s.toRest(d)
		return
	}
	s.Add(small(c, newMeta(d.meta.neg(), d.meta.intg(), s.scale)))
}

func (s *Sum) toRest(d Dec) {
	var cond Cond
	s.rest, cond = Add(s.rest, d)
	s.cond |= cond
	s.isSerial()
}

// isSerial finds out whether words may lack. The 128 bits are empty then.
func (s *Sum) isSerial() {
	whole, frac := wordsFor(s.rest.meta.intg()), wordsFor(max(s.scale, s.rest.Scale()))
	s.serial = s.serial || !s.rest.IsZero() && whole+1+frac > wordsMax
}

// spill empties the 128 bits.
func (s *Sum) spill() {
	if s.lo|s.hi == 0 {
		return
	}
	d := s.small()
	s.lo, s.hi = 0, 0
	s.toRest(d)
}

// small returns what is in the 128 bits. That may have 39 digits.
func (s *Sum) small() Dec {
	c, neg := u128{s.hi, s.lo}, false
	if int64(s.hi) < 0 {
		c, neg = u128{}.minus(c), true
	}
	digits := smallDigits + 1
	if c.less(pow10[smallDigits]) {
		digits = c.digits()
	}
	whole := min(wordsFor(s.intg), wordsMax-wordsFor(s.scale))
	x := wide{intg: max(whole, wordsFor(digits-s.scale)) * wordDigits, frac: s.scale, neg: neg}
	if x.intg+x.frac == 0 {
		return zero
	}
	if digits <= smallDigits {
		return small(c, newMeta(neg, x.intg, x.frac))
	}
	x.fill(c)
	return x.dec()
}

// AddInt64s adds coefficients of numbers of one scale, which is at most [ScaleMax]: else the sum becomes Bad.
func (s *Sum) AddInt64s(coefs []int64, scale int) {
	if scale < 0 || scale > ScaleMax {
		s.cond |= Bad
		return
	}
	if scale != s.scale || s.serial {
		for _, c := range coefs {
			s.Add(scaledInt64(c, scale))
		}
		return
	}
	var lo, hi uint64 // no slice is so long that this overflows
	for _, c := range coefs {
		var carry uint64
		lo, carry = bits.Add64(lo, uint64(c), 0)
		hi += uint64(c>>63) + carry
	}
	s.add128(lo, hi)
}

func scaledInt64(c int64, scale int) Dec {
	d := FromInt64(c)
	intg := max(wordsFor(d.coef().digits()-scale), 1) * wordDigits
	d.meta = newMeta(c < 0, intg, scale)
	return d
}

// Merge adds what o has added, and leaves o unchanged.
func (s *Sum) Merge(o *Sum) {
	s.Add(o.rest)
	s.Add(o.small())
	s.cond |= o.cond
}

// Value returns the sum. Truncated and Overflow as of [Add] may also come from numbers added before.
func (s *Sum) Value() (Dec, Cond) {
	d, cond := s.small(), s.cond
	if !s.rest.IsZero() || s.cond != 0 {
		var more Cond
		d, more = Add(s.rest, d)
		cond |= more
	}
	return d, cond
}
