package row

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/duramendb/duramen/mysql"
)

// DecodeSome appends the values of the given columns of a full image to vals, in the given
// order; the others are stepped over. Ascending order is fastest.
//
//	integers                        int64, uint64 if Unsigned
//	FLOAT, DOUBLE                   float32, float64
//	NEWDECIMAL                      string with all digits of the scale
//	YEAR                            int64
//	BIT, ENUM (index), SET (bits)   uint64
//	CHAR, VARCHAR, TEXT, JSON       string; []byte if Collation is mysql.Collation_binary
//	BINARY, VARBINARY, BLOB, GEOMETRY  []byte; a BINARY padded with zeros to its length
//	DATE, DATETIME, TIMESTAMP       time.Time in UTC, the zero Time for '0000-00-00'; see Date
//	TIME                            time.Duration
//	NULL                            nil
//
// Nothing that is returned shares the image's memory.
func DecodeSome(vals []any, cols []Column, image []byte, ordinals []int) ([]any, error) {
	c, err := newImageReader(cols, image)
	if err != nil {
		return vals, err
	}
	for _, i := range ordinals {
		v, err := c.decode(i)
		if err != nil {
			return vals, err
		}
		vals = append(vals, v)
	}
	return vals, nil
}

func (c *imageReader) decode(column int) (any, error) {
	packed, err := c.value(column)
	if err != nil {
		return nil, err
	}
	if bit(c.image, column) {
		return nil, nil
	}
	return DecodeValue(&c.cols[column], packed)
}

// DecodeValue decodes one packed value, its length prefix included.
func DecodeValue(c *Column, b []byte) (any, error) {
	size, err := mysql.ValueSize(c.Type, c.Meta, b)
	if err != nil || size != len(b) {
		return nil, fmt.Errorf("%w: %s: packed value of %d bytes", ErrCorrupt, c.describe(), len(b))
	}
	k, n := c.kind()
	switch k {
	case kindInt:
		if c.Unsigned {
			return readLittle(b), nil
		}
		return signExtend(readLittle(b), n), nil
	case kindFloat:
		return math.Float32frombits(binary.LittleEndian.Uint32(b)), nil
	case kindDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), nil
	case kindDecimal:
		var buf [decimalBufferSize]byte
		text, err := mysql.AppendDecimalText(buf[:0], b, int(c.Meta>>8), int(c.Meta&0xff))
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, c.describe(), err)
		}
		return string(text), nil
	case kindYear:
		if b[0] == 0 {
			return int64(0), nil
		}
		return int64(b[0]) + 1900, nil
	case kindBit:
		return readBig(b), nil
	case kindEnum, kindSet:
		return readLittle(b), nil
	case kindDate:
		return decodeDate(b), nil
	case kindTime2:
		return decodeTime2(b), nil
	case kindDatetime2:
		return decodeDatetime2(b), nil
	case kindTimestamp2:
		return decodeTimestamp(binary.BigEndian.Uint32(b), readFraction(b[4:])), nil
	case kindOldTimestamp:
		return decodeTimestamp(binary.LittleEndian.Uint32(b), 0), nil
	case kindOldTime:
		return decodeOldTime(b), nil
	case kindOldDatetime:
		return decodeOldDatetime(b), nil
	case kindVarchar, kindBlob:
		return c.text(textOf(k, n, b)), nil
	case kindChar:
		text := textOf(k, n, b)
		if c.Collation == mysql.Collation_binary && len(text) < n {
			padded := make([]byte, n)
			copy(padded, text)
			return padded, nil
		}
		return c.text(text), nil
	}
	return nil, fmt.Errorf("%w: %s: type %d cannot be read", ErrType, c.describe(), c.Type)
}

func (c *Column) text(b []byte) any {
	if c.isBytes() {
		return append(make([]byte, 0, len(b)), b...)
	}
	return string(b)
}

// textOf takes the length prefix off a packed string.
func textOf(k kind, n int, b []byte) []byte {
	switch {
	case k == kindBlob:
		return b[n:]
	case n > 255:
		return b[2:]
	}
	return b[1:]
}

func readLittle(b []byte) uint64 {
	switch len(b) {
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 8:
		return binary.LittleEndian.Uint64(b)
	}
	var v uint64
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

func readBig(b []byte) uint64 {
	var v uint64
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}

func signExtend(v uint64, size int) int64 {
	shift := 64 - 8*size
	return int64(v<<shift) >> shift
}
