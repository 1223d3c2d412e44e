package tables

import (
	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/types/temporal"
)

// UnixTimestamp is UNIX_TIMESTAMP() for TIMESTAMP columns that come as times of
// day: go-mysql-server's takes those of a TIMESTAMP for moments. It also evaluates an argument without
// columns where there is no session, for the digits of the result's fraction.
func UnixTimestamp() sql.Function {
	return sql.FunctionN{Name: "unix_timestamp", Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) != 1 {
			return function.NewUnixTimestamp(ctx, args...)
		}
		arg := args[0]
		switch t := arg.Type(ctx).(type) {
		case sql.DatetimeType:
			if t.Type() == sqltypes.Timestamp {
				arg = &timeOfDay{expression.UnaryExpressionStub{Child: arg}, types.MustCreateDatetimeType(sqltypes.Datetime, t.Precision())}
			}
			return function.NewUnixTimestamp(ctx, arg)
		}
		if l, ok := arg.(*expression.Literal); ok {
			return unixTimestampOf(ctx, l.Value(), l.Type(ctx))
		}
		return newUnixTimestamp(ctx, arg)
	}}
}

// unixTimestamp is the function of an argument that is neither a literal nor a date and time.
type unixTimestamp struct {
	*function.UnixTimestamp
	typ sql.Type
	// loose keeps the digits of each value: MariaDB evaluates a subquery before it settles them.
	loose bool
}

// newUnixTimestamp finds the digits of the result's fraction: those of the value of a constant.
func newUnixTimestamp(ctx *sql.Context, arg sql.Expression) (sql.Expression, error) {
	u := &unixTimestamp{&function.UnixTimestamp{Date: arg}, types.MustCreateDecimalType(19, 6), asksSubquery(ctx, arg)}
	if !constant(ctx, arg) {
		return u, nil
	}
	if v, err := arg.Eval(ctx, nil); err == nil {
		of, err := unixTimestampOf(ctx, v, arg.Type(ctx))
		if err != nil {
			return nil, err
		}
		u.typ = of.Type(ctx)
	}
	return u, nil
}

// unixTimestampOf is the function of a value. go-mysql-server takes that of a text for a string.
func unixTimestampOf(ctx *sql.Context, v any, typ sql.Type) (sql.Expression, error) {
	if b, ok := v.([]byte); ok {
		v, typ = string(b), types.LongText
	}
	if s, ok := v.(string); ok { // written as go-mysql-server reads it
		if r := (temporal.Mode{}).Parse([]byte(s), temporal.ContextOfColumn(temporal.DateTime)); r.Cond == 0 && r.Value.Kind != temporal.None {
			v = string(r.Value.Append(nil, temporal.AutoFraction))
		}
	}
	return function.NewUnixTimestamp(ctx, expression.NewLiteral(v, typ))
}

// constant reports whether an expression has a value before there are rows.
func constant(ctx *sql.Context, e sql.Expression) bool {
	varies := transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField, *plan.Subquery, *expression.ProcedureParam, *expression.BindVar:
			return true
		case sql.NonDeterministicExpression:
			return e.IsNonDeterministic()
		}
		return false
	})
	return !varies
}

func asksSubquery(ctx *sql.Context, e sql.Expression) bool {
	return transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		_, found := e.(*plan.Subquery)
		return found
	})
}

// Type implements sql.Expression.
func (u *unixTimestamp) Type(*sql.Context) sql.Type { return u.typ }

// IsNullable implements sql.Expression.
func (u *unixTimestamp) IsNullable(*sql.Context) bool { return true }

// WithChildren implements sql.Expression.
func (u *unixTimestamp) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(u, len(children), 1)
	}
	return &unixTimestamp{&function.UnixTimestamp{Date: children[0]}, u.typ, u.loose}, nil
}

// Eval implements sql.Expression.
func (u *unixTimestamp) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := u.Date.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	of, err := unixTimestampOf(ctx, v, u.Date.Type(ctx))
	if err != nil {
		return nil, err
	}
	if v, err = of.Eval(ctx, row); err != nil || v == nil {
		return nil, err
	}
	if v, _, err = u.typ.Convert(ctx, v); err != nil {
		return nil, err
	}
	d, isDecimal := v.(*apd.Decimal)
	t, hasScale := u.typ.(sql.DecimalType)
	if !isDecimal || !hasScale || u.loose {
		return v, nil
	}
	var n apd.Decimal
	if _, err := exact.Quantize(&n, d, -int32(t.Scale())); err != nil {
		return nil, err
	}
	return &n, nil
}

// timeOfDay gives a TIMESTAMP the type DATETIME.
type timeOfDay struct {
	expression.UnaryExpressionStub
	typ sql.Type
}

func (t *timeOfDay) Eval(ctx *sql.Context, r sql.Row) (any, error) { return t.Child.Eval(ctx, r) }
func (t *timeOfDay) Type(*sql.Context) sql.Type                    { return t.typ }
func (t *timeOfDay) String() string                                { return t.Child.String() }

func (t *timeOfDay) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), 1)
	}
	return &timeOfDay{expression.UnaryExpressionStub{Child: children[0]}, t.typ}, nil
}
