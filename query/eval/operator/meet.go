package operator

import (
	"strings"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/temporal"
)

// moment is an expression as a TIME or DATETIME that is compared: days that no month has are values, and what cannot be read is a zero.
func moment(b *eval.Builder, x *eval.Expr, k types.Kind) (*eval.Expr, error) {
	if k == types.Date {
		k = types.Datetime // a text may have a time of the day
	}
	kind := eval.KindOf(k)
	t := types.TemporalType(k, temporal.FractionMax)
	t.Nullable = x.Type.Nullable
	if x.Type.Class() == types.ClassTime {
		if x.Type.Kind != types.Time || k == types.Time {
			return x, nil
		}
		return eval.Map1("", t, func(f *eval.Frame, v temporal.Packed) (temporal.Packed, bool) {
			return temporal.Value{Packed: v, Kind: temporal.Time}.DateTime(f.Today()), false
		}, x).As(x), nil
	}
	mode := temporal.Mode{InvalidDates: true, RoundFraction: b.Env.Mode.Temporal().RoundFraction}
	_, _, column := x.Column() // of which conditions say the name and the row
	row, err := b.Moment(x, eval.Reading{Context: temporal.ContextOf(kind), Mode: mode, Raw: true, Comparing: column})
	if err != nil {
		return nil, err
	}
	if column {
		return eval.New("", t, func(f *eval.Frame) (temporal.Packed, bool) {
			v, null := row(f)
			if null {
				return 0, true
			}
			return v.As(kind, today(f, v.Kind)).Packed, false
		}, x).As(x), nil
	}
	return eval.New("", t, func(f *eval.Frame) (temporal.Packed, bool) {
		diag := f.Diag
		own := &types.Diagnostics{}
		f.Diag = own
		v, null := row(f)
		f.Diag = diag
		if len(own.Conditions) > 0 && repeat(diag, own, null) {
			return 0, false
		}
		if null {
			return 0, true
		}
		return v.As(kind, today(f, v.Kind)).Packed, false
	}, x).As(x), nil
}

// repeat brings the conditions of a reading to those of the statement. It reports whether the last one says that a value of no use was
// read: comparisons call that truncated, too.
func repeat(to, from *types.Diagnostics, null bool) (useless bool) {
	if err := from.Failed(); err != nil {
		to.Fail(err)
		return false
	}
	for i, c := range from.Conditions {
		rest, ok := strings.CutPrefix(c.Message, "Incorrect ")
		if last := i == len(from.Conditions)-1; last && null && ok && c.Number == mysqlerr.TruncatedWrongValue {
			c.Message, useless = "Truncated incorrect "+rest, true
		}
		if c.Level == types.Note {
			to.Notef(c.Number, "%s", c.Message)
		} else {
			to.Warnf(c.Number, "%s", c.Message)
		}
	}
	return useless
}

// address is an expression as the bytes of an address: text is read, with warning 1292 and NULL if it is none; a binary string of as many
// bytes is taken as it is.
func address(b *eval.Builder, x *eval.Expr, k types.Kind) (*eval.Expr, error) {
	if x.Type.Kind == k {
		return x, nil
	}
	size := 16
	if k == types.Inet4 {
		size = 4
	}
	t := types.Type{Kind: k, Length: x.Type.Length, Nullable: true}
	text := b.ToText(x)
	set, binary := text.Type.Collation.Set(), text.Type.Binary()
	if !set.ASCIIBytes() {
		return nil, mysqlerr.NotYet("comparison of " + k.String() + " with text of " + set.Name())
	}
	return eval.Map1("", t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if binary && len(s) == size {
			return s, false
		}
		if v, ok := assign.ParseAddress(f.Buffer(size), k, s); ok && !binary {
			return v, false
		}
		f.Diag.Warnf(mysqlerr.TruncatedWrongValue, "Incorrect %s value: '%s'", k.String(), types.CutBytes(types.Shown(set, s)))
		return nil, true
	}, text).As(x), nil
}

// today is the statement's day where a value needs it.
func today(f *eval.Frame, k temporal.Kind) temporal.Packed {
	if k != temporal.Time {
		return 0
	}
	return f.Today()
}
