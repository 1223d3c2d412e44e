package semantics

import (
	"math"
	"slices"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// scaled is a number with as many digits behind the point as MariaDB's type of the expression has: the values of which IFNULL, CASE and their like choose,
// and what ROUND leaves, have their own in go-mysql-server.
type scaled struct {
	sql.Expression
	scale int
}

// scaledFunction is scaled over a function.
type scaledFunction struct {
	sql.FunctionExpression
	scale int
}

var (
	_ sql.CollationCoercible = (*scaled)(nil)
	_ sql.FunctionExpression = (*scaledFunction)(nil)
)

// choosing are functions whose value is one of their arguments, or has fewer digits than it.
var choosing = []string{"ifnull", "nvl", "coalesce", "if", "greatest", "least", "round", "truncate"}

// scaleOf is how many digits behind the point an expression has to have; ok is false for what has them, or has no number of its own.
func scaleOf(ctx *sql.Context, e sql.Expression) (scale int, ok bool) {
	f, isFunction := e.(sql.FunctionExpression)
	switch e.(type) {
	case *scaled, *scaledFunction:
		return 0, false
	case *expression.Case:
	default:
		if !isFunction || !slices.Contains(choosing, strings.ToLower(f.FunctionName())) {
			return 0, false
		}
	}
	if !e.Resolved() || !slices.ContainsFunc(e.Children(), func(c sql.Expression) bool { return types.IsDecimal(c.Type(ctx)) }) {
		return 0, false
	}
	switch typ := e.Type(ctx); {
	case types.IsDecimal(typ), types.IsInteger(typ):
	case types.IsFloat(typ) && isFunction && !slices.ContainsFunc(e.Children(), func(c sql.Expression) bool {
		return !types.IsDecimal(c.Type(ctx)) && !types.IsInteger(c.Type(ctx))
	}): // GREATEST and LEAST compute with a DOUBLE
	default:
		return 0, false
	}
	return column.ScaleOf(ctx, e)
}

// withScale gives an expression its digits.
func withScale(e sql.Expression, scale int) sql.Expression {
	if f, ok := e.(sql.FunctionExpression); ok {
		return &scaledFunction{f, scale}
	}
	return &scaled{e, scale}
}

// scaleType is the type of what has that many digits.
func scaleType(t sql.Type, scale int) sql.Type {
	d, ok := t.(sql.DecimalType)
	switch {
	case ok && int(d.Scale()) == scale:
		return t
	case ok:
		return types.MustCreateDecimalType(uint8(min(int(d.Precision())-int(d.Scale())+scale, 65)), uint8(scale))
	}
	return types.MustCreateDecimalType(uint8(min(20+scale, 65)), uint8(scale))
}

// exactDouble is below what a DOUBLE has all digits of.
const exactDouble = 1e15

func scaledValue(ctx *sql.Context, v any, scale int) (any, error) {
	if v == nil {
		return nil, nil
	}
	if f, ok := v.(float64); ok && math.Abs(f)*math.Pow10(scale) >= exactDouble {
		return nil, mysqlerr.NotYet("GREATEST() and LEAST() of such large numbers in a statement of several tables; CAST them to one type")
	}
	converted, _, err := types.InternalDecimalType.Convert(ctx, v)
	if err != nil {
		return nil, err
	}
	d, ok := converted.(*apd.Decimal)
	if !ok {
		return v, nil
	}
	return quantized(d, scale)
}

func quantized(d *apd.Decimal, scale int) (any, error) {
	c := apd.BaseContext.WithPrecision(200)
	c.Rounding = apd.RoundHalfUp
	out := new(apd.Decimal)
	_, err := c.Quantize(out, d, -int32(scale))
	return out, err
}

// Type implements sql.Expression.
func (s *scaled) Type(ctx *sql.Context) sql.Type { return scaleType(s.Expression.Type(ctx), s.scale) }

// Eval implements sql.Expression.
func (s *scaled) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := s.Expression.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	return scaledValue(ctx, v, s.scale)
}

// CollationCoercibility implements sql.CollationCoercible.
func (*scaled) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (s *scaled) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := s.Expression.WithChildren(ctx, children...)
	return &scaled{e, s.scale}, err
}

// Type implements sql.Expression.
func (s *scaledFunction) Type(ctx *sql.Context) sql.Type {
	return scaleType(s.FunctionExpression.Type(ctx), s.scale)
}

// Eval implements sql.Expression.
func (s *scaledFunction) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := s.FunctionExpression.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	return scaledValue(ctx, v, s.scale)
}

// CollationCoercibility implements sql.CollationCoercible.
func (*scaledFunction) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (s *scaledFunction) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := s.FunctionExpression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &scaledFunction{e.(sql.FunctionExpression), s.scale}, nil
}

// FractionOf is how many digits of a second an expression has that is a date with a time; negative if they are not known.
func FractionOf(ctx *sql.Context, e sql.Expression) int {
	return replacer{decimals: decimals{}}.fractionOf(ctx, e)
}

// refuseMixed refuses IFNULL, CASE and their like of dates and times of a day, which go-mysql-server leaves as they are.
func refuseMixed(ctx *sql.Context, name string, values []sql.Expression) error {
	spans, dates := false, false
	for _, v := range values {
		if v == nil {
			continue
		}
		if !v.Resolved() {
			return nil
		}
		t := v.Type(ctx)
		spans, dates = spans || types.IsTimespan(t), dates || types.IsTime(t)
	}
	if spans && dates {
		return mysqlerr.NotYet(name + " of a TIME and dates; CAST them to one type")
	}
	return nil
}
