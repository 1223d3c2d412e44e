package inspect

import (
	"fmt"
	"time"

	"github.com/duramendb/duramen/mysql"
)

func year(b []byte) int {
	if b[0] == 0 {
		return 0
	}
	return int(b[0]) + 1900
}

func date(b []byte) (y, m, d int) {
	n := int(little(b))
	return n >> 9, n >> 5 & 15, n & 31
}

// fractionUnits are microseconds per unit of a stored fraction of n bytes.
var fractionUnits = [4]int{0, 10000, 100, 1}

// appendFraction appends the fraction of a second with that many digits.
func appendFraction(dst, b []byte, digits int) []byte {
	if len(b) == 0 || digits == 0 {
		return dst
	}
	return appendMicros(dst, int(big(b))*fractionUnits[len(b)], digits)
}

func appendMicros(dst []byte, micros, digits int) []byte {
	digits = min(digits, 6)
	text := fmt.Sprintf("%06d", micros%1000000)
	return append(append(dst, '.'), text[:digits]...)
}

// timestamp is a TIMESTAMP in UTC, with a Z at its end.
func timestamp(sec uint32, fraction []byte, digits int) []byte {
	if sec == 0 && big(fraction) == 0 {
		return []byte("0000-00-00 00:00:00")
	}
	dst := time.Unix(int64(sec), 0).UTC().AppendFormat(nil, "2006-01-02T15:04:05")
	return append(appendFraction(dst, fraction, digits), 'Z')
}

// appendTemporal appends a TIME or DATETIME in SQL notation, without quotes.
func (c *column) appendTemporal(dst []byte, t byte, b []byte) []byte {
	switch t {
	case mysql.MYSQL_TYPE_DATETIME:
		n := little(b)
		ymd, hms := n/1000000, n%1000000
		return fmt.Appendf(dst, "%04d-%02d-%02d %02d:%02d:%02d", ymd/10000, ymd/100%100, ymd%100, hms/10000, hms/100%100, hms%100)
	case mysql.MYSQL_TYPE_DATETIME2:
		n := int64(big(b[:5])) - mysql.DATETIMEF_INT_OFS
		if n < 0 {
			n = -n
		}
		ymd, hms := n>>17, n&(1<<17-1)
		dst = fmt.Appendf(dst, "%04d-%02d-%02d %02d:%02d:%02d", ymd>>5/13, ymd>>5%13, ymd&31, hms>>12, hms>>6&63, hms&63)
		return appendFraction(dst, b[5:], int(c.Meta))
	case mysql.MYSQL_TYPE_TIME:
		_, n := integer(b)
		if n < 0 {
			dst, n = append(dst, '-'), -n
		}
		return fmt.Appendf(dst, "%02d:%02d:%02d", n/10000, n/100%100, n%100)
	}
	n := len(b) - 3
	packed := int64(big(b)) - mysql.TIMEF_INT_OFS<<(8*n)
	if packed < 0 {
		dst, packed = append(dst, '-'), -packed
	}
	micros := int64(0)
	if n > 0 {
		micros = packed & (1<<(8*n) - 1) * int64(fractionUnits[n])
		packed >>= 8 * n
	}
	dst = fmt.Appendf(dst, "%02d:%02d:%02d", packed>>12, packed>>6&63, packed&63)
	if n == 0 || c.Meta == 0 {
		return dst
	}
	return appendMicros(dst, int(micros), int(c.Meta))
}
