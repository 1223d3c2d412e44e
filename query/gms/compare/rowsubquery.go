package compare

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// subqueryRow compares rows with `=` or `<=>`, at least one of which is a subquery's. go-mysql-server takes NULL for equal to NULL in them, and for
// `<=>` no row for other than a row of NULL.
type subqueryRow struct {
	expression.UnaryExpressionStub // the comparison: its operands may be rows, those of other expressions may not
}

var (
	_ sql.Expression         = (*subqueryRow)(nil)
	_ sql.CollationCoercible = (*subqueryRow)(nil)
)

// ofSubquery is the comparison of rows with those of a subquery; nil for any other.
func ofSubquery(ctx *sql.Context, e sql.Expression) sql.Expression {
	c := e.Children()
	_, left := c[0].(*plan.Subquery)
	_, right := c[1].(*plan.Subquery)
	if !left && !right {
		return nil
	}
	if n := types.NumColumns(c[0].Type(ctx)); n < 2 || n != types.NumColumns(c[1].Type(ctx)) {
		return nil
	}
	return &subqueryRow{expression.UnaryExpressionStub{Child: e}}
}

// Type implements sql.Expression.
func (*subqueryRow) Type(*sql.Context) sql.Type { return types.Boolean }

// IsNullable implements sql.Expression.
func (s *subqueryRow) IsNullable(*sql.Context) bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (*subqueryRow) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (s *subqueryRow) String() string { return s.Child.String() }

// WithChildren implements sql.Expression.
func (s *subqueryRow) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	if _, twice := children[0].(*subqueryRow); twice { // a later stage has wrapped the comparison again
		return children[0], nil
	}
	return &subqueryRow{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (s *subqueryRow) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	_, safe := s.Child.(*expression.NullSafeEquals)
	c := s.Child.Children()
	a, err := rowOf(ctx, c[0], row)
	if err != nil {
		return nil, err
	}
	b, err := rowOf(ctx, c[1], row)
	if err != nil {
		return nil, err
	}
	unknown := false
	for i := range a {
		if a[i] != nil && b[i] != nil {
			continue
		}
		if safe {
			if a[i] != nil || b[i] != nil {
				return false, nil
			}
			continue
		}
		unknown = true
		a[i], b[i] = nil, nil // the others decide
	}
	own, err := s.Child.WithChildren(ctx, expression.NewLiteral(a, c[0].Type(ctx)), expression.NewLiteral(b, c[1].Type(ctx)))
	if err != nil {
		return nil, err
	}
	v, err := own.Eval(ctx, row)
	if unknown && v == true {
		v = nil
	}
	return v, err
}

// rowOf gives the values of a row, which are the caller's; no row is one of NULL.
func rowOf(ctx *sql.Context, e sql.Expression, row sql.Row) ([]any, error) {
	out := make([]any, types.NumColumns(e.Type(ctx)))
	v, err := e.Eval(ctx, row)
	if values, ok := v.([]any); ok {
		copy(out, values)
	}
	return out, err
}
