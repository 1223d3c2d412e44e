package assign

import (
	"math"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// whole is an integer column.
type whole struct {
	field
	low  int64
	high uint64
}

func newWhole(f field) *whole {
	size := map[types.Kind]uint{types.Tinyint: 8, types.Smallint: 16, types.Mediumint: 24, types.Int: 32, types.Bigint: 64}[f.Kind]
	if f.Unsigned {
		return &whole{field: f, high: math.MaxUint64 >> (64 - size)}
	}
	return &whole{field: f, low: math.MinInt64 >> (64 - size), high: math.MaxInt64 >> (64 - size)}
}

func (w *whole) numeric() bool { return true }

func (w *whole) int(c *Context, n int64, unsigned bool) types.Value {
	switch {
	case n < 0 && !unsigned:
		if n < w.low {
			w.outOfRange(c)
			n = w.low
		}
	case uint64(n) > w.high:
		w.outOfRange(c)
		n = int64(w.high)
	}
	return types.Value{Int: n}
}

func (w *whole) float(c *Context, f float64) types.Value {
	f = math.RoundToEven(f)
	switch {
	case f < float64(w.low):
		w.outOfRange(c)
		return types.Value{Int: w.low}
	case f > float64(w.high), f == math.MaxUint64 && w.Unsigned: // that is 1<<64
		w.outOfRange(c)
		if w.Kind == types.Int && w.Unsigned {
			w.outOfRange(c) // MariaDB says it twice
		}
		return types.Value{Int: int64(w.high)}
	case f >= math.MaxInt64 && !w.Unsigned:
		return types.Value{Int: math.MaxInt64}
	case f >= math.MaxInt64:
		return types.Value{Int: int64(uint64(f))}
	}
	return types.Value{Int: int64(f)}
}

func (w *whole) dec(c *Context, d decimal.Dec) types.Value {
	n := w.ofDecimal(c, d, w.Unsigned)
	return w.int(c, n, w.Unsigned)
}

// ofDecimal rounds to an integer of 64 bits; beyond those there is a warning, and maybe another one for the column's own range.
func (f field) ofDecimal(c *Context, d decimal.Dec, unsigned bool) int64 {
	if !unsigned {
		n, cond := d.Int64(decimal.HalfUp)
		if cond&decimal.Overflow != 0 {
			f.outOfRange(c)
		}
		return n
	}
	if d.Negative() {
		f.outOfRange(c)
		return 0
	}
	n, cond := d.Uint64(decimal.HalfUp)
	if cond&decimal.Overflow != 0 {
		f.outOfRange(c)
	}
	return int64(n)
}

func (w *whole) time(c *Context, v temporal.Value, _ int) types.Value {
	n := v.Int()
	return w.int(c, n, false)
}

func (w *whole) text(c *Context, s []byte, set *charset.Set) types.Value {
	p := plain(c, set, s)
	n := readInteger(p)
	v, fits := n.rounded()
	switch {
	case n.neg && w.Unsigned && v != 0 && fits:
		w.outOfRange(c)
		return types.Value{}
	case n.neg && !w.Unsigned && (!fits || v > -uint64(w.low)):
		w.outOfRange(c)
		return types.Value{Int: w.low}
	case !fits, !n.neg && v > w.high: // also of a negative number that is out of 64 bits
		w.outOfRange(c)
		return types.Value{Int: int64(w.high)}
	}
	w.rest(c, "integer", n.end, p, s, set)
	if n.neg {
		v = -v
	}
	return types.Value{Int: int64(v)}
}

// rest looks at what comes after a number's text: it was no number, there is more than white space, or only that. The text s was read as p.
func (f field) rest(c *Context, word string, end int, p, s []byte, set *charset.Set) (number bool) {
	switch {
	case end == 0:
		f.incorrect(c, word, types.Shown(set, s))
		return false
	case end == len(p):
	case blank(set, s[end*set.MinLen():]):
		f.noteTruncated(c)
	default:
		f.truncated(c)
	}
	return true
}

// hybrid is the assignment of a binary literal to a column of numbers: at most eight bytes, as an unsigned number.
func (a *Assigner) hybrid(s storer) func(c *Context, v types.Value) types.Value {
	f := field{a.column}
	largest := uint64(math.MaxInt64)
	if f.Unsigned || f.Kind == types.Bit {
		largest = math.MaxUint64
	}
	clipped := f.Kind.Integer() && !f.Unsigned
	return func(c *Context, v types.Value) types.Value {
		var n uint64
		for _, b := range v.Text {
			n = n<<8 | uint64(b)
		}
		if len(v.Text) <= 8 && (n <= largest || !clipped) {
			return s.int(c, int64(n), true)
		}
		before := len(c.Diag.Conditions) + c.Diag.Dropped
		out := s.int(c, int64(largest), true)
		if len(c.Diag.Conditions)+c.Diag.Dropped == before {
			f.outOfRange(c)
		}
		return out
	}
}

// year is a YEAR column.
type year struct{ field }

func (y *year) numeric() bool { return true }

func (y *year) of(c *Context, n int64, ok, short bool) types.Value {
	v, in := temporal.YearOf(n, short)
	if !ok || !in {
		y.outOfRange(c)
		v = 0
	}
	return types.Value{Int: int64(v)}
}

func (y *year) int(c *Context, n int64, _ bool) types.Value { return y.of(c, n, true, false) }

func (y *year) float(c *Context, f float64) types.Value {
	return y.of(c, int64(f), f >= 0 && f <= 2155, false)
}

func (y *year) dec(c *Context, d decimal.Dec) types.Value {
	return y.of(c, y.ofDecimal(c, d, true), true, false)
}

func (y *year) time(c *Context, v temporal.Value, _ int) types.Value {
	n := int64(0)
	if v.Kind != temporal.Time {
		n = int64(v.Parts().Year)
	}
	before := len(c.Diag.Conditions) + c.Diag.Dropped
	out := y.of(c, n, true, false)
	if len(c.Diag.Conditions)+c.Diag.Dropped != before {
		return out
	}
	if c.strict(1265) {
		y.wrong(c, v.Kind.Word(), shownTime(v))
	} else {
		y.truncated(c)
	}
	return out
}

func (y *year) text(c *Context, s []byte, set *charset.Set) types.Value {
	p := plain(c, set, s)
	n := readInteger(p)
	v, fits := n.rounded()
	if !fits || v > math.MaxInt64 || n.neg && v != 0 {
		y.outOfRange(c)
		return types.Value{}
	}
	if _, ok := temporal.YearOf(int64(v), len(s) != 4); !ok {
		y.outOfRange(c)
		return types.Value{}
	}
	if !y.rest(c, "integer", n.end, p, s, set) {
		return types.Value{}
	}
	return y.of(c, int64(v), true, len(s) != 4)
}

// bits is a BIT column.
type bits struct{ field }

func (b *bits) numeric() bool { return true }

// of keeps bits that have room; else all of the column's are set.
func (b *bits) of(c *Context, n uint64, fits bool) types.Value {
	if most := uint64(math.MaxUint64) >> (64 - b.Length); !fits || n > most {
		b.tooLong(c, 1264)
		n = most
	}
	return types.Value{Int: int64(n)}
}

func (b *bits) int(c *Context, n int64, _ bool) types.Value { return b.of(c, uint64(n), true) }

func (b *bits) float(c *Context, f float64) types.Value { return b.of(c, uint64(chopped(f)), true) }

// chopped is a DOUBLE without its fraction; beyond 64 bits it is the least integer, as x86 has it.
func chopped(f float64) int64 {
	if f >= -math.MinInt64 || f < math.MinInt64 || f != f {
		return math.MinInt64
	}
	return int64(f)
}

func (b *bits) dec(c *Context, d decimal.Dec) types.Value {
	return b.of(c, uint64(b.ofDecimal(c, d, true)), true)
}

func (b *bits) time(c *Context, v temporal.Value, fraction int) types.Value {
	return b.text(c, v.Append(c.buffer(32), fraction), nil)
}

// text takes the bytes of a text as a number.
func (b *bits) text(c *Context, s []byte, _ *charset.Set) types.Value {
	for len(s) > 0 && s[0] == 0 {
		s = s[1:]
	}
	var n uint64
	for _, x := range s {
		n = n<<8 | uint64(x)
	}
	return b.of(c, n, len(s) <= 8)
}
