package mysql

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var (
	// ErrShort says that the bytes end before the value does.
	ErrShort = errors.New("value is cut short")
	// ErrMalformed says that a value's bytes contradict its type.
	ErrMalformed = errors.New("malformed value")
)

// ValueSize measures the packed value of a column, as row images hold it, at the
// start of b, its length prefix included. The result is never more than len(b).
// meta is what a table map says of the column. The errors are ErrShort and
// ErrMalformed.
func ValueSize(typ byte, meta uint16, b []byte) (int, error) {
	n := FixedSize(typ, meta)
	if n < 0 {
		var prefix int
		switch typ {
		case MYSQL_TYPE_VARCHAR, MYSQL_TYPE_VARCHAR_COMPRESSED, MYSQL_TYPE_VAR_STRING:
			prefix = lengthBytes(int(meta))
		case MYSQL_TYPE_STRING:
			_, length := ResolveString(meta)
			prefix = lengthBytes(length)
		case MYSQL_TYPE_BLOB, MYSQL_TYPE_GEOMETRY, MYSQL_TYPE_JSON, MYSQL_TYPE_BLOB_COMPRESSED,
			MYSQL_TYPE_TINY_BLOB, MYSQL_TYPE_MEDIUM_BLOB, MYSQL_TYPE_LONG_BLOB:
			prefix = int(meta)
		default:
			return 0, fmt.Errorf("%w: no column type %d", ErrMalformed, typ)
		}
		length, ok := readLength(b, prefix)
		if !ok {
			return 0, fmt.Errorf("%w: length before a value of type %d", ErrShort, typ)
		}
		n = prefix + length
	}
	if n > len(b) {
		return 0, fmt.Errorf("%w: type %d needs %d bytes, have %d", ErrShort, typ, n, len(b))
	}
	return n, nil
}

// lengthBytes is the width of the length before a string of at most maxBytes bytes.
func lengthBytes(maxBytes int) int {
	if maxBytes > 255 {
		return 2
	}
	return 1
}

func readLength(b []byte, width int) (int, bool) {
	if len(b) < width {
		return 0, false
	}
	switch width {
	case 1:
		return int(b[0]), true
	case 2:
		return int(binary.LittleEndian.Uint16(b)), true
	case 3:
		return int(b[0]) | int(b[1])<<8 | int(b[2])<<16, true
	case 4:
		return int(binary.LittleEndian.Uint32(b)), true
	}
	return 0, false
}

// FixedSize is the packed size of a type whose values all have the same size,
// -1 for the others.
func FixedSize(typ byte, meta uint16) int {
	switch typ {
	case MYSQL_TYPE_TINY, MYSQL_TYPE_YEAR:
		return 1
	case MYSQL_TYPE_SHORT:
		return 2
	case MYSQL_TYPE_INT24, MYSQL_TYPE_DATE, MYSQL_TYPE_NEWDATE, MYSQL_TYPE_TIME:
		return 3
	case MYSQL_TYPE_LONG, MYSQL_TYPE_FLOAT, MYSQL_TYPE_TIMESTAMP:
		return 4
	case MYSQL_TYPE_LONGLONG, MYSQL_TYPE_DOUBLE, MYSQL_TYPE_DATETIME:
		return 8
	case MYSQL_TYPE_NULL:
		return 0
	case MYSQL_TYPE_TIME2:
		return 3 + FractionSize(meta)
	case MYSQL_TYPE_TIMESTAMP2:
		return 4 + FractionSize(meta)
	case MYSQL_TYPE_DATETIME2:
		return 5 + FractionSize(meta)
	case MYSQL_TYPE_NEWDECIMAL:
		return DecimalSize(int(meta>>8), int(meta&0xff))
	case MYSQL_TYPE_BIT:
		return int(meta>>8) + min(int(meta&0xff), 1)
	case MYSQL_TYPE_ENUM, MYSQL_TYPE_SET:
		return int(meta & 0xff)
	case MYSQL_TYPE_STRING:
		if t, n := ResolveString(meta); t == MYSQL_TYPE_ENUM || t == MYSQL_TYPE_SET {
			return n
		}
	}
	return -1
}

// FractionSize is the size of a fraction of a second with that many digits.
func FractionSize(digits uint16) int { return (int(min(digits, 6)) + 1) / 2 }

// What is added to the packed numbers of DATETIME2 and TIME2, so that they sort as
// unsigned ones.
const (
	DATETIMEF_INT_OFS = 0x8000000000
	TIMEF_INT_OFS     = 0x800000
)
