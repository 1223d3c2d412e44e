package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/mysql"
)

// binaryColumn is what the binary encoding of a value depends on.
type binaryColumn struct {
	kind     byte
	unsigned bool
}

// appendBinaryRow appends a row of the binary protocol: a zero byte, a bitmap
// of NULLs that starts at bit 2, the values that are not NULL.
func appendBinaryRow(dst []byte, cols []binaryColumn, vals []sqltypes.Value) ([]byte, error) {
	if len(vals) != len(cols) {
		return dst, fmt.Errorf("row of %d values for %d columns", len(vals), len(cols))
	}
	dst = append(dst, 0)
	bitmap := len(dst)
	for range (len(cols) + 9) / 8 {
		dst = append(dst, 0)
	}
	for i := range vals {
		if vals[i].IsNull() {
			dst[bitmap+(i+2)/8] |= 1 << ((i + 2) % 8)
			continue
		}
		var err error
		if dst, err = appendBinaryValue(dst, cols[i], vals[i].Raw()); err != nil {
			return dst, fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return dst, nil
}

// appendBinaryValue appends one value, given as its text form.
func appendBinaryValue(dst []byte, col binaryColumn, text []byte) ([]byte, error) {
	switch col.kind {
	case mysql.MYSQL_TYPE_TINY:
		n, err := parseInteger(text, 8)
		return append(dst, byte(n)), err
	case mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_YEAR:
		n, err := parseInteger(text, 16)
		return binary.LittleEndian.AppendUint16(dst, uint16(n)), err
	case mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_INT24:
		n, err := parseInteger(text, 32)
		return binary.LittleEndian.AppendUint32(dst, uint32(n)), err
	case mysql.MYSQL_TYPE_LONGLONG:
		n, err := parseInteger(text, 64)
		return binary.LittleEndian.AppendUint64(dst, n), err
	case mysql.MYSQL_TYPE_FLOAT:
		f, err := strconv.ParseFloat(string(text), 32)
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(f))), err
	case mysql.MYSQL_TYPE_DOUBLE:
		f, err := strconv.ParseFloat(string(text), 64)
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f)), err
	case mysql.MYSQL_TYPE_DATE, mysql.MYSQL_TYPE_NEWDATE, mysql.MYSQL_TYPE_DATETIME, mysql.MYSQL_TYPE_TIMESTAMP:
		return appendBinaryDatetime(dst, text)
	case mysql.MYSQL_TYPE_TIME:
		return appendBinaryTime(dst, text)
	case mysql.MYSQL_TYPE_NULL:
		return dst, nil
	}
	return appendLenencBytes(dst, text), nil
}

// parseInteger reads a decimal integer, signed or not. One that does not fit into so many bits is an error
// rather than another number.
func parseInteger(text []byte, bits uint) (uint64, error) {
	n, err := parse64(text)
	if err != nil || bits == 64 {
		return n, err
	}
	negative := len(text) > 0 && text[0] == '-' && n != 0
	if negative && int64(n) < -1<<(bits-1) || !negative && n >= 1<<bits {
		err = fmt.Errorf("%s does not fit into a column of %d bits", text, bits)
	}
	return n, err
}

// parse64 reads a decimal integer, signed or not, as 64 bits.
func parse64(text []byte) (uint64, error) {
	digits := text
	negative := len(digits) > 0 && digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 20 {
		return 0, fmt.Errorf("not an integer: %q", text)
	}
	var n uint64
	for _, d := range digits {
		if d < '0' || d > '9' {
			// A fraction or an exponent, of an expression that was declared an integer.
			f, err := strconv.ParseFloat(string(text), 64)
			if err != nil {
				return 0, fmt.Errorf("not an integer: %q", text)
			}
			return uint64(int64(math.RoundToEven(f))), nil
		}
		n = n*10 + uint64(d-'0')
	}
	if negative {
		n = -n
	}
	return n, nil
}

// timeParts reads the numbers of "2006-01-02 15:04:05.999999" and of parts of
// it. It reports how many it found; the seventh is in microseconds.
func timeParts(text []byte) (parts [7]uint32, count int, err error) {
	for i := 0; i < len(text); {
		if count == len(parts) {
			return parts, 0, fmt.Errorf("not a time: %q", text)
		}
		begin := i
		var n uint32
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			n = n*10 + uint32(text[i]-'0')
			i++
		}
		if i == begin || i-begin > 6 {
			return parts, 0, fmt.Errorf("not a time: %q", text)
		}
		if begin > 0 && text[begin-1] == '.' {
			for range 6 - (i - begin) {
				n *= 10
			}
		}
		parts[count] = n
		count++
		i++ // the separator
	}
	return parts, count, nil
}

func appendBinaryDatetime(dst, text []byte) ([]byte, error) {
	p, count, err := timeParts(text)
	if err != nil || count < 3 {
		return dst, fmt.Errorf("not a date: %q", text)
	}
	length := byte(4)
	switch {
	case p[6] != 0:
		length = 11
	case p[3]|p[4]|p[5] != 0:
		length = 7
	case p[0]|p[1]|p[2] == 0:
		return append(dst, 0), nil
	}
	dst = append(dst, length, byte(p[0]), byte(p[0]>>8), byte(p[1]), byte(p[2]))
	if length >= 7 {
		dst = append(dst, byte(p[3]), byte(p[4]), byte(p[5]))
	}
	if length == 11 {
		dst = binary.LittleEndian.AppendUint32(dst, p[6])
	}
	return dst, nil
}

func appendBinaryTime(dst, text []byte) ([]byte, error) {
	digits, sign := text, byte(0)
	if len(digits) > 0 && digits[0] == '-' {
		digits, sign = digits[1:], 1
	}
	p, count, err := timeParts(digits)
	if err != nil || count < 3 || count > 4 {
		return dst, fmt.Errorf("not a time: %q", text)
	}
	if p[0]|p[1]|p[2]|p[3] == 0 {
		return append(dst, 0), nil
	}
	length := byte(8)
	if p[3] != 0 {
		length = 12
	}
	dst = append(dst, length, sign)
	dst = binary.LittleEndian.AppendUint32(dst, p[0]/24)
	dst = append(dst, byte(p[0]%24), byte(p[1]), byte(p[2]))
	if length == 12 {
		dst = binary.LittleEndian.AppendUint32(dst, p[3])
	}
	return dst, nil
}
