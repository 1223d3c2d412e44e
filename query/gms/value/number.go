package value

import (
	"math"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/encodings"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/result"
)

// number sets up a cell of a numeric type.
func (f *cell) number() {
	signed := func(bits uint) {
		f.convert, f.low, f.high = (*Row).signed, -1<<(bits-1), 1<<(bits-1)-1
	}
	unsigned := func(bits uint) { f.convert, f.high = (*Row).unsigned, 1<<bits-1 }
	switch f.typ.Type() {
	case sqltypes.Int8:
		signed(8)
	case sqltypes.Int16:
		signed(16)
	case sqltypes.Int24:
		signed(24)
	case sqltypes.Int32:
		signed(32)
	case sqltypes.Int64:
		signed(64)
	case sqltypes.Uint8:
		unsigned(8)
	case sqltypes.Uint16:
		unsigned(16)
	case sqltypes.Uint24:
		unsigned(24)
	case sqltypes.Uint32:
		unsigned(32)
	case sqltypes.Uint64:
		unsigned(64)
	case sqltypes.Float32:
		f.convert = (*Row).float
	case sqltypes.Float64:
		f.convert = (*Row).double
	}
}

func (f *cell) clamped(n int64) result.Value {
	if f.high < math.MaxInt64 {
		n = min(n, int64(f.high))
	}
	return result.Signed(max(n, f.low))
}

func (b *Row) signed(c *sql.Context, f *cell, v any) (result.Value, error) {
	switch n := v.(type) {
	case int64:
		return f.clamped(n), nil
	case int32:
		return f.clamped(int64(n)), nil
	case int16:
		return f.clamped(int64(n)), nil
	case int8:
		return f.clamped(int64(n)), nil
	case string:
		text, more := types.TruncateStringToInt(n)
		if parsed, err := strconv.ParseInt(text, 10, 64); err == nil && !more {
			return f.clamped(parsed), nil
		}
		return result.Text(encodings.StringToBytes(n)), nil
	case sql.JSONWrapper:
		inner, err := n.ToInterface(c)
		if err != nil || inner == nil { // null in a document is 0
			return result.Signed(0), err
		}
		return b.signed(c, f, inner)
	}
	n, _, err := types.Int64.Convert(c, v)
	if err != nil {
		return unconverted(v, err)
	}
	return f.clamped(n.(int64)), nil
}

func (b *Row) unsigned(c *sql.Context, f *cell, v any) (result.Value, error) {
	switch n := v.(type) {
	case uint64:
		return result.Unsigned(min(n, f.high)), nil
	case uint32:
		return result.Unsigned(min(uint64(n), f.high)), nil
	case uint16:
		return result.Unsigned(min(uint64(n), f.high)), nil
	case uint8:
		return result.Unsigned(min(uint64(n), f.high)), nil
	case string:
		return f.unsignedText(n), nil
	case sql.JSONWrapper:
		inner, err := n.ToInterface(c)
		if err != nil || inner == nil { // null in a document is 0
			return result.Unsigned(0), err
		}
		return b.unsigned(c, f, inner)
	}
	n, _, err := types.Uint64.Convert(c, v)
	if err != nil {
		return unconverted(v, err)
	}
	return result.Unsigned(min(n.(uint64), f.high)), nil
}

// unsignedText reads a number from a text; one below 0 wraps around, as a BIGINT does.
func (f *cell) unsignedText(s string) result.Value {
	text, more := types.TruncateStringToInt(s)
	if more {
		return result.Text(encodings.StringToBytes(s))
	}
	digits := strings.TrimLeft(text, "+-")
	n, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case err != nil:
		n = math.MaxUint64
	case strings.HasPrefix(text, "-"):
		n = -n
	}
	return result.Unsigned(min(n, f.high))
}

// unconverted is a value that is no number in a column of numbers: it is sent as it is.
func unconverted(v any, err error) (result.Value, error) {
	if sql.ErrInvalidValue.Is(err) || sql.ErrTruncatedIncorrect.Is(err) {
		switch text := v.(type) {
		case []byte:
			return result.Bytes(text), nil
		case string:
			return result.Text(encodings.StringToBytes(text)), nil
		}
	}
	return result.Value{}, err
}

func (b *Row) double(c *sql.Context, f *cell, v any) (result.Value, error) {
	switch n := v.(type) {
	case float64:
		return result.Double(n), nil
	case float32:
		return result.Float(n), nil
	case sql.JSONWrapper:
		inner, err := n.ToInterface(c)
		if err != nil || inner == nil { // null in a document is 0
			return result.Double(0), err
		}
		return b.double(c, f, inner)
	}
	n, _, err := types.Float64.Convert(c, v)
	if err != nil && !sql.ErrTruncatedIncorrect.Is(err) {
		return unconverted(v, err)
	}
	return result.Double(n.(float64)), nil
}

func (b *Row) float(c *sql.Context, f *cell, v any) (result.Value, error) {
	n, ok := v.(float32)
	if ok {
		return result.Float(n), nil
	}
	out, err := b.double(c, f, v)
	if err != nil || out.Kind() != result.KindDouble {
		return out, err
	}
	return result.Float(float32(max(min(out.Float(), math.MaxFloat32), -math.MaxFloat32))), nil
}

func (b *Row) decimal(_ *sql.Context, f *cell, v any) (result.Value, error) {
	t := f.typ.(types.DecimalType_)
	d, err := t.ConvertToDecimal(v)
	if err != nil || d == nil { // null in a JSON document
		return result.Value{}, err
	}
	return result.Decimal(b.taken(t.AppendStringFixedDecimal(b.free(), d))), nil
}
