// Package column describes the columns of results as MariaDB does: where they come from, their types on the wire, and those of
// the tables that CREATE TABLE ... SELECT makes of them.
package column

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/types/charset"
)

// TextDecimals is what MariaDB sends as decimals of a text expression (DECIMAL_NOT_SPECIFIED).
const TextDecimals = 39

// unknownTextBytes is the length sent for text expressions of which go-mysql-server does not know how long
// they get: that of a TEXT.
const unknownTextBytes = 65535 * 4

// Of describes a result's columns for the protocol: columns of tables as their definitions say, and
// expressions as far as go-mysql-server's types tell what MariaDB's are.
func Of(c *sql.Context, schema sql.Schema, from []Origin) []result.Column {
	results := c.GetCharacterSetResults()
	out := make([]result.Column, len(schema))
	for i, col := range schema {
		var o Origin
		known := len(from) == len(schema)
		if known {
			o = from[i]
		}
		if o.Facts != nil {
			out[i] = tableColumn(o, results)
		} else {
			out[i] = expressionColumn(c, col, o, known, results)
		}
		out[i].Name = col.Name
	}
	return out
}

// tableColumn describes a column of a table.
func tableColumn(o Origin, results sql.CharacterSetID) result.Column {
	f := o.Facts
	out := result.Column{
		Schema: o.db, Table: o.table, OrgTable: o.orgTable, OrgName: o.orgName,
		Type: f.Type, Flags: f.Flags, Decimals: f.Decimals, Length: f.Length, Charset: f.Collation,
	}
	if o.outer {
		out.Flags &^= mysql.NOT_NULL_FLAG
	}
	if f.Collation == uint16(sql.Collation_binary) {
		return out
	}
	if !converts(results) {
		if f.Type != mysql.MYSQL_TYPE_BLOB {
			set := sql.CharacterSet_utf8mb4
			if c, ok := charset.ByID(f.Collation); ok {
				set, _ = sql.ParseCharacterSet(c.Set().Name())
			}
			out.Length = lengthIn(f.Length, set)
		}
		return out
	}
	out.Charset = uint16(DefaultCollation(results))
	out.Length = lengthIn(f.Length, results)
	return out
}

// converts reports whether text is converted before it is sent: not for a character_set_results of NULL or
// binary.
func converts(results sql.CharacterSetID) bool {
	return results != sql.CharacterSet_Unspecified && results != sql.CharacterSet_binary
}

// lengthIn is how many bytes so many characters take at most.
func lengthIn(chars uint32, cs sql.CharacterSetID) uint32 {
	return uint32(min(uint64(chars)*uint64(max(cs.MaxLength(), 1)), 1<<32-1))
}

// expressionColumn describes a column that is none of a table of ours.
func expressionColumn(c *sql.Context, col *sql.Column, o Origin, known bool, results sql.CharacterSetID) result.Column {
	out := result.Column{Charset: uint16(sql.Collation_binary), Flags: mysql.BINARY_FLAG}
	switch {
	case o.table != "": // of a table of the server's own, a view, or a derived table
		out.Schema = o.db
		out.Table, out.OrgTable, out.OrgName = o.table, o.orgTable, o.orgName
	case !known && col.Source != "" && col.DatabaseSource != "":
		out.Schema, out.Table, out.OrgTable, out.OrgName = col.DatabaseSource, col.Source, col.Source, col.Name
	}
	if !col.Nullable && !o.outer {
		out.Flags |= mysql.NOT_NULL_FLAG
	}
	if t, ok := saidType(c, o.expr); ok {
		ofType(&out, t, col, o, results)
		return out
	}
	describeType(c, &out, col, o, results)
	correct(c, &out, o.expr)
	return out
}

func describeType(c *sql.Context, out *result.Column, col *sql.Column, o Origin, results sql.CharacterSetID) {
	t := col.Type
	if a, ok := t.(*schema.Address); ok { // as its columns are described
		out.Type, out.Charset = mysql.MYSQL_TYPE_STRING, textCharset(t, results)
		out.Length = lengthIn(uint32(a.MaxCharacterLength()), results)
		out.Flags = out.Flags&^mysql.BINARY_FLAG | mysql.UNSIGNED_FLAG
		return
	}
	switch t.Type() {
	case sqltypes.Int8, sqltypes.Int16, sqltypes.Int24, sqltypes.Int32:
		out.Type, out.Length = mysql.MYSQL_TYPE_LONG, 11
		if types.IsBoolean(t) {
			out.Length = 1
		}
		literalInteger(out, o.expr)
	case sqltypes.Uint8, sqltypes.Uint16, sqltypes.Uint24, sqltypes.Uint32:
		out.Type, out.Length = mysql.MYSQL_TYPE_LONG, 10
		if !literalInteger(out, o.expr) {
			out.Flags |= mysql.UNSIGNED_FLAG
		}
	case sqltypes.Int64:
		out.Type, out.Length = mysql.MYSQL_TYPE_LONGLONG, 21
		literalInteger(out, o.expr)
	case sqltypes.Uint64:
		out.Type, out.Length = mysql.MYSQL_TYPE_LONGLONG, 21
		if !literalInteger(out, o.expr) {
			out.Flags |= mysql.UNSIGNED_FLAG
		}
	case sqltypes.Float32:
		out.Type, out.Length, out.Decimals = mysql.MYSQL_TYPE_FLOAT, 12, mysql.NOT_FIXED_DEC
	case sqltypes.Float64:
		out.Type, out.Length, out.Decimals = mysql.MYSQL_TYPE_DOUBLE, 23, mysql.NOT_FIXED_DEC
	case sqltypes.Decimal:
		out.Type = mysql.MYSQL_TYPE_NEWDECIMAL
		if d, ok := t.(sql.DecimalType); ok {
			out.Length, out.Decimals = uint32(d.Precision())+1, d.Scale()
			if d.Scale() > 0 {
				out.Length++
			}
		}
	case sqltypes.Date:
		out.Type, out.Length = mysql.MYSQL_TYPE_DATE, 10
	case sqltypes.Time:
		out.Type, out.Length = mysql.MYSQL_TYPE_TIME, 10
		addDigits(out, o.timeDigits())
	case sqltypes.Datetime, sqltypes.Timestamp:
		out.Type, out.Length = mysql.MYSQL_TYPE_DATETIME, 19
		if d, ok := t.(sql.DatetimeType); ok {
			if digits, is := currentDigits(o.expr); is {
				addDigits(out, digits)
			} else if o.moment > 0 {
				addDigits(out, min(o.moment-1, d.Precision()))
			} else {
				addDigits(out, d.Precision())
			}
		}
	case sqltypes.Year:
		out.Type, out.Length = mysql.MYSQL_TYPE_YEAR, 4
		out.Flags |= mysql.UNSIGNED_FLAG
	case sqltypes.Bit:
		out.Type = mysql.MYSQL_TYPE_BIT
		out.Flags |= mysql.UNSIGNED_FLAG
		if b, ok := t.(types.BitType); ok {
			out.Length = uint32(b.NumberOfBits())
		}
	case sqltypes.Geometry:
		out.Type, out.Length = mysql.MYSQL_TYPE_GEOMETRY, 1<<32-1
		out.Flags |= mysql.BLOB_FLAG
	case sqltypes.Null:
		out.Type = mysql.MYSQL_TYPE_NULL
		out.Flags &^= mysql.NOT_NULL_FLAG
		if _, literal := o.expr.(*expression.Literal); !literal { // it may turn out to be something
			out.Type, out.Decimals, out.Charset = mysql.MYSQL_TYPE_VAR_STRING, TextDecimals, textCharset(t, results)
			out.Length = unknownTextBytes
		}
	case sqltypes.TypeJSON: // MariaDB has no such type: its functions yield text
		describeJSON(out, t, results)
	default:
		if schema.IsJSON(t) {
			describeJSON(out, t, results)
			return
		}
		describeText(c, out, col, o, results)
	}
}

func describeJSON(out *result.Column, t sql.Type, results sql.CharacterSetID) {
	out.Type, out.Length, out.Decimals = mysql.MYSQL_TYPE_LONG_BLOB, 1<<32-1, TextDecimals
	out.Charset = textCharset(t, results)
}

// correct gives the result of some functions the type that MariaDB's have; their values are texts that read the same.
func correct(c *sql.Context, out *result.Column, e sql.Expression) {
	f, ok := e.(sql.FunctionExpression)
	if !ok {
		return
	}
	switch strings.ToLower(f.FunctionName()) {
	case "curdate", "current_date", "utc_date":
		out.Type, out.Length, out.Charset, out.Decimals = mysql.MYSQL_TYPE_DATE, 10, uint16(sql.Collation_binary), 0
		out.Flags |= mysql.BINARY_FLAG
	case "sum":
		// Over a window the type of the summands is taken, which sums do not fit into.
		if out.Type == mysql.MYSQL_TYPE_LONG || out.Type == mysql.MYSQL_TYPE_LONGLONG {
			out.Type, out.Length = mysql.MYSQL_TYPE_NEWDECIMAL, 33
			out.Flags &^= mysql.NOT_NULL_FLAG | mysql.UNSIGNED_FLAG
		}
	case "min", "max", "group_concat", "avg":
		out.Flags &^= mysql.NOT_NULL_FLAG // there may be no rows
	case "percent_rank":
		out.Decimals, out.Length = 10, 17
	case "stddevpop", "stddevsamp", "varpop", "varsamp":
		out.Flags &^= mysql.NOT_NULL_FLAG
		if digits, exact := function.VarianceDecimals(c, e); exact {
			out.Decimals, out.Length = digits, 26
		}
	}
}

// isBinaryCollation reports whether text compares by its bytes. go-mysql-server's default for what it makes up
// itself does not count.
func isBinaryCollation(t sql.Type) bool {
	collated, ok := t.(sql.TypeWithCollation)
	if !ok || collated.Collation() == sql.Collation_utf8mb4_0900_bin {
		return false
	}
	return strings.HasSuffix(collated.Collation().Name(), "_bin")
}

func addDigits(out *result.Column, digits int) {
	if digits > 0 {
		out.Decimals = byte(digits)
		out.Length += uint32(digits) + 1
	}
}

func describeText(c *sql.Context, out *result.Column, col *sql.Column, o Origin, results sql.CharacterSetID) {
	t := col.Type
	out.Type, out.Decimals, out.Length = mysql.MYSQL_TYPE_VAR_STRING, TextDecimals, unknownTextBytes
	if out.Table != "" && o.expr == nil {
		out.Decimals = 0
		out.Length = t.MaxTextResponseByteLength(c)
		if !col.Nullable {
			out.Flags |= mysql.NO_DEFAULT_VALUE_FLAG
		}
	}
	if s, ok := t.(sql.StringType); ok && s.Type() != sqltypes.Text && s.Type() != sqltypes.Blob {
		out.Length = lengthIn(uint32(min(s.MaxCharacterLength(), 1<<32-1)), results)
	}
	if types.IsBinaryType(t) {
		if s, ok := t.(sql.StringType); ok && s.Type() != sqltypes.Blob {
			out.Length = uint32(min(s.MaxByteLength(), 1<<32-1))
		}
		return
	}
	out.Charset = textCharset(t, results)
	if !isBinaryCollation(t) {
		out.Flags &^= mysql.BINARY_FLAG
	}
	if literal, ok := o.expr.(*expression.Literal); ok {
		if text, ok := literal.Value().(string); ok {
			out.Length = lengthIn(uint32(utf8.RuneCountInString(text)), results)
		}
	}
}

// literalInteger describes a number that is written in the statement, whose type follows from its digits.
func literalInteger(out *result.Column, e sql.Expression) bool {
	literal, ok := e.(*expression.Literal)
	if !ok {
		return false
	}
	switch v := literal.Value().(type) {
	case int8, int16, int32, int64, int, uint8, uint16, uint32:
		n, _, err := types.Int64.Convert(context.Background(), v)
		signed, isInt := n.(int64)
		if err != nil || !isInt {
			return false
		}
		out.Length = uint32(len(strconv.FormatInt(signed, 10)))
		out.Type = mysql.MYSQL_TYPE_LONG
		if out.Length >= 10 || signed != int64(int32(signed)) { // as MariaDB: by digits, not by value
			out.Type = mysql.MYSQL_TYPE_LONGLONG
		}
		return true
	case uint64:
		out.Length = uint32(len(strconv.FormatUint(v, 10)))
	}
	return false
}

// textCharset is the collation id that text is sent in.
func textCharset(t sql.Type, results sql.CharacterSetID) uint16 {
	if converts(results) {
		return uint16(DefaultCollation(results))
	}
	if collated, ok := t.(sql.TypeWithCollation); ok && results == sql.CharacterSet_Unspecified {
		return uint16(DefaultCollation(collated.Collation().CharacterSet()))
	}
	return uint16(sql.Collation_utf8mb4_general_ci)
}

// DefaultCollation is MariaDB's default collation of a character set.
func DefaultCollation(cs sql.CharacterSetID) sql.CollationID {
	if cs == sql.CharacterSet_utf8mb4 {
		return sql.Collation_utf8mb4_general_ci // go-mysql-server has MySQL 8's, which MariaDB's clients do not know
	}
	return cs.DefaultCollation()
}
