package number

import (
	"math"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

var roundings = []eval.Def{
	{Name: "ROUND", Min: 1, Max: 2, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return rounding{b: b, name: "round", mode: decimal.HalfUp}.bind(args), nil
	}},
	{Name: "TRUNCATE", Min: 2, Max: 2, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return rounding{b: b, name: "truncate", mode: decimal.Truncate}.bind(args), nil
	}},
	{Name: "CEIL", Min: 1, Max: 1, Bind: ceiling("ceiling")},
	{Name: "CEILING", Min: 1, Max: 1, Bind: ceiling("ceiling")},
	{Name: "FLOOR", Min: 1, Max: 1, Bind: floor},
}

// rounding binds ROUND (mode HalfUp) and TRUNCATE (mode Truncate).
type rounding struct {
	b    *eval.Builder
	name string
	mode decimal.Mode

	fixed  bool  // the places are constant
	null   bool  // and NULL
	n      int64 // else what they are
	places *eval.Expr
}

func (r rounding) bind(args []*eval.Expr) *eval.Expr {
	r.fixed = true
	if len(args) == 2 {
		r.places = r.b.ToInt(args[1])
		r.fixed = args[1].Is(eval.Constant)
	} else {
		r.places = eval.NewLiteral(types.LongType(1), types.Value{}, []byte("0"))
	}
	whole := args[0].Type.Hybrid || args[0].Type.Kind == types.Date || args[0].Type.Class() == types.ClassInt
	if r.fixed && !(whole && r.mode == decimal.Truncate) {
		// MariaDB computes them when it settles the type, and again for each row: conditions come twice.
		r.n, r.null = eval.Of[int64](r.places)(r.b.Scratch)
		r.n = clampPlaces(r.n, r.places.Type.Unsigned)
	}
	x := args[0]
	t := x.Type
	var y *eval.Expr
	switch {
	case t.Hybrid:
		whole := r.b.ToInt(x)
		y = r.integer(whole, whole.Type.Unsigned, hybridDigits(t.Length), types.NullType())
	case t.Kind == types.Date:
		y = r.integer(dateInt(r.b, x), true, dateDigits, types.NullType())
	case t.Class() == types.ClassTime:
		y = r.temporal(x)
	case t.Class() == types.ClassInt:
		w := wholeType(x)
		y = r.integer(x, w.Unsigned, w.Length, w)
	case t.Class() == types.ClassDec:
		y = r.decimal(x)
	default:
		y = r.float(r.b.ToFloat(x), floatDecimals(x))
		y.Type.Unsigned = t.Unsigned
	}
	return r.printed(y, args)
}

func (r rounding) printed(y *eval.Expr, args []*eval.Expr) *eval.Expr {
	return eval.Printable(y, r.name, args)
}

// clampPlaces are places in a range in which all above, and all below, mean the same.
func clampPlaces(n int64, unsigned bool) int64 {
	const most = 1000
	if unsigned && n < 0 {
		return most
	}
	return min(max(n, -most), most)
}

// hybridDigits is the number of decimal digits that so many bytes need.
func hybridDigits(bytes uint32) uint32 {
	digits := [...]uint32{1, 3, 5, 8, 10, 13, 15, 17, 20}
	return digits[min(int(max(bytes, 1)), len(digits)-1)]
}

// dateDigits is the length of a DATE as an integer.
const dateDigits = 8

// dateInt is a DATE as an integer YYYYMMDD.
func dateInt(b *eval.Builder, x *eval.Expr) *eval.Expr {
	t := types.IntType(dateDigits, true).NullIf(x.Type)
	return eval.Map1("", t, func(_ *eval.Frame, d decimal.Dec) (int64, bool) {
		n, _ := d.Int64(decimal.Truncate)
		return n, false
	}, b.ToDec(x)).As(x)
}

// integer rounds integers: with places that are constant and not negative they stay as they are; else they may become longer by a
// digit, and what is a BIGINT then becomes a DECIMAL, in which it has room.
func (r rounding) integer(x *eval.Expr, unsigned bool, digits uint32, keep types.Type) *eval.Expr {
	grows := r.mode != decimal.Truncate && (!r.fixed || !r.null && r.n < 0)
	t := types.IntType(digits, unsigned)
	big := digits >= 10
	if keep.Kind.Integer() {
		t.Kind, big = keep.Kind, keep.Kind == types.Bigint
	}
	switch x.Type.Kind {
	case types.Bit, types.Enum, types.Set:
		grows = false
	}
	if digits != x.Type.Length && keep.Kind == types.Null {
		big = digits >= 20 // of binary literals
	}
	if grows && big {
		p := int(digits)
		if unsigned {
			p++
		}
		t = types.DecimalType(decimal.Type{Precision: p, Unsigned: unsigned}).NullIf(x.Type, r.places.Type)
		mode := r.mode
		return eval.Map2(r.name, t, func(_ *eval.Frame, d decimal.Dec, n int64) (decimal.Dec, bool) {
			d, _ = d.Round(int(min(clampPlaces(n, false), 0)), mode)
			return d, false
		}, r.b.ToDec(x), r.bounded())
	}
	if grows {
		if t = types.IntType(digits+1, unsigned); keep.Kind == types.Bigint {
			t.Kind = types.Bigint
		}
	}
	up := r.mode != decimal.Truncate
	return eval.Map2(r.name, t.NullIf(x.Type, r.places.Type), func(_ *eval.Frame, v, n int64) (int64, bool) {
		if n >= 0 {
			return v, false
		}
		if unsigned || v >= 0 {
			return int64(roundWhole(uint64(v), -n, up)), false
		}
		return -int64(roundWhole(-uint64(v), -n, up)), false
	}, x, r.bounded())
}

// bounded are the places of a row, clamped: a large number without a sign is not negative.
func (r rounding) bounded() *eval.Expr {
	unsigned := r.places.Type.Unsigned
	return eval.Map1("", r.places.Type, func(_ *eval.Frame, n int64) (int64, bool) { return clampPlaces(n, unsigned), false }, r.places)
}

var wholePowers = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// roundWhole makes the last digits zero; if up, half of their unit and more is the next one.
func roundWhole(v uint64, digits int64, up bool) uint64 {
	if digits >= int64(len(wholePowers)) {
		return 0
	}
	unit := wholePowers[digits]
	rest := v % unit
	v -= rest
	if up && rest >= unit/2 {
		v += unit
	}
	return v
}

func (r rounding) decimal(x *eval.Expr) *eval.Expr {
	mode := r.mode
	if r.null && r.fixed {
		return r.float(r.b.ToFloat(x), types.NotFixed)
	}
	t, scale := x.Type, int(x.Type.Decimals)
	if r.fixed {
		t = types.DecimalType(decimal.RoundType(x.Type.Dec, int(r.n), mode))
		scale = int(t.Decimals)
	}
	return eval.Map2(r.name, t.NullIf(x.Type, r.places.Type), func(_ *eval.Frame, d decimal.Dec, n int64) (decimal.Dec, bool) {
		d, _ = d.Round(min(int(n), scale), mode)
		return d, false
	}, x, r.bounded())
}

func (r rounding) float(x *eval.Expr, decimals uint8) *eval.Expr {
	t := floatType(decimals)
	switch {
	case r.fixed && r.null:
		t = types.DoubleType()
	case r.fixed:
		t = floatType(uint8(min(max(r.n, 0), types.NotFixed)))
	}
	cut := r.mode == decimal.Truncate
	return eval.Map2(r.name, t.NullIf(x.Type, r.places.Type), func(_ *eval.Frame, v float64, n int64) (float64, bool) {
		return RoundFloat(v, int(n), cut), false
	}, x, r.bounded())
}

// RoundFloat is a double rounded to so many digits after the point (negative: before it), halves to even, or cut.
func RoundFloat(v float64, places int, cut bool) float64 {
	unit := math.Pow10(max(places, -places))
	to := math.RoundToEven
	if cut {
		to = math.Trunc
	}
	if places < 0 {
		if math.IsInf(unit, 0) {
			return 0
		}
		return to(v/unit) * unit
	}
	scaled := v * unit
	if math.IsInf(unit, 0) || math.IsInf(scaled, 0) {
		return v
	}
	return to(scaled) / unit
}

// temporal rounds the fraction of a TIME or DATETIME.
func (r rounding) temporal(x *eval.Expr) *eval.Expr {
	fraction := int(x.Type.Decimals)
	if r.fixed && !r.null {
		fraction = int(min(max(r.n, 0), int64(temporal.FractionMax)))
	}
	t := temporalType(x, fraction).NullIf(r.places.Type)
	mode, isTime := r.mode, t.Kind == types.Time
	return eval.Map2(r.name, t, func(_ *eval.Frame, v temporal.Packed, n int64) (temporal.Packed, bool) {
		places := int(min(max(n, 0), int64(fraction)))
		switch {
		case mode == decimal.Truncate:
			return v.Truncate(places), false
		case isTime:
			v, _ = v.RoundTime(places)
			return v, false
		}
		v, _, ok := v.RoundDateTime(places)
		return v, !ok
	}, x, r.bounded())
}

// temporalType is the type of a rounded TIME or DATETIME; a DATETIME may be one that has no next second.
func temporalType(x *eval.Expr, fraction int) types.Type {
	if x.Type.Kind == types.Time {
		return types.TemporalType(types.Time, fraction).NullIf(x.Type)
	}
	return types.TemporalType(types.Datetime, fraction).OrNull()
}
