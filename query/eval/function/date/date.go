// Package date is the functions of SQL over dates and times.
//
// The arithmetic is that of package temporal; here are types, conversions and warnings. A function whose argument may be a date or a time,
// which only its text says, gets it as a temporal.Value from a row form of eval.Moment.
package date

import (
	"slices"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Functions are those called by name.
var Functions = framed(slices.Concat(parts, casts, clocks, makers, arithmetic, formats, zones))

// framed notes that functions ask nothing of the session but the time, the zone and the names of days and months.
func framed(list []eval.Def) []eval.Def {
	for i := range list {
		list[i].Framed = true
	}
	return list
}

// lenient reads any date, with zero parts as well.
func lenient(b *eval.Builder) eval.Reading {
	return eval.Reading{Mode: temporal.Mode{RoundFraction: b.Env.Mode.Temporal().RoundFraction}}
}

// complete reads dates without zero parts.
func complete(b *eval.Builder) eval.Reading {
	how := lenient(b)
	how.Mode.NoZeroDate, how.Mode.NoZeroInDate = true, true
	return how
}

// sessional reads dates as sql_mode says.
func sessional(b *eval.Builder) eval.Reading { return eval.Reading{Mode: b.Env.Mode.Temporal()} }

// clock reads a TIME, or a DATETIME whose time is meant.
func clock(b *eval.Builder) eval.Reading {
	return eval.Reading{Context: temporal.InTime, Mode: b.Env.Mode.Temporal().For(temporal.Time)}
}

// timeOrDate reads a TIME, or else a date that exists.
func timeOrDate(b *eval.Builder) eval.Reading {
	how := raw(lenient(b))
	how.Context = temporal.InTime
	return how
}

// raw leaves a TIME as it is where a date is read.
func raw(how eval.Reading) eval.Reading {
	how.Raw = true
	return how
}

// moments are the row forms of arguments that are read alike.
func moments(b *eval.Builder, how eval.Reading, args ...*eval.Expr) ([]eval.Moment, error) {
	out := make([]eval.Moment, len(args))
	for i, x := range args {
		var err error
		if out[i], err = b.Moment(x, how); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// over makes a node of a kernel over something that is read as a date or time. The node is always nullable.
func over[R eval.Scalar](
	b *eval.Builder, name string, t types.Type, how eval.Reading, x *eval.Expr, f func(*eval.Frame, temporal.Value) (R, bool),
) (*eval.Expr, error) {
	row, err := b.Moment(x, how)
	if err != nil {
		return nil, err
	}
	return eval.New(name, t.OrNull(), func(fr *eval.Frame) (r R, null bool) {
		v, null := row(fr)
		if null {
			return r, true
		}
		return f(fr, v)
	}, x), nil
}

// char is the type of a date or time as text, of which the number of digits of its fraction is known (0 to 6) or not.
func char(b *eval.Builder, decimals int) types.Type {
	length := uint32(19)
	if decimals > 0 {
		length += 1 + uint32(min(decimals, temporal.FractionMax))
	}
	t := plain(b, uint64(length))
	t.Kind, t.Decimals = types.Char, types.NotFixedText
	if decimals <= temporal.FractionMax {
		t.Decimals = uint8(decimals)
	}
	return t.OrNull()
}

// plain is the type of ASCII text in the connection's character set, which is no number.
func plain(b *eval.Builder, length uint64) types.Type {
	t := types.StringType(length, b.Env.Connection, charset.Coercible, true)
	t.Decimals = 0
	return t
}

// inConnection is a node of UTF-8 text in the connection's character set, of a type of that set.
func inConnection(b *eval.Builder, t types.Type, make func(t types.Type) (*eval.Expr, error)) (*eval.Expr, error) {
	set := t.Collation.Set()
	if set.ASCIIBytes() && t.ASCII || set.Name() == utf8mb4.Name() {
		return make(t)
	}
	inner := t
	inner.Collation, inner.ASCII = utf8mb4.Default(), false
	x, err := make(inner)
	if err != nil {
		return nil, err
	}
	out := b.ToSet(x, set)
	out.Type = t
	return out, nil
}

var utf8mb4 = func() *charset.Set {
	set, _ := charset.SetByName("utf8mb4")
	return set
}()
