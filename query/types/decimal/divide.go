package decimal

// divideMax is the longest dividend: nine words with what shifting by two fractions adds.
const divideMax = 3*wordsMax + 1

// divide makes q the quotient of u by v and u the remainder, in words of nine digits, the highest first; q is as long as u, v
// begins with a word other than zero. (Long division by Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D.)
func divide(q, u, v []uint32) {
	if len(u) < len(v) {
		return // and q is zero
	}
	if len(v) == 1 {
		rem := uint64(0)
		for i, w := range u {
			rem = rem*wordBase + uint64(w)
			q[i], u[i] = uint32(rem/uint64(v[0])), 0
			rem %= uint64(v[0])
		}
		u[len(u)-1] = uint32(rem)
		return
	}
	var numBuf, denBuf [divideMax + 1]uint32
	num, den := numBuf[:len(u)+1], denBuf[:len(v)]
	factor := uint64(wordBase) / (uint64(v[0]) + 1)
	num[0] = scaleUp(num[1:], u, factor)
	scaleUp(den, v, factor)
	for j := range len(u) - len(v) + 1 {
		part := num[j : j+len(den)+1]
		top := uint64(part[0])*wordBase + uint64(part[1])
		guess, rem := top/uint64(den[0]), top%uint64(den[0])
		for rem < wordBase && (guess >= wordBase || guess*uint64(den[1]) > rem*wordBase+uint64(part[2])) {
			guess, rem = guess-1, rem+uint64(den[0])
		}
		if subtractTimes(part, den, guess) {
			guess--
			addBack(part, den)
		}
		q[j+len(den)-1] = uint32(guess)
	}
	rem := uint64(0)
	for i, w := range num {
		rem = rem*wordBase + uint64(w)
		if i > 0 {
			u[i-1] = uint32(rem / factor)
		}
		rem %= factor
	}
}

// scaleUp makes dst the product of src and factor, and returns what does not fit.
func scaleUp(dst, src []uint32, factor uint64) uint32 {
	carry := uint64(0)
	for i := len(src) - 1; i >= 0; i-- {
		w := uint64(src[i])*factor + carry
		dst[i], carry = uint32(w%wordBase), w/wordBase
	}
	return uint32(carry)
}

// subtractTimes takes den*n from part, which is one word longer, and reports whether that went below zero.
func subtractTimes(part, den []uint32, n uint64) bool {
	carry := uint64(0)
	for i := len(den) - 1; i >= 0; i-- {
		carry += uint64(den[i]) * n
		low := uint32(carry % wordBase)
		carry /= wordBase
		if part[i+1] < low {
			part[i+1] += wordBase
			carry++
		}
		part[i+1] -= low
	}
	if uint64(part[0]) >= carry {
		part[0] -= uint32(carry)
		return false
	}
	part[0] += uint32(wordBase - carry)
	return true
}

// addBack adds den to part, where a carry out of the first word makes up for having gone below zero.
func addBack(part, den []uint32) {
	carry := uint32(0)
	for i := len(den) - 1; i >= 0; i-- {
		w := part[i+1] + den[i] + carry
		carry = 0
		if w >= wordBase {
			w, carry = w-wordBase, 1
		}
		part[i+1] = w
	}
	part[0] = (part[0] + carry) % wordBase
}
