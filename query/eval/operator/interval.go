package operator

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
)

// exact reports whether INTERVAL compares an argument as a DECIMAL: a number that is no DOUBLE. Dates count as text there.
func exact(x *eval.Expr) bool {
	c := x.Type.Class()
	return (c == types.ClassInt && x.Type.Kind != types.Enum && x.Type.Kind != types.Set || c == types.ClassDec) && !x.Null()
}

// bound is an argument of INTERVAL, compared as a DECIMAL or a DOUBLE.
type bound struct {
	dec   eval.Func[decimal.Dec] // nil: as a DOUBLE
	float eval.Func[float64]
}

// bounded is the value of a bound.
type bounded struct {
	dec   decimal.Dec
	float float64
	exact bool
}

// beyond reports whether a bound is greater than x.
func (v bounded) beyond(x bounded) bool {
	if v.exact {
		return decimal.Cmp(v.dec, x.dec) > 0
	}
	return v.float > x.float
}

func (p bound) value(f *eval.Frame) (v bounded, null bool) {
	if v.exact = p.dec != nil; v.exact {
		if v.dec, null = p.dec(f); !null {
			v.float = v.dec.Float64()
		}
		return v, null
	}
	v.float, null = p.float(f)
	return v, null
}

func boundOf(b *eval.Builder, x *eval.Expr, asDecimal bool) bound {
	if asDecimal && exact(x) {
		return bound{dec: eval.Of[decimal.Dec](b.ToDec(x))}
	}
	return bound{float: eval.Of[float64](b.ToFloat(x))}
}

// intervalSearched is the number of arguments from which on MariaDB searches constant bounds by halves instead of one after the other.
const intervalSearched = 9

// interval is INTERVAL(x, bounds ...): how many bounds are not greater than x, -1 for NULL. Bounds that are NULL are passed over.
func interval(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	asDecimal := exact(args[0])
	x := boundOf(b, args[0], asDecimal)
	bounds := make([]bound, len(args)-1)
	for i, a := range args[1:] {
		bounds[i] = boundOf(b, a, asDecimal)
	}
	computeConstants(b, args)
	t := types.LongType(2)
	if len(args) >= intervalSearched {
		if known, ok := constantBounds(b, bounds, args[1:]); ok {
			return eval.New("interval", t, func(f *eval.Frame) (int64, bool) {
				v, null := x.value(f)
				if null {
					return -1, false
				}
				start, end := 0, len(known)-1
				for start != end {
					mid := (start + end + 1) / 2
					if known[mid].beyond(v) {
						end = mid - 1
					} else {
						start = mid
					}
				}
				if known[start].beyond(v) {
					return 0, false
				}
				return int64(start + 1), false
			}, args...), nil
		}
	}
	return eval.New("interval", t, func(f *eval.Frame) (int64, bool) {
		v, null := x.value(f)
		if null {
			return -1, false
		}
		for i, p := range bounds {
			if at, null := p.value(f); !null && at.beyond(v) {
				return int64(i), false
			}
		}
		return int64(len(bounds)), false
	}, args...), nil
}

// computeConstants computes arguments from left to right as long as they are constants and not NULL. MariaDB does so when it resolves names,
// to learn whether its row of arguments has a NULL: their conditions are the statement's.
func computeConstants(b *eval.Builder, args []*eval.Expr) {
	for _, a := range args {
		if !a.Is(eval.Constant) || a.Is(eval.Volatile) || !known(a)(b.Scratch) {
			return
		}
	}
}

// constantBounds are the values of bounds if all are constants and not NULL. They are computed now, once to know that and once for the
// value: their conditions are the statement's.
func constantBounds(b *eval.Builder, bounds []bound, args []*eval.Expr) ([]bounded, bool) {
	for _, a := range args {
		if !a.Is(eval.Constant) || a.Is(eval.Volatile) || !known(a)(b.Scratch) {
			return nil, false
		}
	}
	out := make([]bounded, len(bounds))
	for i, p := range bounds {
		var null bool
		if out[i], null = p.value(b.Scratch); null {
			return nil, false
		}
	}
	return out, true
}
