package relation

import (
	"strconv"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Facts is what the definition of a result's column says of the column of a table that it shows. It is
// what MariaDB's Field knows; what depends on the session is added where it is sent.
type Facts struct {
	SQLType  string // as in catalog.ColumnDef
	Type     byte   // MYSQL_TYPE_*
	Flags    uint16
	Decimals byte
	// Length is in characters for text, in what MariaDB counts for everything else: digits with sign and
	// point, bits of BIT, bytes of binary strings.
	Length uint32
	// Collation is that of text; mysql.Collation_binary for all else.
	Collation uint16

	def *catalog.ColumnDef
}

// Values is the type of the column's values; ok is false for one that SQL of our own does not know.
func (f *Facts) Values() (t types.Type, ok bool) {
	t, unknown := typeOf(f.def, f)
	return t, unknown == ""
}

// FactsOf computes the facts of all columns of a table.
func FactsOf(def *catalog.TableDef) []Facts {
	facts := make([]Facts, len(def.Columns))
	for i := range def.Columns {
		facts[i] = factsOfColumn(&def.Columns[i])
	}
	addKeyFlags(def, facts)
	return facts
}

// addKeyFlags follows MariaDB's TABLE_SHARE::init_from_binary_frm_image: the first unique key without NULLs
// stands for a primary key that is missing.
func addKeyFlags(def *catalog.TableDef, facts []Facts) {
	primary := def.Primary
	promoted := -1
	for i := range def.Indexes {
		if len(primary) == 0 && canBePrimary(def, &def.Indexes[i]) {
			primary, promoted = def.Indexes[i].Parts, i
		}
	}
	for _, p := range primary {
		facts[p.Column].Flags |= mysql.PRI_KEY_FLAG | mysql.PART_KEY_FLAG
	}
	for i := range def.Indexes {
		idx := &def.Indexes[i]
		for at, p := range idx.Parts {
			f := &facts[p.Column]
			f.Flags |= mysql.PART_KEY_FLAG
			switch {
			case at > 0 || i == promoted:
			case idx.Unique && len(idx.Parts) == 1:
				f.Flags |= mysql.UNIQUE_KEY_FLAG
			default:
				f.Flags |= mysql.MULTIPLE_KEY_FLAG
			}
		}
	}
}

func canBePrimary(def *catalog.TableDef, idx *catalog.IndexDef) bool {
	if !idx.Unique || idx.Kind != "" || idx.Hash {
		return false
	}
	for _, p := range idx.Parts {
		if def.Columns[p.Column].Nullable || p.Prefix != 0 {
			return false
		}
	}
	return true
}

func factsOfColumn(c *catalog.ColumnDef) Facts {
	f := Facts{Type: c.Type, Collation: mysql.Collation_binary, SQLType: c.SQLType, def: c}
	if !c.Nullable {
		f.Flags |= mysql.NOT_NULL_FLAG
		if c.Default == "" && !c.HasDefault && c.OnUpdate == "" && !c.AutoIncrement && c.Generated == "" {
			f.Flags |= mysql.NO_DEFAULT_VALUE_FLAG
		}
	}
	if c.AutoIncrement {
		f.Flags |= mysql.AUTO_INCREMENT_FLAG
	}
	if c.OnUpdate != "" {
		f.Flags |= mysql.ON_UPDATE_NOW_FLAG
	}
	if kind, ok := addresses[c.SQLType]; ok {
		f.address(kind)
		return f
	}
	d := parseDeclared(c.SQLType)
	f.numeric(c, d)
	f.temporal(c)
	f.text(c)
	return f
}

// declaredType is what a column's type says beyond its name: "decimal(10,2) unsigned zerofill".
type declaredType struct {
	name               string
	args               []string
	unsigned, zerofill bool
}

func parseDeclared(text string) declaredType {
	head, rest := text, ""
	if open := strings.IndexByte(text, '('); open >= 0 {
		head = text[:open]
		if end := strings.LastIndexByte(text, ')'); end > open {
			rest = text[end+1:]
			text = text[open+1 : end]
		}
	} else {
		text = ""
	}
	words := strings.Fields(strings.ToLower(head + " " + rest))
	d := declaredType{args: strings.Split(text, ",")}
	if len(words) > 0 {
		d.name = words[0]
	}
	for _, w := range words {
		d.unsigned = d.unsigned || w == "unsigned" || w == "zerofill"
		d.zerofill = d.zerofill || w == "zerofill"
	}
	return d
}

// arg is the n-th number in the parentheses; -1 if there is none.
func (d declaredType) arg(n int) int {
	if n >= len(d.args) {
		return -1
	}
	v, err := strconv.Atoi(strings.TrimSpace(d.args[n]))
	if err != nil {
		return -1
	}
	return v
}

// width is the display width of an integer type, as SHOW CREATE TABLE prints it where none was declared.
func (d declaredType) width(signed, unsigned int) uint32 {
	switch n := d.arg(0); {
	case n > 0:
		return uint32(n)
	case d.unsigned:
		return uint32(unsigned)
	}
	return uint32(signed)
}

func (f *Facts) numeric(c *catalog.ColumnDef, d declaredType) {
	switch c.Type {
	case mysql.MYSQL_TYPE_TINY:
		f.Length = d.width(4, 3)
	case mysql.MYSQL_TYPE_SHORT:
		f.Length = d.width(6, 5)
	case mysql.MYSQL_TYPE_INT24:
		f.Length = d.width(9, 8)
	case mysql.MYSQL_TYPE_LONG:
		f.Length = d.width(11, 10)
	case mysql.MYSQL_TYPE_LONGLONG:
		f.Length = d.width(20, 20)
	case mysql.MYSQL_TYPE_FLOAT, mysql.MYSQL_TYPE_DOUBLE:
		f.Length, f.Decimals = 12, mysql.NOT_FIXED_DEC
		if c.Type == mysql.MYSQL_TYPE_DOUBLE {
			f.Length = 22
		}
		if d.arg(1) >= 0 {
			f.Length, f.Decimals = uint32(d.arg(0)), byte(d.arg(1))
		}
	case mysql.MYSQL_TYPE_NEWDECIMAL:
		precision, scale := uint32(c.Meta>>8), uint32(c.Meta&0xff)
		f.Length, f.Decimals = precision, byte(scale)
		if scale > 0 {
			f.Length++
		}
		if !d.unsigned {
			f.Length++
		}
	case mysql.MYSQL_TYPE_BIT:
		f.Length = uint32(c.Meta>>8)*8 + uint32(c.Meta&0xff)
		f.Flags |= mysql.UNSIGNED_FLAG
		return
	case mysql.MYSQL_TYPE_YEAR:
		f.Length = 4
		f.Flags |= mysql.UNSIGNED_FLAG | mysql.ZEROFILL_FLAG
		return
	default:
		return
	}
	if d.unsigned || c.Unsigned {
		f.Flags |= mysql.UNSIGNED_FLAG
	}
	if d.zerofill {
		f.Flags |= mysql.ZEROFILL_FLAG
	}
}

func (f *Facts) temporal(c *catalog.ColumnDef) {
	digits := uint32(c.Meta)
	switch c.Type {
	case mysql.MYSQL_TYPE_DATE:
		f.Length, digits = 10, 0
	case mysql.MYSQL_TYPE_TIME2:
		f.Type, f.Length = mysql.MYSQL_TYPE_TIME, 10
	case mysql.MYSQL_TYPE_DATETIME2:
		f.Type, f.Length = mysql.MYSQL_TYPE_DATETIME, 19
	case mysql.MYSQL_TYPE_TIMESTAMP2:
		f.Type, f.Length = mysql.MYSQL_TYPE_TIMESTAMP, 19
		f.Flags |= mysql.UNSIGNED_FLAG
		if c.OnUpdate != "" || strings.Contains(strings.ToUpper(c.Default), "CURRENT_TIMESTAMP") || strings.Contains(strings.ToUpper(c.Default), "NOW(") {
			f.Flags |= mysql.TIMESTAMP_FLAG
		}
	default:
		return
	}
	f.Flags |= mysql.BINARY_FLAG
	f.Decimals = byte(digits)
	if digits > 0 {
		f.Length += digits + 1
	}
}

// longTextBytes is the longest LONGTEXT or LONGBLOB.
const longTextBytes = 1<<32 - 1

func (f *Facts) text(c *catalog.ColumnDef) {
	switch c.Type {
	case mysql.MYSQL_TYPE_STRING, mysql.MYSQL_TYPE_VARCHAR, mysql.MYSQL_TYPE_VAR_STRING:
		f.Type = mysql.MYSQL_TYPE_STRING
		bytes := uint32(c.Meta)
		if c.Type == mysql.MYSQL_TYPE_STRING {
			// See schema.StorageOf: the real type's bits 4 and 5 hold bits 8 and 9 of the length, inverted.
			bytes = uint32(c.Meta&0xff) | uint32((c.Meta>>8^uint16(mysql.MYSQL_TYPE_STRING))&0x30)<<4
		} else {
			f.Type = mysql.MYSQL_TYPE_VAR_STRING
		}
		f.Length = bytes / maxCharBytes(c.Collation)
	case mysql.MYSQL_TYPE_BLOB:
		f.Type = mysql.MYSQL_TYPE_BLOB
		f.Flags |= mysql.BLOB_FLAG
		// A TEXT holds so many bytes, and so at most so many characters of one byte.
		f.Length = uint32(uint64(1)<<(8*min(uint64(c.Meta), 4)) - 1)
	case mysql.MYSQL_TYPE_ENUM, mysql.MYSQL_TYPE_SET:
		f.Type = mysql.MYSQL_TYPE_STRING
		f.Flags |= mysql.ENUM_FLAG
		for _, member := range c.EnumValues {
			n := uint32(len([]rune(member)))
			if c.Type == mysql.MYSQL_TYPE_SET {
				f.Length += n + 1
			} else {
				f.Length = max(f.Length, n)
			}
		}
		if c.Type == mysql.MYSQL_TYPE_SET {
			f.Flags ^= mysql.ENUM_FLAG | mysql.SET_FLAG
			if f.Length > 0 {
				f.Length-- // no comma after the last one
			}
		}
	case mysql.MYSQL_TYPE_GEOMETRY:
		f.Flags |= mysql.BLOB_FLAG | mysql.BINARY_FLAG
		f.Length = longTextBytes
		return
	default:
		return
	}
	f.Collation = c.Collation
	if c.Collation == mysql.Collation_binary || isBinary(c.Collation) {
		f.Flags |= mysql.BINARY_FLAG
	}
}

// isBinary reports whether a collation compares characters by their numbers.
func isBinary(id uint16) bool {
	c, ok := charset.ByID(id)
	return ok && c.Binary()
}

// maxCharBytes is the longest character of a collation's character set, in bytes.
func maxCharBytes(id uint16) uint32 {
	if c, ok := charset.ByID(id); ok {
		return uint32(c.Set().MaxLen())
	}
	if id == mysql.Collation_binary {
		return 1
	}
	return 4 // of MySQL's own, which are utf8mb4's
}
