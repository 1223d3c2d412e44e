package compare

import (
	"bytes"
	"context"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// inSubquery is IN with a subquery, or a comparison with ANY or ALL: value by value, with SQL's three answers.
type inSubquery struct {
	expression.BinaryExpressionStub
	list []agreement // one for each column
	op   string      // of a comparison with ANY or ALL; "" for IN
	all  bool
}

var (
	_ sql.Expression         = (*inSubquery)(nil)
	_ sql.CollationCoercible = (*inSubquery)(nil)
)

// inSubquery gives nil where go-mysql-server's own IN is right, which NOT IN never is.
func (s stage) inSubquery(ctx *sql.Context, e *plan.InSubquery, negated bool) (sql.Expression, error) {
	q, ok := e.RightChild.(*plan.Subquery)
	if !ok {
		return nil, nil
	}
	schema := q.Query.Schema(ctx)
	out := &inSubquery{BinaryExpressionStub: e.BinaryExpressionStub}
	if quantified, ok := e.LeftChild.(*function.Quantified); ok {
		out.LeftChild, out.op, out.all = quantified.Child, quantified.Operator, quantified.All
		e = plan.NewInSubquery(ctx, quantified.Child, e.RightChild)
		if len(schema) != 1 || types.NumColumns(quantified.Child.Type(ctx)) != 1 {
			return nil, mysqlerr.New(mysqlerr.OperandColumns, 1)
		}
	}
	values := []sql.Expression{e.LeftChild}
	if row, ok := e.LeftChild.(expression.Tuple); ok {
		values = row
	}
	if len(values) != len(schema) {
		return nil, nil // error 1241
	}
	changed := negated || out.op != "" || len(values) > 1
	for i, v := range values {
		if isNull(ctx, v, schema[i].Type) {
			out.list, changed = append(out.list, agreement{}), true
			continue
		}
		a, err := agree(ctx, v, expression.NewGetField(i, schema[i].Type, schema[i].Name, true))
		if err != nil {
			return nil, err
		}
		if a.leave { // of a constant, too
			if a.how, ok, err = between(ctx, v, schema[i].Type); err == nil && !ok && out.op != "" {
				err = mysqlerr.NotYet("a comparison of these types with ANY or ALL; CAST one to the type of the other")
			}
			if err != nil || !ok {
				return nil, err
			}
		}
		changed = changed || !s.keep(a, true) || a.leave
		out.list = append(out.list, a)
	}
	if !changed {
		return nil, nil
	}
	return out, nil
}

// isNull reports whether a value, or the column that it is compared with, is NULL in every row.
func isNull(ctx *sql.Context, v sql.Expression, t sql.Type) bool {
	return kindOf(t) == null || kindOf(v.Type(ctx)) == null
}

// between is how a value without columns is compared with those of a column; ok is false for what has no key.
func between(ctx *sql.Context, v sql.Expression, t sql.Type) (h how, ok bool, err error) {
	switch k := kindOf(t); {
	case k == kindOf(v.Type(ctx)) && !k.textual() && k != other && k != null:
		if k == whole {
			k = exact
		}
		return how{kind: k}, true, nil
	case k.textual() && kindOf(v.Type(ctx)).textual():
		return ofType(ctx, t, nil)
	}
	return how{}, false, nil
}

// Type implements sql.Expression.
func (*inSubquery) Type(*sql.Context) sql.Type { return types.Boolean }

// CollationCoercibility implements sql.CollationCoercible.
func (*inSubquery) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (s *inSubquery) String() string { return fmt.Sprintf("(%s IN %s)", s.LeftChild, s.RightChild) }

// IsNullable implements sql.Expression.
func (*inSubquery) IsNullable(*sql.Context) bool { return true }

// WithChildren implements sql.Expression.
func (s *inSubquery) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 2)
	}
	return &inSubquery{expression.BinaryExpressionStub{LeftChild: children[0], RightChild: children[1]}, s.list, s.op, s.all}, nil
}

// Eval implements sql.Expression.
func (s *inSubquery) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	q, ok := s.RightChild.(*plan.Subquery)
	if !ok {
		return nil, expression.ErrUnsupportedInOperand.New(s.RightChild)
	}
	found, err := q.EvalMultiple(ctx, row)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return s.all, nil
	}
	lefts := []sql.Expression{s.LeftChild}
	if tuple, ok := s.LeftChild.(expression.Tuple); ok {
		lefts = tuple
	}
	schema := q.Query.Schema(ctx)
	keys := make([][]byte, len(lefts))
	for i, e := range lefts {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		if isNull(ctx, e, schema[i].Type) {
			keys[i] = []byte{}
			continue
		}
		if keys[i], err = s.list[i].append(ctx, []byte{}, v, e.Type(ctx)); err != nil {
			return nil, err
		}
	}
	unknown := false
	for n, values := range found {
		if n&255 == 255 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		yes, maybe, err := s.same(ctx, keys, values, schema)
		if err != nil {
			return nil, err
		}
		if s.all {
			yes = !yes && !maybe
		}
		if yes {
			return !s.all, nil
		}
		unknown = unknown || maybe
	}
	if unknown {
		return nil, nil
	}
	return s.all, nil
}

// same compares the left values with a row of the subquery; maybe: a NULL is all that stands between them.
func (s *inSubquery) same(ctx *sql.Context, keys [][]byte, found any, schema sql.Schema) (yes, maybe bool, err error) {
	values := []any{found}
	if len(keys) > 1 {
		values = found.([]any)
	}
	var buf []byte
	for i, v := range values {
		if v == nil || keys[i] == nil {
			maybe = true
			continue
		}
		if buf, err = s.list[i].append(ctx, buf[:0], v, schema[i].Type); err != nil {
			return false, false, err
		}
		if !s.holds(bytes.Compare(keys[i], buf)) {
			return false, false, nil
		}
	}
	return !maybe, maybe, nil
}

// holds reports whether a comparison does that came out below, at or above zero.
func (s *inSubquery) holds(order int) bool {
	switch s.op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "<>":
		return order != 0
	}
	return order == 0
}
