package date

import (
	"fmt"

	"github.com/duramendb/duramen/query/clienttext"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
)

// casts are DATE, TIME and TIMESTAMP, which with one argument are CASTs.
var casts = []eval.Def{
	{Name: "DATE", Min: 1, Max: 1, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return cast(b, args[0], types.Date, 0, "date")
	}},
	{Name: "TIME", Min: 1, Max: 1, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return cast(b, args[0], types.Time, b.Fraction(args[0], temporal.InTime), "time")
	}},
	{Name: "TIMESTAMP", Min: 1, Max: 2, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		if len(args) == 2 {
			return timestampOf(b, args)
		}
		return cast(b, args[0], types.Datetime, b.Fraction(args[0], temporal.InDate), "datetime")
	}},
}

func cast(b *eval.Builder, x *eval.Expr, k types.Kind, fraction int, name string) (*eval.Expr, error) {
	y, err := b.ToTime(x, k, fraction)
	if err != nil {
		return nil, err
	}
	if fraction > 0 {
		name = fmt.Sprintf("%s(%d)", name, fraction)
	}
	return y.Printed(func(dst []byte) []byte {
		dst = x.Print(append(dst, "cast("...))
		return append(append(append(dst, " as "...), name...), ')')
	}), nil
}

// timestampOf is TIMESTAMP(date, time).
func timestampOf(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	date, err := b.Moment(args[0], lenient(b))
	if err != nil {
		return nil, err
	}
	span, err := b.Moment(args[1], spans(b))
	if err != nil {
		return nil, err
	}
	fraction := max(b.Fraction(args[0], temporal.InDate), min(b.SpanFraction(args[1]), temporal.FractionMax))
	return eval.New("timestamp", types.TemporalType(types.Datetime, fraction).OrNull(), func(f *eval.Frame) (temporal.Packed, bool) {
		v, null := date(f)
		if null {
			return 0, true
		}
		w, null := span(f)
		if null {
			return 0, true
		}
		sum, _, ok := temporal.AddTime(v, w.Packed, false, fraction)
		return sum.Packed.Truncate(fraction), !ok
	}, args...), nil
}

// spans reads second arguments of ADDTIME and its like.
func spans(b *eval.Builder) eval.Reading {
	return eval.Reading{Span: true, Mode: temporal.Mode{RoundFraction: b.Env.Mode.Temporal().RoundFraction}}
}

// Literal is DATE '...', TIME '...' or TIMESTAMP '...'; of ODBC's {d '...'} and its like what is no date is text. Error 1525 says that the
// text is no value of the kind.
func Literal(b *eval.Builder, n *tree.TemporalLit) (*eval.Expr, error) {
	kind := [...]types.Kind{types.Date, types.Time, types.Datetime}[n.Kind]
	written := []byte(n.Value)
	r, ok := b.Env.Mode.Temporal().ParseLiteral(written, eval.KindOf(kind))
	if !ok {
		if !n.ODBC {
			return nil, mysqlerr.New(mysqlerr.NoSuchKeyValue, eval.KindOf(kind).Name(), n.Value)
		}
		return odbcText(b, n)
	}
	if w, ok := r.LiteralWarning(); ok {
		b.Scratch.Note(mysqlerr.TruncatedWrongValue, w.Word, n.Value)
	}
	t := types.TemporalType(kind, int(r.Digits))
	if p := r.Value.Parts(); kind != types.Time && (p.Month == 0 || p.Day == 0) {
		t.Nullable = true // another sql_mode refuses it
	}
	shown := [...]string{"DATE", "TIME", "TIMESTAMP"}[n.Kind]
	return eval.NewLiteral(t, types.Value{Time: r.Value.Packed}, []byte(shown+"'"+string(r.Value.Append(nil, int(r.Digits)))+"'")), nil
}

// odbcText is {d 'x'}: 'x'.
func odbcText(b *eval.Builder, n *tree.TemporalLit) (*eval.Expr, error) {
	c := b.Env.Connection
	value, _ := clienttext.Decode(n.Value, b.Env.Client)
	if from := b.Env.Client; from != c.Set() {
		converted, cond := charset.Convert(nil, c.Set(), from, value)
		if !cond.OK() {
			return nil, mysqlerr.NotYet("a literal with characters that the connection's character set lacks")
		}
		value = converted
	}
	t := types.StringType(uint64(c.Set().Len(value)), c, charset.Coercible, c.Set().IsASCII(value))
	return eval.NewLiteral(t, types.Value{Text: value}, []byte(tree.String(&tree.TextLit{Value: n.Value}))), nil
}
