package row

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/duramendb/duramen/mysql"
)

// Encode appends the full image of a row. vals has one value per column:
//
//	integers, YEAR, BIT, ENUM (index), SET (bits)   any integer, or bool
//	FLOAT, DOUBLE                   float32, float64 or any integer
//	NEWDECIMAL                      string, []byte, *apd.Decimal, apd.Decimal or any integer
//	CHAR, VARCHAR, TEXT, JSON, BINARY, VARBINARY, BLOB, GEOMETRY  string or []byte
//	DATE, DATETIME, TIMESTAMP       time.Time (its UTC fields; the zero Time is '0000-00-00') or Date
//	TIME                            time.Duration
//	NULL                            nil
//
// Decimals are rounded to the column's scale, fractions of seconds are cut to its
// digits. On an error dst is returned as it was.
func Encode(dst []byte, cols []Column, vals []any) ([]byte, error) {
	if len(vals) != len(cols) {
		return dst, fmt.Errorf("%w: %d values for %d columns", ErrType, len(vals), len(cols))
	}
	start := len(dst)
	dst = appendNoNulls(dst, len(cols))
	for i := range cols {
		if vals[i] == nil {
			dst[start+i/8] |= 1 << (i % 8)
			continue
		}
		var err error
		if dst, err = AppendValue(dst, &cols[i], vals[i]); err != nil {
			return dst[:start], err
		}
	}
	return dst, nil
}

// AppendValue appends the packed form of one value that is not NULL.
func AppendValue(dst []byte, c *Column, val any) ([]byte, error) {
	start := len(dst)
	out, err := appendValue(dst, c, val, false)
	if err != nil {
		return dst[:start], fmt.Errorf("%s: %w", c.describe(), err)
	}
	return out, nil
}

// AppendText is AppendValue of a text for a CHAR, VARCHAR, TEXT, BINARY, VARBINARY or BLOB.
func AppendText(dst []byte, c *Column, text []byte) ([]byte, error) {
	k, n := c.kind()
	if k != kindVarchar && k != kindChar && k != kindBlob {
		return dst, fmt.Errorf("%s: %w: text", c.describe(), ErrType)
	}
	out, err := appendText(dst, c, k, n, text)
	if err != nil {
		return dst, fmt.Errorf("%s: %w", c.describe(), err)
	}
	return out, nil
}

// appendValue is AppendValue without the column in its errors. With exact, a
// value that would have to be rounded is an error.
func appendValue(dst []byte, c *Column, val any, exact bool) ([]byte, error) {
	k, n := c.kind()
	switch k {
	case kindInt:
		i, err := toInteger(val)
		if err != nil {
			return dst, err
		}
		if !i.fits(n*8, c.Unsigned) {
			return dst, fmt.Errorf("%w: %s in %d bytes", ErrRange, i, n)
		}
		return appendLittle(dst, i.bits, n), nil
	case kindFloat:
		f, err := toFloat(val)
		if err != nil {
			return dst, err
		}
		if math.Abs(f) > math.MaxFloat32 || f != f {
			return dst, fmt.Errorf("%w: %g in a FLOAT", ErrRange, f)
		}
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(f))), nil
	case kindDouble:
		f, err := toFloat(val)
		if err != nil {
			return dst, err
		}
		if f != f || math.IsInf(f, 0) {
			return dst, fmt.Errorf("%w: %g in a DOUBLE", ErrRange, f)
		}
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f)), nil
	case kindDecimal:
		return appendDecimal(dst, int(c.Meta>>8), int(c.Meta&0xff), val, exact)
	case kindYear:
		return appendYear(dst, val)
	case kindBit, kindEnum, kindSet:
		return appendUnsigned(dst, c, k, n, val)
	case kindDate, kindDatetime2, kindTimestamp2, kindOldTimestamp, kindOldDatetime:
		return appendDateTime(dst, k, n, val, exact)
	case kindTime2, kindOldTime:
		d, ok := val.(time.Duration)
		if !ok {
			return dst, wrongType(val)
		}
		return appendTime(dst, k, n, d, exact)
	case kindVarchar, kindChar, kindBlob:
		switch v := val.(type) {
		case string:
			return appendText(dst, c, k, n, v)
		case []byte:
			return appendText(dst, c, k, n, v)
		}
		return dst, wrongType(val)
	}
	return dst, fmt.Errorf("%w: type %d with metadata %#x cannot be written", ErrType, c.Type, c.Meta)
}

func wrongType(val any) error { return fmt.Errorf("%w: %T", ErrType, val) }

func appendLittle(dst []byte, v uint64, n int) []byte {
	for range n {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}

func appendBig(dst []byte, v uint64, n int) []byte {
	for i := n - 1; i >= 0; i-- {
		dst = append(dst, byte(v>>(8*i)))
	}
	return dst
}

func appendYear(dst []byte, val any) ([]byte, error) {
	i, err := toInteger(val)
	if err != nil {
		return dst, err
	}
	switch {
	case i.bits == 0:
		return append(dst, 0), nil
	case i.negative || i.bits < 1901 || i.bits > 2155:
		return dst, fmt.Errorf("%w: year %s", ErrRange, i)
	}
	return append(dst, byte(i.bits-1900)), nil
}

func appendUnsigned(dst []byte, c *Column, k kind, n int, val any) ([]byte, error) {
	i, err := toInteger(val)
	if err != nil {
		return dst, err
	}
	bits := n * 8
	if k == kindBit {
		bits = int(c.Meta>>8)*8 + int(c.Meta&0xff)
	}
	if !i.fits(bits, true) {
		return dst, fmt.Errorf("%w: %s in %d bits", ErrRange, i, bits)
	}
	if k == kindBit {
		return appendBig(dst, i.bits, n), nil
	}
	return appendLittle(dst, i.bits, n), nil
}

// appendText appends a string with its length. A CHAR loses its trailing
// spaces and a BINARY its trailing zeros: reading puts them back.
func appendText[T string | []byte](dst []byte, c *Column, k kind, n int, v T) ([]byte, error) {
	switch k {
	case kindChar:
		if c.Collation == mysql.Collation_binary {
			for len(v) > 0 && v[len(v)-1] == 0 {
				v = v[:len(v)-1]
			}
		} else {
			v = v[:trimmedSize(c.Collation, v)]
		}
		fallthrough
	case kindVarchar:
		if len(v) > n {
			return dst, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, len(v), n)
		}
		if n > 255 {
			dst = append(dst, byte(len(v)), byte(len(v)>>8))
		} else {
			dst = append(dst, byte(len(v)))
		}
	case kindBlob:
		if n < 1 || n > 4 {
			return dst, fmt.Errorf("%w: BLOB with a length of %d bytes", ErrType, n)
		}
		if uint64(len(v))>>(8*n) != 0 {
			return dst, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, len(v), uint64(1)<<(8*n)-1)
		}
		dst = appendLittle(dst, uint64(len(v)), n)
	}
	return append(dst, v...), nil
}

// integer is a Go integer of any kind: bits is its two's complement.
type integer struct {
	bits     uint64
	negative bool
}

func signed(v int64) integer { return integer{bits: uint64(v), negative: v < 0} }

// fits reports whether the value fits into that many bits.
func (i integer) fits(bits int, unsigned bool) bool {
	switch {
	case unsigned:
		return !i.negative && (bits >= 64 || i.bits>>bits == 0)
	case i.negative:
		return int64(i.bits) >= -1<<(bits-1)
	}
	return i.bits>>(bits-1) == 0
}

func (i integer) float() float64 {
	if i.negative {
		return float64(int64(i.bits))
	}
	return float64(i.bits)
}

// String is the number in decimal.
func (i integer) String() string {
	if i.negative {
		return fmt.Sprint(int64(i.bits))
	}
	return fmt.Sprint(i.bits)
}

func toInteger(val any) (integer, error) {
	switch v := val.(type) {
	case int64:
		return signed(v), nil
	case uint64:
		return integer{bits: v}, nil
	case int:
		return signed(int64(v)), nil
	case int32:
		return signed(int64(v)), nil
	case uint32:
		return integer{bits: uint64(v)}, nil
	case int16:
		return signed(int64(v)), nil
	case uint16:
		return integer{bits: uint64(v)}, nil
	case int8:
		return signed(int64(v)), nil
	case uint8:
		return integer{bits: uint64(v)}, nil
	case uint:
		return integer{bits: uint64(v)}, nil
	case bool:
		if v {
			return integer{bits: 1}, nil
		}
		return integer{}, nil
	}
	return integer{}, wrongType(val)
}

func toFloat(val any) (float64, error) {
	switch v := val.(type) {
	case float64:
		return v, nil
	case float32:
		return float64(v), nil
	}
	i, err := toInteger(val)
	return i.float(), err
}

// trimmedSize is the length without trailing spaces of a string in the
// character set of the collation.
func trimmedSize[T string | []byte](collation uint16, s T) int {
	n := len(s)
	switch unit, last := wideUnit(mysql.CharsetOf(collation)); unit {
	case 1:
		for n > 0 && s[n-1] == ' ' {
			n--
		}
	default:
		for n >= unit && isWideSpace(s[n-unit:n], last) {
			n -= unit
		}
	}
	return n
}

func isWideSpace[T string | []byte](s T, littleEndian bool) bool {
	at := len(s) - 1
	if littleEndian {
		at = 0
	}
	for i := range len(s) {
		if want := byte(0); i != at && s[i] != want || i == at && s[i] != ' ' {
			return false
		}
	}
	return true
}
