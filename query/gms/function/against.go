package function

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
)

// AgainstBoolean and AgainstExpansion are the functions that say how the text of an AGAINST is searched for.
const (
	AgainstBoolean   = "against_in_boolean_mode"
	AgainstExpansion = "against_with_query_expansion"
)

// Against is the text of an AGAINST that is not in natural language mode, until package semantics takes it out.
type Against struct {
	expression.UnaryExpressionStub
	Mode string // AgainstBoolean or AgainstExpansion
}

var _ sql.FunctionExpression = (*Against)(nil)

func againstFunctions() map[string]sql.Function {
	out := map[string]sql.Function{}
	for _, name := range []string{AgainstBoolean, AgainstExpansion} {
		out[name] = sql.Function1{Name: name, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression {
			return &Against{expression.UnaryExpressionStub{Child: e}, name}
		}}
	}
	return out
}

// FunctionName implements sql.FunctionExpression.
func (a *Against) FunctionName() string { return a.Mode }

// Description implements sql.FunctionExpression.
func (a *Against) Description() string { return "how a text is searched for" }

// Type implements sql.Expression.
func (a *Against) Type(ctx *sql.Context) sql.Type { return a.Child.Type(ctx) }

// String implements sql.Expression.
func (a *Against) String() string { return a.Child.String() }

// Eval implements sql.Expression.
func (a *Against) Eval(ctx *sql.Context, row sql.Row) (any, error) { return a.Child.Eval(ctx, row) }

// WithChildren implements sql.Expression.
func (a *Against) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return &Against{expression.UnaryExpressionStub{Child: children[0]}, a.Mode}, nil
}
