package convert

import "github.com/duramendb/duramen/mysql"

// instant is a DATE, TIME, DATETIME or TIMESTAMP without its type.
type instant struct {
	negative bool   // of a TIME
	whole    uint64 // the packed number of the present format without what is added to it; the seconds of a TIMESTAMP
	micros   uint64
}

// microUnits are the microseconds per unit of a fraction of n octets, and of a digit.
var (
	microUnits = [4]uint64{0, 10000, 100, 1}
	digitUnits = [7]uint64{1000000, 100000, 10000, 1000, 100, 10, 1}
)

const (
	timeBits = 17 // of the time in a packed DATETIME
	yearMax  = 9999
	hourMax  = 838
)

// times converts DATE, TIME, DATETIME and TIMESTAMP into more or fewer digits, another format, or each other.
func times(from, to *kind) converter {
	return func(dst, value []byte) ([]byte, uint16, error) {
		v, ok := readInstant(from, value)
		if !ok {
			return dst, 0, ErrImage
		}
		wrong := uint16(0)
		if to.class == date {
			if v.whole&(1<<timeBits-1) != 0 || v.micros != 0 {
				wrong = wrongTruncated
			}
			ym := v.whole >> timeBits >> 5
			return appendLittle(dst, ym/13<<9|ym%13<<5|v.whole>>timeBits&31, 3), wrong, nil
		}
		if cut := v.micros % digitUnits[to.size]; cut != 0 {
			v.micros -= cut
			wrong = wrongTruncated
		}
		return v.appendTo(dst, to), wrong, nil
	}
}

// readInstant reads a value of a size that its type has.
func readInstant(k *kind, b []byte) (v instant, ok bool) {
	n := mysql.FractionSize(uint16(k.size))
	switch {
	case k.class == date:
		d := little(b)
		v.whole = ((d>>9)*13+d>>5&15)<<5<<timeBits | d&31<<timeBits
		return v, d>>9 <= yearMax && d>>5&15 <= 12
	case k.old:
		return readOld(k.class, b)
	case k.class == clock:
		packed := int64(big(b)) - mysql.TIMEF_INT_OFS<<(8*n)
		if v.negative = packed < 0; v.negative {
			packed = -packed
		}
		v.whole = uint64(packed) >> (8 * n)
		v.micros = uint64(packed) & (1<<(8*n) - 1) * microUnits[n]
		return v, v.micros < 1000000
	case k.class == moment:
		packed := big(b[:5])
		if packed < mysql.DATETIMEF_INT_OFS {
			return v, false
		}
		v.whole = packed - mysql.DATETIMEF_INT_OFS
		v.micros = big(b[5:]) * microUnits[n]
		return v, v.micros < 1000000 && v.whole>>timeBits>>5/13 <= yearMax
	}
	v.whole = big(b[:4])
	v.micros = big(b[4:]) * microUnits[n]
	return v, v.micros < 1000000
}

// readOld reads a value of MariaDB 5.3's format: a decimal number, or seconds.
func readOld(c class, b []byte) (v instant, ok bool) {
	d := little(b)
	switch c {
	case clock:
		n := int64(extended(d, 3))
		if v.negative = n < 0; v.negative {
			n = -n
		}
		h, m, s := uint64(n/10000), uint64(n/100%100), uint64(n%100)
		v.whole = h<<12 | m<<6 | s
		return v, h <= hourMax && m < 60 && s < 60
	case moment:
		day, time := d/1000000, d%1000000
		year, month := day/10000, day/100%100
		h, m, s := time/10000, time/100%100, time%100
		v.whole = ((year*13+month)<<5|day%100)<<timeBits | h<<12 | m<<6 | s
		return v, year <= yearMax && month <= 12 && day%100 <= 31 && h < 24 && m < 60 && s < 60
	}
	v.whole = d
	return v, true
}

// appendTo appends it as a value of a type; of an old one, too, which has no digits.
func (v instant) appendTo(dst []byte, k *kind) []byte {
	n := mysql.FractionSize(uint16(k.size))
	h, m, s := v.whole>>12, v.whole>>6&63, v.whole&63
	switch {
	case k.old && k.class == clock:
		d := h*10000 + m*100 + s
		if v.negative {
			d = -d
		}
		return appendLittle(dst, d, 3)
	case k.old && k.class == moment:
		ymd := v.whole >> timeBits
		return appendLittle(dst, (ymd>>5/13*10000+ymd>>5%13*100+ymd&31)*1000000+h&31*10000+m*100+s, 8)
	case k.old:
		return appendLittle(dst, v.whole, 4)
	}
	fraction := uint64(0)
	if n > 0 {
		fraction = v.micros / microUnits[n]
	}
	switch k.class {
	case clock:
		packed := v.whole<<(8*n) | fraction
		if v.negative {
			packed = -packed
		}
		return appendBig(dst, packed+mysql.TIMEF_INT_OFS<<(8*n), 3+n)
	case moment:
		return appendBig(appendBig(dst, v.whole+mysql.DATETIMEF_INT_OFS, 5), fraction, n)
	}
	return appendBig(appendBig(dst, v.whole, 4), fraction, n)
}
