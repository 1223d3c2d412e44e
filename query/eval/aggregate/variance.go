package aggregate

import (
	"math"
	"unsafe"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

// varianceDecimalsMax is how many digits after the point the deviation of numbers is shown with at most.
const varianceDecimalsMax = 30

func bindVariance(b *eval.Builder, c *Call) (types.Type, func() States, error) {
	if err := c.isNumber(); err != nil {
		return types.Type{}, nil, err
	}
	x := c.Args[0]
	row := eval.Of[float64](b.ToFloat(x))
	sample, root := int64(0), c.Name == "STD" || c.Name == "STDDEV_SAMP"
	if c.Name == "STDDEV_SAMP" || c.Name == "VAR_SAMP" {
		sample = 1
	}
	name := c.String()
	return varianceType(b, x), func() States { return &variances{row: row, sample: sample, root: root, name: name} }, nil
}

// floatMore is how many digits more than a FLOAT or DOUBLE column are shown, whatever div_precision_increment is, which counts for exact numbers.
const floatMore = 4

// varianceType is a DOUBLE that is shown with more digits than the argument has, where they are known.
func varianceType(b *eval.Builder, x *eval.Expr) types.Type {
	t, more := x.Type, b.Env.DivIncrement
	if !exact(t) || t.Hybrid || t.Kind == types.Enum || t.Kind == types.Set {
		decimals := t.Decimals
		if t.Kind == types.Enum || t.Kind == types.Set || t.Hybrid {
			decimals = 0
		}
		return types.FixedDoubleType(floatLength(decimals), min(decimals+floatMore, types.NotFixed)).OrNull()
	}
	d := decimalOf(b, x)
	places := min(d.Scale+int(more), varianceDecimalsMax)
	length := 2*min(d.Precision, precisionMax) + int(more) + 1 // and the sign
	if places > 0 {
		length++
	}
	return types.FixedDoubleType(uint32(length), uint8(places)).OrNull()
}

const precisionMax = 65

// variances are computed in one pass (B. P. Welford, Technometrics 4, 1962).
type variances struct {
	row    eval.Func[float64]
	sample int64 // 1: of a sample
	root   bool
	name   string // the call, for errors
	groups []variance
}

type variance struct {
	n              int64
	mean, distance float64
}

func (s *variances) Grow(groups int) { s.groups = grown(s.groups, groups) }

func (s *variances) Add(f *eval.Frame, group int) {
	v, null := s.row(f)
	if null {
		return
	}
	g := &s.groups[group]
	g.n++
	if g.n == 1 {
		g.mean, g.distance = v, 0
		return
	}
	before := g.mean
	g.mean = before + float64((v-before)/float64(g.n)) // conversions forbid fused operations
	g.distance += float64((v - before) * (v - g.mean))
}

func (s *variances) Result(f *eval.Frame, group int) types.Value {
	g := &s.groups[group]
	if g.n <= s.sample {
		return types.Value{Null: true}
	}
	v := g.distance / float64(g.n-s.sample)
	if s.root {
		v = math.Sqrt(v)
	}
	return finite(f, v, s.name)
}

func (s *variances) Bytes() int64 { return int64(unsafe.Sizeof(variance{})) * int64(cap(s.groups)) }
