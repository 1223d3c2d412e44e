package eval

import (
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// NewKept makes the node of a value that was computed before, by x, for the row or group that is read now: Frame.Kept[index].
func NewKept(x *Expr, index int) *Expr {
	y := wrapped(x)
	y.Props = y.Props&Session | Volatile
	y.asFloat, y.asDec, y.asInt, y.unquoted, y.asText, y.instant, y.moment = nil, nil, nil, nil, nil, nil, nil
	switch x.Type.Class() {
	case types.ClassInt:
		y.row = Func[int64](func(f *Frame) (int64, bool) { v := &f.Kept[index]; return v.Int, v.Null })
	case types.ClassFloat:
		y.row = Func[float64](func(f *Frame) (float64, bool) { v := &f.Kept[index]; return v.Float, v.Null })
	case types.ClassDec:
		y.row = Func[decimal.Dec](func(f *Frame) (decimal.Dec, bool) { v := &f.Kept[index]; return v.Dec, v.Null })
	case types.ClassTime:
		y.row = Func[temporal.Packed](func(f *Frame) (temporal.Packed, bool) { v := &f.Kept[index]; return v.Time, v.Null })
	default:
		y.row = Func[[]byte](func(f *Frame) ([]byte, bool) { v := &f.Kept[index]; return v.Text, v.Null })
	}
	return y
}
