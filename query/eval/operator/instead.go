package operator

import (
	"math"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// A constant that is compared with a column of YEAR or BIGINT is what the column would keep of it, if it would keep it: 20 is the year 2020, '9007199254740993'
// a number that no DOUBLE is (convert_const_to_int in MariaDB's sql/item_cmpfunc.cc).

// wholeColumn reports whether an expression is a column of such a kind.
func wholeColumn(x *eval.Expr) bool {
	_, _, ok := x.Column()
	return ok && (x.Type.Kind == types.Year || x.Type.Kind == types.Bigint)
}

// keeps is what a column keeps of a constant; ok is false if it is not taken for that.
type keeps func(f *eval.Frame) (n int64, ok bool)

// kept is what a column keeps of a constant. It is nil if the constant stays what it is, whatever its value.
func keptBy(b *eval.Builder, column, y *eval.Expr) (keeps, error) {
	if !y.Is(eval.Constant) || y.Is(eval.Volatile) || y.Null() {
		return nil, nil
	}
	if y.Type.Kind.Address() {
		return nil, nil
	}
	if column.Type.Kind == types.Year {
		return keptYear(b, y), nil
	}
	return keptBigint(y, column.Type.Unsigned), nil
}

func keptYear(b *eval.Builder, y *eval.Expr) keeps {
	class := y.Type.Class()
	if y.Type.Hybrid || y.Type.Members != nil {
		y, class = b.ToInt(y), types.ClassInt
	}
	switch class {
	case types.ClassInt:
		row, unsigned := eval.Of[int64](y), y.Type.Unsigned
		return func(f *eval.Frame) (int64, bool) {
			n, null := row(f)
			return yearOf(n, false, !null && !(unsigned && n < 0))
		}
	case types.ClassFloat:
		row := eval.Of[float64](y)
		return func(f *eval.Frame) (int64, bool) {
			v, null := row(f)
			return yearOf(int64(v), false, !null && v >= 0 && v <= 2155)
		}
	case types.ClassDec:
		row := eval.Of[decimal.Dec](y)
		return func(f *eval.Frame) (int64, bool) {
			v, null := row(f)
			n, cond := v.Int64(decimal.HalfUp)
			return yearOf(n, false, !null && cond&decimal.Overflow == 0)
		}
	case types.ClassTime:
		row, date := eval.Of[temporal.Packed](y), y.Type.Kind != types.Time
		return func(f *eval.Frame) (int64, bool) {
			v, null := row(f)
			if !date {
				return 0, !null
			}
			return yearOf(int64(v.DateParts().Year), false, !null)
		}
	}
	if !y.Type.Collation.Set().ASCIIBytes() {
		return nil
	}
	row := eval.Of[[]byte](y)
	return func(f *eval.Frame) (int64, bool) {
		s, null := row(f)
		d, some := eval.LeadingDec(s)
		n, cond := d.Int64(decimal.HalfUp)
		return yearOf(n, n == 0 && len(s) != 4, !null && some && cond&decimal.Overflow == 0)
	}
}

func yearOf(n int64, text, ok bool) (int64, bool) {
	if !ok {
		return 0, false
	}
	full, ok := temporal.YearOf(n, text)
	return int64(full), ok
}

// keptBigint is the number that a constant is exactly. Of texts it is as if they were DECIMALs, which compare with the column to the same effect.
func keptBigint(y *eval.Expr, unsigned bool) keeps {
	if y.Type.Hybrid || y.Type.Members != nil {
		return nil
	}
	whole := func(d decimal.Dec) (n int64, ok bool) {
		var cond decimal.Cond
		if unsigned {
			var u uint64
			u, cond = d.Uint64(decimal.Truncate)
			n = int64(u)
			ok = decimal.Cmp(decimal.FromUint64(u), d) == 0
		} else {
			n, cond = d.Int64(decimal.Truncate)
			ok = decimal.Cmp(decimal.FromInt64(n), d) == 0
		}
		return n, ok && cond&decimal.Overflow == 0
	}
	switch y.Type.Class() {
	case types.ClassFloat:
		row := eval.Of[float64](y)
		return func(f *eval.Frame) (int64, bool) {
			v, null := row(f)
			if null || v != math.Trunc(v) || math.Abs(v) > 1e20 {
				return 0, false
			}
			d, _ := decimal.FromFloat64(v)
			return whole(d)
		}
	case types.ClassDec:
		row := eval.Of[decimal.Dec](y)
		return func(f *eval.Frame) (int64, bool) {
			v, null := row(f)
			if null {
				return 0, false
			}
			return whole(v)
		}
	case types.ClassTime:
		row, kind := eval.Of[temporal.Packed](y), eval.KindOf(y.Type.Kind)
		return func(f *eval.Frame) (int64, bool) {
			v, null := row(f)
			if null {
				return 0, false
			}
			n, micro := temporal.Value{Packed: v, Kind: kind}.Int(), v.DateParts().Micro
			if kind == temporal.Time {
				micro = v.TimeParts().Micro
			}
			return n, micro == 0 && (n >= 0 || !unsigned)
		}
	}
	return nil
}

// settledNow is a constant as the column keeps it, where the statement alone says what it is: out is y if the column does not. ok is false if
// that is only known when the statement runs.
func settledNow(b *eval.Builder, column, y *eval.Expr) (out *eval.Expr, converted, ok bool, err error) {
	k, err := keptBy(b, column, y)
	if err != nil || k == nil {
		return y, column.Type.Kind == types.Bigint && y.Type.Kind.Integer(), true, err
	}
	if !settled([]*eval.Expr{y}) {
		return y, false, false, nil
	}
	var n int64
	if !silently(b, func(f *eval.Frame) { n, converted = k(f) }) {
		return y, false, false, nil
	}
	if !converted {
		return y, false, true, nil
	}
	return inColumn(column, y, func(*eval.Frame) (int64, bool) { return n, true }), true, true, nil
}

// inColumn is the node of what the column keeps.
func inColumn(column, y *eval.Expr, k keeps) *eval.Expr {
	t := types.BigintType(20, column.Type.Unsigned)
	return eval.New("", t, func(f *eval.Frame) (int64, bool) {
		n, _ := k(f)
		return n, false
	}, y).As(y)
}

// insteadOf is the comparison of a column of YEAR or BIGINT and a constant, by what the column keeps of it; plain is that of both as they are, with
// the error of it.
func insteadOf(b *eval.Builder, x, y *eval.Expr, plain func() (pairing, error)) (pairing, error) {
	column, constant, flipped := x, y, false
	if !wholeColumn(x) {
		column, constant, flipped = y, x, true
	}
	if constant.Type.Kind.Address() && constant.Is(eval.Constant) {
		// MariaDB takes it for the number that its text begins with, or refuses it.
		return pairing{}, mysqlerr.Never("comparison of a " + column.Type.Name() + " with an address")
	}
	k, err := keptBy(b, column, constant)
	if err != nil {
		return pairing{}, err
	}
	if k == nil {
		return plain()
	}
	whole := func(z *eval.Expr) (pairing, error) {
		if flipped {
			return orderedAs(b, Comparison{Class: types.ClassInt}, z, y)
		}
		return orderedAs(b, Comparison{Class: types.ClassInt}, x, z)
	}
	z, converted, known, err := settledNow(b, column, constant)
	switch {
	case err != nil:
		return pairing{}, err
	case known && converted:
		return whole(z)
	case known:
		return plain()
	}
	slot := b.Slot()
	looked := func(f *eval.Frame) *keptValue {
		v := eval.StateOf[keptValue](f, slot)
		if !v.done {
			v.n, v.ok = k(f)
			v.done = true
		}
		return v
	}
	as, err := whole(inColumn(column, constant, func(f *eval.Frame) (int64, bool) { v := looked(f); return v.n, v.ok }))
	if err != nil {
		return pairing{}, err
	}
	is, err := plain()
	if err != nil {
		return pairing{}, err
	}
	return pairing{
		order: func(f *eval.Frame) (int, bool) {
			if looked(f).ok {
				return as.order(f)
			}
			return is.order(f)
		},
		same: func(f *eval.Frame) bool {
			if looked(f).ok {
				return as.same(f)
			}
			return is.same(f)
		},
	}, nil
}

// keptValue is what a column keeps of a constant, for one run of the statement.
type keptValue struct {
	n        int64
	ok, done bool
}
