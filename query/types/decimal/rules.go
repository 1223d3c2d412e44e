package decimal

// Type is what is known of an expression before it is computed: precision and scale, of which metadata tells
// [Type.Length] and the scale. Neither need be one that a column can have.
type Type struct {
	Precision, Scale int
	Unsigned         bool
	Literal          bool // its precision counts in full where it is an operand, that of others up to 65
	Signs            int  // signs that metadata counts beyond the one a number has
}

// operand is the precision and scale that others see.
func (t Type) operand() (precision, scale int) {
	precision = t.Precision
	if !t.Literal {
		precision = min(precision, PrecisionMax)
	}
	return precision, min(t.Scale, ScaleMax)
}

// Length is the type's length in characters, as result metadata has it: digits, point and sign.
func (t Type) Length() int {
	n := t.Precision + t.Signs
	if t.Scale > 0 {
		n++
	}
	if !t.Unsigned && t.Precision > 0 {
		n++
	}
	return max(n, 1)
}

// IntType returns the type of an integer expression of so many digits: of a literal those written, of a column those
// of its type's length (INT has 10, BIGINT 19 or 20).
func IntType(digits int, unsigned bool) Type { return Type{Precision: digits, Unsigned: unsigned} }

// LiteralType is that of a number written as such, which [Parse] has read: zeros before it count, if they are few.
func LiteralType(d Dec) Type {
	return Type{Precision: d.meta.intg() + d.Scale(), Scale: d.Scale(), Literal: true}
}

// AddType is that of a+b and a-b.
func AddType(a, b Type) Type {
	pa, sa := a.operand()
	pb, sb := b.operand()
	scale := max(sa, sb)
	return Type{Precision: max(pa-sa, pb-sb) + 1 + scale, Scale: scale, Unsigned: a.Unsigned && b.Unsigned}
}

// MulType is that of a*b.
func MulType(a, b Type) Type {
	pa, sa := a.operand()
	pb, sb := b.operand()
	return Type{Precision: min(pa+pb, PrecisionMax), Scale: min(sa+sb, ScaleMax), Unsigned: a.Unsigned && b.Unsigned}
}

// DivType is that of a/b.
func DivType(a, b Type, increment int) Type {
	pa, sa := a.operand()
	return Type{Precision: min(pa+b.Scale+increment, PrecisionMax), Scale: min(sa+increment, ScaleMax), Unsigned: a.Unsigned && b.Unsigned}
}

// ModType is that of a%b.
func ModType(a, b Type) Type {
	pa, sa := a.operand()
	pb, sb := b.operand()
	return Type{Precision: max(pa, pb), Scale: max(sa, sb), Unsigned: a.Unsigned}
}

// NegType is that of -a, for which metadata counts another sign. A literal with its sign keeps its type.
func NegType(a Type) Type {
	if !a.Unsigned {
		a.Signs++
	}
	a.Unsigned = false
	return a
}

// AbsType is that of ABS(a).
func AbsType(a Type) Type {
	a.Precision, a.Signs, a.Literal = a.Precision+a.Signs, 0, false
	a.Scale = min(a.Scale, ScaleMax)
	return a
}

// RoundType is that of ROUND(a, places) and TRUNCATE(a, places) for a constant. A digit more is needed if rounding may carry.
func RoundType(a Type, places int, mode Mode) Type {
	precision, _ := a.operand()
	scale := min(max(places, 0), ScaleMax)
	precision += scale - a.Scale
	if mode != Truncate && a.Scale > scale {
		precision++
	}
	return Type{Precision: max(precision, 1), Scale: scale, Unsigned: a.Unsigned}
}

// IntegralType is that of CEIL(a) and FLOOR(a). If it has at most 18 digits, the result is an integer of this length.
// A digit more is needed if rounding may carry, which FLOOR of an unsigned number does not.
func IntegralType(a Type, mode Mode) (t Type, integer bool) {
	precision, _ := a.operand()
	precision -= a.Scale
	if a.Scale > 0 && !(a.Unsigned && mode == Floor) {
		precision++
	}
	return Type{Precision: precision, Unsigned: a.Unsigned}, precision <= Int64Digits
}

// sumDigits is what SUM adds for the number of rows.
const sumDigits = 22

// SumType is that of SUM(a).
func SumType(a Type) Type {
	precision, scale := a.operand()
	return Type{Precision: min(precision+sumDigits, PrecisionMax), Scale: scale}
}

// AvgType is that of AVG(a).
func AvgType(a Type, increment int) Type {
	precision, scale := a.operand()
	return Type{Precision: precision + increment, Scale: min(scale+increment, ScaleMax)}
}
