package key

import (
	"encoding/binary"
	"math"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
)

// What a part begins with. A DECIMAL that is too long for its type is below or above all others.
const (
	markNull  = 0
	markValue = 1

	markBelow  = 1
	markInType = 2
	markAbove  = 3
)

// Type makes the bytes of values of a type. It is immutable.
type Type struct {
	kind       types.Kind
	class      types.Class
	unsigned   bool
	descending bool

	packed decimal.Packed
	scale  int

	order  *charset.Order
	padded bool // the collation's keys end by themselves

	spaces int // a text is followed by spaces up to so many characters
	set    *charset.Set
	space  []byte // of the set
}

// OfType is the key of a type's values. Error 1235, whose cause is a *charset.UnsupportedError, says that the collation has none.
func OfType(t types.Type, descending bool) (*Type, error) {
	k := &Type{kind: t.Kind, class: t.Class(), unsigned: t.Unsigned || t.Kind == types.Bit || t.Kind == types.Set, descending: descending}
	var err error
	switch {
	case t.Kind == types.Null || t.Kind.Address():
	case k.class == types.ClassDec:
		k.scale = min(t.Dec.Scale, decimal.ScaleMax)
		k.packed, err = decimal.NewPacked(max(min(t.Dec.Precision, decimal.PrecisionMax), k.scale, 1), k.scale)
	case k.class == types.ClassText:
		if k.order, err = t.Collation.Order(); err != nil {
			return nil, mysqlerr.NotYet("an order by " + t.Collation.Name()).WithCause(err)
		}
		k.padded = t.Collation.PadSpace()
	}
	return k, err
}

// Append appends the bytes of a value.
func (k *Type) Append(dst []byte, v types.Value) []byte {
	if v.Null || k.kind == types.Null {
		return k.AppendNull(dst)
	}
	switch k.class {
	case types.ClassInt:
		return k.AppendInt(dst, v.Int)
	case types.ClassFloat:
		return k.AppendFloat(dst, v.Float)
	case types.ClassDec:
		return k.AppendDec(dst, v.Dec)
	case types.ClassTime:
		return k.AppendTime(dst, v.Time)
	}
	return k.AppendText(dst, v.Text)
}

// AppendNull appends the bytes of NULL.
func (k *Type) AppendNull(dst []byte) []byte { return k.directed(append(dst, markNull), len(dst)) }

// AppendInt appends the bytes of an integer, YEAR, BIT, ENUM or SET.
func (k *Type) AppendInt(dst []byte, v int64) []byte {
	bits := uint64(v)
	if !k.unsigned {
		bits ^= 1 << 63
	}
	return k.bits(dst, bits)
}

// AppendFloat appends the bytes of a FLOAT or DOUBLE.
func (k *Type) AppendFloat(dst []byte, v float64) []byte {
	bits := math.Float64bits(v + 0) // -0 + 0 is 0
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return k.bits(dst, bits)
}

// Float is the value of which AppendFloat has made bytes, in ascending order.
func (k *Type) Float(b []byte) float64 {
	bits := binary.BigEndian.Uint64(b[1:])
	if bits>>63 == 1 {
		return math.Float64frombits(bits &^ (1 << 63))
	}
	return math.Float64frombits(^bits)
}

// AppendTime appends the bytes of a temporal value.
func (k *Type) AppendTime(dst []byte, v temporal.Packed) []byte {
	return k.bits(dst, uint64(v)^1<<63)
}

func (k *Type) bits(dst []byte, bits uint64) []byte {
	return k.directed(binary.BigEndian.AppendUint64(append(dst, markValue), bits), len(dst))
}

// AppendDec appends the bytes of a DECIMAL, rounded to the scale of the type.
func (k *Type) AppendDec(dst []byte, v decimal.Dec) []byte {
	start := len(dst)
	dst, cond := k.packed.Append(append(dst, markInType), v)
	if cond&decimal.Overflow != 0 {
		dst = k.appendLong(dst[:start], v)
	}
	return k.directed(dst, start)
}

// appendLong appends the bytes of a number that has more digits than its type.
func (k *Type) appendLong(dst []byte, v decimal.Dec) []byte {
	v, _ = v.Round(k.scale, decimal.HalfUp)
	start := len(dst)
	dst = append(dst, markAbove, byte(v.IntDigits()))
	dst = v.Abs().Append(dst)
	if v.Negative() {
		invert(dst[start+1:])
		dst[start] = markBelow
	}
	return dst
}

// AppendText appends the bytes of a text, or those of a UUID, INET4 or INET6.
func (k *Type) AppendText(dst, v []byte) []byte {
	start := len(dst)
	dst = append(dst, markValue)
	switch {
	case k.kind == types.UUID:
		dst = row.AppendUUIDKey(dst, v)
	case k.order == nil:
		dst = append(dst, v...)
	case k.padded:
		dst = k.order.AppendKey(dst, v)
	case k.spaces > 0:
		var room [256]byte
		text := append(room[:0], v...)
		for n := k.spaces - k.set.Len(v); n > 0; n-- {
			text = append(text, k.space...)
		}
		dst = append(ended(k.order.AppendKey(dst, text), start+1), 0, 1)
	default:
		dst = append(ended(k.order.AppendKey(dst, v), start+1), 0, 1)
	}
	return k.directed(dst, start)
}

// ended doubles the zeros from a place on.
func ended(dst []byte, from int) []byte {
	zeros := 0
	for _, c := range dst[from:] {
		if c == 0 {
			zeros++
		}
	}
	if zeros == 0 {
		return dst
	}
	end := len(dst)
	for range zeros {
		dst = append(dst, 0)
	}
	for to := len(dst); zeros > 0; {
		end--
		if dst[end] == 0 {
			to--
			dst[to] = 0xFF
			zeros--
		}
		to--
		dst[to] = dst[end]
	}
	return dst
}

// directed inverts the bytes from a place on, if the order is descending.
func (k *Type) directed(dst []byte, from int) []byte {
	if k.descending {
		invert(dst[from:])
	}
	return dst
}

func invert(s []byte) {
	for i := range s {
		s[i] = ^s[i]
	}
}

// Writer makes the keys of an expression. It is immutable.
type Writer struct {
	add func(dst []byte, f *eval.Frame) []byte
}

// New is the writer of an expression's keys; see OfType.
func New(x *eval.Expr, descending bool) (*Writer, error) { return NewLike(x, x, descending) }

// NewLike is New for what a column's value has become; as is the column.
func NewLike(x, as *eval.Expr, descending bool) (*Writer, error) {
	if m := x.Instant(); m != nil && x.Type.Kind == types.Timestamp { // two moments have the same local time where clocks go back
		x = m
	}
	k, err := OfType(x.Type, descending)
	if err != nil {
		return nil, err
	}
	if _, _, column := as.Column(); column {
		if k.spaces = as.Type.Padded(); k.spaces > 0 {
			k.set = as.Type.Collation.Set()
			k.space, _ = k.set.Append(nil, ' ')
		}
	}
	if x.Null() {
		return &Writer{func(dst []byte, _ *eval.Frame) []byte { return k.AppendNull(dst) }}, nil
	}
	switch k.class {
	case types.ClassInt:
		return &Writer{of(x, k, k.AppendInt)}, nil
	case types.ClassFloat:
		return &Writer{of(x, k, k.AppendFloat)}, nil
	case types.ClassDec:
		return &Writer{of(x, k, k.AppendDec)}, nil
	case types.ClassTime:
		return &Writer{of(x, k, k.AppendTime)}, nil
	}
	return &Writer{of(x, k, k.AppendText)}, nil
}

// Append appends the key of the value for the frame's row.
func (w *Writer) Append(dst []byte, f *eval.Frame) []byte { return w.add(dst, f) }

func of[T eval.Scalar](x *eval.Expr, k *Type, add func([]byte, T) []byte) func([]byte, *eval.Frame) []byte {
	row := eval.Of[T](x)
	return func(dst []byte, f *eval.Frame) []byte {
		v, null := row(f)
		if null {
			return k.AppendNull(dst)
		}
		return add(dst, v)
	}
}
