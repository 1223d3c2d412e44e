package semantics

import (
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// validText is an argument of a function that panics over bytes that are no text: those are refused.
type validText struct {
	expression.UnaryExpressionStub
	function string
}

var _ sql.CollationCoercible = (*validText)(nil)

// onValidTexts gives a function such arguments; nil if it has them already.
func onValidTexts(ctx *sql.Context, f sql.Expression, name string) (sql.Expression, error) {
	args := make([]sql.Expression, len(f.Children()))
	for i, a := range f.Children() {
		if _, already := a.(*validText); already {
			return nil, nil
		}
		args[i] = &validText{expression.UnaryExpressionStub{Child: a}, name}
	}
	return f.WithChildren(ctx, args...)
}

// Type implements sql.Expression.
func (t *validText) Type(ctx *sql.Context) sql.Type { return t.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (t *validText) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, t.Child)
}

// String implements sql.Expression.
func (t *validText) String() string { return t.Child.String() }

// WithChildren implements sql.Expression.
func (t *validText) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), 1)
	}
	return &validText{expression.UnaryExpressionStub{Child: children[0]}, t.function}, nil
}

// Eval implements sql.Expression.
func (t *validText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := t.Child.Eval(ctx, row)
	if b, ok := v.([]byte); ok && err == nil && !utf8.Valid(b) {
		return nil, mysqlerr.New(mysqlerr.NotSupportedYet, t.function+"() of bytes that are no text")
	}
	return v, err
}
