package semantics

import (
	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// copied gives away a copy of a decimal. Some of go-mysql-server's functions write
// their result over the argument, which may be the value in the row.
type copied struct{ expression.UnaryExpressionStub }

var (
	_ sql.Expression         = (*copied)(nil)
	_ sql.CollationCoercible = (*copied)(nil)
)

// inlineDigits are how many digits of a decimal are copied with its struct; more are
// shared by the copies that go-mysql-server makes.
const inlineDigits = 38

// copyOf gives nil for an argument that needs no copy.
func copyOf(e sql.Expression) sql.Expression {
	switch e.(type) {
	case *copied, *expression.Literal:
		return nil
	}
	return &copied{expression.UnaryExpressionStub{Child: e}}
}

// copyOfLarge is copyOf for columns of more than inlineDigits digits only.
func copyOfLarge(ctx *sql.Context, e sql.Expression) sql.Expression {
	f, ok := e.(*expression.GetField)
	if !ok {
		return nil
	}
	t := f.Type(ctx)
	if d, ok := t.(sql.DecimalType); !ok || !types.IsDecimal(t) || d.Precision() <= inlineDigits {
		return nil
	}
	return copyOf(e)
}

// Type implements sql.Expression.
func (c *copied) Type(ctx *sql.Context) sql.Type { return c.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (c *copied) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, c.Child)
}

// String implements sql.Expression.
func (c *copied) String() string { return c.Child.String() }

// WithChildren implements sql.Expression.
func (c *copied) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	return &copied{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (c *copied) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Child.Eval(ctx, row)
	if d, ok := v.(*apd.Decimal); ok {
		return new(apd.Decimal).Set(d), err
	}
	return v, err
}
