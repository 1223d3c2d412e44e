package operator

import (
	"math"
	"math/bits"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
)

// sum is what arithmetic of one class needs to know of an operation: its operator, and the node for messages.
type sum struct {
	op       tree.Op
	unsigned bool // the result
	left     bool // the left operand is unsigned
	right    bool
	node     *eval.Expr // set when it is made; printed in error 1690
}

func (s *sum) outOfRange(f *eval.Frame, what string) {
	f.Fail(mysqlerr.DataOutOfRange, what, s.node.String())
}

func (s *sum) intOutOfRange(f *eval.Frame) {
	if s.unsigned {
		s.outOfRange(f, "BIGINT UNSIGNED")
		return
	}
	s.outOfRange(f, "BIGINT")
}

// divided warns of a division by zero.
func divided(f *eval.Frame) {
	if f.Env.Mode.Has(types.ErrorForDivisionByZero) {
		f.Warn(mysqlerr.DivisionByZero)
	}
}

// numberClass is the class in which arithmetic treats an operand.
func numberClass(t types.Type) types.Class {
	switch c := t.Class(); {
	case c == types.ClassText && t.Hybrid:
		return types.ClassInt
	case c == types.ClassText:
		return types.ClassFloat
	default:
		return c
	}
}

// decOf is the precision and scale of an operand.
func decOf(b *eval.Builder, x *eval.Expr) decimal.Type {
	switch {
	case x.Null():
		return decimal.Type{}
	case x.Is(eval.Literal) && x.Type.Class() == types.ClassInt:
		digits := int(x.Type.Length)
		if !x.Type.Unsigned && x.Value.Int < 0 {
			digits-- // the sign is none
		}
		return decimal.IntType(digits, x.Type.Unsigned)
	case x.Type.Class() == types.ClassInt && x.Name == "-" && len(x.Args) == 1 && !x.Args[0].Null():
		d := decOf(b, x.Args[0]) // the sign is no digit
		return decimal.IntType(d.Precision-d.Scale, x.Type.Unsigned)
	case x.Type.Class() == types.ClassDec && x.Name == "-" && len(x.Args) == 1 && x.Args[0].Type.Class() == types.ClassDec:
		return decimal.NegType(decOf(b, x.Args[0]))
	case x.Type.Class() == types.ClassInt && len(x.Args) > 0 && (x.Name == "cast" || x.Name == "interval"):
		return decimal.IntType(castPrecision(b, x), x.Type.Unsigned)
	case x.Type.Hybrid:
		return decimal.IntType(max(int(x.Type.Length)*24/10, 1), true)
	}
	return b.DecimalOf(x.Type)
}

// arithmetic is x op y for + - * / % and DIV.
func arithmetic(b *eval.Builder, op tree.Op, x, y *eval.Expr) (*eval.Expr, error) {
	for _, a := range []*eval.Expr{x, y} {
		if a.Type.Kind.Address() {
			return nil, mysqlerr.New(mysqlerr.IllegalParameterTypes, x.Type.Name(), y.Type.Name(), Name(op))
		}
	}
	cx, cy := numberClass(x.Type), numberClass(y.Type)
	if op == tree.OpIntDivide && cx == types.ClassFloat && x.Name == "-" && len(x.Args) == 1 {
		return nil, mysqlerr.NotYet("DIV of a negated text") // its length is of another character set
	}
	temporal := cx == types.ClassTime || cy == types.ClassTime
	s := &sum{op: op, left: withoutSign(x.Type), right: withoutSign(y.Type)}
	t, class := s.result(b, x, y, cx, cy, temporal)
	t.Nullable = x.Type.Nullable || y.Type.Nullable || op == tree.OpDivide || op == tree.OpIntDivide || op == tree.OpModulo
	switch class {
	case types.ClassFloat:
		s.node = both(Name(op), t, s.floats, b.ToFloat(x), b.ToFloat(y))
	case types.ClassDec:
		dx, dy := b.ToDec(x), b.ToDec(y)
		if op == tree.OpIntDivide {
			s.node = eval.Map2(Name(op), t, s.intDivideDecs, dx, dy)
		} else {
			s.node = eval.Map2(Name(op), t, s.decs, dx, dy)
		}
	default:
		kernel := map[tree.Op]func(*eval.Frame, int64, int64) (int64, bool){
			tree.OpPlus: s.addInts, tree.OpMinus: s.subInts, tree.OpTimes: s.mulInts, tree.OpModulo: s.modInts, tree.OpIntDivide: s.divInts,
		}[op]
		s.node = both(Name(op), t, kernel, b.ToInt(x), b.ToInt(y))
	}
	return s.node.Infix(op.Bind()), nil
}

// withoutSign reports whether a number that is made of a value has no sign: so it is of a TIMESTAMP, unlike a DATETIME.
func withoutSign(t types.Type) bool { return t.Unsigned || t.Kind == types.Timestamp }

// result is the type of an operation, and the class in which it is computed.
func (s *sum) result(b *eval.Builder, x, y *eval.Expr, cx, cy types.Class, temporal bool) (types.Type, types.Class) {
	dx, dy := decOf(b, x), decOf(b, y)
	dx.Unsigned, dy.Unsigned = dx.Unsigned || s.left && temporal, dy.Unsigned || s.right && temporal
	if s.op == tree.OpIntDivide {
		s.unsigned = s.left || s.right
		digits := max(dx.Precision-dx.Scale, 1)
		if cx == types.ClassFloat {
			digits = int(x.Type.Length)
			if x.Type.Decimals < types.NotFixed {
				digits -= int(x.Type.Decimals)
			}
			digits = max(digits, 1)
		}
		t := types.IntType(uint32(min(digits, 21)), s.unsigned)
		if cx == types.ClassInt && cy == types.ClassInt {
			return t, types.ClassInt
		}
		return t, types.ClassDec
	}
	if cx == types.ClassFloat || cy == types.ClassFloat {
		t := s.floatType(b, x, y)
		t.Unsigned = s.op == tree.OpModulo && s.left
		return t, types.ClassFloat
	}
	if cx == types.ClassInt && cy == types.ClassInt && s.op != tree.OpDivide {
		return s.intType(b, x, y, dx, dy), types.ClassInt
	}
	var d decimal.Type
	switch s.op {
	case tree.OpPlus, tree.OpMinus:
		d = decimal.AddType(dx, dy)
	case tree.OpTimes:
		d = decimal.MulType(dx, dy)
	case tree.OpModulo:
		d = decimal.ModType(dx, dy)
	default:
		d = decimal.DivType(dx, dy, int(b.Env.DivIncrement))
	}
	if temporal && d.Scale == 0 && s.op != tree.OpDivide {
		s.unsigned = d.Unsigned
		return types.IntType(uint32(d.Length()), d.Unsigned), types.ClassInt
	}
	return types.DecimalType(d), types.ClassDec
}

func (s *sum) intType(b *eval.Builder, x, y *eval.Expr, dx, dy decimal.Type) types.Type {
	s.unsigned = s.left || s.right
	var d decimal.Type
	switch s.op {
	case tree.OpModulo:
		s.unsigned = s.left
		d = decimal.ModType(dx, dy)
	case tree.OpTimes:
		d = decimal.MulType(dx, dy)
	default:
		d = decimal.AddType(dx, dy)
	}
	if s.op == tree.OpMinus && b.Env.Mode.Has(types.NoUnsignedSubtraction) {
		s.unsigned = false
	}
	d.Unsigned = s.unsigned
	return types.IntType(uint32(d.Length()), s.unsigned)
}

// floatDigits is how many digits after the point a DOUBLE result of an operand has.
func floatDigits(t types.Type) uint8 {
	if t.Class() == types.ClassInt {
		return 0
	}
	return min(t.Decimals, types.NotFixed)
}

func (s *sum) floatType(b *eval.Builder, x, y *eval.Expr) types.Type {
	digits := max(floatDigits(x.Type), floatDigits(y.Type))
	if s.op == tree.OpDivide {
		digits = min(digits+b.Env.DivIncrement, types.NotFixed)
	}
	if digits >= types.NotFixed {
		return types.DoubleType()
	}
	length := 17 + uint32(digits)
	if s.op == tree.OpDivide {
		length = min(length, x.Type.Width()-min(x.Type.Width(), uint32(floatDigits(x.Type)))+uint32(digits))
	}
	return types.FixedDoubleType(length, digits)
}

func (s *sum) floats(f *eval.Frame, x, y float64) (v float64, null bool) {
	switch s.op {
	case tree.OpPlus:
		v = x + y
	case tree.OpMinus:
		v = x - y
	case tree.OpTimes:
		v = x * y
	default:
		if y == 0 {
			divided(f)
			return 0, true
		}
		if v = x / y; s.op == tree.OpModulo {
			v = math.Mod(x, y)
		}
	}
	if math.IsInf(v, 0) || math.IsNaN(v) {
		s.outOfRange(f, "DOUBLE")
		return 0, true
	}
	return v + 0, false // a zero has no sign
}

func (s *sum) decs(f *eval.Frame, x, y decimal.Dec) (v decimal.Dec, null bool) {
	var cond decimal.Cond
	switch s.op {
	case tree.OpPlus:
		v, cond = decimal.Add(x, y)
	case tree.OpMinus:
		v, cond = decimal.Sub(x, y)
	case tree.OpTimes:
		v, cond = decimal.Mul(x, y)
	case tree.OpModulo:
		v, cond = decimal.Mod(x, y)
	default:
		v, cond = decimal.Div(x, y, int(f.Env.DivIncrement))
	}
	switch {
	case cond&decimal.DivZero != 0:
		divided(f)
		return v, true
	case cond&decimal.Overflow != 0:
		s.outOfRange(f, "DECIMAL")
		return v, true
	}
	return v, false
}

// intDivideDecs is DIV of numbers that are no integers: the quotient without its fraction.
func (s *sum) intDivideDecs(f *eval.Frame, x, y decimal.Dec) (n int64, null bool) {
	v, cond := decimal.Div(x, y, 0)
	if cond&decimal.DivZero != 0 {
		divided(f)
		return 0, true
	}
	overflow := cond & decimal.Overflow
	if v, _ = v.Round(0, decimal.Truncate); s.unsigned {
		var u uint64
		u, cond = v.Uint64(decimal.Truncate)
		n = int64(u)
	} else {
		n, cond = v.Int64(decimal.Truncate)
	}
	if (cond|overflow)&decimal.Overflow != 0 {
		if word := "INT"; cond&decimal.Overflow != 0 {
			if s.unsigned {
				word = "UNSIGNED INT"
			}
			f.Warn(mysqlerr.DataOverflow, v.String(), word)
		}
		s.intOutOfRange(f)
		return 0, true
	}
	return n, false
}

// wide is the upper half of an operand as 128 bits.
func wide(n int64, unsigned bool) uint64 {
	if unsigned {
		return 0
	}
	return uint64(n >> 63)
}

func (s *sum) fit(f *eval.Frame, hi, lo uint64) (int64, bool) {
	if s.unsigned && hi == 0 || !s.unsigned && hi == uint64(int64(lo)>>63) {
		return int64(lo), false
	}
	s.intOutOfRange(f)
	return 0, true
}

func (s *sum) addInts(f *eval.Frame, x, y int64) (int64, bool) {
	lo, carry := bits.Add64(uint64(x), uint64(y), 0)
	hi, _ := bits.Add64(wide(x, s.left), wide(y, s.right), carry)
	return s.fit(f, hi, lo)
}

func (s *sum) subInts(f *eval.Frame, x, y int64) (int64, bool) {
	lo, borrow := bits.Sub64(uint64(x), uint64(y), 0)
	hi, _ := bits.Sub64(wide(x, s.left), wide(y, s.right), borrow)
	return s.fit(f, hi, lo)
}

// magnitude is the absolute value of an operand, and whether it is below zero.
func magnitude(n int64, unsigned bool) (uint64, bool) {
	if unsigned || n >= 0 {
		return uint64(n), false
	}
	return -uint64(n), true
}

// signed brings a magnitude with its sign into the result.
func (s *sum) signed(f *eval.Frame, hi, lo uint64, neg bool) (int64, bool) {
	if neg && hi|lo != 0 {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	return s.fit(f, hi, lo)
}

func (s *sum) mulInts(f *eval.Frame, x, y int64) (int64, bool) {
	a, an := magnitude(x, s.left)
	c, cn := magnitude(y, s.right)
	hi, lo := bits.Mul64(a, c)
	if hi>>63 != 0 {
		s.intOutOfRange(f)
		return 0, true
	}
	return s.signed(f, hi, lo, an != cn)
}

func (s *sum) divInts(f *eval.Frame, x, y int64) (int64, bool) {
	if y == 0 {
		divided(f)
		return 0, true
	}
	a, an := magnitude(x, s.left)
	c, cn := magnitude(y, s.right)
	return s.signed(f, 0, a/c, an != cn)
}

func (s *sum) modInts(f *eval.Frame, x, y int64) (int64, bool) {
	if y == 0 {
		divided(f)
		return 0, true
	}
	a, an := magnitude(x, s.left)
	c, _ := magnitude(y, s.right)
	return s.signed(f, 0, a%c, an)
}

// doubleLength is the longest DOUBLE that is negated.
const doubleLength = 53

// negate is -x.
func negate(b *eval.Builder, x *eval.Expr) (*eval.Expr, error) {
	if x.Type.Kind.Address() {
		return nil, mysqlerr.New(mysqlerr.IllegalParameterDataType, x.Type.Name(), "-")
	}
	s := &sum{op: tree.OpNegate, left: x.Type.Unsigned}
	if x.Is(eval.Literal) && !x.Null() && x.Type.Class() != types.ClassText && x.Type.Class() != types.ClassTime {
		return negativeLiteral(b, x).With(x.Props & eval.Bool), nil
	}
	class := numberClass(x.Type)
	if x.Null() {
		t := types.FixedDoubleType(1, 0).OrNull()
		return eval.New("-", t, func(*eval.Frame) (float64, bool) { return 0, true }, x).Prefix(tree.BindUnary), nil
	}
	switch class {
	case types.ClassInt:
		length := x.Type.Width()
		if x.Type.Collation != nil { // of ENUM and SET the bytes count
			length = uint32(x.Type.Bytes())
		}
		t := types.IntType(length+1, false)
		t.Nullable = x.Type.Nullable
		if x.Is(eval.Constant) {
			// MariaDB computes a constant here to settle the type, and its warnings come twice.
			v, null := eval.Of[int64](b.ToInt(x))(b.Scratch)
			if !null && (v == math.MinInt64 && !s.left || s.left && uint64(v) > 1<<63) {
				break
			}
		}
		s.node = eval.Map1("-", t, s.negInt, b.ToInt(x))
		return s.node.Prefix(tree.BindUnary), nil
	case types.ClassFloat:
		length := x.Type.Length
		if x.Type.Collation != nil {
			length *= uint32(x.Type.Collation.Set().MaxLen())
		}
		t := types.FixedDoubleType(min(length, doubleLength-1)+1, floatDigits(x.Type))
		t.Nullable = x.Type.Nullable
		s.node = eval.Map1("-", t, func(_ *eval.Frame, v float64) (float64, bool) { return 0 - v, false }, b.ToFloat(x))
		return s.node.Prefix(tree.BindUnary), nil
	}
	t := types.DecimalType(decimal.NegType(decOf(b, x)))
	if x.Type.Class() == types.ClassTime { // of which the delimiters count as digits
		digits := int(x.Type.Length)
		if x.Type.Decimals > 0 {
			digits--
		}
		t = types.DecimalType(decimal.Type{Precision: digits, Scale: int(x.Type.Decimals)})
	}
	t.Nullable = x.Type.Nullable
	s.node = eval.Map1("-", t, func(_ *eval.Frame, d decimal.Dec) (decimal.Dec, bool) { return d.Neg(), false }, b.ToDec(x))
	return s.node.Prefix(tree.BindUnary), nil
}

func (s *sum) negInt(f *eval.Frame, n int64) (int64, bool) {
	m, neg := magnitude(n, s.left)
	return s.signed(f, 0, m, !neg)
}

// negativeLiteral is a number with its sign, which is a literal again.
func negativeLiteral(b *eval.Builder, x *eval.Expr) *eval.Expr {
	t, v := x.Type, x.Value
	written := append([]byte("-"), x.Print(nil)...)
	if zero := t.Class() == types.ClassInt && v.Int == 0 || t.Class() == types.ClassDec && v.Dec.IsZero(); zero {
		written = written[1:]
	}
	switch t.Class() {
	case types.ClassFloat:
		if v.Float != 0 {
			t.Length++
		}
		v.Float = 0 - v.Float
	case types.ClassDec:
		v.Dec = v.Dec.Neg()
	default:
		if t.Unsigned && uint64(v.Int) > 1<<63 {
			d := decimal.FromUint64(uint64(v.Int)).Neg()
			return eval.NewLiteral(types.DecimalType(decimal.LiteralType(d)), types.Value{Dec: d}, written)
		}
		if v.Int == 0 {
			break
		}
		if !t.Unsigned && v.Int == math.MinInt64 {
			d := decimal.FromInt64(v.Int).Neg()
			return eval.NewLiteral(types.DecimalType(decimal.LiteralType(d)), types.Value{Dec: d}, written)
		}
		if v.Int < 0 && !t.Unsigned {
			v.Int, t.Length = -v.Int, t.Length-1
			t.Kind = types.IntType(t.Length, false).Kind
			break
		}
		v.Int, t.Unsigned, t.Length = -v.Int, false, t.Length+1
		t.Kind = max(t.Kind, types.IntType(t.Length, false).Kind)
	}
	return eval.NewLiteral(t, v, written)
}
