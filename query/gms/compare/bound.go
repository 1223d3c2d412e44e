package compare

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Session is what a statement's session is told.
type Session interface {
	// NoMergeJoins keeps the planner from joining by the order of indexes in the running statement.
	NoMergeJoins()
}

// stage is when keys are given.
type stage struct {
	// planned: the planner is through, nothing stays as it is.
	planned bool
}

// Bound gives keys to what the planner must not see.
func Bound(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	n, _, err := transform.NodeWithOpaque(ctx, n, stage{}.node)
	return n, err
}

// node is about one node, without its children.
func (s stage) node(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if !reads(n) {
		return n, transform.SameTree, nil
	}
	if s.planned {
		return s.plannedNode(ctx, n)
	}
	if err := addressesIn(ctx, n); err != nil {
		return n, transform.SameTree, err
	}
	if set, ok := n.(*plan.SetOp); ok {
		if err := checkSet(ctx, set); err != nil {
			return n, transform.SameTree, err
		}
		own, err := withTexts(ctx, set)
		return own, transform.NewTree, err
	}
	n, same, err := s.exprs(ctx, n)
	if err != nil {
		return n, same, err
	}
	if f, ok := n.(*plan.Filter); ok {
		if own := withoutSemiJoins(ctx, f); own != nil {
			return own, transform.NewTree, nil
		}
	}
	if j, ok := n.(*plan.JoinNode); ok {
		if own := besideJoin(ctx, j); own != nil {
			j, same = own, transform.NewTree
		}
		if own, err := conditionsAbove(ctx, j); own != nil || err != nil {
			return own, transform.NewTree, err
		}
		return j, same, nil
	}
	return n, same, nil
}

func (s stage) exprs(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.OneNodeExprsWithNode(ctx, n, func(ctx *sql.Context, _ sql.Node, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		return s.expr(ctx, e)
	})
}

// reads leaves out definitions, whose expressions are kept as text.
func reads(n sql.Node) bool {
	switch n.(type) {
	case *plan.CreateTable, *plan.CreateView, *plan.CreateTrigger, *plan.CreateProcedure, *plan.AlterDefaultSet,
		*plan.AddColumn, *plan.ModifyColumn, *plan.CreateCheck, *plan.CreateEvent, *plan.AlterIndex:
		return false
	}
	return true
}

// expr gives what an expression becomes, whose children were here before.
func (s stage) expr(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if _, ok := e.(*apart); ok || !e.Resolved() {
		return e, transform.SameTree, nil
	}
	var out sql.Expression
	var err error
	switch e := e.(type) {
	case *expression.Equals:
		out, err = s.comparison(ctx, e, true)
	case *expression.NullSafeEquals:
		out, err = s.nullSafe(ctx, e)
	case *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual:
		out, err = s.comparison(ctx, e, false)
	case *expression.Between:
		out, err = s.between(ctx, e)
	case *expression.InTuple:
		out, err = s.inTuple(ctx, e.Left(), e.Right())
	case *expression.HashInTuple:
		children := e.Children()
		out, err = s.inTuple(ctx, children[0], children[1])
	case *plan.InSubquery:
		out, err = s.inSubquery(ctx, e, false)
	case *expression.Not:
		child, changed, aerr := nullSafeApart(ctx, e.Child)
		if aerr != nil {
			return nil, transform.SameTree, aerr
		}
		if out, err = s.negated(ctx, child); out == nil && changed {
			out = child
		}
		if out != nil {
			out = expression.NewNot(out)
		}
	case *expression.Or:
		out, err = s.disjunction(ctx, e)
	case *plan.Subquery:
		if s.planned { // it was planned by itself
			return e, transform.SameTree, nil
		}
		query, same, err := transform.NodeWithOpaque(ctx, e.Query, s.node)
		if err != nil || bool(same) {
			return e, transform.SameTree, err
		}
		return e.WithQuery(query), transform.NewTree, nil
	default:
		out, err = s.aggregate(ctx, e)
	}
	if err != nil || out == nil {
		return e, transform.SameTree, err
	}
	return out, transform.NewTree, nil
}

// keep reports whether a comparison stays as it is.
func (s stage) keep(a agreement, equality bool) bool {
	switch {
	case a.leave:
		return true
	case a.kind == address:
		return a.alike && equality && !s.planned
	case a.kind != text: // go-mysql-server's own comparison is right for equal types
		return a.alike
	}
	return a.alike && equality && !s.planned
}

func (s stage) comparison(ctx *sql.Context, e sql.Expression, equality bool) (sql.Expression, error) {
	c := e.Children()
	if own := ofSubquery(ctx, e); own != nil && equality {
		return own, nil
	}
	if lt, ok := c[0].(expression.Tuple); ok {
		rt, ok := c[1].(expression.Tuple)
		if !ok || len(lt) != len(rt) {
			return nil, nil
		}
		l, r, err := s.tuples(ctx, lt, rt, equality)
		if err != nil || l == nil {
			return nil, err
		}
		return e.WithChildren(ctx, l, r)
	}
	a, err := agree(ctx, c[0], c[1])
	if own, ok := ctx.Session.(Session); ok && err == nil && a.kind == text && !s.planned && !constant(ctx, c[0]) && !constant(ctx, c[1]) {
		own.NoMergeJoins() // entries of indexes are in the order of other weights in some collations
	}
	if err != nil || s.keep(a, equality) {
		if err == nil && equality && !s.planned && (correlated(c[0]) || correlated(c[1])) {
			return keptApart(e), nil
		}
		return nil, err
	}
	if equality && (correlated(c[0]) || correlated(c[1])) {
		own, err := e.WithChildren(ctx, keyOf(c[0], a.how), keyOf(c[1], a.how))
		return keptApart(own), err
	}
	return e.WithChildren(ctx, keyOf(c[0], a.how), keyOf(c[1], a.how))
}

// nullSafe is <=>. Between columns the planner must not know of it: in joins by hash it would take NULL for unequal, or for equal in other conditions.
func (s stage) nullSafe(ctx *sql.Context, e *expression.NullSafeEquals) (sql.Expression, error) {
	l, r := e.Left(), e.Right()
	if own := ofSubquery(ctx, e); own != nil {
		return own, nil
	}
	a, err := agree(ctx, l, r)
	if err != nil || a.leave || s.planned || constant(ctx, l) || constant(ctx, r) {
		return s.comparison(ctx, e, false)
	}
	return keptApart(expression.NewNullSafeEquals(keyOf(l, a.how), keyOf(r, a.how))), nil
}

// negated is what is under a NOT: joins that go-mysql-server makes of NOT IN take NULL for a value, and what it reads of an index for <> is wrong for
// a DECIMAL.
func (s stage) negated(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	if s.planned {
		return nil, nil
	}
	switch e := e.(type) {
	case *plan.InSubquery:
		return s.inSubquery(ctx, e, true)
	case *expression.Equals:
		if kindOf(e.Left().Type(ctx)) == exact && kindOf(e.Right().Type(ctx)) == exact {
			return expression.NewEquals(keyOf(e.Left(), how{kind: exact}), keyOf(e.Right(), how{kind: exact})), nil
		}
	}
	return nil, nil
}

// disjunction is an OR whose comparisons go-mysql-server does not look into; nil for one that stays as it is.
func (s stage) disjunction(ctx *sql.Context, e *expression.Or) (sql.Expression, error) {
	out, err := s.hidden(ctx, e)
	if err != nil {
		return nil, err
	}
	var from sql.Expression = e
	if out != nil {
		from = out
	}
	own, changed, err := nullSafeApart(ctx, from)
	if err != nil || !changed {
		return out, err
	}
	return own, nil
}

// hidden gives keys to all comparisons of columns under an OR: of a join by one of several indexes go-mysql-server loses other conditions.
func (s stage) hidden(ctx *sql.Context, or *expression.Or) (sql.Expression, error) {
	if s.planned {
		return nil, nil
	}
	out, same, err := transform.Expr(ctx, or, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		eq, ok := e.(*expression.Equals)
		if !ok || constant(ctx, eq.Left()) || constant(ctx, eq.Right()) {
			return e, transform.SameTree, nil
		}
		if _, ok := eq.Left().(*key); ok {
			return e, transform.SameTree, nil
		}
		a, err := agree(ctx, eq.Left(), eq.Right())
		if err != nil || a.leave || a.kind == other {
			return e, transform.SameTree, err
		}
		return expression.NewEquals(keyOf(eq.Left(), a.how), keyOf(eq.Right(), a.how)), transform.NewTree, nil
	})
	if err != nil || bool(same) {
		return nil, err
	}
	return out, nil
}

// nullSafeApart keeps <=> apart, which stands under OR, or under NOT, of which go-mysql-server makes OR: the ranges of an index that it makes of it beside
// others lose what stands before the OR.
func nullSafeApart(ctx *sql.Context, e sql.Expression) (out sql.Expression, changed bool, err error) {
	switch e := e.(type) {
	case *expression.NullSafeEquals:
		return keptApart(e), true, nil
	case *expression.And, *expression.Or, *expression.Not:
	default:
		return e, false, nil
	}
	children := append([]sql.Expression{}, e.Children()...)
	for i, c := range children {
		own, is, err := nullSafeApart(ctx, c)
		if err != nil {
			return nil, false, err
		}
		children[i], changed = own, changed || is
	}
	if !changed {
		return e, false, nil
	}
	out, err = e.WithChildren(ctx, children...)
	return out, true, err
}

// correlated reports whether an operand is a subquery about other tables of the statement. Of an equality with one go-mysql-server makes
// a join by hash, which evaluates it for one side of the join alone.
func correlated(e sql.Expression) bool {
	q, ok := e.(*plan.Subquery)
	return ok && !q.Correlated().Empty()
}

// tuples gives keys to the elements of two rows; nil if none needs one.
func (s stage) tuples(ctx *sql.Context, lt, rt expression.Tuple, equality bool) (l, r sql.Expression, err error) {
	ls, rs, changed := append(expression.Tuple{}, lt...), append(expression.Tuple{}, rt...), false
	for i := range lt {
		a, err := agree(ctx, lt[i], rt[i])
		if err != nil {
			return nil, nil, err
		}
		if s.keep(a, equality) {
			continue
		}
		ls[i], rs[i], changed = keyOf(lt[i], a.how), keyOf(rt[i], a.how), true
	}
	if !changed {
		return nil, nil, nil
	}
	return ls, rs, nil
}

func (s stage) between(ctx *sql.Context, e *expression.Between) (sql.Expression, error) {
	low, err := agree(ctx, e.Val, e.Lower)
	if err != nil {
		return nil, err
	}
	high, err := agree(ctx, e.Val, e.Upper)
	if err != nil || s.keep(low, false) && s.keep(high, false) {
		return nil, err
	}
	l, err := s.comparison(ctx, expression.NewGreaterThanOrEqual(e.Val, e.Lower), false)
	if err != nil {
		return nil, err
	}
	if l == nil {
		l = expression.NewGreaterThanOrEqual(e.Val, e.Lower)
	}
	r, err := s.comparison(ctx, expression.NewLessThanOrEqual(e.Val, e.Upper), false)
	if err != nil {
		return nil, err
	}
	if r == nil {
		r = expression.NewLessThanOrEqual(e.Val, e.Upper)
	}
	return expression.NewAnd(l, r), nil
}

// inTuple is IN with a list.
func (s stage) inTuple(ctx *sql.Context, l, r sql.Expression) (sql.Expression, error) {
	list, ok := r.(expression.Tuple)
	if !ok || len(list) == 0 {
		return nil, nil
	}
	if row, ok := l.(expression.Tuple); ok {
		return s.inRows(ctx, row, list)
	}
	agreed := make([]agreement, len(list))
	changed, one := false, true
	for i, item := range list {
		var err error
		if agreed[i], err = agree(ctx, l, item); err != nil {
			return nil, err
		}
		changed = changed || !s.keep(agreed[i], true)
		one = one && agreed[i] == agreed[0]
	}
	if !changed {
		return nil, nil
	}
	if one {
		keys := make(expression.Tuple, len(list))
		for i, item := range list {
			keys[i] = keyOf(item, agreed[0].how)
		}
		return expression.NewInTuple(keyOf(l, agreed[0].how), keys), nil
	}
	each := make([]sql.Expression, len(list)) // each item has its own comparison
	for i, item := range list {
		each[i] = s.equals(l, item, agreed[i])
	}
	return anyOf(each), nil
}

// equals is a comparison of two expressions with keys, if they need any.
func (s stage) equals(l, r sql.Expression, a agreement) sql.Expression {
	if s.keep(a, true) {
		return expression.NewEquals(l, r)
	}
	return expression.NewEquals(keyOf(l, a.how), keyOf(r, a.how))
}

// inRows is IN of rows with a list of rows.
func (s stage) inRows(ctx *sql.Context, l expression.Tuple, list expression.Tuple) (sql.Expression, error) {
	each := make([]sql.Expression, len(list))
	changed := false
	for n, item := range list {
		row, ok := item.(expression.Tuple)
		if !ok || len(row) != len(l) {
			return nil, nil
		}
		for i := range l {
			a, err := agree(ctx, l[i], row[i])
			if err != nil {
				return nil, err
			}
			changed = changed || !s.keep(a, true)
			eq := s.equals(l[i], row[i], a)
			if i > 0 {
				eq = expression.NewAnd(each[n], eq)
			}
			each[n] = eq
		}
	}
	if !changed {
		return nil, nil
	}
	return anyOf(each), nil
}

// anyOf is the disjunction of conditions, no deeper than it must be.
func anyOf(list []sql.Expression) sql.Expression {
	if len(list) == 1 {
		return list[0]
	}
	half := len(list) / 2
	return expression.NewOr(anyOf(list[:half]), anyOf(list[half:]))
}
