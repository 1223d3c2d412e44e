package convert

import (
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
)

// class is what types have in common that go with each other.
type class uint8

const (
	other class = iota // goes only with itself
	integer
	float
	decimal
	text // CHAR, VARCHAR, TEXT and their binary brothers
	bits
	enum
	set
	date
	clock    // TIME
	moment   // DATETIME
	stamp    // TIMESTAMP
	document // a MySQL's JSON
)

// kind is a column's type, taken apart.
type kind struct {
	class
	typ  byte // mysql.MYSQL_TYPE_*, with ENUM and SET as such
	meta uint16
	// size is the number of octets of an integer, ENUM, SET, FLOAT or DOUBLE, the most octets of a string, the bits of a BIT, the digits
	// of a fraction of a second.
	size             int
	prefix           int  // octets of the length before a string
	old              bool // a temporal type of MariaDB 5.3's format
	precision, scale int  // of a DECIMAL
}

// kindOf takes a column's type apart as it stands in a table map or in the catalog.
func kindOf(typ byte, meta uint16) kind {
	k := kind{typ: typ, meta: meta}
	switch typ {
	case mysql.MYSQL_TYPE_TINY, mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_INT24, mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_LONGLONG:
		k.class, k.size = integer, mysql.FixedSize(typ, meta)
	case mysql.MYSQL_TYPE_FLOAT, mysql.MYSQL_TYPE_DOUBLE:
		k.class, k.size = float, mysql.FixedSize(typ, meta)
	case mysql.MYSQL_TYPE_NEWDECIMAL:
		k.class, k.precision, k.scale = decimal, int(meta>>8), int(meta&0xff)
	case mysql.MYSQL_TYPE_VARCHAR, mysql.MYSQL_TYPE_VAR_STRING:
		k.class, k.size = text, int(meta)
		k.prefix = prefixOf(k.size)
	case mysql.MYSQL_TYPE_STRING, mysql.MYSQL_TYPE_ENUM, mysql.MYSQL_TYPE_SET:
		real, n := typ, int(meta&0xff)
		if typ == mysql.MYSQL_TYPE_STRING {
			real, n = mysql.ResolveString(meta)
		}
		k.typ, k.size = real, n
		switch real {
		case mysql.MYSQL_TYPE_ENUM:
			k.class = enum
		case mysql.MYSQL_TYPE_SET:
			k.class = set
		case mysql.MYSQL_TYPE_STRING:
			k.class, k.prefix = text, prefixOf(n)
		}
	case mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB, mysql.MYSQL_TYPE_LONG_BLOB, mysql.MYSQL_TYPE_BLOB:
		k.typ = mysql.MYSQL_TYPE_BLOB
		if meta >= 1 && meta <= 4 {
			k.class, k.prefix, k.size = text, int(meta), 1<<(8*meta)-1
		}
	case mysql.MYSQL_TYPE_JSON:
		if meta >= 1 && meta <= 4 {
			k.class, k.prefix = document, int(meta)
		}
	case mysql.MYSQL_TYPE_BIT:
		k.class, k.size = bits, int(meta>>8)*8+int(meta&0xff)
	case mysql.MYSQL_TYPE_DATE, mysql.MYSQL_TYPE_NEWDATE:
		k.class, k.typ = date, mysql.MYSQL_TYPE_DATE
	case mysql.MYSQL_TYPE_TIME2, mysql.MYSQL_TYPE_DATETIME2, mysql.MYSQL_TYPE_TIMESTAMP2:
		k.size = int(meta)
	case mysql.MYSQL_TYPE_TIME, mysql.MYSQL_TYPE_DATETIME, mysql.MYSQL_TYPE_TIMESTAMP:
		k.old = true
	}
	switch typ {
	case mysql.MYSQL_TYPE_TIME2, mysql.MYSQL_TYPE_TIME:
		k.class = clock
	case mysql.MYSQL_TYPE_DATETIME2, mysql.MYSQL_TYPE_DATETIME:
		k.class = moment
	case mysql.MYSQL_TYPE_TIMESTAMP2, mysql.MYSQL_TYPE_TIMESTAMP:
		k.class = stamp
	}
	return k
}

// prefixOf is how many octets the length before a string of at most so many octets has.
func prefixOf(size int) int {
	if size > 255 {
		return 2
	}
	return 1
}

// sound says that values of the type can be taken apart: its metadata is what the type can have.
func (k *kind) sound() bool {
	switch k.class {
	case decimal:
		return k.scale <= k.precision && k.precision > 0 && k.precision <= 65
	case clock, moment, stamp:
		return k.size <= 6
	case bits:
		return k.size >= 1 && k.size <= 64 && k.meta&0xff < 8
	case enum:
		return k.size == 1 || k.size == 2
	case set:
		return k.size >= 1 && k.size <= 8
	}
	return true
}

// longPrefix is the octets of the length before a LONGTEXT.
const longPrefix = 4

// relationOf is what two types are to each other; fixed is what isFixed says of this server's column, isText that it has Unicode's characters in UTF-8.
func relationOf(from, to *kind, fixed, isText bool) relation {
	switch {
	case !from.sound() || !to.sound():
		return never
	case fixed && (from.typ != to.typ || from.size != to.size):
		return never
	case from.class == other || to.class == other:
		return identical(from, to)
	case from.class == text && to.class == text:
		r := compared(from.size, to.size)
		if r == same && from.typ != to.typ {
			return widening // another kind of the same length
		}
		return r
	case from.class == document && isText && to.typ == mysql.MYSQL_TYPE_BLOB && to.prefix == longPrefix:
		return variant
	case from.class == document || to.class == document:
		return never
	case from.class != to.class:
		return between(from, to)
	case from.class == decimal:
		if r := compared(from.precision, to.precision); r != same {
			return r
		}
		return compared(from.scale, to.scale)
	case from.old != to.old:
		switch {
		case from.size == to.size:
			return variant
		case from.old:
			return widening
		}
		return never
	case from.class == clock, from.class == moment, from.class == stamp: // MariaDB compares what the digits take
		return compared(mysql.FractionSize(uint16(from.size)), mysql.FractionSize(uint16(to.size)))
	}
	return compared(from.size, to.size)
}

// identical is the relation of types that are not taken apart.
func identical(from, to *kind) relation {
	if from.typ != to.typ || from.meta != to.meta {
		return never
	}
	return same
}

// between is the relation of types of different classes.
func between(from, to *kind) relation {
	switch {
	case from.class == decimal && to.class == float, from.class == float && to.class == decimal, from.class == moment && to.class == date && !from.old:
		return narrowing
	case from.class == date && to.class == moment:
		return widening
	}
	return never
}

// TypeName is how MariaDB's error 1677 names a column of a table map. Without metadata nobody knows whether a string is a text: to is
// this server's column, after which it is named.
func TypeName(from *event.ColumnMeta, to *catalog.ColumnDef) string {
	k := kindOf(from.Type, from.Meta)
	char, varchar, octets := "char", "varchar", " octets"
	if isBinary(to) {
		char, varchar, octets = "binary", "varbinary", ""
	}
	switch k.typ {
	case mysql.MYSQL_TYPE_VARCHAR:
		return fmt.Sprintf("%s(%d%s)", varchar, k.size, octets)
	case mysql.MYSQL_TYPE_STRING, mysql.MYSQL_TYPE_VAR_STRING:
		return fmt.Sprintf("%s(%d%s)", char, k.size, octets)
	case mysql.MYSQL_TYPE_VARCHAR_COMPRESSED:
		return fmt.Sprintf("%s(%d%s) compressed", varchar, k.meta, octets)
	case mysql.MYSQL_TYPE_BLOB:
		return blobName(k.meta)
	case mysql.MYSQL_TYPE_BLOB_COMPRESSED:
		return blobName(k.meta) + " compressed"
	case mysql.MYSQL_TYPE_NEWDECIMAL:
		return fmt.Sprintf("decimal(%d,%d)", k.precision, k.scale)
	case mysql.MYSQL_TYPE_BIT:
		return fmt.Sprintf("bit(%d)", k.size)
	}
	if name := plainNames[k.typ]; name != "" {
		return name
	}
	return fmt.Sprintf("type %d", k.typ)
}

var plainNames = map[byte]string{
	mysql.MYSQL_TYPE_TINY: "tinyint", mysql.MYSQL_TYPE_SHORT: "smallint", mysql.MYSQL_TYPE_INT24: "mediumint", mysql.MYSQL_TYPE_LONG: "int",
	mysql.MYSQL_TYPE_LONGLONG: "bigint", mysql.MYSQL_TYPE_FLOAT: "float", mysql.MYSQL_TYPE_DOUBLE: "double", mysql.MYSQL_TYPE_NULL: "null",
	mysql.MYSQL_TYPE_YEAR: "year", mysql.MYSQL_TYPE_DATE: "date", mysql.MYSQL_TYPE_TIME: "time", mysql.MYSQL_TYPE_TIME2: "time",
	mysql.MYSQL_TYPE_DATETIME: "datetime", mysql.MYSQL_TYPE_DATETIME2: "datetime", mysql.MYSQL_TYPE_TIMESTAMP: "timestamp",
	mysql.MYSQL_TYPE_TIMESTAMP2: "timestamp", mysql.MYSQL_TYPE_ENUM: "enum", mysql.MYSQL_TYPE_SET: "set", mysql.MYSQL_TYPE_GEOMETRY: "geometry",
	mysql.MYSQL_TYPE_JSON: "json",
}

func blobName(lengthBytes uint16) string {
	switch lengthBytes {
	case 1:
		return "tinyblob"
	case 2:
		return "blob"
	case 3:
		return "mediumblob"
	}
	return "longblob"
}

// ColumnTypeName is how MariaDB's error 1677 names a column of this server.
func ColumnTypeName(c *catalog.ColumnDef) string {
	k := kindOf(c.Type, c.Meta)
	if k.class != text || isBinary(c) || k.typ == mysql.MYSQL_TYPE_BLOB {
		return c.SQLType
	}
	name := "varchar"
	if k.typ == mysql.MYSQL_TYPE_STRING {
		name = "char"
	}
	charset, _ := mysql.CharsetName(c.Collation)
	return fmt.Sprintf("%s(%d octets) character set %s", name, k.size, charset)
}

// isBinary says that a column holds strings without a character set.
func isBinary(c *catalog.ColumnDef) bool {
	k := kindOf(c.Type, c.Meta)
	switch {
	case k.class == text:
		return c.Collation == mysql.Collation_binary
	case k.typ == mysql.MYSQL_TYPE_VARCHAR_COMPRESSED, k.typ == mysql.MYSQL_TYPE_BLOB_COMPRESSED:
		return c.Collation == mysql.Collation_binary
	}
	return k.typ == mysql.MYSQL_TYPE_GEOMETRY
}
