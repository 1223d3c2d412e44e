package function

import (
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// SUM and AVG of whole numbers and decimals are decimals in MariaDB: exact, and
// typed so for the client. go-mysql-server's are doubles by their type, and of
// whole numbers by their value too. So the session puts these in their place.
const (
	exactSum = "duramen_sum"
	exactAvg = "duramen_avg"
)

func init() {
	known := planbuilder.IsAggregateFunc
	planbuilder.IsAggregateFunc = func(name string) bool {
		return name == exactSum || name == exactAvg || known(name)
	}
}

// ExactSum is the name of SUM and AVG as they are in MariaDB; ok is false for other functions. As window functions go-mysql-server finds them by their own
// names only.
func ExactSum(f *sqlparser.FuncExpr) (name sqlparser.ColIdent, ok bool) {
	if f.Over != nil || !f.Qualifier.IsEmpty() || len(f.Exprs) != 1 {
		return name, false
	}
	switch strings.ToLower(f.Name.String()) {
	case "sum":
		return sqlparser.NewColIdent(exactSum), true
	case "avg":
		return sqlparser.NewColIdent(exactAvg), true
	}
	return name, false
}

func exactSumFunctions() []sql.Function {
	return []sql.Function{
		sql.Function1{Name: exactSum, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression { return &exactAggregate{child: e} }},
		sql.Function1{Name: "sum", Fn: func(_ *sql.Context, e sql.Expression) sql.Expression { return &exactAggregate{child: e} }}, // OVER
		sql.Function1{Name: "avg", Fn: func(_ *sql.Context, e sql.Expression) sql.Expression { return &exactAggregate{child: e, avg: true} }},
		sql.Function1{Name: exactAvg, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression { return &exactAggregate{child: e, avg: true} }},
	}
}

// exactAggregate is SUM or AVG. Over a type that is not exact it is the engine's own.
type exactAggregate struct {
	avg    bool
	child  sql.Expression
	window *sql.WindowDefinition
	id     sql.ColumnId
}

var (
	_ sql.FunctionExpression = (*exactAggregate)(nil)
	_ sql.Aggregation        = (*exactAggregate)(nil)
	_ sql.CollationCoercible = (*exactAggregate)(nil)
)

// engines is what the SQL engine has under the name.
func (a *exactAggregate) engines(child sql.Expression) sql.Aggregation {
	if a.avg {
		return aggregation.NewAvg(child)
	}
	return aggregation.NewSum(child)
}

// FunctionName implements sql.FunctionExpression.
func (a *exactAggregate) FunctionName() string {
	return a.engines(a.child).(sql.FunctionExpression).FunctionName()
}

// Description implements sql.FunctionExpression.
func (a *exactAggregate) Description() string {
	return a.engines(a.child).(sql.FunctionExpression).Description()
}

// String implements sql.Expression.
func (a *exactAggregate) String() string {
	own := a.engines(a.child)
	if a.window == nil {
		return own.String()
	}
	return own.(sql.WindowAdaptableExpression).WithWindow(nil, a.window).String() // columns are told apart by it
}

// Resolved implements sql.Expression.
func (a *exactAggregate) Resolved() bool { return a.engines(a.child).Resolved() }

// IsNullable implements sql.Expression: the sum of no rows is NULL.
func (a *exactAggregate) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (a *exactAggregate) Children() []sql.Expression {
	children := []sql.Expression{a.child}
	if a.window != nil {
		children = append(children, a.window.ToExpressions()...)
	}
	return children
}

// WithChildren implements sql.Expression.
func (a *exactAggregate) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) == 0 || len(children) > 1 && a.window == nil {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	own := *a
	own.child = children[0]
	if a.window != nil {
		window, err := a.window.FromExpressions(ctx, children[1:])
		if err != nil {
			return nil, err
		}
		own.window = window
	}
	return &own, nil
}

// Id implements sql.IdExpression.
func (a *exactAggregate) Id() sql.ColumnId { return a.id }

// WithId implements sql.IdExpression.
func (a *exactAggregate) WithId(id sql.ColumnId) sql.IdExpression {
	own := *a
	own.id = id
	return &own
}

// Window implements sql.WindowAdaptableExpression.
func (a *exactAggregate) Window() *sql.WindowDefinition { return a.window }

// WithWindow implements sql.WindowAdaptableExpression.
func (a *exactAggregate) WithWindow(_ *sql.Context, w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	own := *a
	own.window = w
	return &own
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (a *exactAggregate) NewWindowFunction(ctx *sql.Context) (sql.WindowFunction, error) {
	return NewWindowed(ctx, a, a.window)
}

// CollationCoercibility implements sql.CollationCoercible.
func (a *exactAggregate) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Eval implements sql.Expression; an aggregation is evaluated by its buffer.
func (a *exactAggregate) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, aggregation.ErrEvalUnsupportedOnAggregation.New(a.FunctionName())
}

// Type implements sql.Expression: MariaDB's digits, 22 more than the argument
// has for a sum, four more after the point for an average.
func (a *exactAggregate) Type(ctx *sql.Context) sql.Type {
	digits, scale, ok := exactDigits(a.child.Type(ctx))
	if !ok {
		return types.Float64
	}
	if a.avg {
		return types.MustCreateDecimalType(uint8(min(digits+4, 65)), uint8(min(scale+4, 30)))
	}
	return types.MustCreateDecimalType(uint8(min(digits+22, 65)), uint8(scale))
}

// exactDigits gives the digits of a type whose values are exact numbers.
func exactDigits(t sql.Type) (digits, scale int, ok bool) {
	if d, isDecimal := t.(sql.DecimalType); isDecimal {
		return int(d.Precision()), int(d.Scale()), true
	}
	switch t {
	case types.Int64, types.Uint64:
		return 19, 0, true
	}
	if types.IsInteger(t) || types.IsYear(t) {
		return 10, 0, true
	}
	return 0, 0, false
}

// NewBuffer implements sql.Aggregation.
func (a *exactAggregate) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	_, scale, ok := exactDigits(a.child.Type(ctx))
	if !ok {
		return a.engines(a.child).NewBuffer(ctx)
	}
	child := a.child
	if d, ok := child.(*expression.DistinctExpression); ok { // it keeps the values that it has met: those of one group
		child = expression.NewDistinctExpression(d.Child)
	}
	return &exactBuffer{child: child, avg: a.avg, scale: int32(scale)}, nil
}

// exactBuffer adds up: whole numbers in whole, as long as they fit, and the rest
// in dec.
type exactBuffer struct {
	child sql.Expression
	avg   bool
	scale int32
	rows  int64
	whole int64
	dec   apd.Decimal
}

// Update implements sql.AggregationBuffer.
func (b *exactBuffer) Update(ctx *sql.Context, row sql.Row) error {
	v, err := b.child.Eval(ctx, row)
	if err != nil || v == nil {
		return err
	}
	b.rows++
	switch n := v.(type) {
	case int8:
		return b.add(int64(n))
	case int16:
		return b.add(int64(n))
	case int32:
		return b.add(int64(n))
	case int64:
		return b.add(n)
	case uint8:
		return b.add(int64(n))
	case uint16:
		return b.add(int64(n))
	case uint32:
		return b.add(int64(n))
	case *apd.Decimal:
		_, err = sql.DecimalCtx.Add(&b.dec, &b.dec, n)
		return err
	}
	d, _, err := types.InternalDecimalType.Convert(ctx, v)
	if err != nil || d == nil {
		return err
	}
	_, err = sql.DecimalCtx.Add(&b.dec, &b.dec, d.(*apd.Decimal))
	return err
}

func (b *exactBuffer) add(n int64) error {
	if s := b.whole + n; n == 0 || (s > b.whole) == (n > 0) { // it did not wrap
		b.whole = s
		return nil
	}
	if err := b.fold(); err != nil {
		return err
	}
	b.whole = n
	return nil
}

// fold moves whole into dec.
func (b *exactBuffer) fold() error {
	_, err := sql.DecimalCtx.Add(&b.dec, &b.dec, apd.New(b.whole, 0))
	b.whole = 0
	return err
}

// Eval implements sql.AggregationBuffer.
func (b *exactBuffer) Eval(*sql.Context) (any, error) {
	if b.rows == 0 {
		return nil, nil
	}
	if err := b.fold(); err != nil {
		return nil, err
	}
	result, scale := new(apd.Decimal), b.scale
	result.Set(&b.dec)
	if b.avg {
		scale = min(scale+4, 30)
		if _, err := exactContext.Quo(result, result, apd.New(b.rows, 0)); err != nil {
			return nil, err
		}
	}
	if _, err := exactContext.Quantize(result, result, -scale); err != nil {
		return nil, err
	}
	return result, nil
}

// exactContext has room for a decimal of 65 digits divided by a count.
var exactContext = func() *apd.Context {
	c := apd.BaseContext.WithPrecision(120)
	c.Rounding = apd.RoundHalfUp
	return c
}()

// Dispose implements sql.AggregationBuffer.
func (b *exactBuffer) Dispose(*sql.Context) {}
