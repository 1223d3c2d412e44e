package aggregate

import (
	"math"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

func bindBits(b *eval.Builder, c *Call) (types.Type, func() States, error) {
	if err := c.isNumber(); err != nil {
		return types.Type{}, nil, err
	}
	x := c.Args[0]
	row := eval.Of[int64](b.ToInt(x))
	if _, _, column := x.Column(); column && x.Type.Kind == types.Double {
		row = wholeOf(x)
	}
	s := bitSets{row: row}
	switch c.Name {
	case "BIT_AND":
		s.start, s.add = -1, func(a, b int64) int64 { return a & b }
	case "BIT_OR":
		s.add = func(a, b int64) int64 { return a | b }
	default:
		s.add = func(a, b int64) int64 { return a ^ b }
	}
	return types.BigintType(countLength, true), func() States { out := s; return &out }, nil
}

// bitSets are the results of BIT_AND and its like.
type bitSets struct {
	row   eval.Func[int64]
	start int64
	add   func(a, b int64) int64
	bits  []int64
}

func (s *bitSets) Grow(groups int) {
	for from := len(s.bits); from < groups; from++ {
		s.bits = append(s.bits, s.start)
	}
}

func (s *bitSets) Add(f *eval.Frame, group int) {
	if v, null := s.row(f); !null {
		s.bits[group] = s.add(s.bits[group], v)
	}
}

func (s *bitSets) Result(_ *eval.Frame, group int) types.Value {
	return types.Value{Int: s.bits[group]}
}

func (s *bitSets) Bytes() int64 { return 8 * int64(cap(s.bits)) }

// wholeOf is a column of DOUBLE as an integer: rounded to even; the nearest bound if it is out of range, with warning 1916.
func wholeOf(x *eval.Expr) eval.Func[int64] {
	row := eval.Of[float64](x)
	return func(f *eval.Frame) (int64, bool) {
		v, null := row(f)
		if null {
			return 0, true
		}
		whole := math.RoundToEven(v)
		n := int64(math.MaxInt64)
		switch {
		case whole < math.MinInt64:
			n = math.MinInt64
		case whole < math.MaxInt64: // which as a DOUBLE is one more
			return int64(whole), false
		}
		f.Warn(mysqlerr.DataOverflow, string(floattext.Append(nil, v, false)), "INT")
		return n, false
	}
}
