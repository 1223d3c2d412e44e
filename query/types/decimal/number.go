package decimal

import (
	"math"
	"strconv"
)

// FromInt64 returns n.
func FromInt64(n int64) Dec {
	d := FromUint64(uint64(n))
	if n < 0 {
		d = FromUint64(-uint64(n))
		d.meta |= signBit
	}
	return d
}

// FromUint64 returns n.
func FromUint64(n uint64) Dec {
	return Dec{lo: n, meta: newMeta(false, max(u128{0, n}.digits(), 1), 0)}
}

// Exponents from which on MariaDB writes doubles with an e: package query/floattext has the same rule.
const fixedMin, fixedMax = 1e-15, 1e15

// FromFloat64 returns the shortest decimal that reads back as f. Bad: f is no number or infinite. Overflow and
// Truncated: see [Parse].
func FromFloat64(f float64) (Dec, Cond) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return zero, Bad
	}
	var buf [32]byte
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < fixedMin || abs >= fixedMax) {
		format = 'e'
	}
	d, _, cond := Parse(strconv.AppendFloat(buf[:0], f, format, -1, 64))
	return d, cond
}

// exactPowers are the powers of ten that are exact as doubles.
const exactPowers = 22

// Float64 returns the nearest double.
func (d Dec) Float64() float64 {
	const exactBits = 1 << 53
	if d.hi == 0 && d.lo <= exactBits && d.big == nil && d.Scale() <= exactPowers {
		// Of two exact numbers the quotient is rounded once.
		f := float64(d.lo) / float64Pow[d.Scale()]
		if d.meta.neg() && d.lo != 0 {
			return -f
		}
		return f
	}
	var buf [TextMax]byte
	f, err := strconv.ParseFloat(string(d.Append(buf[:0])), 64)
	if err != nil {
		return 0 // 81 digits are neither out of range nor wrong
	}
	return f
}

var float64Pow = func() (p [exactPowers + 1]float64) {
	p[0] = 1
	for i := range exactPowers {
		p[i+1] = p[i] * 10
	}
	return p
}()

// Int64 returns d rounded by mode; with Overflow, the nearest bound.
func (d Dec) Int64(mode Mode) (int64, Cond) {
	n, neg, fits := d.integer(mode)
	switch {
	case neg && (!fits || n > 1<<63):
		return math.MinInt64, Overflow
	case neg:
		return -int64(n), 0
	case !fits || n > math.MaxInt64:
		return math.MaxInt64, Overflow
	}
	return int64(n), 0
}

// Uint64 returns d rounded by mode; with Overflow, the nearest bound. What rounds to 0 is not below it.
func (d Dec) Uint64(mode Mode) (uint64, Cond) {
	n, neg, fits := d.integer(mode)
	switch {
	case neg && (n != 0 || !fits):
		return 0, Overflow
	case !fits:
		return math.MaxUint64, Overflow
	}
	return n, 0
}

// integer returns the rounded absolute value, if it fits 64 bits.
func (d Dec) integer(mode Mode) (n uint64, neg, fits bool) {
	neg = d.meta.neg()
	if d.Scale() != 0 {
		var cond Cond
		if d, cond = d.Round(0, mode); cond&Overflow != 0 {
			return 0, neg, false
		}
	}
	return d.lo, neg, d.hi == 0 && d.big == nil
}
