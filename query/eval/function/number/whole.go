package number

import (
	"math"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

func ceiling(name string) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return integral{b, name, decimal.Ceiling, math.Ceil}.bind(args[0]), nil
	}
}

func floor(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return integral{b, "floor", decimal.Floor, math.Floor}.bind(args[0]), nil
}

// integral binds CEIL and FLOOR.
type integral struct {
	b     *eval.Builder
	name  string
	mode  decimal.Mode
	float func(float64) float64
}

func (r integral) bind(x *eval.Expr) *eval.Expr {
	t := x.Type
	same := func(_ *eval.Frame, n int64) (int64, bool) { return n, false }
	switch {
	case t.Hybrid:
		return eval.Map1(r.name, types.IntType(hybridDigits(t.Length), true).NullIf(t), same, r.b.ToInt(x))
	case t.Kind == types.Date:
		return eval.Map1(r.name, types.IntType(dateDigits, true).NullIf(t), same, dateInt(r.b, x))
	case t.Class() == types.ClassTime:
		return r.temporal(x)
	case t.Class() == types.ClassInt:
		return eval.Map1(r.name, wholeType(x).NullIf(t), same, x)
	case t.Class() == types.ClassDec:
		return r.decimal(x)
	}
	whole := r.float
	return eval.Map1(r.name, floatType(0).NullIf(t), func(_ *eval.Frame, v float64) (float64, bool) { return whole(v), false }, r.b.ToFloat(x))
}

// widths are the lengths of the integers with a sign, and without one.
var widths = map[types.Kind][2]uint32{
	types.Tinyint: {4, 3}, types.Smallint: {6, 5}, types.Mediumint: {9, 8}, types.Int: {11, 10}, types.Bigint: {20, 20},
}

// memberDigits is the length that the number of a member of an ENUM or SET has after it was rounded.
const memberDigits = 5

// wholeType is the type that an integer has after it was rounded: the display width of a column does not count.
func wholeType(x *eval.Expr) types.Type {
	t := x.Type
	length := t.Length
	_, _, column := x.Column()
	switch w, ok := widths[t.Kind]; {
	case t.Kind == types.Enum || t.Kind == types.Set:
		return types.IntType(memberDigits, true)
	case t.Kind == types.Bit:
		const digitsOfTwo = 0.30103 // what a bit is in decimal digits
		length = uint32(float64(t.Length)*digitsOfTwo) + 1
	case ok && (column || t.Kind < types.Int) && t.Unsigned:
		length = w[1]
	case ok && (column || t.Kind < types.Int):
		length = w[0]
	}
	out := types.IntType(length, t.Unsigned)
	if t.Kind.Integer() {
		out.Kind = t.Kind
	}
	return out
}

// decimal gives an integer if its digits always fit one.
func (r integral) decimal(x *eval.Expr) *eval.Expr {
	mode := r.mode
	dec, fits := decimal.IntegralType(x.Type.Dec, mode)
	if !fits {
		return eval.Map1(r.name, types.DecimalType(dec).NullIf(x.Type), func(_ *eval.Frame, d decimal.Dec) (decimal.Dec, bool) {
			d, _ = d.Round(0, mode)
			return d, false
		}, x)
	}
	t := types.IntType(uint32(dec.Precision), dec.Unsigned)
	t.Length = uint32(dec.Length())
	return eval.Map1(r.name, t.NullIf(x.Type), func(_ *eval.Frame, d decimal.Dec) (int64, bool) {
		n, _ := d.Int64(mode)
		return n, false
	}, x)
}

func (r integral) temporal(x *eval.Expr) *eval.Expr {
	t := temporalType(x, 0)
	up := r.mode == decimal.Ceiling
	if t.Kind == types.Time {
		return eval.Map1(r.name, t, func(_ *eval.Frame, v temporal.Packed) (temporal.Packed, bool) {
			p := v.TimeParts()
			if p.Micro == 0 || p.Negative == up {
				return v.Truncate(0), false
			}
			p.Micro = halfSecond
			v, _ = p.PackTime().RoundTime(0)
			return v, false
		}, x)
	}
	return eval.Map1(r.name, t, func(_ *eval.Frame, v temporal.Packed) (temporal.Packed, bool) {
		p := v.DateParts()
		if p.Micro == 0 || !up {
			return v.Truncate(0), false
		}
		p.Micro = halfSecond
		v, _, ok := p.PackDate().RoundDateTime(0)
		return v, !ok
	}, x)
}

// halfSecond is a fraction, in microseconds, that rounding takes to the next second.
const halfSecond = 500_000
