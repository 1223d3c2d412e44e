package decimal

import "math/bits"

// Int64Digits is the precision up to which every coefficient fits an int64.
const Int64Digits = 18

// The kernels on vectors work on coefficients whose scale the caller knows. They write to dst, which may be one of the
// operands, as many elements as it has; the operands must have as many. False means that one of the results left 64 bits:
// then dst is of no use, and the same elements are computed with Decs.

// AddInt64s adds element by element.
func AddInt64s(dst, a, b []int64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	wrong := int64(0)
	for i, x := range a {
		y := b[i]
		sum := x + y
		wrong |= (sum ^ x) & (sum ^ y)
		dst[i] = sum
	}
	return wrong >= 0
}

// SubInt64s subtracts b from a, element by element.
func SubInt64s(dst, a, b []int64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	wrong := int64(0)
	for i, x := range a {
		y := b[i]
		diff := x - y
		wrong |= (x ^ y) & (x ^ diff)
		dst[i] = diff
	}
	return wrong >= 0
}

// SubFromInt64 subtracts the elements of b from a constant, as in 1-b with 1 at the scale of b.
func SubFromInt64(dst []int64, a int64, b []int64) bool {
	b = b[:len(dst)]
	wrong := int64(0)
	for i, y := range b {
		diff := a - y
		wrong |= (a ^ y) & (a ^ diff)
		dst[i] = diff
	}
	return wrong >= 0
}

// MulInt64s multiplies element by element; the result's scale is the sum of both.
func MulInt64s(dst, a, b []int64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	wrong := uint64(0)
	for i, x := range a {
		p, high := mulInt64(x, b[i])
		wrong |= high
		dst[i] = p
	}
	return wrong == 0
}

// ScaleInt64s multiplies by 10^places, to bring coefficients to a larger scale. Places are 0 to 18.
func ScaleInt64s(dst, a []int64, places int) bool {
	if places < 0 || places > Int64Digits {
		return false
	}
	a = a[:len(dst)]
	factor := int64(pow64[places])
	wrong := uint64(0)
	for i, x := range a {
		p, high := mulInt64(x, factor)
		wrong |= high
		dst[i] = p
	}
	return wrong == 0
}

// mulInt64 returns the low half of the product, and other than zero if the high half is not only its sign.
func mulInt64(x, y int64) (p int64, wrong uint64) {
	high, low := bits.Mul64(uint64(x), uint64(y))
	high -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x)
	return int64(low), high ^ uint64(int64(low)>>63)
}
