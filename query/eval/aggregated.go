package eval

import (
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// NewAggregated makes the node of an aggregate function's result for the group that is read now: Frame.Aggregates[index]. A type that is
// Null is always NULL. Printing writes it as a call of name.
func NewAggregated(t types.Type, index int, name string, args ...*Expr) *Expr {
	x := &Expr{Type: t, Name: name, Args: args, aggregated: true, bind: bindPrimary, print: callPrinter(name, args)}
	switch t.Class() {
	case types.ClassInt:
		x.row = Func[int64](func(f *Frame) (int64, bool) { v := &f.Aggregates[index]; return v.Int, v.Null })
	case types.ClassFloat:
		x.row = Func[float64](func(f *Frame) (float64, bool) { v := &f.Aggregates[index]; return v.Float, v.Null })
	case types.ClassDec:
		x.row = Func[decimal.Dec](func(f *Frame) (decimal.Dec, bool) { v := &f.Aggregates[index]; return v.Dec, v.Null })
	case types.ClassTime:
		x.row = Func[temporal.Packed](func(f *Frame) (temporal.Packed, bool) { v := &f.Aggregates[index]; return v.Time, v.Null })
	default:
		x.row = Func[[]byte](func(f *Frame) ([]byte, bool) { v := &f.Aggregates[index]; return v.Text, v.Null })
	}
	return x
}

// OfMoments says that the result, a TIMESTAMP, has its moment beside it, in Value.Int.
func (x *Expr) OfMoments(index int) *Expr {
	return x.At(NewAggregated(types.BigintType(20, false).OrNull(), index, x.Name, x.Args...))
}

// Aggregated reports whether the node is the result of an aggregate function.
func (x *Expr) Aggregated() bool { return x.aggregated }
