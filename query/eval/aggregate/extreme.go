package aggregate

import (
	"bytes"
	"cmp"
	"strings"
	"unsafe"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/key"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// bindExtreme is MIN and MAX; DISTINCT changes nothing. Of equal values the first one stays. ENUM and SET are compared as text.
func bindExtreme(b *eval.Builder, c *Call) (types.Type, func() States, error) {
	x := c.Args[0]
	if x.Type.Derivation == charset.None && x.Type.Collation != nil {
		if _, _, err := b.Agree(strings.ToLower(c.Name)+"(", true, x, x); err != nil {
			return types.Type{}, nil, err
		}
	}
	t := ExtremeType(x)
	sign := 1
	if c.Name == "MIN" {
		sign = -1
	}
	if x.Null() {
		return t, func() States { return nothing{} }, nil
	}
	switch x.Type.Class() {
	case types.ClassInt:
		if x.Type.Kind == types.Enum || x.Type.Kind == types.Set {
			x = b.ToText(x)
			return bindExtremeText(t, x, sign)
		}
		if x.Type.Unsigned {
			return t, extremesOf(x, sign, func(a, b int64) int { return cmp.Compare(uint64(a), uint64(b)) }, ofInt), nil
		}
		return t, extremesOf(x, sign, cmp.Compare[int64], ofInt), nil
	case types.ClassFloat:
		return t, extremesOf(x, sign, cmp.Compare[float64], func(v float64) types.Value { return types.Value{Float: v} }), nil
	case types.ClassDec:
		return t, extremesOf(x, sign, decimal.Cmp, func(v decimal.Dec) types.Value { return types.Value{Dec: v} }), nil
	case types.ClassTime:
		if x.Type.Kind == types.Timestamp && x.Instant() != nil {
			row := eval.Of[int64](x.Instant())
			return t, func() States {
				return &extremeMoments{extremes[int64]{row: row, sign: sign, compare: cmp.Compare[int64], value: ofInt}}
			}, nil
		}
		return t, extremesOf(x, sign, cmp.Compare[temporal.Packed], func(v temporal.Packed) types.Value { return types.Value{Time: v} }), nil
	}
	return bindExtremeText(t, x, sign)
}

// Extreme tells of what a function is the least or greatest value; ok is false for other functions.
func (fn *Func) Extreme() (x *eval.Expr, greatest, ok bool) {
	if fn.call.Name != "MIN" && fn.call.Name != "MAX" {
		return nil, false, false
	}
	return fn.call.Args[0], fn.call.Name == "MAX", true
}

func ofInt(v int64) types.Value { return types.Value{Int: v} }

// ExtremeType is the type of an argument, as a value that may be missing: that of MIN and MAX.
func ExtremeType(x *eval.Expr) types.Type {
	t := x.Type.OrNull()
	_, _, column := x.Column()
	t.Zerofill = false
	switch {
	case t.Kind == types.Null:
		binary, _ := charset.SetByName("binary")
		t = types.StringType(0, binary.Default(), charset.Ignorable, true).OrNull()
		t.Decimals = 0
	case t.Kind == types.Enum || t.Kind == types.Set:
		t.Kind, t.Members, t.Decimals = types.Varchar, nil, 0
	case t.Class() == types.ClassInt && !column && !x.Is(eval.Bool): // MariaDB keeps the kind of columns, and of conditions
		t.Kind = types.Bigint
	case t.Kind.Integer() && column:
		t.Length = x.Type.FullWidth() // whatever it is shown with
	case t.Class() == types.ClassFloat:
		t.Length = floatLength(t.Decimals)
		if !column {
			t.Kind = types.Double
		}
	case t.Kind == types.Timestamp:
		t.Unsigned = column
	case t.Kind.Address(): // as columns are
		t.Unsigned, t.Decimals = true, 0
	case t.Kind == types.Char && !column:
		t.Kind = types.Varchar
	}
	return t
}

// nothing is the states of what is always NULL.
type nothing struct{}

func (nothing) Grow(int)                            {}
func (nothing) Add(*eval.Frame, int)                {}
func (nothing) Result(*eval.Frame, int) types.Value { return types.Value{Null: true} }
func (nothing) Bytes() int64                        { return 0 }

// extremes are the least or greatest values of a class that holds no memory.
type extremes[T eval.Scalar] struct {
	row     eval.Func[T]
	sign    int // 1: the greatest
	compare func(a, b T) int
	value   func(T) types.Value
	best    []T
	known   []bool
}

// extremeMoments are the least or greatest TIMESTAMPs.
type extremeMoments struct{ extremes[int64] }

func (s *extremeMoments) Result(f *eval.Frame, group int) types.Value {
	v := s.extremes.Result(f, group)
	if !v.Null {
		v.Time = f.Zone.DateTime(temporal.Stamp(v.Int))
	}
	return v
}

func extremesOf[T eval.Scalar](x *eval.Expr, sign int, compare func(a, b T) int, value func(T) types.Value) func() States {
	row := eval.Of[T](x)
	return func() States { return &extremes[T]{row: row, sign: sign, compare: compare, value: value} }
}

func (s *extremes[T]) Grow(groups int) {
	s.best, s.known = grown(s.best, groups), grown(s.known, groups)
}

func (s *extremes[T]) Add(f *eval.Frame, group int) {
	v, null := s.row(f)
	if !null && (!s.known[group] || s.sign*s.compare(v, s.best[group]) > 0) {
		s.best[group], s.known[group] = v, true
	}
}

func (s *extremes[T]) Result(_ *eval.Frame, group int) types.Value {
	if !s.known[group] {
		return types.Value{Null: true}
	}
	return s.value(s.best[group])
}

func (s *extremes[T]) Bytes() int64 {
	var zero T
	return int64(unsafe.Sizeof(zero))*int64(cap(s.best)) + int64(cap(s.known))
}

// extremeTexts are the least or greatest texts, by their collation.
type extremeTexts struct {
	row     eval.Func[[]byte]
	sign    int
	compare func(s *extremeTexts, a, b []byte) int
	best    [][]byte // nil: none yet
	x, y    []byte   // scratch
}

func bindExtremeText(t types.Type, x *eval.Expr, sign int) (types.Type, func() States, error) {
	row := eval.Of[[]byte](x)
	compare := func(_ *extremeTexts, a, b []byte) int { return bytes.Compare(a, b) }
	if x.Type.Kind.Address() {
		k, err := key.OfType(x.Type, false)
		if err != nil {
			return t, nil, err
		}
		compare = func(s *extremeTexts, a, b []byte) int {
			s.x, s.y = k.AppendText(s.x[:0], a), k.AppendText(s.y[:0], b)
			return bytes.Compare(s.x, s.y)
		}
	} else if !x.Type.Binary() {
		order, err := x.Type.Collation.Order()
		if err != nil {
			return t, nil, mysqlerr.NotYet("an order by " + x.Type.Collation.Name()).WithCause(err)
		}
		compare = func(_ *extremeTexts, a, b []byte) int { return order.Compare(a, b) }
	}
	return t, func() States { return &extremeTexts{row: row, sign: sign, compare: compare} }, nil
}

func (s *extremeTexts) Grow(groups int) { s.best = grown(s.best, groups) }

func (s *extremeTexts) Add(f *eval.Frame, group int) {
	v, null := s.row(f)
	best := s.best[group]
	if null || best != nil && s.sign*s.compare(s, v, best) <= 0 {
		return
	}
	if len(v) > cap(best) || best == nil {
		room := max(len(v), 2*cap(best))
		if !charge(f, int64(room-cap(best))) {
			return
		}
		best = make([]byte, 0, room)
	}
	s.best[group] = append(best[:0], v...)
}

func (s *extremeTexts) Result(_ *eval.Frame, group int) types.Value {
	return types.Value{Text: s.best[group], Null: s.best[group] == nil}
}

func (s *extremeTexts) Bytes() int64 { return int64(unsafe.Sizeof(s.x)) * int64(cap(s.best)) }
