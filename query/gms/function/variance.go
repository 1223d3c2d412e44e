package function

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// varianceFunctions are the standard deviations and variances. go-mysql-server computes them right and types them
// as their argument is typed, so that those of whole numbers would be rounded to whole numbers.
func varianceFunctions() map[string]sql.Function {
	out := map[string]sql.Function{}
	add := func(f func(sql.Expression) sql.Expression, names ...string) {
		for _, name := range names {
			out[name] = sql.Function1{Name: name, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression {
				return f(&doubleOf{expression.UnaryExpressionStub{Child: e}})
			}}
		}
	}
	add(func(e sql.Expression) sql.Expression { return aggregation.NewStdDevPop(e) }, "std", "stddev", "stddev_pop")
	add(func(e sql.Expression) sql.Expression { return aggregation.NewStdDevSamp(e) }, "stddev_samp")
	add(func(e sql.Expression) sql.Expression { return aggregation.NewVarPop(e) }, "variance", "var_pop")
	add(func(e sql.Expression) sql.Expression { return aggregation.NewVarSamp(e) }, "var_samp")
	return out
}

// doubleOf is its child, but for its type: a DOUBLE. Who evaluates it converts the value.
type doubleOf struct{ expression.UnaryExpressionStub }

var (
	_ sql.Expression         = (*doubleOf)(nil)
	_ sql.CollationCoercible = (*doubleOf)(nil)
)

// Type implements sql.Expression.
func (*doubleOf) Type(*sql.Context) sql.Type { return types.Float64 }

// varianceMost is how large numbers may be whose squares are added up: beyond it MariaDB's own are none.
const varianceMost = 1e150

// Eval implements sql.Expression.
func (d *doubleOf) Eval(c *sql.Context, row sql.Row) (any, error) {
	v, err := d.Child.Eval(c, row)
	if n, ok := v.(float64); ok && err == nil && math.Abs(n) > varianceMost {
		return nil, mysqlerr.NotYet("STD, VARIANCE and their like of numbers beyond 1e150, in a statement of several tables")
	}
	return v, err
}

// String implements sql.Expression.
func (d *doubleOf) String() string { return d.Child.String() }

// WithChildren implements sql.Expression.
func (d *doubleOf) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	return &doubleOf{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (*doubleOf) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Undoubled is an argument of a standard deviation or variance as it was written; other expressions as they are.
func Undoubled(e sql.Expression) sql.Expression {
	if d, ok := e.(*doubleOf); ok {
		return d.Child
	}
	return e
}

// VarianceArgument is the argument of a variance or standard deviation; ok is false for other expressions.
func VarianceArgument(e sql.Expression) (arg sql.Expression, ok bool) {
	if len(e.Children()) == 0 {
		return nil, false
	}
	d, ok := e.Children()[0].(*doubleOf) // those behind it are a window's
	if !ok {
		return nil, false
	}
	return d.Child, true
}

// VarianceDecimals are the digits after the point that MariaDB shows of a variance: four more than an exact
// argument has, as many as there are of another one.
func VarianceDecimals(c *sql.Context, e sql.Expression) (byte, bool) {
	arg, ok := VarianceArgument(e)
	if !ok {
		return 0, false
	}
	_, scale, exact := exactDigits(arg.Type(c))
	return byte(min(scale+4, 30)), exact
}
