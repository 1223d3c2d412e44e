package relation

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
)

// encoder appends the bytes of a value that is not NULL, with the length before it. Values are those that package assign has made: what a
// column cannot hold is a mistake of the caller, and row.ErrRange, row.ErrTooLong.
type encoder func(dst []byte, v types.Value) ([]byte, error)

// encoderOf is the encoder of a column that is not Unknown.
func encoderOf(c *Column, stored *row.Column) encoder {
	switch k := c.Type.Kind; {
	case k == types.Year || k == types.Bit || k == types.Enum || k == types.Set:
		return func(dst []byte, v types.Value) ([]byte, error) { return row.AppendValue(dst, stored, uint64(v.Int)) }
	case k.Integer():
		return wholeEncoder(c)
	case k == types.Decimal:
		return decimalEncoder(c)
	case k == types.Float:
		return func(dst []byte, v types.Value) ([]byte, error) {
			if v.Float != v.Float || math.Abs(v.Float) > math.MaxFloat32 {
				return dst, outOfRange(c)
			}
			return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v.Float))), nil
		}
	case k == types.Double:
		return func(dst []byte, v types.Value) ([]byte, error) {
			if v.Float != v.Float || math.IsInf(v.Float, 0) {
				return dst, outOfRange(c)
			}
			return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.Float)), nil
		}
	case k.Temporal():
		return momentEncoder(c)
	}
	return func(dst []byte, v types.Value) ([]byte, error) { return row.AppendText(dst, stored, v.Text) }
}

func outOfRange(c *Column) error { return fmt.Errorf("column %s: %w", c.Def.Name, row.ErrRange) }

func wholeEncoder(c *Column) encoder {
	size := mysql.FixedSize(c.Def.Type, c.Def.Meta)
	unused := 64 - 8*size
	return func(dst []byte, v types.Value) ([]byte, error) {
		fits := v.Int<<unused>>unused == v.Int
		if c.Type.Unsigned {
			fits = uint64(v.Int)<<unused>>unused == uint64(v.Int)
		}
		if !fits {
			return dst, outOfRange(c)
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(v.Int))
		return append(dst, b[:size]...), nil
	}
}

func decimalEncoder(c *Column) encoder {
	packed, err := decimal.NewPacked(c.Type.Dec.Precision, c.Type.Dec.Scale)
	return func(dst []byte, v types.Value) ([]byte, error) {
		if err != nil {
			return dst, err
		}
		out, cond := packed.Append(dst, v.Dec)
		if cond != 0 || c.Type.Unsigned && v.Dec.Negative() {
			return dst, outOfRange(c)
		}
		return out, nil
	}
}

func momentEncoder(c *Column) encoder {
	digits := int(c.Type.Decimals)
	switch c.Type.Kind {
	case types.Date:
		return func(dst []byte, v types.Value) ([]byte, error) { return temporal.AppendDateImage(dst, v.Time), nil }
	case types.Time:
		return func(dst []byte, v types.Value) ([]byte, error) {
			return temporal.AppendTimeImage(dst, v.Time, digits), nil
		}
	case types.Timestamp:
		return func(dst []byte, v types.Value) ([]byte, error) {
			return temporal.AppendStampImage(dst, temporal.Stamp(v.Int), digits), nil
		}
	}
	return func(dst []byte, v types.Value) ([]byte, error) {
		return temporal.AppendDateTimeImage(dst, v.Time, digits), nil
	}
}
