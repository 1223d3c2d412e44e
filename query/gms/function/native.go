package function

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Native is a SQL function that is written in Go: arguments are evaluated and
// given to call, which must not keep them.
type Native struct {
	Name    string
	MinArgs int
	MaxArgs int
	Typ     sql.Type
	args    []sql.Expression
	Call    func(ctx *sql.Context, args []any) (any, error)
}

var _ sql.FunctionExpression = (*Native)(nil)

func (f *Native) Register() sql.Function {
	return sql.FunctionN{Name: f.Name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) < f.MinArgs || len(args) > f.MaxArgs {
			return nil, mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, strings.ToUpper(f.Name))
		}
		own := *f
		own.args = args
		return &own, nil
	}}
}

// FunctionName implements sql.FunctionExpression.
func (f *Native) FunctionName() string { return f.Name }

// Description implements sql.FunctionExpression.
func (f *Native) Description() string { return f.Name }

// Resolved implements sql.Expression.
func (f *Native) Resolved() bool {
	for _, a := range f.args {
		if !a.Resolved() {
			return false
		}
	}
	return true
}

// String implements sql.Expression.
func (f *Native) String() string {
	parts := make([]string, len(f.args))
	for i, a := range f.args {
		parts[i] = a.String()
	}
	return f.Name + "(" + strings.Join(parts, ",") + ")"
}

// Type implements sql.Expression.
func (f *Native) Type(*sql.Context) sql.Type { return f.Typ }

// IsNullable implements sql.Expression.
func (f *Native) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (f *Native) Children() []sql.Expression { return f.args }

// WithChildren implements sql.Expression.
func (f *Native) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	own := *f
	own.args = children
	return &own, nil
}

// IsNonDeterministic keeps the planner from evaluating the function early.
func (f *Native) IsNonDeterministic() bool { return true }

// Eval implements sql.Expression.
func (f *Native) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	args := make([]any, len(f.args))
	for i, a := range f.args {
		v, err := a.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	return f.Call(ctx, args)
}
