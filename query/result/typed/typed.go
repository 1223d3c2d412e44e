// Package typed makes columns and values of results of what SQL of our own computes.
package typed

import (
	"math"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

var wireTypes = map[types.Kind]byte{
	types.Null: mysql.MYSQL_TYPE_NULL, types.Tinyint: mysql.MYSQL_TYPE_TINY, types.Smallint: mysql.MYSQL_TYPE_SHORT, types.Mediumint: mysql.MYSQL_TYPE_INT24,
	types.Int: mysql.MYSQL_TYPE_LONG, types.Bigint: mysql.MYSQL_TYPE_LONGLONG, types.Bit: mysql.MYSQL_TYPE_BIT, types.Year: mysql.MYSQL_TYPE_YEAR,
	types.Decimal: mysql.MYSQL_TYPE_NEWDECIMAL, types.Float: mysql.MYSQL_TYPE_FLOAT, types.Double: mysql.MYSQL_TYPE_DOUBLE,
	types.Date: mysql.MYSQL_TYPE_DATE, types.Time: mysql.MYSQL_TYPE_TIME, types.Datetime: mysql.MYSQL_TYPE_DATETIME, types.Timestamp: mysql.MYSQL_TYPE_TIMESTAMP,
	types.Char: mysql.MYSQL_TYPE_STRING, types.Varchar: mysql.MYSQL_TYPE_VAR_STRING, types.Tinytext: mysql.MYSQL_TYPE_TINY_BLOB, types.Text: mysql.MYSQL_TYPE_BLOB,
	types.Mediumtext: mysql.MYSQL_TYPE_MEDIUM_BLOB, types.Longtext: mysql.MYSQL_TYPE_LONG_BLOB, types.Enum: mysql.MYSQL_TYPE_STRING, types.Set: mysql.MYSQL_TYPE_STRING,
	types.UUID: mysql.MYSQL_TYPE_STRING, types.Inet4: mysql.MYSQL_TYPE_STRING, types.Inet6: mysql.MYSQL_TYPE_STRING,
}

const binaryID = 63

// Column is the definition of an expression's column; results is character_set_results, nil for text as it is.
func Column(name string, t types.Type, results *charset.Set) result.Column {
	c := result.Column{Name: name, Type: wireTypes[t.Kind], Charset: binaryID, Length: t.Length, Decimals: t.Decimals, Flags: mysql.BINARY_FLAG}
	if !t.Nullable {
		c.Flags |= mysql.NOT_NULL_FLAG
	}
	if t.Unsigned {
		c.Flags |= mysql.UNSIGNED_FLAG
	}
	if t.Zerofill {
		c.Flags |= mysql.ZEROFILL_FLAG
	}
	if t.Kind.Address() {
		c.Flags &^= mysql.BINARY_FLAG
		if results == nil {
			results, _ = charset.SetByName("latin1") // an address is text of latin1
		}
		c.Charset, c.Length = results.Default().ID(), t.Length*uint32(results.MaxLen())
	}
	if t.Collation == nil || t.Collation.ID() == binaryID {
		return c
	}
	shown := t.Collation
	if results != nil { // of binary, too, which text is announced as, though its bytes stay
		shown = results.Default()
	}
	c.Charset = shown.ID()
	if !t.Collation.Binary() {
		c.Flags &^= mysql.BINARY_FLAG
	}
	chars := uint64(t.Length)
	if t.Kind.Blob() {
		chars = t.Bytes() / uint64(t.Collation.Set().MinLen()) // as many as there can be
	}
	if t.Kind.Blob() && results == nil {
		c.Length = uint32(min(t.Bytes(), math.MaxUint32))
		return c
	}
	c.Length = uint32(min(chars*uint64(shown.Set().MaxLen()), math.MaxUint32))
	return c
}

// TableColumn is the definition of a column of a table that is shown as it is; alias is what the statement calls the table.
func TableColumn(name string, c *relation.Column, def *catalog.TableDef, alias string, results *charset.Set) result.Column {
	f := c.Facts
	out := result.Column{
		Schema: def.DB, Table: alias, OrgTable: def.Name, OrgName: c.Def.Name, Name: name,
		Type: f.Type, Flags: f.Flags, Decimals: f.Decimals, Length: f.Length, Charset: f.Collation,
	}
	if c.Type.Kind.Address() && results != nil {
		out.Charset, out.Length = results.Default().ID(), lengthIn(f.Length, results)
	}
	if c.Type.Collation == nil || f.Collation == binaryID {
		return out
	}
	if results == nil {
		if !c.Type.Kind.Blob() {
			out.Length = lengthIn(f.Length, c.Type.Collation.Set())
		}
		return out
	}
	out.Charset = results.Default().ID()
	chars := f.Length
	if c.Type.Kind.Blob() && c.Type.Collation != nil {
		chars /= uint32(c.Type.Collation.Set().MinLen()) // it counts bytes
	}
	out.Length = lengthIn(chars, results)
	return out
}

// lengthIn is how many bytes so many characters take at most.
func lengthIn(chars uint32, set *charset.Set) uint32 {
	return uint32(min(uint64(chars)*uint64(set.MaxLen()), math.MaxUint32))
}

// Value is a value of a type, as a row of results has it. Text must be in the column's character set. A DECIMAL is written to buf,
// which the value aliases; what is returned is the longer buffer.
func Value(t types.Type, v types.Value, buf []byte) (result.Value, []byte) {
	if v.Null || t.Kind == types.Null {
		return result.Value{}, buf
	}
	switch t.Kind {
	case types.Bit:
		return result.Bit(uint64(v.Int), int(t.Length)), buf
	case types.Year:
		return result.Year(uint16(v.Int)), buf
	case types.Float:
		return result.Float(float32(unsignedZero(v.Float))), buf
	case types.Date:
		return result.Date(momentOf(v)), buf
	case types.Datetime, types.Timestamp:
		return result.Datetime(momentOf(v), digitsOf(t, v)), buf
	case types.Time:
		p := v.Time.TimeParts()
		s := result.Span{Negative: p.Negative, Hours: uint32(p.Hour), Minute: uint8(p.Minute), Second: uint8(p.Second), Micro: uint32(p.Micro)}
		return result.Time(s, int(t.Decimals)), buf
	}
	switch t.Class() {
	case types.ClassInt:
		if t.Unsigned {
			return result.Unsigned(uint64(v.Int)), buf
		}
		return result.Signed(v.Int), buf
	case types.ClassFloat:
		return result.Double(unsignedZero(v.Float)), buf
	case types.ClassDec:
		start := len(buf)
		d := v.Dec
		if !t.OwnScale {
			d, _ = d.Round(int(t.Decimals), decimal.HalfUp)
		}
		buf = d.Append(buf)
		return result.Decimal(buf[start:]), buf
	}
	if t.Binary() {
		return result.Bytes(v.Text), buf
	}
	return result.Text(v.Text), buf
}

// digitsOf is how many digits of a DATETIME's fraction are shown: where the type does not say it, all if there is a fraction.
func digitsOf(t types.Type, v types.Value) int {
	switch {
	case t.Decimals <= temporal.FractionMax:
		return int(t.Decimals)
	case v.Time.DateParts().Micro == 0:
		return 0
	}
	return temporal.FractionMax
}

// unsignedZero is a number; MariaDB shows no zero with a sign.
func unsignedZero(v float64) float64 {
	if v == 0 {
		return 0
	}
	return v
}

func momentOf(v types.Value) result.Moment {
	p := v.Time.DateParts()
	return result.Moment{
		Year: uint16(p.Year), Month: uint8(p.Month), Day: uint8(p.Day),
		Hour: uint8(p.Hour), Minute: uint8(p.Minute), Second: uint8(p.Second), Micro: uint32(p.Micro),
	}
}
