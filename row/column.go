package row

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/mysql"
)

var (
	// ErrCorrupt says that an image or key does not fit its columns.
	ErrCorrupt = errors.New("row does not fit its table")
	// ErrRange says that a value lies outside of what the column's type can hold.
	ErrRange = errors.New("value out of range")
	// ErrTooLong says that a string is longer than its column.
	ErrTooLong = errors.New("data too long")
	// ErrInexact says that a column cannot hold a value without rounding;
	// only AppendKeyValue minds, because a rounded bound would be a wrong one.
	ErrInexact = errors.New("value is not exact in the column's type")
	// ErrType says that a Go value is of no type that the column accepts.
	ErrType = errors.New("value of wrong type")
)

// WeightFunc appends the sort key of s under a collation to dst and returns
// it; it must not keep s. Two strings are equal under the collation exactly
// if their weights are the same bytes, and compare as their weights do.
// Of a collation that pads with spaces the weight must consist of units as long as the
// weight of one space.
type WeightFunc func(dst, s []byte) []byte

// Column is what the encoding has to know of a column. All fields are
// read-only for this package, so columns may be shared between goroutines.
type Column struct {
	Name     string
	Type     byte   // mysql.MYSQL_TYPE_*, as in a table map; ENUM and SET also as such
	Meta     uint16 // see package mysql
	Nullable bool
	Unsigned bool
	// Collation is the id of the collation, which also tells the character
	// set; mysql.Collation_binary for bytes.
	Collation uint16
	// Weight makes keys; nil: the bytes themselves.
	Weight WeightFunc
	// EnumValues are the members of ENUM and SET; only ColumnMeta uses them.
	EnumValues []string
	// PadSpace: the collation compares as if the shorter string were padded with spaces.
	PadSpace bool
}

// Kind is the class of encoding of a column.
type kind byte

const (
	kindUnknown kind = iota
	kindInt
	kindFloat
	kindDouble
	kindDecimal
	kindDate
	kindTime2
	kindDatetime2
	kindTimestamp2
	kindYear
	kindVarchar
	kindChar
	kindBlob
	kindBit
	kindEnum
	kindSet
	kindOldTimestamp // without fractions, before MariaDB 10.1's mysql56_temporal_format
	kindOldTime
	kindOldDatetime
	kindCompressed // column compression: kept as it is
)

// kind also gives the length that matters for the kind: bytes of an integer
// or of a length prefix, digits of a fraction, maximum bytes of a CHAR.
func (c *Column) kind() (kind, int) {
	switch c.Type {
	case mysql.MYSQL_TYPE_TINY:
		return kindInt, 1
	case mysql.MYSQL_TYPE_SHORT:
		return kindInt, 2
	case mysql.MYSQL_TYPE_INT24:
		return kindInt, 3
	case mysql.MYSQL_TYPE_LONG:
		return kindInt, 4
	case mysql.MYSQL_TYPE_LONGLONG:
		return kindInt, 8
	case mysql.MYSQL_TYPE_FLOAT:
		return kindFloat, 4
	case mysql.MYSQL_TYPE_DOUBLE:
		return kindDouble, 8
	case mysql.MYSQL_TYPE_NEWDECIMAL:
		return kindDecimal, mysql.DecimalSize(int(c.Meta>>8), int(c.Meta&0xff))
	case mysql.MYSQL_TYPE_DATE, mysql.MYSQL_TYPE_NEWDATE:
		return kindDate, 3
	case mysql.MYSQL_TYPE_TIME2:
		return kindTime2, int(min(c.Meta, 6))
	case mysql.MYSQL_TYPE_DATETIME2:
		return kindDatetime2, int(min(c.Meta, 6))
	case mysql.MYSQL_TYPE_TIMESTAMP2:
		return kindTimestamp2, int(min(c.Meta, 6))
	case mysql.MYSQL_TYPE_YEAR:
		return kindYear, 1
	case mysql.MYSQL_TYPE_VARCHAR, mysql.MYSQL_TYPE_VAR_STRING:
		return kindVarchar, int(c.Meta)
	case mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB, mysql.MYSQL_TYPE_LONG_BLOB,
		mysql.MYSQL_TYPE_GEOMETRY, mysql.MYSQL_TYPE_JSON:
		return kindBlob, int(c.Meta)
	case mysql.MYSQL_TYPE_BIT:
		return kindBit, mysql.FixedSize(c.Type, c.Meta)
	case mysql.MYSQL_TYPE_ENUM:
		return kindEnum, int(c.Meta & 0xff)
	case mysql.MYSQL_TYPE_SET:
		return kindSet, int(c.Meta & 0xff)
	case mysql.MYSQL_TYPE_STRING:
		switch t, n := mysql.ResolveString(c.Meta); t {
		case mysql.MYSQL_TYPE_ENUM:
			return kindEnum, n
		case mysql.MYSQL_TYPE_SET:
			return kindSet, n
		default:
			return kindChar, n
		}
	case mysql.MYSQL_TYPE_TIMESTAMP:
		return kindOldTimestamp, 4
	case mysql.MYSQL_TYPE_TIME:
		return kindOldTime, 3
	case mysql.MYSQL_TYPE_DATETIME:
		return kindOldDatetime, 8
	case mysql.MYSQL_TYPE_BLOB_COMPRESSED, mysql.MYSQL_TYPE_VARCHAR_COMPRESSED:
		return kindCompressed, 0
	}
	return kindUnknown, 0
}

// isBytes reports whether values decode to []byte rather than string.
func (c *Column) isBytes() bool {
	return c.Collation == mysql.Collation_binary || c.Type == mysql.MYSQL_TYPE_GEOMETRY
}

// describe names the column in errors.
func (c *Column) describe() string {
	if c.Name == "" {
		return fmt.Sprintf("column of type %d", c.Type)
	}
	return fmt.Sprintf("column %q", c.Name)
}
