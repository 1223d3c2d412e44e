package aggregate

import (
	"unsafe"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/key"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
)

// exact reports whether an argument is added as a DECIMAL: numbers, and temporal values, which are read as numbers. Text is a DOUBLE.
func exact(t types.Type) bool {
	switch t.Class() {
	case types.ClassFloat:
		return false
	case types.ClassText:
		return t.Hybrid
	}
	return true
}

// hybridDigits are the digits of the largest number of so many bytes.
var hybridDigits = [...]int{1, 3, 5, 8, 10, 13, 15, 17, 20}

// decimalOf is the precision of an argument that is added as a DECIMAL. A literal integer has a place for the sign that it has.
func decimalOf(b *eval.Builder, x *eval.Expr) decimal.Type {
	switch t := x.Type; {
	case t.Hybrid:
		return decimal.IntType(hybridDigits[min(int(t.Length), len(hybridDigits)-1)], true)
	case t.Kind.Integer() && x.Is(eval.Literal) && (t.Unsigned || x.Value.Int >= 0):
		return decimal.IntType(int(t.Length), t.Unsigned)
	}
	return b.DecimalOf(x.Type)
}

// Of a DOUBLE: how many characters it has whose digits after the point are fixed, besides these, and how many in other cases.
const (
	fixedDoubleLength = 17
	doubleLength      = 23
)

// floatLength is the length of a DOUBLE with so many digits after the point.
func floatLength(decimals uint8) uint32 {
	if decimals >= types.NotFixed {
		return doubleLength
	}
	return fixedDoubleLength + uint32(decimals)
}

func bindSum(b *eval.Builder, c *Call) (types.Type, func() States, error) {
	if err := c.isNumber(); err != nil {
		return types.Type{}, nil, err
	}
	x := c.Args[0]
	if exact(x.Type) {
		d := b.ToDec(x)
		t := types.DecimalType(decimal.SumType(decimalOf(b, x))).OrNull()
		return decimals(t, c, d, decimalOf(b, x), func(_ *eval.Frame, s *decimal.Sum, _ int64) decimal.Dec { v, _ := s.Value(); return v })
	}
	t := types.FixedDoubleType(floatLength(x.Type.Decimals), min(x.Type.Decimals, types.NotFixed)).OrNull()
	return floats(t, c, b.ToFloat(x), func(sum float64, _ int64) float64 { return sum })
}

func bindAvg(b *eval.Builder, c *Call) (types.Type, func() States, error) {
	if err := c.isNumber(); err != nil {
		return types.Type{}, nil, err
	}
	x, more := c.Args[0], b.Env.DivIncrement
	if exact(x.Type) {
		d := b.ToDec(x)
		t := types.DecimalType(decimal.AvgType(decimalOf(b, x), int(more))).OrNull()
		return decimals(t, c, d, decimalOf(b, x), func(_ *eval.Frame, s *decimal.Sum, n int64) decimal.Dec {
			sum, _ := s.Value()
			v, _ := decimal.Div(sum, decimal.FromInt64(n), int(more))
			return v
		})
	}
	places := min(x.Type.Decimals+more, types.NotFixed)
	length := min(uint32(x.Type.Bytes())+uint32(more), floatLength(places)) // of 32 bits also where they overflow
	t := types.FixedDoubleType(length, places).OrNull()
	return floats(t, c, b.ToFloat(x), func(sum float64, n int64) float64 { return sum / float64(n) })
}

// decSums adds DECIMALs.
type decSums struct {
	row eval.Func[decimal.Dec]
	// num is the argument where that is an integer; unsigned says that it has no sign.
	num      eval.Func[int64]
	unsigned bool

	end  func(*eval.Frame, *decimal.Sum, int64) decimal.Dec
	sums []decSum
	keys []*key.Writer // of DISTINCT
	seen set
	// scale is how many digits after the point the argument's type has; a quotient has more of them. Where rounded is set, they do not count.
	scale   int
	rounded bool
}

// Kept implements Keeper.
func (s *decSums) Kept() { s.rounded = true }

type decSum struct {
	sum decimal.Sum
	n   int64
}

func decimals(t types.Type, c *Call, x *eval.Expr, of decimal.Type, end func(*eval.Frame, *decimal.Sum, int64) decimal.Dec) (types.Type, func() States, error) {
	row := eval.Of[decimal.Dec](x)
	var keys []*key.Writer
	if c.Distinct {
		if a := c.Args[0].Type; a.Kind.Temporal() && a.Decimals > 0 {
			return t, nil, mysqlerr.NotYet("DISTINCT numbers of times with fractions") // MariaDB has them as DOUBLE
		}
		var err error
		x = eval.Map1("", types.DecimalType(of).NullIf(x.Type), func(_ *eval.Frame, v decimal.Dec) (decimal.Dec, bool) { return rounded(v, of.Scale), false }, x)
		row = eval.Of[decimal.Dec](x)
		if keys, err = writers([]*eval.Expr{x}); err != nil {
			return t, nil, err
		}
	}
	var num eval.Func[int64]
	if a := c.Args[0].Type; a.Kind.Integer() && !a.Hybrid && !c.Distinct {
		num = eval.Of[int64](c.Args[0])
	}
	return t, func() States {
		return &decSums{row: row, num: num, unsigned: c.Args[0].Type.Unsigned, end: end, keys: keys, scale: of.Scale}
	}, nil
}

func (s *decSums) Grow(groups int) { s.sums = grown(s.sums, groups) }

func (s *decSums) Add(f *eval.Frame, group int) {
	if s.num != nil {
		if n, null := s.num(f); !null {
			g := &s.sums[group]
			g.sum.AddInt(n, s.unsigned)
			g.n++
		}
		return
	}
	v, null := s.row(f)
	if null || s.keys != nil && !s.seen.add(f, group, s.keys) {
		return
	}
	if s.rounded {
		v = rounded(v, s.scale)
	}
	g := &s.sums[group]
	g.sum.Add(v)
	g.n++
}

// rounded is a number without the digits that its type does not show.
func rounded(v decimal.Dec, scale int) decimal.Dec {
	v, _ = v.Round(scale, decimal.HalfUp)
	return v
}

func (s *decSums) Result(f *eval.Frame, group int) types.Value {
	g := &s.sums[group]
	if g.n == 0 {
		return types.Value{Null: true}
	}
	return types.Value{Dec: s.end(f, &g.sum, g.n)}
}

func (s *decSums) Bytes() int64 { return int64(unsafe.Sizeof(decSum{})) * int64(cap(s.sums)) }

// floatSums adds DOUBLEs.
type floatSums struct {
	row  eval.Func[float64]
	end  func(sum float64, n int64) float64
	name string // the call, for errors
	sums []floatSum
}

type floatSum struct {
	sum float64
	n   int64
}

func floats(t types.Type, c *Call, x *eval.Expr, end func(float64, int64) float64) (types.Type, func() States, error) {
	sums := floatSums{row: eval.Of[float64](x), end: end, name: c.String()}
	if !c.Distinct {
		return t, func() States { out := sums; return &out }, nil
	}
	k, err := key.OfType(x.Type, false)
	if err != nil {
		return t, nil, err
	}
	text := c.Args[0].Type.Class() == types.ClassText
	if _, _, column := c.Args[0].Column(); text && !column {
		return t, nil, mysqlerr.NotYet("DISTINCT numbers that are computed as text")
	}
	return t, func() States { return &distinctFloats{floatSums: sums, key: k, silent: text} }, nil
}

func (s *floatSums) Grow(groups int) { s.sums = grown(s.sums, groups) }

func (s *floatSums) Add(f *eval.Frame, group int) {
	v, null := s.row(f)
	if null {
		return
	}
	s.sums[group].sum += v
	s.sums[group].n++
}

func (s *floatSums) Result(f *eval.Frame, group int) types.Value {
	g := s.sums[group]
	if g.n == 0 {
		return types.Value{Null: true}
	}
	return finite(f, s.end(g.sum, g.n), s.name)
}

// finite is a result, and error 1690 for one that is out of range: MariaDB shows 0 then, and has the error in what is computed of it.
func finite(f *eval.Frame, v float64, name string) types.Value {
	if v-v != 0 {
		f.Fail(mysqlerr.DataOutOfRange, "DOUBLE", name)
		return types.Value{Null: true}
	}
	return types.Value{Float: v}
}

func (s *floatSums) Bytes() int64 { return int64(unsafe.Sizeof(floatSum{})) * int64(cap(s.sums)) }

// distinctFloats adds the different values, in ascending order: the last digits of the sum depend on it.
type distinctFloats struct {
	floatSums
	key    *key.Type
	silent bool // the argument is text, of which numbers are made without conditions
	diag   types.Diagnostics
	seen   set
}

func (s *distinctFloats) Add(f *eval.Frame, group int) {
	diag := f.Diag
	if s.silent {
		s.diag = types.Diagnostics{}
		f.Diag = &s.diag
	}
	v, null := s.row(f)
	if f.Diag = diag; s.diag.Failed() != nil {
		f.FailWith(s.diag.Failed())
	}
	if null {
		return
	}
	s.seen.scratch = s.key.AppendFloat(appendGroup(s.seen.scratch[:0], group), v)
	s.seen.addKey(f, s.seen.scratch)
}

func (s *distinctFloats) Result(f *eval.Frame, group int) types.Value {
	g := &s.sums[group]
	*g = floatSum{}
	s.seen.each(group, func(k []byte) {
		g.sum += s.key.Float(k)
		g.n++
	})
	return s.floatSums.Result(f, group)
}
