package row

import (
	"fmt"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"github.com/duramendb/duramen/mysql"
)

// decimalBufferSize holds every decimal of a sensible statement on the stack:
// 65 digits, sign, point, exponent.
const decimalBufferSize = 96

// digits is a decimal number taken apart: all its digits, the first intSize of
// which stand before the point. intSize may be negative or larger than the number of digits.
type digits struct {
	negative bool
	digits   []byte
	point    int
}

func appendDecimal(dst []byte, precision, scale int, val any, exact bool) ([]byte, error) {
	if scale > precision || precision > mysql.DecimalDigitsMax {
		return dst, fmt.Errorf("%w: DECIMAL(%d,%d)", ErrType, precision, scale)
	}
	var buf [decimalBufferSize]byte
	var d digits
	var err error
	switch v := val.(type) {
	case string:
		d, err = parseDecimal(append(buf[:0], v...))
	case []byte:
		d, err = parseDecimal(append(buf[:0], v...))
	case *apd.Decimal:
		d, err = apdDigits(buf[:0], v)
	case apd.Decimal:
		d, err = apdDigits(buf[:0], &v)
	default:
		var i integer
		if i, err = toInteger(val); err == nil {
			text := strconv.AppendUint(buf[:0], i.bits, 10)
			if i.negative {
				text = strconv.AppendInt(buf[:0], int64(i.bits), 10)
			}
			d, err = parseDecimal(text)
		}
	}
	if err != nil {
		return dst, err
	}
	return d.appendTo(dst, precision, scale, exact)
}

func apdDigits(buf []byte, v *apd.Decimal) (digits, error) {
	if v.Form != apd.Finite {
		return digits{}, fmt.Errorf("%w: decimal %s", ErrRange, v)
	}
	text := v.Coeff.Append(buf, 10)
	return digits{negative: v.Negative, digits: text, point: len(text) + int(v.Exponent)}, nil
}

// parseDecimal reads [+-]digits[.digits][e[+-]digits]. It works inside text.
func parseDecimal(text []byte) (digits, error) {
	d := digits{digits: text[:0]}
	rest := text
	if len(rest) > 0 && (rest[0] == '-' || rest[0] == '+') {
		d.negative = rest[0] == '-'
		rest = rest[1:]
	}
	seenPoint, exponent := false, 0
	for i, c := range rest {
		switch {
		case c >= '0' && c <= '9':
			d.digits = append(d.digits, c) // never past what is being read
			if !seenPoint {
				d.point++
			}
		case c == '.' && !seenPoint:
			seenPoint = true
		case (c == 'e' || c == 'E') && len(d.digits) > 0:
			var err error
			if exponent, err = strconv.Atoi(string(rest[i+1:])); err != nil || exponent > 1<<20 || exponent < -1<<20 {
				return digits{}, fmt.Errorf("%w: exponent of decimal", ErrRange)
			}
			d.point += exponent
			return d, nil
		default:
			return digits{}, fmt.Errorf("%w: decimal with %q", ErrType, c)
		}
	}
	if len(d.digits) == 0 {
		return digits{}, fmt.Errorf("%w: decimal without digits", ErrType)
	}
	return d, nil
}

// digit returns the digit at a place relative to the point: 0 is the first
// after it, -1 the last before it.
func (d *digits) digit(place int) byte {
	i := d.point + place
	if i < 0 || i >= len(d.digits) {
		return 0
	}
	return d.digits[i] - '0'
}

// appendTo writes the packed form: groups of nine digits counted from the point,
// big-endian; negative numbers have all bits inverted, and the first bit is inverted
// once more. So the bytes compare as the numbers do.
func (d *digits) appendTo(dst []byte, precision, scale int, exact bool) ([]byte, error) {
	whole := precision - scale
	var buf [decimalBufferSize]byte
	out := buf[:precision]
	for i := range out {
		out[i] = d.digit(i - whole)
	}
	if err := d.round(out, scale, exact); err != nil {
		return dst, err
	}
	for i := 0; i < d.point-whole && i < len(d.digits); i++ {
		if d.digits[i] != '0' {
			return dst, fmt.Errorf("%w: number with %d digits before the point, at most %d", ErrRange, d.point-i, whole)
		}
	}
	start := len(dst)
	first := whole % 9
	dst = appendGroup(dst, out[:first])
	for i := first; i < whole; i += 9 {
		dst = appendGroup(dst, out[i:i+9])
	}
	for i := whole; i < precision; i += 9 {
		dst = appendGroup(dst, out[i:min(i+9, precision)])
	}
	zero := true
	for _, c := range out {
		zero = zero && c == 0
	}
	if d.negative && !zero {
		for i := start; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	if len(dst) > start {
		dst[start] ^= 0x80
	}
	return dst, nil
}

// round adds one to the last digit of out if the first digit that was left
// out is 5 or more, as MariaDB does (away from zero).
func (d *digits) round(out []byte, scale int, exact bool) error {
	if exact {
		for i := max(d.point+scale, 0); i < len(d.digits); i++ {
			if d.digits[i] != '0' {
				return fmt.Errorf("%w: more than %d digits after the point", ErrInexact, scale)
			}
		}
	}
	if d.digit(scale) < 5 {
		return nil
	}
	for i := len(out) - 1; i >= 0; i-- {
		if out[i] < 9 {
			out[i]++
			return nil
		}
		out[i] = 0
	}
	return fmt.Errorf("%w: number rounds up to one digit more", ErrRange)
}

func appendGroup(dst []byte, group []byte) []byte {
	var n uint64
	for _, c := range group {
		n = n*10 + uint64(c)
	}
	return appendBig(dst, n, mysql.DecimalGroupSize(len(group)))
}
