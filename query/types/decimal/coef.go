package decimal

import "math/bits"

// u128 is an unsigned integer of 128 bits.
type u128 struct{ hi, lo uint64 }

// pow10 are the powers of ten up to the bound of small coefficients; pow64 and pow32 are those of 64 bits and of a word.
var (
	pow10 = func() (p [smallDigits + 1]u128) {
		p[0] = u128{0, 1}
		for i := range smallDigits {
			hi, lo := bits.Mul64(p[i].lo, 10)
			p[i+1] = u128{hi + p[i].hi*10, lo}
		}
		return p
	}()
	pow64 = func() (p [20]uint64) {
		for i := range p {
			p[i] = pow10[i].lo
		}
		return p
	}()
	pow32 = func() (p [wordDigits + 1]uint32) {
		for i := range p {
			p[i] = uint32(pow64[i])
		}
		return p
	}()
)

func (a u128) less(b u128) bool {
	return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo
}

func (a u128) cmp(b u128) int {
	switch {
	case a == b:
		return 0
	case a.less(b):
		return -1
	}
	return 1
}

func (a u128) isZero() bool { return a.hi|a.lo == 0 }

// belowPow reports whether a < 10^n, for any n >= 0 and an a below 10^38.
func (a u128) belowPow(n int) bool {
	return n >= smallDigits || a.less(pow10[n])
}

// plus and minus wrap around.
func (a u128) plus(b u128) u128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return u128{hi, lo}
}

func (a u128) minus(b u128) u128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return u128{hi, lo}
}

// mul returns a*b, false if that is 10^38 or more.
func (a u128) mul(b u128) (u128, bool) {
	hi, lo := bits.Mul64(a.lo, b.lo)
	if a.hi|b.hi != 0 {
		if a.hi != 0 && b.hi != 0 {
			return u128{}, false
		}
		over1, mid1 := bits.Mul64(a.hi, b.lo)
		over2, mid2 := bits.Mul64(a.lo, b.hi)
		var carry uint64
		hi, carry = bits.Add64(hi, mid1+mid2, 0) // one of them is zero
		if over1|over2|carry != 0 {
			return u128{}, false
		}
	}
	p := u128{hi, lo}
	return p, p.less(pow10[smallDigits])
}

// mulPow returns a*10^n, false if that is 10^38 or more.
func (a u128) mulPow(n int) (u128, bool) {
	if a.hi == 0 && n < 19 {
		hi, lo := bits.Mul64(a.lo, pow64[n])
		return u128{hi, lo}, true
	}
	if n > smallDigits {
		return a, a.isZero()
	}
	return a.mul(pow10[n])
}

// div64 returns quotient and remainder by d, which is not zero.
func (a u128) div64(d uint64) (q u128, r uint64) {
	if a.hi == 0 {
		return u128{0, a.lo / d}, a.lo % d
	}
	q.hi = a.hi / d
	q.lo, r = bits.Div64(a.hi%d, a.lo, d)
	return q, r
}

// divPow returns quotient and remainder by 10^n.
func (a u128) divPow(n int) (q, r u128) {
	const step = 19
	switch {
	case n <= step:
		q, rest := a.div64(pow64[n])
		return q, u128{0, rest}
	case n > smallDigits:
		return u128{}, a
	}
	q, low := a.div64(pow64[step])
	q, high := q.div64(pow64[n-step])
	hi, lo := bits.Mul64(high, pow64[step])
	return q, u128{hi, lo}.plus(u128{0, low})
}

// times5 wraps around.
func (a u128) times5() u128 {
	hi, lo := bits.Mul64(a.lo, 5)
	return u128{hi + a.hi*5, lo}
}

// digits returns the number of decimal digits of an a below 10^38, 0 for 0.
func (a u128) digits() int {
	n := bits.Len64(a.lo)
	if a.hi != 0 {
		n = 64 + bits.Len64(a.hi)
	}
	n = n * 1233 >> 12 // a little below log10(2)
	if a.isZero() || a.less(pow10[n]) {
		return n
	}
	return n + 1
}
