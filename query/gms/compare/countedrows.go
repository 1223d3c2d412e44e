package compare

import (
	stdbinary "encoding/binary"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// rowKey is a row of values as bytes that are equal for equal rows; NULL if one of the values is.
type rowKey struct {
	expression.NaryExpression
	hows []how
}

var (
	_ sql.Expression         = (*rowKey)(nil)
	_ sql.CollationCoercible = (*rowKey)(nil)
)

// countedRows is COUNT(DISTINCT) of several values: go-mysql-server puts their texts together, with a comma between them, and tells some apart that are
// equal.
func (s stage) countedRows(ctx *sql.Context, c *aggregation.CountDistinct) (sql.Expression, error) {
	children := c.Children()
	k := &rowKey{expression.NaryExpression{ChildExpressions: children}, make([]how, len(children))}
	for i, child := range children {
		if !child.Resolved() {
			return nil, nil
		}
		h, ok, err := single(ctx, child)
		if err != nil {
			return nil, err
		}
		if !ok {
			h.kind = kindOf(child.Type(ctx))
		}
		if h.kind == whole {
			h.kind = exact
		}
		k.hows[i] = h
	}
	out, err := c.WithChildren(ctx, k)
	if err != nil {
		return nil, err
	}
	return withID(out, c), nil
}

// Type implements sql.Expression.
func (*rowKey) Type(*sql.Context) sql.Type { return types.LongBlob }

// CollationCoercibility implements sql.CollationCoercible.
func (*rowKey) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 2
}

// String implements sql.Expression.
func (k *rowKey) String() string {
	parts := make([]string, len(k.ChildExpressions))
	for i, c := range k.ChildExpressions {
		parts[i] = c.String()
	}
	return strings.Join(parts, ", ")
}

// WithChildren implements sql.Expression.
func (k *rowKey) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(k.hows) {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), len(k.hows))
	}
	return &rowKey{expression.NaryExpression{ChildExpressions: children}, k.hows}, nil
}

// Eval implements sql.Expression.
func (k *rowKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var out, one []byte
	for i, c := range k.ChildExpressions {
		v, err := c.Eval(ctx, row)
		if err != nil || v == nil {
			return nil, err
		}
		if k.hows[i].kind == other || k.hows[i].kind == null {
			if v, err = sql.UnwrapAny(ctx, v); err != nil {
				return nil, err
			}
			text, err := textOf(ctx, v, c.Type(ctx))
			if err != nil {
				return nil, err
			}
			one = append(one[:0], text...)
		} else if one, err = k.hows[i].append(ctx, one[:0], v, c.Type(ctx)); err != nil {
			return nil, err
		}
		out = append(stdbinary.AppendUvarint(out, uint64(len(one))), one...)
	}
	return out, nil
}
