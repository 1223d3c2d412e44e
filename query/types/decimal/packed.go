package decimal

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrType is returned for a precision and scale that no column can have; ErrPacked for bytes that are no number.
var (
	ErrType   = errors.New("not a type of decimals")
	ErrPacked = errors.New("bytes are not a packed decimal")
)

// groupSize is how many bytes 0 to 9 digits take.
var groupSize = [wordDigits + 1]int{0, 1, 1, 2, 2, 3, 3, 4, 4, 4}

// Packed is the binary format of a DECIMAL column in row images (NEWDECIMAL): groups of nine digits counted from the point
// in both directions, each in 4 bytes, the incomplete ones at both ends in as many as they need; big-endian. Negative numbers have all bits
// inverted; then the first bit is inverted. The bytes sort as the numbers do. A Packed may be used by many at once.
type Packed struct {
	precision, scale       int
	size                   int
	firstDigits, firstSize int
	wholeWords, fracWords  int
	lastDigits, lastSize   int
	// For up to 8 bytes as one number: the first bit, the bits of the last group, and the place of the first group's last
	// digit.
	top, lastMask       uint64
	lastBits            uint8
	lastUnit, firstUnit uint64 // powers of ten: one more than the largest value of the last group, of the first one
	firstPlace          int
}

// NewPacked returns the format of DECIMAL(precision, scale).
func NewPacked(precision, scale int) (Packed, error) {
	if precision < 1 || precision > PrecisionMax || scale < 0 || scale > ScaleMax || scale > precision {
		return Packed{}, fmt.Errorf("%w: DECIMAL(%d,%d)", ErrType, precision, scale)
	}
	whole := precision - scale
	p := Packed{
		precision: precision, scale: scale,
		firstDigits: whole % wordDigits, wholeWords: whole / wordDigits,
		fracWords: scale / wordDigits, lastDigits: scale % wordDigits,
		firstPlace: max(wordsFor(whole)-1, 0)*wordDigits + scale,
	}
	p.firstSize, p.lastSize = groupSize[p.firstDigits], groupSize[p.lastDigits]
	p.size = p.firstSize + 4*(p.wholeWords+p.fracWords) + p.lastSize
	p.lastBits, p.lastUnit, p.firstUnit = uint8(8*p.lastSize), pow64[p.lastDigits], pow64[p.firstDigits]
	p.top = 1 << (8*p.size - 1)
	p.lastMask = 1<<(8*p.lastSize) - 1
	return p, nil
}

// Size is the number of bytes of each value.
func (p *Packed) Size() int { return p.size }

// group reads an incomplete group.
func group(b []byte, flip byte) uint32 {
	var n uint32
	for _, c := range b {
		n = n<<8 | uint32(c^flip)
	}
	return n
}

// word32 reads a complete group.
func word32(b []byte, flip uint32) uint32 {
	return (uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])) ^ flip
}

// Decode reads a value from the first Size bytes of b.
func (p *Packed) Decode(b []byte) (Dec, error) {
	if p.precision <= Int64Digits {
		n, neg, ok := p.decode64(b)
		if !ok {
			return zero, p.wrong(b)
		}
		return small(u128{0, n}, p.meta64(neg && n != 0, n)), nil
	}
	if len(b) < p.size || p.size == 0 {
		return zero, p.wrong(b)
	}
	var x wide
	if !p.decodeWide(b, &x) {
		return zero, p.wrong(b)
	}
	d := x.dec()
	if d.IsZero() {
		d.meta &^= signBit
	}
	return d, nil
}

func (p *Packed) wrong(b []byte) error {
	return fmt.Errorf("%w: DECIMAL(%d,%d) from %x", ErrPacked, p.precision, p.scale, b[:min(len(b), p.size)])
}

// meta64 returns what a value read from a column has: leading words of zero do not count, leading zeros in a word do.
func (p *Packed) meta64(neg bool, n uint64) meta {
	intg := p.precision - p.scale
	for at := p.firstPlace; intg > 0 && n < pow64[at]; at -= wordDigits {
		intg = at - p.scale
	}
	if intg+p.scale == 0 {
		intg = 1
	}
	return newMeta(neg, intg, p.scale)
}

// decode64 reads a coefficient of at most 18 digits.
func (p *Packed) decode64(b []byte) (n uint64, neg, ok bool) {
	if p.size == 0 || len(b) < p.size {
		return 0, false, false
	}
	if p.size > 8 {
		var x wide
		ok = p.decodeWide(b, &x)
		c, _ := x.coef()
		return c.lo, x.neg, ok
	}
	var v uint64
	if p.size >= 4 {
		v = uint64(binary.BigEndian.Uint32(b))<<(8*(p.size-4)) | uint64(binary.BigEndian.Uint32(b[p.size-4:]))
	} else {
		for _, c := range b[:p.size] {
			v = v<<8 | uint64(c)
		}
	}
	v ^= p.top
	if neg = v&p.top != 0; neg {
		v ^= p.top | (p.top - 1)
	}
	// From the right: the incomplete group, the words, the other incomplete group.
	n = v & p.lastMask
	bad := n >= p.lastUnit
	v >>= p.lastBits & 63
	unit := p.lastUnit
	for range p.wholeWords + p.fracWords {
		w := v & 0xffffffff
		bad = bad || w >= wordBase
		n += w * unit
		unit *= wordBase
		v >>= 32
	}
	bad = bad || v >= p.firstUnit
	return n + v*unit, neg, !bad
}

// decodeWide reads words.
func (p *Packed) decodeWide(b []byte, x *wide) bool {
	flip := uint32(0)
	if b[0]&0x80 == 0 {
		flip = ^flip
	}
	top := byte(0x80)
	at, ok := 0, true
	if p.firstSize > 0 {
		x.w[0] = group(b[:p.firstSize], byte(flip)) ^ uint32(top)<<(8*(p.firstSize-1))
		top = 0
		ok = x.w[0] < pow32[p.firstDigits]
		b = b[p.firstSize:]
		at++
	}
	for range p.wholeWords + p.fracWords {
		x.w[at] = word32(b, flip) ^ uint32(top)<<24
		top = 0
		ok = ok && x.w[at] < wordBase
		b = b[4:]
		at++
	}
	if p.lastSize > 0 {
		w := group(b[:p.lastSize], byte(flip)) ^ uint32(top)<<(8*(p.lastSize-1))
		ok = ok && w < pow32[p.lastDigits]
		if ok {
			x.w[at] = w * pow32[wordDigits-p.lastDigits]
		}
	}
	x.neg, x.frac, x.intg = flip != 0, p.scale, p.precision-p.scale
	x.stripWords()
	if x.intg+x.frac == 0 {
		x.intg = 1
	}
	return ok
}

// DecodeInt64 reads the coefficient of a value, for vectors of a static scale. The precision must be at most
// [Int64Digits], and false is returned if it is not, or the bytes are no number.
func (p *Packed) DecodeInt64(b []byte) (int64, bool) {
	if p.precision > Int64Digits {
		return 0, false
	}
	n, neg, ok := p.decode64(b)
	if neg {
		return -int64(n), ok
	}
	return int64(n), ok
}

// Append appends the bytes of d, brought into the type as [Dec.Assign] does, and returns what that says.
func (p *Packed) Append(dst []byte, d Dec) ([]byte, Cond) {
	d, cond := d.Assign(p.precision, p.scale, false)
	var x wide
	x.set(d)
	start, place := len(dst), -p.wholeWords
	flip := uint32(0)
	if x.neg {
		flip = ^flip
	}
	if p.firstSize > 0 {
		dst = appendGroup(dst, x.at(place-1)^flip, p.firstSize)
	}
	for ; place < p.fracWords; place++ {
		dst = appendGroup(dst, x.at(place)^flip, 4)
	}
	if p.lastSize > 0 {
		dst = appendGroup(dst, x.at(place)/pow32[wordDigits-p.lastDigits]^flip, p.lastSize)
	}
	if len(dst) > start {
		dst[start] ^= 0x80
	}
	return dst, cond
}

func appendGroup(dst []byte, n uint32, size int) []byte {
	for shift := 8 * (size - 1); shift >= 0; shift -= 8 {
		dst = append(dst, byte(n>>shift))
	}
	return dst
}
