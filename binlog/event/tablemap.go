package event

import (
	"encoding/binary"
	"fmt"

	"github.com/duramendb/duramen/mysql"
)

// Flags of a TABLE_MAP event.
const (
	// TableMapFlagBase is what MariaDB always sets: field lengths are exact (TM_BIT_LEN_EXACT_F).
	TableMapFlagBase uint16 = 1
	// TableMapFlagTriggers says that the primary's table has triggers, whose changes are in the log as rows (TM_BIT_HAS_TRIGGERS_F).
	TableMapFlagTriggers uint16 = 1 << 14
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
	Type     byte   // MYSQL_TYPE_*; ENUM and SET may be given as such or as STRING
	Meta     uint16 // the type's metadata, see package mysql
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
	case mysql.MYSQL_TYPE_ENUM, mysql.MYSQL_TYPE_SET:
		return mysql.MYSQL_TYPE_STRING
	case mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB, mysql.MYSQL_TYPE_LONG_BLOB:
		return mysql.MYSQL_TYPE_BLOB
	case mysql.MYSQL_TYPE_NEWDATE:
		return mysql.MYSQL_TYPE_DATE
	}
	return t
}

// metaLen is how many bytes of metadata a type has.
func metaLen(t byte) int {
	switch t {
	case mysql.MYSQL_TYPE_FLOAT, mysql.MYSQL_TYPE_DOUBLE, mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB,
		mysql.MYSQL_TYPE_LONG_BLOB, mysql.MYSQL_TYPE_GEOMETRY, mysql.MYSQL_TYPE_JSON, mysql.MYSQL_TYPE_BLOB_COMPRESSED,
		mysql.MYSQL_TYPE_TIME2, mysql.MYSQL_TYPE_DATETIME2, mysql.MYSQL_TYPE_TIMESTAMP2:
		return 1
	case mysql.MYSQL_TYPE_VARCHAR, mysql.MYSQL_TYPE_VARCHAR_COMPRESSED, mysql.MYSQL_TYPE_BIT, mysql.MYSQL_TYPE_NEWDECIMAL,
		mysql.MYSQL_TYPE_STRING, mysql.MYSQL_TYPE_VAR_STRING, mysql.MYSQL_TYPE_ENUM, mysql.MYSQL_TYPE_SET:
		return 2
	}
	return 0
}

// bigEndianMeta reports whether the first byte of a two-byte metadata is the
// high byte of Meta.
func bigEndianMeta(t byte) bool {
	switch t {
	case mysql.MYSQL_TYPE_NEWDECIMAL, mysql.MYSQL_TYPE_STRING, mysql.MYSQL_TYPE_VAR_STRING, mysql.MYSQL_TYPE_ENUM, mysql.MYSQL_TYPE_SET:
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
		if c.Type == mysql.MYSQL_TYPE_ENUM || c.Type == mysql.MYSQL_TYPE_SET {
			hi = c.Type
		}
		if bigEndianMeta(c.Type) {
			return append(dst, hi, lo)
		}
		return append(dst, lo, hi)
	}
	return dst
}

func decodeTableMap(b []byte, ofMySQL bool) (*TableMapInfo, error) {
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
	if err := t.decodeOptionalMetadata(r.b, ofMySQL); err != nil {
		return nil, err
	}
	return t, nil
}
