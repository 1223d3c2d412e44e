package eval

import (
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Value computes an expression and returns the value as a types.Value, whose text lives until the frame's next row.
func (x *Expr) Compute(f *Frame) types.Value {
	var v types.Value
	switch row := x.row.(type) {
	case Func[int64]:
		v.Int, v.Null = row(f)
	case Func[float64]:
		v.Float, v.Null = row(f)
	case Func[decimal.Dec]:
		v.Dec, v.Null = row(f)
	case Func[temporal.Packed]:
		v.Time, v.Null = row(f)
	case Func[[]byte]:
		v.Text, v.Null = row(f)
	}
	return v
}

// NewLiteral makes a node of a value of a type, which a statement has written as text.
func NewLiteral(t types.Type, v types.Value, written []byte) *Expr {
	x := &Expr{Type: t, Props: Constant | Literal, Name: string(written), Value: v, bind: bindPrimary}
	x.print = func(dst []byte) []byte { return append(dst, written...) }
	x.row = constant(t.Class(), v)
	return x
}

// NewValue makes a node of a value that does not change while the statement runs.
func NewValue(t types.Type, v types.Value) *Expr {
	x := &Expr{Type: t, Props: Constant, Value: v, bind: bindPrimary, row: constant(t.Class(), v)}
	x.print = func(dst []byte) []byte { return append(dst, '?') }
	return x
}

func constant(c types.Class, v types.Value) any {
	switch c {
	case types.ClassInt:
		return Func[int64](func(*Frame) (int64, bool) { return v.Int, v.Null })
	case types.ClassFloat:
		return Func[float64](func(*Frame) (float64, bool) { return v.Float, v.Null })
	case types.ClassDec:
		return Func[decimal.Dec](func(*Frame) (decimal.Dec, bool) { return v.Dec, v.Null })
	case types.ClassTime:
		return Func[temporal.Packed](func(*Frame) (temporal.Packed, bool) { return v.Time, v.Null })
	}
	return Func[[]byte](func(*Frame) ([]byte, bool) { return v.Text, v.Null })
}

// NewParameter makes the node of a placeholder's value.
func NewParameter(t types.Type, index int) *Expr {
	x := &Expr{Type: t, Props: Constant, Name: "?", bind: bindPrimary}
	x.print = func(dst []byte) []byte { return append(dst, '?') }
	switch t.Class() {
	case types.ClassInt:
		x.row = Func[int64](func(f *Frame) (int64, bool) { p := f.param(index); return p.Int, p.Null })
	case types.ClassFloat:
		x.row = Func[float64](func(f *Frame) (float64, bool) { p := f.param(index); return p.Float, p.Null })
	case types.ClassDec:
		x.row = Func[decimal.Dec](func(f *Frame) (decimal.Dec, bool) { p := f.param(index); return p.Dec, p.Null })
	case types.ClassTime:
		x.row = Func[temporal.Packed](func(f *Frame) (temporal.Packed, bool) { p := f.param(index); return p.Time, p.Null })
	default:
		x.row = Func[[]byte](func(f *Frame) ([]byte, bool) { p := f.param(index); return p.Text, p.Null })
	}
	return x
}
