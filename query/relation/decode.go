package relation

import (
	"encoding/binary"
	"math"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// The decoders make values of what row.Reader gives. Package row describes the bytes.

func integerOf(c *Column) func(*eval.Frame, []byte) int64 {
	switch c.Type.Kind {
	case types.Year:
		return func(_ *eval.Frame, b []byte) int64 { return int64(temporal.YearOfByte(b[0])) }
	case types.Bit:
		return func(_ *eval.Frame, b []byte) int64 { return int64(big(b)) }
	}
	unsigned := c.Type.Unsigned || c.Type.Kind == types.Enum || c.Type.Kind == types.Set
	switch mysql.FixedSize(c.Def.Type, c.Def.Meta) {
	case 1:
		if unsigned {
			return func(_ *eval.Frame, b []byte) int64 { return int64(b[0]) }
		}
		return func(_ *eval.Frame, b []byte) int64 { return int64(int8(b[0])) }
	case 2:
		if unsigned {
			return func(_ *eval.Frame, b []byte) int64 { return int64(binary.LittleEndian.Uint16(b)) }
		}
		return func(_ *eval.Frame, b []byte) int64 { return int64(int16(binary.LittleEndian.Uint16(b))) }
	case 4:
		if unsigned {
			return func(_ *eval.Frame, b []byte) int64 { return int64(binary.LittleEndian.Uint32(b)) }
		}
		return func(_ *eval.Frame, b []byte) int64 { return int64(int32(binary.LittleEndian.Uint32(b))) }
	case 8:
		return func(_ *eval.Frame, b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }
	}
	return func(_ *eval.Frame, b []byte) int64 { // of three bytes, and of SETs
		var v uint64
		for i := len(b) - 1; i >= 0; i-- {
			v = v<<8 | uint64(b[i])
		}
		if shift := 64 - 8*len(b); !unsigned {
			return int64(v<<shift) >> shift
		}
		return int64(v)
	}
}

func big(b []byte) (v uint64) {
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}

func floatOf(c *Column) func(*eval.Frame, []byte) float64 {
	if c.Type.Kind == types.Float {
		return func(_ *eval.Frame, b []byte) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
	}
	return func(_ *eval.Frame, b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
}

func decimalOf(c *Column) func(*eval.Frame, []byte) decimal.Dec {
	packed, err := decimal.NewPacked(c.Type.Dec.Precision, c.Type.Dec.Scale)
	return func(f *eval.Frame, b []byte) decimal.Dec {
		if err != nil {
			f.FailWith(err)
			return decimal.Dec{}
		}
		d, err := packed.Decode(b)
		if err != nil {
			f.FailWith(err)
		}
		return d
	}
}

func timeOf(c *Column) func(*eval.Frame, []byte) temporal.Packed {
	fraction := int(c.Type.Decimals)
	var read func(f *eval.Frame, b []byte) (temporal.Packed, error)
	switch c.Type.Kind {
	case types.Date:
		read = func(_ *eval.Frame, b []byte) (temporal.Packed, error) { return temporal.DateImage(b) }
	case types.Time:
		read = func(_ *eval.Frame, b []byte) (temporal.Packed, error) { return temporal.TimeImage(b, fraction) }
	case types.Timestamp:
		read = func(f *eval.Frame, b []byte) (temporal.Packed, error) {
			s, err := temporal.StampImage(b, fraction)
			return f.Zone.DateTime(s), err
		}
	default:
		read = func(_ *eval.Frame, b []byte) (temporal.Packed, error) { return temporal.DateTimeImage(b, fraction) }
	}
	return func(f *eval.Frame, b []byte) temporal.Packed {
		v, err := read(f, b)
		if err != nil {
			f.FailWith(err)
		}
		return v
	}
}

// momentOf reads a TIMESTAMP as microseconds of its moment.
func momentOf(c *Column) func(*eval.Frame, []byte) int64 {
	fraction := int(c.Type.Decimals)
	return func(f *eval.Frame, b []byte) int64 {
		s, err := temporal.StampImage(b, fraction)
		if err != nil {
			f.FailWith(err)
		}
		return int64(s)
	}
}

// textOf reads text. A BINARY, and the bytes of an address, are as long as the type says: images leave out the zeros at their end. A CHAR has no spaces at its end, unless
// PAD_CHAR_TO_FULL_LENGTH asks for them.
func textOf(c *Column) func(*eval.Frame, []byte) []byte {
	length := int(c.Type.Length)
	switch {
	case c.Type.Kind.Address():
		_, length = mysql.ResolveString(c.Def.Meta)
		fallthrough
	case c.Type.Kind == types.Char && c.Type.Binary():
		return func(f *eval.Frame, b []byte) []byte {
			if len(b) >= length {
				return b
			}
			out := append(f.Buffer(length), b...)
			for len(out) < length {
				out = append(out, 0)
			}
			return out
		}
	case c.Type.Kind == types.Char:
		set := c.Type.Collation.Set()
		return func(f *eval.Frame, b []byte) []byte {
			if !f.Env.Mode.Has(types.PadCharToFullLength) {
				return b
			}
			out := append(f.Buffer(length*set.MaxLen()), b...)
			for n := set.Len(b); n < length; n++ {
				out, _ = set.Append(out, ' ')
			}
			return out
		}
	}
	return func(_ *eval.Frame, b []byte) []byte { return b }
}
