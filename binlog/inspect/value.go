package inspect

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/mysql"
)

// appendText appends a packed value in the notation of mariadb-binlog -v.
// Where the column's definition is known, unsigned numbers are shown as such
// and members of ENUM and SET by name.
func appendText(dst []byte, c *column, b []byte) ([]byte, error) {
	if err := c.check(b); err != nil {
		return dst, err
	}
	switch t, n := c.shape(); t {
	case mysql.MYSQL_TYPE_TINY, mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_INT24, mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_LONGLONG:
		u, s := integer(b)
		switch {
		case c.known && c.Unsigned:
			return strconv.AppendUint(dst, u, 10), nil
		case s < 0 && !c.known:
			return fmt.Appendf(dst, "%d (%d)", s, u), nil
		}
		return strconv.AppendInt(dst, s, 10), nil
	case mysql.MYSQL_TYPE_FLOAT:
		return fmt.Appendf(dst, "%g", math.Float32frombits(binary.LittleEndian.Uint32(b))), nil
	case mysql.MYSQL_TYPE_DOUBLE:
		return strconv.AppendFloat(dst, math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64), nil
	case mysql.MYSQL_TYPE_NEWDECIMAL:
		return mysql.AppendDecimalText(dst, b, int(c.Meta>>8), int(c.Meta&0xff))
	case mysql.MYSQL_TYPE_BIT:
		return appendBits(dst, b, int(c.Meta>>8)*8+int(c.Meta&0xff)), nil
	case mysql.MYSQL_TYPE_ENUM:
		return c.appendEnum(dst, little(b)), nil
	case mysql.MYSQL_TYPE_SET:
		if c.Values == nil {
			return appendBits(dst, b, 8*n), nil // in the order of its bytes, as mariadb-binlog does
		}
		return appendQuoted(dst, []byte(c.setMembers(little(b)))), nil
	case mysql.MYSQL_TYPE_YEAR:
		return fmt.Appendf(dst, "%04d", year(b)), nil
	case mysql.MYSQL_TYPE_TIMESTAMP:
		return strconv.AppendUint(dst, uint64(binary.LittleEndian.Uint32(b)), 10), nil
	case mysql.MYSQL_TYPE_TIMESTAMP2:
		dst = strconv.AppendUint(dst, uint64(binary.BigEndian.Uint32(b)), 10)
		return appendFraction(dst, b[4:], int(c.Meta)), nil
	case mysql.MYSQL_TYPE_DATE, mysql.MYSQL_TYPE_NEWDATE:
		y, m, d := date(b)
		return fmt.Appendf(dst, "'%04d:%02d:%02d'", y, m, d), nil
	case mysql.MYSQL_TYPE_TIME, mysql.MYSQL_TYPE_TIME2, mysql.MYSQL_TYPE_DATETIME, mysql.MYSQL_TYPE_DATETIME2:
		dst = c.appendTemporal(append(dst, '\''), t, b)
		return append(dst, '\''), nil
	default:
		return appendQuoted(dst, c.text(b[c.prefix(t, n):])), nil
	}
}

// appendJSON appends a packed value as JSON. docs/duramen-binlog.md has the table of types.
func appendJSON(dst []byte, c *column, b []byte) ([]byte, error) {
	if err := c.check(b); err != nil {
		return dst, err
	}
	quoted := func(text []byte) []byte { return appendJSONString(dst, text) }
	switch t, n := c.shape(); t {
	case mysql.MYSQL_TYPE_TINY, mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_INT24, mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_LONGLONG:
		u, s := integer(b)
		if c.known && c.Unsigned {
			return strconv.AppendUint(dst, u, 10), nil
		}
		return strconv.AppendInt(dst, s, 10), nil
	case mysql.MYSQL_TYPE_FLOAT:
		return appendJSONFloat(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32), nil
	case mysql.MYSQL_TYPE_DOUBLE:
		return appendJSONFloat(dst, math.Float64frombits(binary.LittleEndian.Uint64(b)), 64), nil
	case mysql.MYSQL_TYPE_NEWDECIMAL:
		text, err := mysql.AppendDecimalText(nil, b, int(c.Meta>>8), int(c.Meta&0xff))
		return quoted(text), err
	case mysql.MYSQL_TYPE_BIT:
		return strconv.AppendUint(dst, big(b), 10), nil
	case mysql.MYSQL_TYPE_ENUM:
		if v := little(b); v == 0 || v > uint64(len(c.Values)) {
			return strconv.AppendUint(dst, v, 10), nil
		} else {
			return quoted([]byte(c.Values[v-1])), nil
		}
	case mysql.MYSQL_TYPE_SET:
		if c.Values == nil {
			return strconv.AppendUint(dst, little(b), 10), nil
		}
		return quoted([]byte(c.setMembers(little(b)))), nil
	case mysql.MYSQL_TYPE_YEAR:
		return strconv.AppendUint(dst, uint64(year(b)), 10), nil
	case mysql.MYSQL_TYPE_TIMESTAMP:
		return quoted(timestamp(binary.LittleEndian.Uint32(b), nil, 0)), nil
	case mysql.MYSQL_TYPE_TIMESTAMP2:
		return quoted(timestamp(binary.BigEndian.Uint32(b), b[4:], int(c.Meta))), nil
	case mysql.MYSQL_TYPE_DATE, mysql.MYSQL_TYPE_NEWDATE:
		y, m, d := date(b)
		return quoted(fmt.Appendf(nil, "%04d-%02d-%02d", y, m, d)), nil
	case mysql.MYSQL_TYPE_TIME, mysql.MYSQL_TYPE_TIME2, mysql.MYSQL_TYPE_DATETIME, mysql.MYSQL_TYPE_DATETIME2:
		return quoted(c.appendTemporal(nil, t, b)), nil
	default:
		text := c.text(b[c.prefix(t, n):])
		bytes := t == mysql.MYSQL_TYPE_GEOMETRY || t == mysql.MYSQL_TYPE_JSON ||
			t == mysql.MYSQL_TYPE_BLOB_COMPRESSED || t == mysql.MYSQL_TYPE_VARCHAR_COMPRESSED || c.known && c.Charset == mysql.Collation_binary
		if bytes || !utf8.Valid(text) {
			return fmt.Appendf(dst, `{"hex":"%x"}`, text), nil
		}
		return quoted(text), nil
	}
}

// check makes sure that b is exactly one value of the column.
func (c *column) check(b []byte) error {
	size, err := mysql.ValueSize(c.Type, c.Meta, b)
	if err == nil && size != len(b) {
		err = fmt.Errorf("%w: value of type %d is %d bytes long, not %d", event.ErrMalformed, c.Type, size, len(b))
	}
	return err
}

// shape resolves the ENUM or SET behind a STRING; n is the stored size of
// these, and the longest size of a string.
func (c *column) shape() (t byte, n int) {
	switch c.Type {
	case mysql.MYSQL_TYPE_STRING:
		if t, n = mysql.ResolveString(c.Meta); t != mysql.MYSQL_TYPE_ENUM && t != mysql.MYSQL_TYPE_SET {
			t = mysql.MYSQL_TYPE_STRING
		}
		return t, n
	case mysql.MYSQL_TYPE_ENUM, mysql.MYSQL_TYPE_SET:
		return c.Type, int(c.Meta & 0xff)
	}
	return c.Type, int(c.Meta)
}

// prefix is the size of the length in front of a string.
func (c *column) prefix(t byte, n int) int {
	switch t {
	case mysql.MYSQL_TYPE_VARCHAR, mysql.MYSQL_TYPE_VARCHAR_COMPRESSED, mysql.MYSQL_TYPE_VAR_STRING, mysql.MYSQL_TYPE_STRING:
		if n > 255 {
			return 2
		}
		return 1
	case mysql.MYSQL_TYPE_NULL:
		return 0
	}
	return n // the BLOB family
}

// integer reads a little-endian number of up to 8 bytes, without and with sign.
func integer(b []byte) (u uint64, s int64) {
	u = little(b)
	shift := 64 - 8*len(b)
	return u, int64(u<<shift) >> shift
}

func little(b []byte) uint64 {
	var v uint64
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

func big(b []byte) uint64 {
	var v uint64
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}

// appendBits appends b'0101': the last n bits of b.
func appendBits(dst, b []byte, n int) []byte {
	dst = append(dst, "b'"...)
	for i := n - 1; i >= 0; i-- {
		bit := byte(0)
		if at := len(b) - 1 - i/8; at >= 0 {
			bit = b[at] >> (i % 8) & 1
		}
		dst = append(dst, '0'+bit)
	}
	return append(dst, '\'')
}

func (c *column) appendEnum(dst []byte, v uint64) []byte {
	if v == 0 || v > uint64(len(c.Values)) {
		return strconv.AppendUint(dst, v, 10)
	}
	return appendQuoted(dst, []byte(c.Values[v-1]))
}

func (c *column) setMembers(bits uint64) string {
	var names []string
	for i := 0; bits != 0; i, bits = i+1, bits>>1 {
		if bits&1 == 0 {
			continue
		}
		if i < len(c.Values) {
			names = append(names, c.Values[i])
		} else {
			names = append(names, "#"+strconv.Itoa(i+1))
		}
	}
	return strings.Join(names, ",")
}

// appendQuoted appends text between quotes. Bytes that could upset a terminal, or
// are no UTF-8, become \xNN.
func appendQuoted(dst, text []byte) []byte {
	dst = append(dst, '\'')
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\'' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == utf8.RuneError && size == 1, r < ' ', r >= 0x7f && r < 0xa0:
			for _, c := range text[:size] {
				dst = fmt.Appendf(dst, `\x%02x`, c)
			}
		default:
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
	return append(dst, '\'')
}
