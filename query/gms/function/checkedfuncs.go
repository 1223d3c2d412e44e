package function

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	fn "github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// checked is a function of go-mysql-server that panics over some values of an argument: eval looks at them
// first, and may answer itself.
type checked struct {
	sql.FunctionExpression
	eval func(ctx *sql.Context, row sql.Row, f sql.FunctionExpression) (v any, done bool, err error)
}

var _ sql.CollationCoercible = (*checked)(nil)

// checkedFunctions are these functions by name.
func checkedFunctions() map[string]sql.Function {
	base := fn.NewRegistry()
	out := map[string]sql.Function{}
	add := func(name string, f sql.Function, eval func(*sql.Context, sql.Row, sql.FunctionExpression) (any, bool, error)) {
		out[name] = sql.FunctionN{Name: name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
			e, err := f.NewInstance(ctx, args)
			if err != nil {
				return nil, err
			}
			return &checked{e.(sql.FunctionExpression), eval}, nil
		}}
	}
	add("last_insert_id", base["last_insert_id"], setLastInsertID)
	add("rand", base["rand"], randOfNull)
	add("unix_timestamp", tables.UnixTimestamp(), unixTimestampOfText)
	out["inet6_aton"] = sql.Function1{Name: "inet6_aton", Fn: func(ctx *sql.Context, e sql.Expression) sql.Expression {
		return fn.NewInet6Aton(ctx, expression.NewConvert(e, expression.ConvertToChar)) // it takes every value for a string
	}}
	out["format"] = sql.FunctionN{Name: "format", Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) == 3 {
			args[2] = expression.NewConvert(args[2], expression.ConvertToChar) // the locale: it takes every value for a string
		}
		return base["format"].NewInstance(ctx, args)
	}}
	for _, name := range vectorFunctions {
		out[name] = absent(name)
	}
	return out
}

// vectorFunctions are functions of go-mysql-server that MariaDB 10.11 does not have; some panic over a text without
// characters.
var vectorFunctions = []string{"vec_distance", "vec_distance_l2_squared", "vec_distance_euclidean", "vec_distance_cosine", "distance",
	"string_to_vector", "to_vector", "vec_fromtext", "vector_to_string", "from_vector", "vec_totext", "vector_dim", "vec_dim"}

// absent is a function that there is not.
func absent(name string) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(c *sql.Context, _ ...sql.Expression) (sql.Expression, error) {
		return nil, mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION", c.GetCurrentDatabase()+"."+name)
	}}
}

// CollationCoercibility implements sql.CollationCoercible.
func (f *checked) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, f.FunctionExpression)
}

// IsNullable implements sql.Expression.
func (f *checked) IsNullable(*sql.Context) bool { return true }

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (f *checked) IsNonDeterministic() bool {
	n, ok := f.FunctionExpression.(sql.NonDeterministicExpression)
	return ok && n.IsNonDeterministic()
}

// WithChildren implements sql.Expression.
func (f *checked) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := f.FunctionExpression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &checked{e.(sql.FunctionExpression), f.eval}, nil
}

// Eval implements sql.Expression.
func (f *checked) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if v, done, err := f.eval(ctx, row, f.FunctionExpression); done || err != nil {
		return v, err
	}
	return f.FunctionExpression.Eval(ctx, row)
}

// argument evaluates one argument of a function; there is false if it has none at this place.
func argument(ctx *sql.Context, row sql.Row, f sql.Expression, i int) (v any, there bool, err error) {
	if args := f.Children(); i < len(args) {
		v, err = args[i].Eval(ctx, row)
		return v, true, err
	}
	return nil, false, nil
}

// setLastInsertID is LAST_INSERT_ID(value): NULL sets 0 and gives NULL, and the range is that of unsigned numbers.
func setLastInsertID(ctx *sql.Context, row sql.Row, f sql.FunctionExpression) (any, bool, error) {
	v, there, err := argument(ctx, row, f, 0)
	if !there || err != nil {
		return nil, false, err
	}
	id, ok := v.(uint64)
	if !ok && v != nil {
		n, err := times(ctx, v)
		if err != nil {
			return nil, false, err
		}
		id = uint64(n)
	}
	ctx.GetLastQueryInfo().LastInsertId.Store(int64(id))
	if v == nil {
		return nil, true, nil
	}
	return id, true, nil
}

// randOfNull is RAND(NULL): the seed is 0.
func randOfNull(ctx *sql.Context, row sql.Row, f sql.FunctionExpression) (any, bool, error) {
	v, there, err := argument(ctx, row, f, 0)
	if !there || v != nil || err != nil {
		return nil, false, err
	}
	ofZero, err := fn.NewRand(ctx, expression.NewLiteral(int64(0), types.Int64))
	if err != nil {
		return nil, false, err
	}
	v, err = ofZero.Eval(ctx, row)
	return v, true, err
}

// unixTimestampOfText is UNIX_TIMESTAMP(text) of what is no date: NULL.
func unixTimestampOfText(ctx *sql.Context, row sql.Row, f sql.FunctionExpression) (any, bool, error) {
	v, there, err := argument(ctx, row, f, 0)
	if !there || v == nil || err != nil {
		return nil, false, err
	}
	if t, _, err := types.DatetimeMaxPrecision.Convert(ctx, v); err == nil && t != nil {
		return nil, false, nil
	}
	ctx.Warn(int(mysqlerr.TruncatedWrongValue), "Incorrect datetime value: '%s'", fmt.Sprint(v))
	return nil, true, nil
}
