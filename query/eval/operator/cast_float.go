package operator

import (
	"math"
	"strconv"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// castFloatInt is CAST of a DOUBLE to an integer: rounded to even; the nearest bound if it is out of range, with note 1916.
func castFloatInt(f *eval.Frame, v float64, unsigned bool) int64 {
	word, n, ok := "SIGNED BIGINT", int64(0), true
	switch r := math.RoundToEven(v); {
	case unsigned:
		word = "UNSIGNED BIGINT"
		switch {
		case r < 0:
			ok = false
		case r >= 1<<64:
			n, ok = -1, false
		default:
			n = int64(uint64(r))
		}
	case r >= 1<<63:
		n, ok = math.MaxInt64, r == 1<<63
	case r < -1<<63:
		n, ok = math.MinInt64, false
	default:
		n = int64(r)
	}
	if !ok {
		f.Note(mysqlerr.DataOverflow, string(floattext.Append(nil, v, false)), word)
	}
	return n
}

func appendPair(dst []byte, length, decimals int) []byte {
	dst = strconv.AppendInt(append(dst, '('), int64(length), 10)
	dst = strconv.AppendInt(append(dst, ','), int64(decimals), 10)
	return append(dst, ')')
}

// castDouble is CAST AS DOUBLE, or DOUBLE(length,decimals) which rounds as a column does.
func castDouble(b *eval.Builder, x *eval.Expr, t *tree.CastType) (*eval.Expr, error) {
	if t.Length == nil {
		out := eval.Map1("cast", types.FixedDoubleType(22, types.NotFixed).OrNull(), func(_ *eval.Frame, v float64) (float64, bool) {
			return v, false
		}, b.ToFloat(x))
		return castPrinted(out, x, "double"), nil
	}
	d, err := castDecimalType(x, t)
	if err != nil {
		return nil, err
	}
	scale := math.Pow(10, float64(d.Scale))
	most := math.Pow(10, float64(d.Precision-d.Scale)) - 1/scale
	x.Call("") // of a CAST in a CAST, MariaDB says other rows
	label := eval.NewLabel()
	out := eval.Map1("cast", types.FixedDoubleType(uint32(d.Precision), uint8(d.Scale)).OrNull(), func(f *eval.Frame, v float64) (float64, bool) {
		whole := math.Floor(v)
		v = whole + math.RoundToEven((v-whole)*scale)/scale
		if v > most || v < -most {
			if label.Name() == "" {
				outOfRange(f)
				return v, true
			}
			f.Note(mysqlerr.WarnDataOutOfRange, label.Name(), max(f.Row, 1))
			v = math.Copysign(most, v)
		}
		return v, false
	}, b.ToFloat(x)).Labelled(label)
	return castPrinted(out, x, string(appendPair([]byte("double"), d.Precision, d.Scale))), nil
}

func castFloat(b *eval.Builder, x *eval.Expr) *eval.Expr {
	t := types.FixedDoubleType(12, types.NotFixed).OrNull()
	t.Kind = types.Float
	out := eval.Map1("cast", t, func(f *eval.Frame, v float64) (float64, bool) {
		if math.Abs(v) > math.MaxFloat32 {
			outOfRange(f)
			return v, true
		}
		return float64(float32(v)), false
	}, b.ToFloat(x))
	return castPrinted(out, x, "float")
}
