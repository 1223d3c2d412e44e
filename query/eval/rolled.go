package eval

import (
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// NewRolled makes the node of an expression that is the i-th key of groups with super rows: it is NULL in those above the key (Frame.KeysLeft).
func NewRolled(x *Expr, i int) *Expr {
	y := wrapped(x)
	switch row := x.row.(type) {
	case Func[int64]:
		y.row = rolled(row, i)
	case Func[float64]:
		y.row = rolled(row, i)
	case Func[decimal.Dec]:
		y.row = rolled(row, i)
	case Func[temporal.Packed]:
		y.row = rolled(row, i)
	case Func[[]byte]:
		y.row = rolled(row, i)
	}
	return y
}

func rolled[T Scalar](row Func[T], i int) Func[T] {
	return func(f *Frame) (v T, null bool) {
		if i >= f.KeysLeft {
			return v, true
		}
		return row(f)
	}
}

// NewSaidOnce makes a node whose conditions are those of groups: in super rows, which show the same value again, it adds none.
func NewSaidOnce(x *Expr) *Expr {
	y := wrapped(x)
	switch row := x.row.(type) {
	case Func[int64]:
		y.row = saidOnce(row)
	case Func[float64]:
		y.row = saidOnce(row)
	case Func[decimal.Dec]:
		y.row = saidOnce(row)
	case Func[temporal.Packed]:
		y.row = saidOnce(row)
	case Func[[]byte]:
		y.row = saidOnce(row)
	}
	return y
}

func saidOnce[T Scalar](row Func[T]) Func[T] {
	return func(f *Frame) (T, bool) {
		if !f.Super {
			return row(f)
		}
		kept := f.Diag
		f.Diag = &types.Diagnostics{Most: 1}
		defer func() { f.Diag = kept }()
		return row(f)
	}
}

// QuietNumber makes a node of text that is read as a number without a warning.
func (b *Builder) QuietNumber(x *Expr) *Expr {
	y := *x
	return y.ReadAs(quiet[float64](b.ToFloat(x)), quiet[decimal.Dec](b.ToDec(x)), quiet[int64](b.ToInt(x)))
}

func quiet[T Scalar](x *Expr) *Expr {
	y, row := wrapped(x), Of[T](x)
	y.row = Func[T](func(f *Frame) (T, bool) {
		kept := f.Diag
		f.Diag = &types.Diagnostics{Most: 1}
		defer func() { f.Diag = kept }()
		return row(f)
	})
	return y
}

// wrapped is a node like x whose row form is to be another one: it is no constant, and no literal.
func wrapped(x *Expr) *Expr {
	return &Expr{Type: x.Type, Name: x.Name, Args: x.Args, Props: x.Props &^ (Constant | Literal), print: x.print, bind: x.bind, label: x.label}
}
