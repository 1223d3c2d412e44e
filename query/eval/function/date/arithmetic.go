package date

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/temporal"
)

// arithmetic are sums and differences.
var arithmetic = []eval.Def{
	{Name: "ADDTIME", Min: 2, Max: 2, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return addTime(b, "addtime", args, false)
	}},
	{Name: "SUBTIME", Min: 2, Max: 2, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) { return addTime(b, "subtime", args, true) }},
	{Name: "TIMEDIFF", Min: 2, Max: 2, Bind: timeDiff},
	{Name: "DATEDIFF", Min: 2, Max: 2, Bind: dateDiff},
	{Name: "ADD_MONTHS", Min: 2, Max: 2, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return AddInterval(b, args[0], false, args[1], tree.UnitMonth)
	}},
}

// addTime is ADDTIME or SUBTIME: of a date a DATETIME, of a TIME a TIME, of anything else text, which has six digits of a fraction or none
// if their number is not known.
func addTime(b *eval.Builder, name string, args []*eval.Expr, sub bool) (*eval.Expr, error) {
	value, err := b.Moment(args[0], timeOrDate(b))
	if err != nil {
		return nil, err
	}
	span, err := b.Moment(args[1], spans(b))
	if err != nil {
		return nil, err
	}
	fraction := int(args[0].Type.Decimals)
	if args[0].Type.Class() == types.ClassDec {
		fraction = min(fraction, temporal.FractionMax)
	}
	if args[0].Type.Members != nil {
		fraction = 0
	}
	fraction = max(fraction, b.SpanFraction(args[1]))
	fit := min(fraction, temporal.FractionMax)
	sum := func(f *eval.Frame) (v temporal.Value, null bool) {
		if v, null = value(f); null {
			return v, true
		}
		w, null := span(f)
		if null {
			return v, true
		}
		out, c, ok := temporal.AddTime(v, w.Packed, sub, fit)
		if c != 0 {
			f.Warn(mysqlerr.TruncatedWrongValue, "time", string(temporal.AppendAddTime(nil, v.Packed, w.Packed, sub)))
		}
		return out, !ok
	}
	kind := args[0].Type.Kind
	if kind.Temporal() {
		if kind != types.Time {
			kind = types.Datetime
		}
		return eval.New(name, types.TemporalType(kind, fit).OrNull(), func(f *eval.Frame) (temporal.Packed, bool) {
			v, null := sum(f)
			return v.Packed.Truncate(fit), null
		}, args...), nil
	}
	return asText(b, name, fraction, sum, args...), nil
}

// packed is a row form of one kind of values.
func packed(row eval.Moment) func(*eval.Frame) (temporal.Packed, bool) {
	return func(f *eval.Frame) (temporal.Packed, bool) {
		v, null := row(f)
		return v.Packed, null
	}
}

// asText is a node of a date or time as text, see char.
func asText(b *eval.Builder, name string, decimals int, row eval.Moment, args ...*eval.Expr) *eval.Expr {
	t, fraction := char(b, decimals), min(decimals, temporal.AutoFraction)
	x, _ := inConnection(b, t, func(t types.Type) (*eval.Expr, error) {
		return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
			v, null := row(f)
			if null {
				return nil, true
			}
			return v.Append(f.Buffer(32), fraction), false
		}, args...), nil
	})
	return x.ReadBy(func(eval.Reading) eval.Moment { return row })
}

func timeDiff(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	rows, err := moments(b, raw(clock(b)), args...)
	if err != nil {
		return nil, err
	}
	fraction, second := b.Fraction(args[0], temporal.InTime), b.Fraction(args[1], temporal.InTime)
	if fraction > second {
		b.Fraction(args[0], temporal.InTime)
	} else { // MariaDB computes the one that counts once more, with its warnings
		fraction = b.Fraction(args[1], temporal.InTime)
	}
	diff := func(f *eval.Frame) (temporal.Packed, bool) {
		v, null := rows[0](f)
		if null {
			return 0, true
		}
		w, null := rows[1](f)
		if null {
			return 0, true
		}
		v.Packed, w.Packed = v.Packed.Truncate(fraction), w.Packed.Truncate(fraction)
		d, c, ok := temporal.TimeDiff(v, w, fraction)
		if c != 0 {
			f.Warn(mysqlerr.TruncatedWrongValue, "time", string(temporal.AppendTimeDiff(nil, v, w)))
		}
		return d.Truncate(fraction), !ok
	}
	return eval.New("timediff", types.TemporalType(types.Time, fraction).OrNull(), diff, args...).ReadBy(func(how eval.Reading) eval.Moment {
		if how.Mode.NoZeroInDate {
			return never
		}
		return func(f *eval.Frame) (temporal.Value, bool) {
			v, null := diff(f)
			return temporal.Value{Packed: v, Kind: temporal.Time}, null
		}
	}), nil
}

// never is NULL: a difference is no date where a complete one is asked for.
func never(*eval.Frame) (temporal.Value, bool) { return temporal.Value{}, true }

// dateDiff is DATEDIFF, both of whose arguments are computed even if one is NULL.
func dateDiff(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	rows, err := moments(b, complete(b), args...)
	if err != nil {
		return nil, err
	}
	return eval.New("datediff", types.LongType(8).OrNull(), func(f *eval.Frame) (int64, bool) {
		v, null := rows[0](f)
		w, nullToo := rows[1](f)
		if null || nullToo {
			return 0, true
		}
		return temporal.DateDiff(v.Packed, w.Packed), false
	}, args...), nil
}

// TimestampDiff is TIMESTAMPDIFF(unit, from, to).
func TimestampDiff(b *eval.Builder, unit tree.Unit, from, to *eval.Expr) (*eval.Expr, error) {
	rows, err := moments(b, complete(b), from, to)
	if err != nil {
		return nil, err
	}
	u := units[unit]
	if u.Compound() {
		return nil, mysqlerr.NotYet("TIMESTAMPDIFF of " + unit.String())
	}
	x := eval.New("timestampdiff", types.BigintType(21, false).OrNull(), func(f *eval.Frame) (int64, bool) {
		v, null := rows[0](f)
		if null {
			return 0, true
		}
		w, null := rows[1](f)
		if null {
			return 0, true
		}
		n, ok := temporal.TimestampDiff(u, v.Packed, w.Packed)
		return n, !ok
	}, from, to)
	return x.Printed(func(dst []byte) []byte {
		dst = append(append(append(dst, "timestampdiff("...), u.String()...), ',')
		return append(to.Print(append(from.Print(dst), ',')), ')')
	}), nil
}
