package semantics

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// unsafe are functions of go-mysql-server that panic over arguments of types or
// sizes that they do not expect.
var unsafe = map[string]bool{
	"format": true, "inet6_aton": true, "round": true, "truncate": true, "trim": true,
	"regexp_instr": true, "regexp_substr": true, "regexp_replace": true,
}

// guarded is such a function. A panic is an error of its statement: the session need
// not give up the transaction, whose state it knows.
type guarded struct{ sql.FunctionExpression }

var _ sql.CollationCoercible = (*guarded)(nil)

// guard gives nil for an expression that needs none.
func guard(e sql.Expression) sql.Expression {
	f, ok := e.(sql.FunctionExpression)
	if !ok || !unsafe[strings.ToLower(f.FunctionName())] {
		return nil
	}
	if _, already := e.(*guarded); already {
		return nil
	}
	return &guarded{f}
}

// CollationCoercibility implements sql.CollationCoercible.
func (g *guarded) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, g.FunctionExpression)
}

// WithChildren implements sql.Expression.
func (g *guarded) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := g.FunctionExpression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	if f, ok := e.(sql.FunctionExpression); ok {
		return &guarded{f}, nil
	}
	return e, nil
}

// Eval implements sql.Expression.
func (g *guarded) Eval(ctx *sql.Context, row sql.Row) (v any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = mysqlerr.New(mysqlerr.NotSupportedYet, strings.ToUpper(g.FunctionName())+"() of these arguments")
		}
	}()
	return g.FunctionExpression.Eval(ctx, row)
}
