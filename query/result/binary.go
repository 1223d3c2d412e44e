package result

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/duramendb/duramen/mysql"
)

// AppendBinary appends a value that is not NULL as the binary protocol has it in a
// column of this type. A value that the type cannot hold is an error rather than
// another value.
func (c *Column) AppendBinary(dst []byte, v Value) ([]byte, error) {
	switch c.Type {
	case mysql.MYSQL_TYPE_TINY:
		n, err := v.integer(8)
		return append(dst, byte(n)), err
	case mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_YEAR:
		n, err := v.integer(16)
		return binary.LittleEndian.AppendUint16(dst, uint16(n)), err
	case mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_INT24:
		n, err := v.integer(32)
		return binary.LittleEndian.AppendUint32(dst, uint32(n)), err
	case mysql.MYSQL_TYPE_LONGLONG:
		n, err := v.integer(64)
		return binary.LittleEndian.AppendUint64(dst, n), err
	case mysql.MYSQL_TYPE_FLOAT:
		f, err := v.double()
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(f))), err
	case mysql.MYSQL_TYPE_DOUBLE:
		f, err := v.double()
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f)), err
	case mysql.MYSQL_TYPE_DATE, mysql.MYSQL_TYPE_NEWDATE, mysql.MYSQL_TYPE_DATETIME, mysql.MYSQL_TYPE_TIMESTAMP:
		if v.kind != KindDate && v.kind != KindDatetime {
			return dst, v.unfit("a date")
		}
		return appendBinaryMoment(dst, v.moment()), nil
	case mysql.MYSQL_TYPE_TIME:
		if v.kind != KindTime {
			return dst, v.unfit("a time")
		}
		return appendBinarySpan(dst, v.span()), nil
	case mysql.MYSQL_TYPE_NULL:
		return dst, v.unfit("NULL")
	}
	return c.appendCounted(dst, v), nil
}

// appendCounted appends a value as text, with its length before it.
func (c *Column) appendCounted(dst []byte, v Value) []byte {
	switch v.kind {
	case KindDecimal, KindText, KindBytes, KindJSON:
		if c.Flags&mysql.ZEROFILL_FLAG == 0 {
			return append(AppendLength(dst, uint64(len(v.bytes))), v.bytes...)
		}
	}
	start := len(dst)
	dst = c.AppendText(append(dst, 0), v)
	n := len(dst) - start - 1
	if n < 0xfb {
		dst[start] = byte(n)
		return dst
	}
	// Hundreds of digits: the zeros of ZEROFILL, or those of 1e300 in a DOUBLE(m,d).
	text := append([]byte(nil), dst[start+1:]...)
	return append(AppendLength(dst[:start], uint64(n)), text...)
}

func (v Value) unfit(what string) error {
	return fmt.Errorf("result: %q is not %s", v.AppendText(nil), what)
}

// integer is the value as an integer of so many bits. Numbers of other kinds are
// rounded, and texts read, for columns of expressions that turn out to be something
// else than was declared.
func (v Value) integer(bits uint) (uint64, error) {
	var n uint64
	negative := false
	switch v.kind {
	case KindSigned:
		n, negative = v.word, v.Int() < 0
	case KindUnsigned, KindYear, KindBit:
		n = v.word
	case KindFloat, KindDouble, KindDecimal, KindText, KindBytes:
		var ok bool
		if n, negative, ok = v.rounded(); !ok {
			return 0, v.unfit("an integer")
		}
	default:
		return 0, v.unfit("an integer")
	}
	if bits < 64 && (negative && int64(n) < -1<<(bits-1) || !negative && n >= 1<<bits) {
		return 0, fmt.Errorf("result: %q does not fit into a column of %d bits", v.AppendText(nil), bits)
	}
	return n, nil
}

func (v Value) rounded() (n uint64, negative, ok bool) {
	if v.kind == KindFloat || v.kind == KindDouble {
		return roundFloat(v.Float())
	}
	text := string(v.bytes)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return uint64(n), n < 0, true
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n, false, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false, false
	}
	return roundFloat(f)
}

func roundFloat(f float64) (n uint64, negative, ok bool) {
	switch f = math.RoundToEven(f); {
	case f >= -1<<63 && f < 0:
		return uint64(int64(f)), true, true
	case f >= 0 && f < 1<<64:
		return uint64(f), false, true
	}
	return 0, false, false
}

// double is the value as a floating point number.
func (v Value) double() (float64, error) {
	switch v.kind {
	case KindFloat, KindDouble:
		return v.Float(), nil
	case KindSigned:
		return float64(v.Int()), nil
	case KindUnsigned, KindYear, KindBit:
		return float64(v.word), nil
	case KindDecimal, KindText, KindBytes:
		if f, err := strconv.ParseFloat(string(v.bytes), 64); err == nil {
			return f, nil
		}
	}
	return 0, v.unfit("a number")
}

func appendBinaryMoment(dst []byte, m Moment) []byte {
	length := byte(4)
	switch {
	case m.Micro != 0:
		length = 11
	case m.Hour|m.Minute|m.Second != 0:
		length = 7
	case m.Year == 0 && m.Month|m.Day == 0:
		return append(dst, 0)
	}
	dst = append(dst, length, byte(m.Year), byte(m.Year>>8), m.Month, m.Day)
	if length >= 7 {
		dst = append(dst, m.Hour, m.Minute, m.Second)
	}
	if length == 11 {
		dst = binary.LittleEndian.AppendUint32(dst, m.Micro)
	}
	return dst
}

func appendBinarySpan(dst []byte, s Span) []byte {
	if s.Hours == 0 && s.Minute|s.Second == 0 && s.Micro == 0 {
		return append(dst, 0)
	}
	length, sign := byte(8), byte(0)
	if s.Micro != 0 {
		length = 12
	}
	if s.Negative {
		sign = 1
	}
	dst = append(dst, length, sign)
	dst = binary.LittleEndian.AppendUint32(dst, s.Hours/24)
	dst = append(dst, byte(s.Hours%24), s.Minute, s.Second)
	if length == 12 {
		dst = binary.LittleEndian.AppendUint32(dst, s.Micro)
	}
	return dst
}
