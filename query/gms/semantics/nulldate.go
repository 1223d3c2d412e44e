package semantics

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// nullDate is IS NULL of a date column that is NOT NULL, of which MariaDB takes 0000-00-00 for NULL in conditions, but not those of an outer join's padded
// side. So such a date is refused when it comes.
type nullDate struct{ *expression.IsNull }

var _ sql.CollationCoercible = (*nullDate)(nil)

func newNullDate(ctx *sql.Context, e *expression.IsNull) sql.Expression {
	f, ok := e.Child.(*expression.GetField)
	if !ok || f.IsNullable(ctx) || !types.IsTime(f.Type(ctx)) {
		return nil
	}
	return &nullDate{e}
}

// CollationCoercibility implements sql.CollationCoercible.
func (*nullDate) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (n *nullDate) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	return &nullDate{expression.NewIsNull(children[0])}, nil
}

// Eval implements sql.Expression.
func (n *nullDate) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := n.Child.Eval(ctx, row)
	if t, ok := v.(time.Time); ok && t.Equal(types.ZeroTime) {
		return nil, mysqlerr.NotYet("IS NULL of 0000-00-00 in a NOT NULL column, in a statement of several tables; compare it with '0000-00-00'")
	}
	return v == nil, err
}
