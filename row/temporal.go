package row

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/duramendb/duramen/mysql"
)

// Date is a date that no time.Time can be: with a zero month or day
// ('2024-00-00') or a day that its month does not have (ALLOW_INVALID_DATES),
// and also '0001-01-01 00:00:00', because the zero Time stands for
// '0000-00-00'. Decode returns it for such dates only.
type Date struct {
	Year, Month, Day     int
	Hour, Minute, Second int
	Microsecond          int
}

// dateOf takes the UTC fields of a time; the zero Time becomes the zero Date.
func dateOf(t time.Time) Date {
	if t.IsZero() {
		return Date{}
	}
	t = t.UTC()
	y, m, d := t.Date()
	hour, minute, sec := t.Clock()
	return Date{y, int(m), d, hour, minute, sec, t.Nanosecond() / 1000}
}

// value is what Decode returns for a date: time.Time if possible.
func (d Date) value() any {
	if d == (Date{}) {
		return time.Time{}
	}
	t := time.Date(d.Year, time.Month(d.Month), d.Day, d.Hour, d.Minute, d.Second, d.Microsecond*1000, time.UTC)
	if t.IsZero() || dateOf(t) != d {
		return d
	}
	return t
}

func (d Date) check() error {
	if d.Year < 0 || d.Year > 9999 || d.Month < 0 || d.Month > 12 || d.Day < 0 || d.Day > 31 ||
		d.Hour < 0 || d.Hour > 23 || d.Minute < 0 || d.Minute > 59 || d.Second < 0 || d.Second > 59 ||
		d.Microsecond < 0 || d.Microsecond > 999999 {
		return fmt.Errorf("%w: date %+v", ErrRange, d)
	}
	return nil
}

// fractionUnits: microseconds per unit of a stored fraction of n bytes.
var fractionUnits = [4]int{0, 10000, 100, 1}

// digitUnits: microseconds per unit of the last digit.
var digitUnits = [7]int{1000000, 100000, 10000, 1000, 100, 10, 1}

// fraction cuts microseconds to the column's digits.
func fraction(micros, digits int, exact bool) (int, error) {
	cut := micros % digitUnits[digits]
	if cut != 0 && exact {
		return 0, fmt.Errorf("%w: %d microseconds in %d digits", ErrInexact, micros, digits)
	}
	return micros - cut, nil
}

func appendFraction(dst []byte, micros, digits int) []byte {
	n := mysql.FractionSize(uint16(digits))
	if n == 0 {
		return dst
	}
	return appendBig(dst, uint64(micros/fractionUnits[n]), n)
}

func readFraction(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	return int(readBig(b)) * fractionUnits[len(b)]
}

const timeMax = 838*time.Hour + 59*time.Minute + 59*time.Second + 999999*time.Microsecond

func appendDateTime(dst []byte, k kind, digits int, val any, exact bool) ([]byte, error) {
	var d Date
	switch v := val.(type) {
	case time.Time:
		if exact && v.Nanosecond()%1000 != 0 {
			return dst, fmt.Errorf("%w: %s", ErrInexact, v)
		}
		if k == kindTimestamp2 || k == kindOldTimestamp {
			return appendTimestamp(dst, k, digits, v, exact)
		}
		d = dateOf(v)
	case Date:
		d = v
	default:
		return dst, wrongType(val)
	}
	if err := d.check(); err != nil {
		return dst, err
	}
	switch k {
	case kindDate:
		if exact && (d.Hour|d.Minute|d.Second|d.Microsecond) != 0 {
			return dst, fmt.Errorf("%w: %+v as a DATE", ErrInexact, d)
		}
		return appendLittle(dst, uint64(d.Year<<9|d.Month<<5|d.Day), 3), nil
	case kindDatetime2:
		micros, err := fraction(d.Microsecond, digits, exact)
		if err != nil {
			return dst, err
		}
		ymd := (d.Year*13+d.Month)<<5 | d.Day
		hms := d.Hour<<12 | d.Minute<<6 | d.Second
		dst = appendBig(dst, uint64(ymd<<17|hms)+mysql.DATETIMEF_INT_OFS, 5)
		return appendFraction(dst, micros, digits), nil
	case kindOldDatetime:
		if exact && d.Microsecond != 0 {
			return dst, fmt.Errorf("%w: %+v without a fraction", ErrInexact, d)
		}
		n := uint64(d.Year*10000+d.Month*100+d.Day)*1000000 + uint64(d.Hour*10000+d.Minute*100+d.Second)
		return binary.LittleEndian.AppendUint64(dst, n), nil
	}
	return dst, wrongType(val) // a Date is no point in time
}

func appendTimestamp(dst []byte, k kind, digits int, t time.Time, exact bool) ([]byte, error) {
	var sec int64
	micros := 0
	if !t.IsZero() {
		sec, micros = t.Unix(), t.Nanosecond()/1000
	}
	if sec < 0 || sec > math.MaxUint32 {
		return dst, fmt.Errorf("%w: timestamp %s", ErrRange, t)
	}
	if k == kindOldTimestamp {
		if exact && micros != 0 {
			return dst, fmt.Errorf("%w: %s without a fraction", ErrInexact, t)
		}
		return binary.LittleEndian.AppendUint32(dst, uint32(sec)), nil
	}
	micros, err := fraction(micros, digits, exact)
	if err != nil {
		return dst, err
	}
	return appendFraction(binary.BigEndian.AppendUint32(dst, uint32(sec)), micros, digits), nil
}

func appendTime(dst []byte, k kind, digits int, d time.Duration, exact bool) ([]byte, error) {
	if d > timeMax || d < -timeMax {
		return dst, fmt.Errorf("%w: time %s", ErrRange, d)
	}
	negative := d < 0
	if negative {
		d = -d
	}
	if exact && d%time.Microsecond != 0 {
		return dst, fmt.Errorf("%w: %s", ErrInexact, d)
	}
	if k == kindOldTime {
		if exact && d%time.Second != 0 {
			return dst, fmt.Errorf("%w: %s without a fraction", ErrInexact, d)
		}
		sec := int(d / time.Second)
		n := sec/3600*10000 + sec/60%60*100 + sec%60
		if negative {
			n = -n
		}
		return appendLittle(dst, uint64(n), 3), nil
	}
	micros, err := fraction(int(d%time.Second/time.Microsecond), digits, exact)
	if err != nil {
		return dst, err
	}
	sec := int64(d / time.Second)
	packed := sec/3600<<12 | sec/60%60<<6 | sec%60
	n := mysql.FractionSize(uint16(digits))
	if n > 0 {
		packed = packed<<(8*n) | int64(micros/fractionUnits[n])
	}
	if negative {
		packed = -packed
	}
	return appendBig(dst, uint64(packed+mysql.TIMEF_INT_OFS<<(8*n)), 3+n), nil
}

func decodeDate(b []byte) any {
	n := int(readLittle(b))
	return Date{Year: n >> 9, Month: n >> 5 & 15, Day: n & 31}.value()
}

func decodeDatetime2(b []byte) any {
	n := int64(readBig(b[:5])) - mysql.DATETIMEF_INT_OFS
	if n < 0 {
		n = -n
	}
	ymd, hms := n>>17, n&(1<<17-1)
	return Date{
		Year: int(ymd >> 5 / 13), Month: int(ymd >> 5 % 13), Day: int(ymd & 31),
		Hour: int(hms >> 12), Minute: int(hms >> 6 & 63), Second: int(hms & 63),
		Microsecond: readFraction(b[5:]),
	}.value()
}

func decodeOldDatetime(b []byte) any {
	n := readLittle(b)
	ymd, hms := int(n/1000000), int(n%1000000)
	return Date{
		Year: ymd / 10000, Month: ymd / 100 % 100, Day: ymd % 100,
		Hour: hms / 10000, Minute: hms / 100 % 100, Second: hms % 100,
	}.value()
}

func decodeTimestamp(sec uint32, micros int) time.Time {
	if sec == 0 && micros == 0 {
		return time.Time{}
	}
	return time.Unix(int64(sec), int64(micros)*1000).UTC()
}

func decodeTime2(b []byte) time.Duration {
	n := len(b) - 3
	packed := int64(readBig(b)) - mysql.TIMEF_INT_OFS<<(8*n)
	negative := packed < 0
	if negative {
		packed = -packed
	}
	micros := int64(0)
	if n > 0 {
		micros = packed & (1<<(8*n) - 1) * int64(fractionUnits[n])
		packed >>= 8 * n
	}
	d := time.Duration(packed>>12)*time.Hour + time.Duration(packed>>6&63)*time.Minute +
		time.Duration(packed&63)*time.Second + time.Duration(micros)*time.Microsecond
	if negative {
		return -d
	}
	return d
}

func decodeOldTime(b []byte) time.Duration {
	n := int32(readLittle(b)<<8) >> 8
	negative := n < 0
	if negative {
		n = -n
	}
	d := time.Duration(n/10000)*time.Hour + time.Duration(n/100%100)*time.Minute + time.Duration(n%100)*time.Second
	if negative {
		return -d
	}
	return d
}
