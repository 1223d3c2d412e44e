package assign

import (
	"math"
	"strconv"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// fixed is a DECIMAL column.
type fixed struct{ field }

func (x *fixed) numeric() bool { return true }

// largest is the column's bound on one side.
func (x *fixed) largest(neg bool) types.Value {
	if neg && x.Unsigned {
		d, _ := decimal.FromInt64(0).Assign(x.Dec.Precision, x.Dec.Scale, true)
		return types.Value{Dec: d}
	}
	return types.Value{Dec: decimal.Max(x.Dec.Precision, x.Dec.Scale, neg)}
}

func (x *fixed) dec(c *Context, d decimal.Dec) types.Value {
	return x.keep(c, d, 0)
}

// keep stores a number, of which digits may be lost already.
func (x *fixed) keep(c *Context, d decimal.Dec, lost decimal.Cond) types.Value {
	out, cond := d.Assign(x.Dec.Precision, x.Dec.Scale, x.Unsigned)
	switch cond |= lost; {
	case cond&decimal.Overflow != 0:
		x.outOfRange(c)
	case cond&decimal.Truncated != 0:
		x.noteTruncated(c)
	}
	return types.Value{Dec: out}
}

func (x *fixed) int(c *Context, n int64, unsigned bool) types.Value {
	if unsigned {
		return x.dec(c, decimal.FromUint64(uint64(n)))
	}
	return x.dec(c, decimal.FromInt64(n))
}

func (x *fixed) float(c *Context, f float64) types.Value {
	d, cond := decimal.FromFloat64(f)
	if cond&(decimal.Overflow|decimal.Bad) != 0 {
		x.outOfRange(c)
		return x.largest(f < 0)
	}
	return x.keep(c, d, cond)
}

func (x *fixed) time(c *Context, v temporal.Value, fraction int) types.Value {
	d, _, _ := decimal.Parse(v.AppendNumber(c.buffer(32), fraction))
	return x.dec(c, d)
}

func (x *fixed) text(c *Context, s []byte, set *charset.Set) types.Value {
	p := plain(c, set, s)
	d, used, cond := decimal.Parse(p)
	switch {
	case cond&decimal.Overflow != 0:
		x.outOfRange(c)
		return x.largest(d.Negative())
	case cond&decimal.Bad != 0:
		used = 0
	}
	spaces := used > 0 && used < len(p) && blank(set, s[used*set.MinLen():])
	if !spaces && !x.rest(c, "decimal", used, p, s, set) {
		out, _ := decimal.FromInt64(0).Assign(x.Dec.Precision, x.Dec.Scale, x.Unsigned)
		return types.Value{Dec: out}
	}
	if c.Diag.Failed() != nil {
		return types.Value{}
	}
	switch cond &= decimal.Truncated; {
	case spaces:
		cond |= decimal.Truncated // the same note, once
	case used > 0 && used < len(p):
		cond = 0 // the warning of what is behind the number is there already
	}
	return x.keep(c, d, cond)
}

// floating is a FLOAT or DOUBLE column.
type floating struct {
	field
	scale, most float64 // of FLOAT(M,D): 10 to the power of D, and the largest value; of others scale is 0
}

func newFloating(f field) *floating {
	x := &floating{field: f, most: math.MaxFloat64}
	if f.Kind == types.Float {
		x.most = math.MaxFloat32
	}
	if f.Decimals < types.NotFixed {
		x.scale = math.Pow10(int(f.Decimals))
		x.most = math.Pow10(int(f.Length)-int(f.Decimals)) - 1/x.scale
	}
	return x
}

func (x *floating) numeric() bool { return true }

func (x *floating) float(c *Context, f float64) types.Value {
	if x.Unsigned && f < 0 || f != f {
		x.outOfRange(c)
		return types.Value{}
	}
	if x.scale != 0 && !math.IsInf(f, 0) {
		floor := math.Floor(f)
		f = floor + math.RoundToEven((f-floor)*x.scale)/x.scale
	}
	if math.Abs(f) > x.most {
		x.outOfRange(c)
		f = math.Copysign(x.most, f)
	}
	if x.Kind == types.Float {
		f = float64(float32(f))
	}
	return types.Value{Float: f + 0} // columns have no -0
}

func (x *floating) int(c *Context, n int64, unsigned bool) types.Value {
	if unsigned {
		return x.float(c, float64(uint64(n)))
	}
	return x.float(c, float64(n))
}

func (x *floating) dec(c *Context, d decimal.Dec) types.Value { return x.float(c, d.Float64()) }

func (x *floating) time(c *Context, v temporal.Value, _ int) types.Value {
	return x.float(c, v.Float())
}

func (x *floating) text(c *Context, s []byte, set *charset.Set) types.Value {
	p := plain(c, set, s)
	n := readNumeral(p)
	f, _ := strconv.ParseFloat(string(p[n.start:max(n.start, n.end)]), 64)
	if math.IsInf(f, 0) {
		x.outOfRange(c)
		return x.float(c, math.Copysign(math.MaxFloat64, f))
	}
	x.rest(c, "double", n.end, p, s, set)
	return x.float(c, f)
}
