package triggerbody

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
)

// fetched is a value that a query has yielded. A literal would be taken for one that somebody has written.
type fetched struct {
	v any
	t sql.Type
}

var _ sql.Expression = (*fetched)(nil)

// Resolved implements sql.Expression.
func (f *fetched) Resolved() bool { return true }

// String implements sql.Expression.
func (f *fetched) String() string { return fmt.Sprint(f.v) }

// Type implements sql.Expression.
func (f *fetched) Type(*sql.Context) sql.Type { return f.t }

// IsNullable implements sql.Expression.
func (f *fetched) IsNullable(*sql.Context) bool { return true }

// Eval implements sql.Expression.
func (f *fetched) Eval(*sql.Context, sql.Row) (any, error) { return f.v, nil }

// Children implements sql.Expression.
func (f *fetched) Children() []sql.Expression { return nil }

// WithChildren implements sql.Expression.
func (f *fetched) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(f, len(children), 0)
	}
	return f, nil
}
