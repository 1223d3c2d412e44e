package value

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/encodings"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/types/charset"
)

// Source is where the values of a column come from.
type Source struct {
	Type sql.Type
	// Digits are the fractional digits of a time where the type does not tell them, as that of TIME never does;
	// negative if they are not known.
	Digits int
	// Date: the column is a DATE, though the type is a text: functions that yield dates make texts of them.
	Date bool
	// Computed: what is computed of a YEAR or BIT, whose zero or value MariaDB shows as a number, or as the column does, by its plan.
	Computed bool
	// Number: a YEAR or BIT that is shown as a number, as that of a subquery which is computed once.
	Number bool
}

// Row turns the values of go-mysql-server's rows into typed ones, column by column. It converts as its types do
// when they print values, without printing.
type Row struct {
	list []cell
	// buf holds the bytes of a row's values that are made here.
	buf []byte
}

// cell is how the values of one column are turned.
type cell struct {
	typ     sql.Type
	convert func(*Row, *sql.Context, *cell, any) (result.Value, error)
	charset *charset.Set // of what is sent, where it is a text; nil for UTF-8
	digits  int          // fractional digits of a time; -1 if they are not known
	unit    int          // nanoseconds to which go-mysql-server rounds
	low     int64        // the smallest and the largest number of an integer type
	high    uint64
}

// NewRow prepares for the rows of a result. results is the session's character_set_results.
func NewRow(from []Source, results sql.CharacterSetID) *Row {
	out := &Row{list: make([]cell, len(from))}
	for i := range from {
		out.list[i] = cellOf(from[i], results)
	}
	return out
}

func cellOf(from Source, results sql.CharacterSetID) cell {
	out := cell{typ: from.Type, convert: (*Row).unknown, digits: from.Digits}
	switch t := from.Type.(type) {
	case sql.SystemVariableType:
		out.convert = (*Row).variable
	case types.NumberTypeImpl_:
		out.number()
	case types.DecimalType_:
		out.convert = (*Row).decimal
	case sql.DatetimeType:
		out.convert, out.unit = (*Row).moment, int(math.Pow10(9-t.Precision()))
		if from.Digits < 0 || from.Digits > t.Precision() {
			out.digits = t.Precision()
		}
	case types.TimespanType_:
		out.convert = (*Row).span
	case types.YearType_:
		out.convert = (*Row).year
		switch {
		case from.Computed:
			out.convert = (*Row).computedYear
		case from.Number:
			out.convert = (*Row).yearNumber
		}
	case types.BitType:
		out.convert = (*Row).bit
		switch {
		case from.Computed:
			out.convert = (*Row).computedBit
		case from.Number:
			out.convert = (*Row).bitNumber
		}
	case sql.EnumType:
		out.convert = (*Row).enum
		out.encode(results, t.Collation())
	case sql.SetType:
		out.convert = (*Row).set
		out.encode(results, t.Collation())
	case types.JsonType:
		out.convert = (*Row).json
		out.encode(results, sql.Collation_utf8mb4_bin)
	case sql.SpatialColumnType:
		out.convert = (*Row).geometry
	case types.VectorType:
		out.convert = (*Row).vector
	case schema.JSON:
		out.convert = (*Row).text
		out.encode(results, t.Collation())
	case *schema.Address:
		out.convert = (*Row).text
		out.encode(results, t.Collation())
	case types.StringType:
		if types.IsBinaryType(t) {
			out.convert = (*Row).bytes
			break
		}
		out.convert = (*Row).text
		if from.Date {
			out.convert = (*Row).dateOfText
		}
		out.encode(results, t.Collation())
	default:
		if t.Type() == sqltypes.Null {
			out.convert = (*Row).null
		}
	}
	return out
}

// encode says in which character set the text of a column goes out: in its own if the session asks for none.
func (f *cell) encode(results sql.CharacterSetID, own sql.CollationID) {
	if results == sql.CharacterSet_Unspecified || results == sql.CharacterSet_binary {
		results = own.CharacterSet()
	}
	if to, ok := charset.SetByName(results.Name()); ok && to.Name() != "binary" && to.Name() != "utf8mb4" {
		f.charset = to
	}
}

// Set sets a row's values. They are valid until the next call.
func (b *Row) Set(c *sql.Context, dst *result.Values, row sql.Row) error {
	b.buf = b.buf[:0]
	for i := range b.list {
		v, err := b.Value(c, i, row[i])
		if err != nil {
			return err
		}
		dst.Set(i, v)
	}
	return nil
}

// Value is the value of the i-th column.
func (b *Row) Value(c *sql.Context, i int, v any) (result.Value, error) {
	if v == nil {
		return result.Value{}, nil
	}
	f := &b.list[i]
	return f.convert(b, c, f, v)
}

func (b *Row) null(*sql.Context, *cell, any) (result.Value, error) { return result.Value{}, nil }

func (b *Row) unknown(_ *sql.Context, f *cell, v any) (result.Value, error) {
	return result.Value{}, fmt.Errorf("a value of type %s cannot be sent (%T)", f.typ, v)
}

// room is more than what a number takes as text.
const room = 128

// free is where the next value's bytes may be put.
func (b *Row) free() []byte {
	if cap(b.buf)-len(b.buf) < room {
		b.buf = make([]byte, 0, max(2*cap(b.buf), room)) // values of the row keep their bytes in the old one
	}
	return b.buf[len(b.buf):]
}

// taken tells which bytes were made of free, if they are still there: they may be others, or have outgrown it.
func (b *Row) taken(bytes []byte) []byte {
	if n := len(b.buf); len(bytes) > 0 && &bytes[0] == &b.buf[:n+1][n] {
		b.buf = b.buf[:n+len(bytes)]
	}
	return bytes
}

func (b *Row) moment(c *sql.Context, f *cell, v any) (result.Value, error) {
	t, ok := v.(time.Time)
	if !ok || !f.plain(t) {
		converted, _, err := f.typ.Convert(c, v)
		if err != nil {
			return result.Value{}, err
		}
		t = converted.(time.Time)
	}
	m := result.Moment{}
	if !t.Equal(types.ZeroTime) {
		year, month, day := t.Date()
		hour, minute, second := t.Clock()
		m = result.Moment{
			Year: uint16(year), Month: uint8(month), Day: uint8(day),
			Hour: uint8(hour), Minute: uint8(minute), Second: uint8(second), Micro: uint32(t.Nanosecond() / 1000),
		}
	}
	if f.typ.Type() == sqltypes.Date {
		return result.Date(m), nil
	}
	return result.Datetime(m, f.digits), nil
}

// plain reports whether a time is in the range of its type and needs no rounding: go-mysql-server's conversion would
// change nothing.
func (f *cell) plain(t time.Time) bool {
	if t.Location() != time.UTC || t.Nanosecond()%f.unit != 0 {
		return false
	}
	year := t.Year()
	if f.typ.Type() == sqltypes.Timestamp {
		return year > 1970 && year < 2038
	}
	return year > 0 && year < 10000
}

func (b *Row) span(_ *sql.Context, f *cell, v any) (result.Value, error) {
	t, err := f.typ.(types.TimespanType_).ConvertToTimespan(v)
	if err != nil {
		return result.Value{}, err
	}
	return timeOf(t, f.digits), nil
}

// timeOf is a TIME of so many fractional digits; with -1 they are shown if they are not zeros.
func timeOf(t types.Timespan, digits int) result.Value {
	micros, negative := int64(t), t < 0
	if negative {
		micros = -micros
	}
	if digits < 0 {
		if digits = 0; micros%1e6 != 0 {
			digits = 6
		}
	}
	seconds := micros / 1e6
	return result.Time(result.Span{
		Negative: negative, Hours: uint32(seconds / 3600), Minute: uint8(seconds / 60 % 60), Second: uint8(seconds % 60), Micro: uint32(micros % 1e6),
	}, digits)
}

func (b *Row) year(c *sql.Context, f *cell, v any) (result.Value, error) {
	n, err := yearOf(c, f, v)
	return result.Year(n), err
}

func yearOf(c *sql.Context, f *cell, v any) (uint16, error) {
	n, ok := v.(int16)
	if !ok || n < 1901 || n > 2155 { // 70 is 1970
		converted, _, err := f.typ.Convert(c, v)
		if err != nil {
			return 0, err
		}
		n = converted.(int16)
	}
	return uint16(n), nil
}

func (b *Row) bit(c *sql.Context, f *cell, v any) (result.Value, error) {
	converted, _, err := f.typ.Convert(c, v)
	if err != nil {
		return result.Value{}, err
	}
	return result.Bit(converted.(uint64), int(f.typ.(types.BitType).NumberOfBits())), nil
}

func (b *Row) computedYear(c *sql.Context, f *cell, v any) (result.Value, error) {
	n, err := yearOf(c, f, v)
	if err == nil && n == 0 {
		err = mysqlerr.NotYet("a zero that is computed of a YEAR, in a statement of several tables; add 0 to it")
	}
	return result.Year(n), err
}

func (b *Row) yearNumber(c *sql.Context, f *cell, v any) (result.Value, error) {
	n, err := yearOf(c, f, v)
	return result.Unsigned(uint64(n)), err
}

func (b *Row) bitNumber(c *sql.Context, f *cell, v any) (result.Value, error) {
	converted, _, err := f.typ.Convert(c, v)
	if err != nil {
		return result.Value{}, err
	}
	return result.Bytes(b.taken(strconv.AppendUint(b.free(), converted.(uint64), 10))), nil
}

func (b *Row) computedBit(*sql.Context, *cell, any) (result.Value, error) {
	return result.Value{}, mysqlerr.NotYet("what is computed of a BIT, in a statement of several tables; add 0 to it")
}

func (b *Row) enum(c *sql.Context, f *cell, v any) (result.Value, error) {
	converted, _, err := f.typ.Convert(c, v)
	if err != nil {
		return result.Value{}, err
	}
	name, _ := f.typ.(sql.EnumType).At(int(converted.(uint16)))
	return b.encoded(f, encodings.StringToBytes(name))
}

func (b *Row) set(c *sql.Context, f *cell, v any) (result.Value, error) {
	converted, _, err := f.typ.Convert(c, v)
	if err != nil {
		return result.Value{}, err
	}
	names, err := f.typ.(sql.SetType).BitsToString(converted.(uint64))
	if err != nil {
		return result.Value{}, err
	}
	return b.encoded(f, encodings.StringToBytes(names))
}

func (b *Row) json(c *sql.Context, f *cell, v any) (result.Value, error) {
	if text, ok := v.(string); ok { // of JSON_TABLE
		return result.JSON(f.inCharset(encodings.StringToBytes(text))), nil
	}
	if j, ok := v.(types.JSONBytes); ok { // as it is stored
		text, err := types.MarshallJson(c, j)
		return result.JSON(f.inCharset(text)), err
	}
	converted, _, err := f.typ.Convert(c, v)
	if err != nil {
		return result.Value{}, err
	}
	document, ok := converted.(sql.JSONWrapper)
	if !ok {
		return b.unknown(c, f, v)
	}
	text, err := types.JsonToMySqlString(c, document)
	return result.JSON(f.inCharset(encodings.StringToBytes(text))), err
}

// inCharset is a document in the character set that it goes out in.
func (f *cell) inCharset(text []byte) []byte {
	if f.charset == nil {
		return text
	}
	out, _ := charset.Convert(nil, f.charset, utf8mb4, text)
	return out
}

func (b *Row) geometry(c *sql.Context, f *cell, v any) (result.Value, error) {
	converted, _, err := f.typ.Convert(c, v)
	if err != nil {
		return result.Value{}, err
	}
	return result.Bytes(converted.(types.GeometryValue).Serialize()), nil
}

func (b *Row) vector(c *sql.Context, _ *cell, v any) (result.Value, error) {
	data, err := types.ConvertToBytes(c, v, types.LongBlob, b.free())
	return result.Bytes(b.taken(data)), err
}

func (b *Row) bytes(c *sql.Context, f *cell, v any) (result.Value, error) {
	data, err := types.ConvertToBytes(c, v, f.typ.(types.StringType), b.free())
	return result.Bytes(b.taken(data)), err
}

func (b *Row) text(c *sql.Context, f *cell, v any) (result.Value, error) {
	var text []byte
	var err error
	switch v := v.(type) {
	case string:
		return b.encoded(f, encodings.StringToBytes(v))
	case []byte:
		return b.encoded(f, v)
	case types.JSONBytes:
		text, err = v.GetBytes(c)
	case float64:
		text = b.taken(floattext.Append(b.free(), v, false))
	case float32:
		text = b.taken(floattext.Append(b.free(), float64(v), true))
	case types.Timespan:
		text = b.taken(timeOf(v, -1).AppendText(b.free()))
	default: // however long it is: the type's length is an estimate
		text, err = types.ConvertToBytes(c, v, types.LongText, b.free())
		b.taken(text)
	}
	if err != nil {
		return result.Value{}, err
	}
	return b.encoded(f, text)
}

// encoded is a text in the character set that it goes out in.
func (b *Row) encoded(f *cell, text []byte) (result.Value, error) {
	if f.charset == nil {
		return result.Text(text), nil
	}
	out, _ := charset.Convert(b.free()[:0], f.charset, utf8mb4, text)
	return result.Text(b.taken(out)), nil
}

var utf8mb4, _ = charset.SetByName("utf8mb4")

// dateOfText is for functions that yield a date, of which go-mysql-server makes texts.
func (b *Row) dateOfText(c *sql.Context, f *cell, v any) (result.Value, error) {
	if s, ok := v.(string); ok {
		if t, err := time.Parse(time.DateOnly, s); err == nil {
			return result.Date(result.Moment{Year: uint16(t.Year()), Month: uint8(t.Month()), Day: uint8(t.Day())}), nil
		}
	}
	return b.text(c, f, v)
}

// variable is the value of a system variable.
func (b *Row) variable(c *sql.Context, f *cell, v any) (result.Value, error) {
	converted, _, err := f.typ.Convert(c, v)
	if err != nil {
		return result.Value{}, err
	}
	switch n := converted.(type) {
	case int8:
		return result.Signed(int64(n)), nil
	case int64:
		return result.Signed(n), nil
	case uint64:
		names, isSet := f.typ.(interface {
			BitsToString(bits uint64) (string, error)
		})
		if !isSet {
			return result.Unsigned(n), nil
		}
		text, err := names.BitsToString(n)
		return result.Text(encodings.StringToBytes(text)), err
	case float64:
		return result.Double(n), nil
	case string:
		return result.Text(encodings.StringToBytes(n)), nil
	}
	return b.unknown(c, f, converted)
}
