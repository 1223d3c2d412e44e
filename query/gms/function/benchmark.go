package function

import (
	"context"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// errWrongValueForType is MariaDB's ER_WRONG_VALUE_FOR_TYPE.
const errWrongValueForType = 1411

// benchmark is BENCHMARK(n, expr): expr is evaluated n times, until the statement is killed or its time is
// over. The result is 0, or NULL for an n that is NULL or below 0.
type benchmark struct{ Native }

func benchmarkFunction() sql.Function {
	const name = "benchmark"
	return sql.FunctionN{Name: name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) != 2 {
			return nil, mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, "BENCHMARK")
		}
		for _, a := range args {
			if a.Resolved() && types.NumColumns(a.Type(ctx)) != 1 {
				return nil, mysqlerr.New(mysqlerr.OperandColumns, 1)
			}
		}
		return &benchmark{Native{Name: name, Typ: types.Int64, args: args}}, nil
	}}
}

// WithChildren implements sql.Expression.
func (b *benchmark) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	own := *b
	own.args = children
	return &own, nil
}

// Eval implements sql.Expression.
func (b *benchmark) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := b.args[0].Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	n, err := times(ctx, v)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		ctx.Warn(errWrongValueForType, "Incorrect count value: '%d' for function benchmark", n)
		return nil, nil
	}
	for range n {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if _, err := b.args[1].Eval(ctx, row); err != nil {
			return nil, err
		}
	}
	return int64(0), nil
}

// times is a value as a whole number, at most the largest int64; a text has warning 1292 if it is none.
func times(ctx *sql.Context, v any) (int64, error) {
	if u, ok := v.(uint64); ok {
		return int64(min(u, 1<<63-1)), nil
	}
	n, _, err := types.Int64.Convert(ctx, v)
	if sql.ErrTruncatedIncorrect.Is(err) {
		ctx.Warn(int(mysqlerr.TruncatedWrongValue), "Truncated incorrect INTEGER value: '%s'", fmt.Sprint(v))
	} else if err != nil {
		return 0, err
	}
	i, _ := n.(int64)
	return i, nil
}
