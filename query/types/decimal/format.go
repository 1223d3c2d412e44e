package decimal

// TextMax is the longest text of a Dec: 81 digits, sign, point and a zero before the point.
const TextMax = digitsMax + 3

// Append appends d as MariaDB prints it: without leading zeros but one before the point, all digits of the scale.
func (d Dec) Append(dst []byte) []byte {
	if d.meta.neg() {
		dst = append(dst, '-')
	}
	var buf [2 * digitsMax]byte
	var digits []byte
	scale := d.Scale()
	if d.big == nil {
		digits = d.coef().digitsIn(&buf)
	} else {
		var x wide
		x.set(d)
		digits = x.appendDigits(buf[:0])
		digits = digits[:x.intWords()*wordDigits+scale]
		for len(digits) > scale && digits[0] == '0' {
			digits = digits[1:]
		}
	}
	whole := len(digits) - scale
	if whole <= 0 {
		dst = append(dst, '0')
	} else {
		dst = append(dst, digits[:whole]...)
		digits = digits[whole:]
	}
	if scale == 0 {
		return dst
	}
	dst = append(dst, '.')
	for ; whole < 0; whole++ {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// digitsIn writes the digits to the end of buf, none for 0.
func (a u128) digitsIn(buf *[2 * digitsMax]byte) []byte {
	at := len(buf)
	for a.hi != 0 {
		q, r := a.div64(pow64[18])
		a = q
		for range 18 {
			at--
			buf[at] = '0' + byte(r%10)
			r /= 10
		}
	}
	for r := a.lo; r != 0; r /= 10 {
		at--
		buf[at] = '0' + byte(r%10)
	}
	return buf[at:]
}

// String is for people and tests.
func (d Dec) String() string { return string(d.Append(make([]byte, 0, TextMax))) }
