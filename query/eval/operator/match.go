package operator

import (
	"cmp"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// cells hold a value as several comparisons take it: each is computed when the first one asks for it, once for a row.
type cells struct {
	loaded uint
	i      int64
	f      float64
	d      decimal.Dec
	t      [3]temporal.Packed
	s      [2][]byte
}

// The places of values in cells, as bits of loaded.
const (
	cellInt = iota
	cellFloat
	cellDec
	cellTime
	cellDate
	cellDatetime
	cellText
	cellAddress
)

func (how Comparison) cell() int {
	switch how.Class {
	case types.ClassInt:
		return cellInt
	case types.ClassFloat:
		return cellFloat
	case types.ClassDec:
		return cellDec
	case types.ClassTime:
		switch how.Kind {
		case types.Time:
			return cellTime
		case types.Date:
			return cellDate
		}
		return cellDatetime
	}
	if how.Kind.Address() {
		return cellAddress
	}
	return cellText
}

// arm compares what is in the cells with a candidate.
type arm struct {
	same func(f *eval.Frame, c *cells) (same, null bool)
	null bool // the candidate is the literal NULL
}

// prepare makes the arms; an error refuses what cannot be compared.
func (c *candidates) prepare(b *eval.Builder) ([]arm, error) {
	arms := make([]arm, len(c.list))
	for i, y := range c.list {
		if y.Null() || c.x.Null() {
			arms[i].null = true
			continue
		}
		how := c.hows[i]
		x, err := how.bring(b, c.subject(how))
		if err != nil {
			return nil, err
		}
		unsigned := y.Type.Unsigned
		if y, err = how.bring(b, y); err != nil {
			return nil, err
		}
		cell := how.cell()
		switch how.Class {
		case types.ClassInt:
			arms[i].same = armOf(cell, x, y, func(c *cells) *int64 { return &c.i }, intOrder(c.x.Type.Unsigned, unsigned))
		case types.ClassFloat:
			arms[i].same = armOf(cell, x, y, func(c *cells) *float64 { return &c.f }, cmp.Compare[float64])
		case types.ClassDec:
			arms[i].same = armOf(cell, x, y, func(c *cells) *decimal.Dec { return &c.d }, decimal.Cmp)
		case types.ClassTime:
			arms[i].same = armOf(cell, x, y, func(c *cells) *temporal.Packed { return &c.t[cell-cellTime] }, cmp.Compare[temporal.Packed])
		default:
			compare, err := how.texts()
			if err != nil {
				return nil, err
			}
			arms[i].same = armOf(cell, x, y, func(c *cells) *[]byte { return &c.s[cell-cellText] }, compare)
		}
	}
	return arms, nil
}

func armOf[T eval.Scalar](cell int, x, y *eval.Expr, at func(*cells) *T, compare func(x, y T) int) func(*eval.Frame, *cells) (bool, bool) {
	p, q := eval.Of[T](x), eval.Of[T](y)
	return func(f *eval.Frame, c *cells) (bool, bool) {
		v := at(c)
		if c.loaded>>cell&1 == 0 {
			got, null := p(f)
			if null {
				return false, true
			}
			*v, c.loaded = got, c.loaded|1<<cell
		}
		w, null := q(f)
		if null {
			return false, true
		}
		return compare(*v, w) == 0, false
	}
}

// matching finds the first candidate that equals x, -1 for none; unknown says that one could not be compared, as it, or x, is NULL.
func matching(arms []arm) func(*eval.Frame) (at int, unknown bool) {
	return func(f *eval.Frame) (int, bool) {
		var c cells
		unknown := false
		for i := range arms {
			if arms[i].null {
				unknown = true
				continue
			}
			same, null := arms[i].same(f, &c)
			if same {
				return i, false
			}
			unknown = unknown || null
			if null && c.loaded == 0 {
				return -1, true // x is NULL
			}
		}
		return -1, unknown
	}
}
