package result

import (
	"strconv"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/floattext"
)

// AppendText appends a value as the column's text; nothing for NULL.
func (c *Column) AppendText(dst []byte, v Value) []byte {
	start := len(dst)
	if (v.kind == KindDouble || v.kind == KindFloat) && c.fixedDecimals() {
		dst = floattext.AppendFixed(dst, v.Float(), int(c.Decimals))
	} else {
		dst = v.AppendText(dst)
	}
	if c.Flags&mysql.ZEROFILL_FLAG != 0 {
		dst = fillZeros(dst, start, int(c.Length))
	}
	return dst
}

// fixedDecimals reports whether the column is a FLOAT(m,d) or DOUBLE(m,d).
func (c *Column) fixedDecimals() bool {
	return c.Decimals < mysql.NOT_FIXED_DEC && (c.Type == mysql.MYSQL_TYPE_DOUBLE || c.Type == mysql.MYSQL_TYPE_FLOAT)
}

// fillZeros fills the number that begins at start up to the display width of its column.
func fillZeros(dst []byte, start, width int) []byte {
	missing := width - (len(dst) - start)
	if missing <= 0 || start == len(dst) {
		return dst
	}
	for range missing {
		dst = append(dst, '0')
	}
	copy(dst[start+missing:], dst[start:])
	for i := range missing {
		dst[start+i] = '0'
	}
	return dst
}

// AppendText appends a value as text, for which nothing is known of its column; nothing for NULL.
func (v Value) AppendText(dst []byte) []byte {
	switch v.kind {
	case KindSigned:
		return strconv.AppendInt(dst, v.Int(), 10)
	case KindUnsigned:
		return strconv.AppendUint(dst, v.word, 10)
	case KindFloat, KindDouble:
		return floattext.Append(dst, v.Float(), v.kind == KindFloat)
	case KindDecimal, KindText, KindBytes, KindJSON:
		return append(dst, v.bytes...)
	case KindDate:
		return appendDate(dst, v.moment())
	case KindDatetime:
		m := v.moment()
		dst = append(appendDate(dst, m), ' ')
		dst = appendPair(dst, m.Hour)
		return appendRest(dst, m.Minute, m.Second, m.Micro, v.digits)
	case KindTime:
		s := v.span()
		if s.Negative {
			dst = append(dst, '-')
		}
		if s.Hours < 10 {
			dst = append(dst, '0')
		}
		dst = strconv.AppendUint(dst, uint64(s.Hours), 10)
		return appendRest(dst, s.Minute, s.Second, s.Micro, v.digits)
	case KindYear:
		return appendYear(dst, uint16(v.word))
	case KindBit:
		for i := int(v.digits) - 1; i >= 0; i-- {
			dst = append(dst, byte(v.word>>(8*i)))
		}
	}
	return dst
}

func appendDate(dst []byte, m Moment) []byte {
	dst = append(appendYear(dst, m.Year), '-')
	dst = append(appendPair(dst, m.Month), '-')
	return appendPair(dst, m.Day)
}

func appendYear(dst []byte, year uint16) []byte {
	if year > 9999 {
		return strconv.AppendUint(dst, uint64(year), 10)
	}
	return appendPair(appendPair(dst, uint8(year/100)), uint8(year%100))
}

// appendPair appends two digits, or three of what a client sends that is no date.
func appendPair(dst []byte, n uint8) []byte {
	if n > 99 {
		return strconv.AppendUint(dst, uint64(n), 10)
	}
	return append(dst, '0'+n/10, '0'+n%10)
}

// appendRest appends what follows the hours.
func appendRest(dst []byte, minute, second uint8, micro uint32, digits uint8) []byte {
	dst = appendPair(append(dst, ':'), minute)
	dst = appendPair(append(dst, ':'), second)
	if digits == 0 {
		return dst
	}
	dst = append(dst, '.')
	for i := 5; i >= 6-int(digits); i-- {
		dst = append(dst, '0'+byte(micro/powersOfTen[i]%10))
	}
	return dst
}
