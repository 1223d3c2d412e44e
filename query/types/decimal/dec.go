package decimal

// Limits of MariaDB 10.11.
const (
	PrecisionMax = 65 // digits of a column, of CAST, and of an operator's type
	ScaleMax     = 38 // fraction digits of a column, of CAST, and of an operator's type

	wordDigits = 9
	wordsMax   = 9
	digitsMax  = wordDigits * wordsMax // of an intermediate value
	wordBase   = 1_000_000_000

	smallDigits = 38 // of a coefficient in 128 bits
)

// Cond is what happened on the way to a result. Several may be set.
type Cond uint8

const (
	Truncated Cond = 1 << iota // digits after the point were lost
	Overflow                   // the value is out of range; the result is the nearest one, or the largest
	DivZero                    // the divisor was zero; the result is zero and stands for NULL
	Bad                        // the text or the double was no number; the result is zero
)

// Dec is a decimal number. The zero Dec is 0. Compare with [Cmp], not with ==.
type Dec struct {
	// The coefficient without its sign, below 10^38, if big is nil.
	lo, hi uint64
	// The words of a number that does not fit there, integer part first, never changed.
	big  *[wordsMax]uint32
	meta meta
}

// meta holds scale (bits 0 to 7), integer digits with MariaDB's leading zeros (8 to 15) and sign (16) in one machine
// word: so two Decs travel in registers.
type meta uint32

const signBit meta = 1 << 16

func newMeta(neg bool, intg, scale int) meta {
	m := meta(uint8(scale)) | meta(uint8(intg))<<8
	if neg {
		m |= signBit
	}
	return m
}

func (m meta) scale() int { return int(uint8(m)) }
func (m meta) intg() int  { return int(uint8(m >> 8)) }
func (m meta) neg() bool  { return m&signBit != 0 }

// zero is what MariaDB sets a number to: one integer digit, no fraction, no sign.
var zero = Dec{meta: newMeta(false, 1, 0)}

// wordsFor returns how many words hold n digits.
func wordsFor(n int) int { return (n + wordDigits - 1) / wordDigits }

func (d Dec) coef() u128 { return u128{d.hi, d.lo} }

func small(c u128, m meta) Dec { return Dec{lo: c.lo, hi: c.hi, meta: m} }

// Scale returns the number of digits after the point, trailing zeros included.
func (d Dec) Scale() int { return d.meta.scale() }

// IsZero reports whether d is 0, of whatever scale.
func (d Dec) IsZero() bool { return d.hi|d.lo == 0 && d.big == nil }

// Negative reports whether d has a sign. Zero has one where a remainder or a cut quotient came from a negative number:
// MariaDB prints it as -0.0 and finds it smaller than 0. Stored in a column it becomes plain zero.
func (d Dec) Negative() bool { return d.meta.neg() }

// IntDigits returns the number of digits before the point, without leading zeros: 0 for 0.5.
func (d Dec) IntDigits() int {
	if d.big == nil {
		return max(d.coef().digits()-d.Scale(), 0)
	}
	var x wide
	x.set(d)
	return x.intDigits()
}

// Neg returns -d. Zero loses its sign.
func (d Dec) Neg() Dec {
	if d.IsZero() {
		d.meta &^= signBit
		return d
	}
	d.meta ^= signBit
	return d
}

// Abs returns d without its sign.
func (d Dec) Abs() Dec {
	d.meta &^= signBit
	return d
}

// Max returns the largest number of a type: as many nines as its precision, scale of them after the point. Both are
// brought into their limits first.
func Max(precision, scale int, neg bool) Dec {
	precision = min(max(precision, 0), digitsMax)
	scale = min(max(scale, 0), precision)
	m := newMeta(neg && precision > 0, precision-scale, scale)
	if precision <= smallDigits {
		return small(pow10[precision].minus(u128{0, 1}), m)
	}
	return maxWide(precision, scale, neg).dec()
}

// tooLarge is what an operation returns with Overflow.
func tooLarge(neg bool) Dec { return Max(PrecisionMax, 0, neg) }

// Cmp returns -1, 0 or 1 as a is below, equal to or above b. Scales do not matter. Zero with a sign is below zero.
func Cmp(a, b Dec) int {
	neg := a.meta.neg()
	if neg != b.meta.neg() {
		if neg {
			return -1
		}
		return 1
	}
	if neg {
		a, b = b, a
	}
	return cmpAbs(a, b)
}

func cmpAbs(a, b Dec) int {
	if a.big == nil && b.big == nil {
		if x, y, _, ok := align(a, b); ok {
			return x.cmp(y)
		}
	}
	var x, y wide
	x.set(a)
	y.set(b)
	return x.cmpAbs(&y)
}

// align returns the coefficients of two small numbers at the larger of their scales, false if one of them gets too long.
func align(a, b Dec) (x, y u128, scale int, ok bool) {
	x, y = a.coef(), b.coef()
	sa, sb := a.meta.scale(), b.meta.scale()
	switch {
	case sa == sb:
		return x, y, sa, true
	case sa < sb:
		x, ok = x.mulPow(sb - sa)
		return x, y, sb, ok
	}
	y, ok = y.mulPow(sa - sb)
	return x, y, sa, ok
}
