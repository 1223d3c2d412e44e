package event

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Flags of a TABLE_MAP event.
const (
	// TableMapFlagBase is what MariaDB always sets: field lengths are exact (TM_BIT_LEN_EXACT_F).
	TableMapFlagBase uint16 = 1
)

// DummyTableID in a rows event with StmtEnd says only: the statement ends.
const DummyTableID = 0xffffff

// RowMetadata is @@binlog_row_metadata: how much of the table's definition
// follows a table map.
type RowMetadata byte

// Values of RowMetadata.
const (
	RowMetadataNoLog   RowMetadata = iota // nothing
	RowMetadataMinimal                    // signedness, character sets, geometry types
	RowMetadataFull                       // and names, ENUM and SET members, the primary key
)

// ColumnMeta is one column of a TABLE_MAP event.
type ColumnMeta struct {
	Type byte // MYSQL_TYPE_*; ENUM and SET may be given as such or as STRING
	// Meta is the type's metadata: one byte (FLOAT, DOUBLE: size; BLOB
	// family: bytes of length; TIME2, DATETIME2, TIMESTAMP2: fractional digits), VARCHAR: bytes,
	// BIT: bits%8 | bits/8<<8, NEWDECIMAL: precision<<8 | scale, STRING: see StringMeta.
	Meta     uint16
	Nullable bool
	Unsigned bool
	// The rest is written and decoded only as optional metadata.
	Charset      uint16 // collation id; 63 is binary
	GeometryType byte
	Name         string
	Values       []string // members of ENUM or SET
}

// KeyColumn is a column of the primary key in FULL metadata.
type KeyColumn struct {
	Column int
	Prefix int // characters, 0 for the whole column
}

// TableMapInfo is a TABLE_MAP event: which table, and the types of its columns,
// for the rows events that follow.
type TableMapInfo struct {
	TableID    uint64 // 48 bits
	Flags      uint16
	Schema     string // at most 255 bytes, like Table
	Table      string
	Columns    []ColumnMeta
	Metadata   RowMetadata
	PrimaryKey []KeyColumn
}

// AppendTableMap appends a TABLE_MAP event. Info.Flags is completed by TableMapFlagBase.
func AppendTableMap(dst []byte, m Meta, info *TableMapInfo) []byte {
	dst, start := Begin(dst, m, TableMap)
	dst = appendTableID(dst, info.TableID)
	dst = binary.LittleEndian.AppendUint16(dst, info.Flags|TableMapFlagBase)
	dst = append(appendString8(dst, info.Schema[:min(len(info.Schema), 255)]), 0)
	dst = append(appendString8(dst, info.Table[:min(len(info.Table), 255)]), 0)
	dst = appendPacked(dst, uint64(len(info.Columns)))
	metaSize := 0
	for i := range info.Columns {
		c := &info.Columns[i]
		dst = append(dst, wireType(c.Type))
		metaSize += metaLen(c.Type)
	}
	dst = appendPacked(dst, uint64(metaSize))
	for i := range info.Columns {
		dst = appendMeta(dst, &info.Columns[i])
	}
	dst = appendBits(dst, len(info.Columns), func(i int) bool { return info.Columns[i].Nullable })
	if info.Metadata != RowMetadataNoLog {
		dst = appendOptionalMetadata(dst, info)
	}
	return End(dst, start)
}

func appendTableID(dst []byte, id uint64) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(id))
	return binary.LittleEndian.AppendUint16(dst, uint16(id>>32))
}

// appendBits appends n bits, the first in the lowest bit of the first byte.
func appendBits(dst []byte, n int, bit func(int) bool) []byte {
	for i := 0; i < n; i += 8 {
		var b byte
		for j := i; j < min(i+8, n); j++ {
			if bit(j) {
				b |= 1 << (j - i)
			}
		}
		dst = append(dst, b)
	}
	return dst
}

// wireType is the type code as a table map holds it.
func wireType(t byte) byte {
	switch t {
	case MYSQL_TYPE_ENUM, MYSQL_TYPE_SET:
		return MYSQL_TYPE_STRING
	case MYSQL_TYPE_TINY_BLOB, MYSQL_TYPE_MEDIUM_BLOB, MYSQL_TYPE_LONG_BLOB:
		return MYSQL_TYPE_BLOB
	case MYSQL_TYPE_NEWDATE:
		return MYSQL_TYPE_DATE
	}
	return t
}

// metaLen is how many bytes of metadata a type has.
func metaLen(t byte) int {
	switch t {
	case MYSQL_TYPE_FLOAT, MYSQL_TYPE_DOUBLE, MYSQL_TYPE_BLOB, MYSQL_TYPE_TINY_BLOB, MYSQL_TYPE_MEDIUM_BLOB,
		MYSQL_TYPE_LONG_BLOB, MYSQL_TYPE_GEOMETRY, MYSQL_TYPE_JSON, MYSQL_TYPE_BLOB_COMPRESSED,
		MYSQL_TYPE_TIME2, MYSQL_TYPE_DATETIME2, MYSQL_TYPE_TIMESTAMP2:
		return 1
	case MYSQL_TYPE_VARCHAR, MYSQL_TYPE_VARCHAR_COMPRESSED, MYSQL_TYPE_BIT, MYSQL_TYPE_NEWDECIMAL,
		MYSQL_TYPE_STRING, MYSQL_TYPE_VAR_STRING, MYSQL_TYPE_ENUM, MYSQL_TYPE_SET:
		return 2
	}
	return 0
}

// bigEndianMeta reports whether the first byte of a two-byte metadata is the
// high byte of Meta.
func bigEndianMeta(t byte) bool {
	switch t {
	case MYSQL_TYPE_NEWDECIMAL, MYSQL_TYPE_STRING, MYSQL_TYPE_VAR_STRING, MYSQL_TYPE_ENUM, MYSQL_TYPE_SET:
		return true
	}
	return false
}

func appendMeta(dst []byte, c *ColumnMeta) []byte {
	switch metaLen(c.Type) {
	case 1:
		return append(dst, byte(c.Meta))
	case 2:
		hi, lo := byte(c.Meta>>8), byte(c.Meta)
		if c.Type == MYSQL_TYPE_ENUM || c.Type == MYSQL_TYPE_SET {
			hi = c.Type
		}
		if bigEndianMeta(c.Type) {
			return append(dst, hi, lo)
		}
		return append(dst, lo, hi)
	}
	return dst
}

func decodeTableMap(b []byte) (*TableMapInfo, error) {
	r := reader{b: b}
	t := &TableMapInfo{TableID: r.u48(), Flags: r.u16()}
	t.Schema = string(r.take(int(r.u8())))
	r.take(1)
	t.Table = string(r.take(int(r.u8())))
	r.take(1)
	types := r.take(r.packedLen())
	meta := reader{b: r.take(r.packedLen())}
	nulls := r.take((len(types) + 7) / 8)
	if r.failed {
		return nil, tooShort(TableMap, b)
	}
	t.Columns = make([]ColumnMeta, len(types))
	for i := range t.Columns {
		c := &t.Columns[i]
		c.Type = types[i]
		c.Nullable = nulls[i/8]>>(i%8)&1 == 1
		switch metaLen(c.Type) {
		case 1:
			c.Meta = uint16(meta.u8())
		case 2:
			c.Meta = meta.u16()
			if bigEndianMeta(c.Type) {
				c.Meta = c.Meta<<8 | c.Meta>>8
			}
		}
	}
	if meta.failed {
		return nil, fmt.Errorf("%w: column metadata of a table map is cut short", ErrMalformed)
	}
	if err := t.decodeOptionalMetadata(r.b); err != nil {
		return nil, err
	}
	return t, nil
}

// StringMeta is the Meta of a STRING column (CHAR, BINARY) of at most bytes
// bytes, at most 1023. Bits 8 and 9 of the length are kept inverted among the type's bits.
func StringMeta(bytes int) uint16 {
	n := uint16(min(bytes, 1023))
	return (uint16(MYSQL_TYPE_STRING)^(n&0x300)>>4)<<8 | n&0xff
}

// EnumMeta is the Meta of an ENUM column with that many members.
func EnumMeta(members int) uint16 {
	if members > math.MaxUint8 {
		return uint16(MYSQL_TYPE_ENUM)<<8 | 2
	}
	return uint16(MYSQL_TYPE_ENUM)<<8 | 1
}

// SetMeta is the Meta of a SET column with that many members, at most 64.
func SetMeta(members int) uint16 {
	n := (members + 7) / 8
	if n > 4 {
		n = 8
	}
	return uint16(MYSQL_TYPE_SET)<<8 | uint16(max(n, 1))
}

// DecimalMeta is the Meta of a NEWDECIMAL column.
func DecimalMeta(precision, scale int) uint16 { return uint16(precision)<<8 | uint16(scale) }

// BitMeta is the Meta of a BIT column of that many bits.
func BitMeta(bits int) uint16 { return uint16(bits%8) | uint16(bits/8)<<8 }

// ResolveString tells what a column of type STRING (or ENUM or SET) really is:
// MYSQL_TYPE_STRING, _ENUM or _SET, and its length: the maximum in bytes of a string, the
// stored size of the others.
func ResolveString(meta uint16) (typ byte, length int) {
	hi, lo := byte(meta>>8), byte(meta)
	switch {
	case hi == MYSQL_TYPE_ENUM || hi == MYSQL_TYPE_SET:
		return hi, int(lo)
	case hi&0x30 != 0x30:
		return hi | 0x30, int(lo) | int((hi&0x30)^0x30)<<4
	}
	return hi, int(lo)
}
