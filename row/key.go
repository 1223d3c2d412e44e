package row

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/duramendb/duramen/mysql"
)

// KeyPart is one column of an index.
type KeyPart struct {
	Column    int // ordinal in the table
	PrefixLen int // characters (bytes for binary strings) that are indexed, 0 for all
	Padded    int // a text is followed by spaces up to so many characters, and they count; 0: no
	Desc      bool
	Digest    bool // the component of a long text is a digest of it: equal texts have equal components, but they are in no order
}

const (
	keyNull    = 0x00
	keyPresent = 0x01
	keyIntZero = 0x80 // plus the number of bytes; negative numbers: 7f minus it
)

// AppendKey appends the components of an index key of a row, given as its
// full image. hasNull: at least one of them is NULL, so that a unique index
// does not compare it.
func AppendKey(dst []byte, cols []Column, parts []KeyPart, image []byte) (key []byte, hasNull bool, err error) {
	start := len(dst)
	c, err := newImageReader(cols, image)
	if err != nil {
		return dst, false, err
	}
	for _, p := range parts {
		if bit(image, p.Column) {
			dst, hasNull = AppendKeyNull(dst, p.Desc), true
			continue
		}
		packed, err := c.value(p.Column)
		if err != nil {
			return dst[:start], false, err
		}
		at := len(dst)
		if dst, err = appendComponent(dst, &cols[p.Column], p, packed); err != nil {
			return dst[:start], false, fmt.Errorf("key of %s: %w", cols[p.Column].describe(), err)
		}
		if p.Desc {
			invert(dst[at:])
		}
	}
	return dst, hasNull, nil
}

// AppendKeyValue appends one component for a value as Encode accepts it, nil
// included: the same bytes that AppendKey makes of an equal value. Integers,
// floats and strings need not fit the column, so that any bound of a range can be
// made; a decimal or temporal value that the column cannot hold gives ErrRange or ErrInexact.
func AppendKeyValue(dst []byte, col Column, part KeyPart, val any) ([]byte, error) {
	if val == nil {
		return AppendKeyNull(dst, part.Desc), nil
	}
	start := len(dst)
	dst, err := appendKeyValue(dst, &col, part, val)
	if err != nil {
		return dst[:start], fmt.Errorf("key of %s: %w", col.describe(), err)
	}
	if part.Desc {
		invert(dst[start:])
	}
	return dst, nil
}

func appendKeyValue(dst []byte, c *Column, part KeyPart, val any) ([]byte, error) {
	switch k, _ := c.kind(); k {
	case kindInt, kindYear, kindBit, kindEnum, kindSet:
		i, err := toInteger(val)
		if err != nil {
			return dst, err
		}
		return appendKeyInt(dst, i), nil
	case kindFloat, kindDouble:
		f, err := toFloat(val)
		if err != nil {
			return dst, err
		}
		return appendKeyFloat(dst, f), nil
	case kindVarchar, kindChar, kindBlob:
		switch v := val.(type) {
		case string:
			// A WeightFunc only reads, so the string's bytes need no copy.
			return appendKeyText(dst, c, part, unsafe.Slice(unsafe.StringData(v), len(v)))
		case []byte:
			return appendKeyText(dst, c, part, v)
		}
		return dst, wrongType(val)
	}
	var buf [64]byte
	packed, err := appendValue(buf[:0], c, val, true)
	if err != nil {
		return dst, err
	}
	return appendComponent(dst, c, part, packed)
}

// AppendKeyNull appends the component of NULL, which sorts before all values,
// or after them in a descending index.
func AppendKeyNull(dst []byte, desc bool) []byte {
	if desc {
		return append(dst, ^byte(keyNull))
	}
	return append(dst, keyNull)
}

func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// appendComponent appends an ascending component for a packed value.
func appendComponent(dst []byte, c *Column, part KeyPart, b []byte) ([]byte, error) {
	k, n := c.kind()
	switch k {
	case kindInt:
		v := readLittle(b)
		if c.Unsigned {
			return appendKeyInt(dst, integer{bits: v}), nil
		}
		return appendKeyInt(dst, signed(signExtend(v, n))), nil
	case kindYear:
		v := uint64(b[0])
		if v != 0 {
			v += 1900
		}
		return appendKeyInt(dst, integer{bits: v}), nil
	case kindBit:
		return appendKeyInt(dst, integer{bits: readBig(b)}), nil
	case kindEnum, kindSet:
		return appendKeyInt(dst, integer{bits: readLittle(b)}), nil
	case kindFloat:
		return appendKeyFloat(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))), nil
	case kindDouble:
		return appendKeyFloat(dst, math.Float64frombits(binary.LittleEndian.Uint64(b))), nil
	case kindDate:
		return append(dst, keyPresent, b[2], b[1], b[0]), nil
	case kindDecimal, kindTime2, kindDatetime2, kindTimestamp2:
		return append(append(dst, keyPresent), b...), nil
	case kindOldTimestamp, kindOldDatetime:
		return appendBig(append(dst, keyPresent), readLittle(b), len(b)), nil
	case kindOldTime: // signed
		return appendBig(append(dst, keyPresent), readLittle(b)^0x800000, 3), nil
	case kindVarchar, kindChar, kindBlob:
		return appendKeyText(dst, c, part, textOf(k, n, b))
	}
	return dst, fmt.Errorf("%w: type %d in a key", ErrType, c.Type)
}

// AppendKeyInt appends the component of an integer in an ascending index, as AppendKeyValue does: v, or uint64(v) if it is unsigned.
func AppendKeyInt(dst []byte, v int64, unsigned bool) []byte {
	return appendKeyInt(dst, integer{bits: uint64(v), negative: v < 0 && !unsigned})
}

func appendKeyInt(dst []byte, i integer) []byte {
	if i.negative {
		n := (bits.Len64(^i.bits) + 7) / 8
		return appendBig(append(dst, byte(keyIntZero-1-n)), i.bits, n)
	}
	n := (bits.Len64(i.bits) + 7) / 8
	return appendBig(append(dst, byte(keyIntZero+n)), i.bits, n)
}

func appendKeyFloat(dst []byte, f float64) []byte {
	u := math.Float64bits(f + 0) // -0 becomes 0: they are equal in SQL
	if u>>63 == 1 {
		u = ^u
	} else {
		u |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(append(dst, keyPresent), u)
}

// SkipKey returns what follows the first component of key.
func SkipKey(key []byte, col Column, part KeyPart) (rest []byte, err error) {
	if len(key) == 0 {
		return nil, fmt.Errorf("%w: key ends before %s", ErrCorrupt, col.describe())
	}
	var flip byte
	if part.Desc {
		flip = 0xff
	}
	first := key[0] ^ flip
	if first == keyNull {
		return key[1:], nil
	}
	n := 1
	switch k, size := col.kind(); k {
	case kindInt, kindYear, kindBit, kindEnum, kindSet:
		n += int(max(first, keyIntZero) - keyIntZero)
		if first < keyIntZero {
			n += int(keyIntZero - 1 - first)
		}
		if n > 9 {
			return nil, fmt.Errorf("%w: key of %s starts with %#02x", ErrCorrupt, col.describe(), first)
		}
	case kindFloat, kindDouble:
		n += 8
	case kindVarchar, kindChar, kindBlob:
		if first == keyDigest {
			n += sha256.Size
			break
		}
		length, ok := skipKeyText(key[1:], &col, flip)
		if !ok {
			return nil, fmt.Errorf("%w: key of %s has no end", ErrCorrupt, col.describe())
		}
		n += length
	case kindDecimal:
		n += size
	case kindUnknown, kindCompressed:
		return nil, fmt.Errorf("%w: type %d in a key", ErrType, col.Type)
	default:
		n += mysql.FixedSize(col.Type, col.Meta)
	}
	if n > len(key) {
		return nil, fmt.Errorf("%w: key of %s is cut short", ErrCorrupt, col.describe())
	}
	return key[n:], nil
}
