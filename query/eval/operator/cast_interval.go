package operator

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
)

// spanCharsMax is how many characters INTERVAL DAY_SECOND(0) has at most.
const spanCharsMax = 17

// castInterval is CAST AS INTERVAL DAY_SECOND(n): text like 4 05:00:00.5, in latin1. Its fraction is cut.
func castInterval(b *eval.Builder, x *eval.Expr, t *tree.CastType) (*eval.Expr, error) {
	digits := 0
	if t.Length != nil {
		if *t.Length > temporal.FractionMax {
			return nil, mysqlerr.New(mysqlerr.TooBigPrecision, written(x), temporal.FractionMax)
		}
		digits = int(*t.Length)
	}
	row, err := b.Moment(x, eval.Reading{Span: true, Mode: temporal.Mode{RoundFraction: b.Env.Mode.Temporal().RoundFraction}})
	if err != nil {
		return nil, err
	}
	chars := spanCharsMax
	if digits > 0 {
		chars += 1 + digits
	}
	latin1, _ := charset.SetByName("latin1")
	out := eval.TextOf(charset.Aggregation{Collation: latin1.Default(), Derivation: charset.Implicit}, uint64(chars)).OrNull()
	out.Decimals = 0
	y := eval.New("cast", out, func(f *eval.Frame) ([]byte, bool) {
		v, null := row(f)
		if null {
			return nil, true
		}
		return temporal.AppendSpan(f.Buffer(chars+1), v.Packed.Truncate(digits), digits), false
	}, x)
	return castPrinted(y, x, castWords("char", chars, latin1)), nil
}
