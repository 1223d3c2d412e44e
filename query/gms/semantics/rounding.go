package semantics

import (
	"fmt"
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// rounding is ROUND or TRUNCATE of a DOUBLE, or of a text, which counts as one, as MariaDB computes it
// (my_double_round). go-mysql-server computes with decimals: it rounds 2.5e0 up, and panics over numbers that
// do not fit into a decimal.
type rounding struct {
	sql.FunctionExpression
	whole func(float64) float64 // rounds to a whole number
}

var _ sql.CollationCoercible = (*rounding)(nil)

// newRounding gives nil for a function of exact numbers. Of types that are neither, such as times, go-mysql-server
// makes NULL, or panics.
func newRounding(ctx *sql.Context, f sql.FunctionExpression, whole func(float64) float64) (sql.Expression, error) {
	t := f.Children()[0].Type(ctx)
	switch {
	case t == nil, t == types.Null, types.IsInteger(t), types.IsDecimal(t):
		return nil, nil
	case types.IsFloat(t), types.IsTextBlob(t), types.IsText(t), types.IsJSON(t):
		return &rounding{f, whole}, nil
	}
	return nil, mysqlerr.New(mysqlerr.NotSupportedYet, fmt.Sprintf("%s() of %s; CAST it to a number", strings.ToUpper(f.FunctionName()), t))
}

// CollationCoercibility implements sql.CollationCoercible.
func (r *rounding) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, r.FunctionExpression)
}

// WithChildren implements sql.Expression.
func (r *rounding) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := r.FunctionExpression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &rounding{e.(sql.FunctionExpression), r.whole}, nil
}

// Eval implements sql.Expression.
func (r *rounding) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	args := r.Children()
	x, err := numberOf(ctx, row, args[0], types.Float64)
	if err != nil || x == nil {
		return nil, err
	}
	digits := any(int64(0))
	if len(args) > 1 {
		if digits, err = numberOf(ctx, row, args[1], types.Int64); err != nil || digits == nil {
			return nil, err
		}
	}
	return r.round(x.(float64), digits.(int64)), nil
}

// numberOf evaluates an argument as a number; what follows the number in a text is warned of. It is nil for NULL.
func numberOf(ctx *sql.Context, row sql.Row, arg sql.Expression, typ sql.Type) (any, error) {
	v, err := arg.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	switch w := v.(type) {
	case []byte:
		v = string(w)
	case sql.JSONWrapper:
		if v, _, err = types.LongText.Convert(ctx, w); err != nil {
			return nil, err
		}
	}
	n, _, err := typ.Convert(ctx, v)
	if sql.ErrTruncatedIncorrect.Is(err) && n != nil {
		ctx.Warn(int(mysqlerr.TruncatedWrongValue), "%s", err.Error())
		err = nil
	}
	return n, err
}

// round rounds to a number of digits after the point; those before it are negative.
func (r *rounding) round(x float64, digits int64) float64 {
	if digits < 0 {
		unit := math.Pow10(int(-max(digits, -1000)))
		if math.IsInf(unit, 0) {
			return 0
		}
		return r.whole(x/unit) * unit
	}
	unit := math.Pow10(int(min(digits, 1000)))
	shifted := x * unit
	if math.IsInf(shifted, 0) || math.IsNaN(shifted) {
		return x
	}
	return r.whole(shifted) / unit
}
