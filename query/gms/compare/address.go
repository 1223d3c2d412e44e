package compare

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Columns of type UUID, INET4 and INET6 are texts to go-mysql-server. They are shown, grouped, sorted, and compared with columns of their type and
// with texts that are written; what else is asked of them is refused.

func refuseAddress(t *schema.Address) error {
	return mysqlerr.NotYet("this use of a column of type " + strings.ToUpper(t.String()) + " in a statement of several tables")
}

func addressOf(ctx *sql.Context, e sql.Expression) (*schema.Address, bool) {
	if !e.Resolved() {
		return nil, false
	}
	t, ok := e.Type(ctx).(*schema.Address)
	return t, ok
}

// addressesIn refuses a node that was bound and asks more of such columns.
func addressesIn(ctx *sql.Context, n sql.Node) error {
	if set, ok := n.(*plan.SetOp); ok {
		for _, col := range append(set.Left().Schema(ctx), set.Right().Schema(ctx)...) {
			if t, ok := col.Type.(*schema.Address); ok {
				return refuseAddress(t)
			}
		}
	}
	holder, ok := n.(sql.Expressioner)
	if !ok {
		return nil
	}
	shows := false // the node's expressions are values that go on, or are sorted and grouped by
	switch n.(type) {
	case *plan.Project, *plan.GroupBy, *plan.Sort, *plan.TopN, *plan.Distinct, *plan.SubqueryAlias, *plan.TableAlias:
		shows = true
	}
	for _, e := range holder.Expressions() {
		if err := addressesOf(ctx, e, shows); err != nil {
			return err
		}
	}
	return nil
}

// addressesOf looks for what is refused in an expression; alone says that it may be such a column itself.
func addressesOf(ctx *sql.Context, e sql.Expression, alone bool) error {
	switch e := e.(type) {
	case *expression.GetField:
		if t, ok := addressOf(ctx, e); ok && !alone {
			return refuseAddress(t)
		}
		return nil
	case *expression.Alias:
		return addressesOf(ctx, e.Child, alone)
	case *expression.IsNull:
		return addressesOf(ctx, e.Child, true)
	case *aggregation.Count:
		return addressesOf(ctx, e.Child, true)
	case *expression.Convert: // CAST(x AS CHAR), whatever its length
		return addressesOf(ctx, e.Child, e.Type(ctx) == types.LongText)
	case *expression.SetField: // what is stored becomes what the column keeps
		return addressesOf(ctx, e.RightChild, true)
	case *key, *apart: // the plan was here before
		return nil
	case *aggregation.Min, *aggregation.Max, *aggregation.CountDistinct:
		for _, child := range e.Children() {
			if err := addressesOf(ctx, child, true); err != nil {
				return err
			}
		}
		return nil
	case *plan.Subquery:
		if t, ok := addressOf(ctx, e); ok {
			return refuseAddress(t)
		}
		return nil // its nodes are visited by themselves
	case *plan.InSubquery:
		if q, ok := e.RightChild.(*plan.Subquery); ok && len(q.Query.Schema(ctx)) == 1 {
			x, left := addressOf(ctx, e.LeftChild)
			y, right := q.Query.Schema(ctx)[0].Type.(*schema.Address)
			if left && right && x.Kind == y.Kind {
				return nil
			}
		}
	case *expression.Equals, *expression.NullSafeEquals, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan,
		*expression.LessThanOrEqual:
		c := e.Children()
		if known, err := comparable(ctx, c[0], c[1]); known || err != nil {
			return err
		}
	case *expression.InTuple:
		if list, ok := e.Right().(expression.Tuple); ok {
			all := len(list) > 0
			for _, item := range list {
				known, err := comparable(ctx, e.Left(), item)
				if err != nil {
					return err
				}
				all = all && known
			}
			if all {
				return nil
			}
		}
	case *expression.Between:
		low, err := comparable(ctx, e.Val, e.Lower)
		if err != nil {
			return err
		}
		high, err := comparable(ctx, e.Val, e.Upper)
		if err != nil || low && high {
			return err
		}
	}
	ranks := false
	if f, ok := e.(sql.WindowAdaptableExpression); ok && f.Window() != nil {
		ranks = ranking[strings.ToLower(f.(sql.FunctionExpression).FunctionName())] // by the window's order alone
	}
	for _, child := range e.Children() {
		if err := addressesOf(ctx, child, ranks); err != nil {
			return err
		}
	}
	return nil
}

var ranking = map[string]bool{"row_number": true, "rank": true, "dense_rank": true, "percent_rank": true}

// comparable reports whether a comparison is one of columns with addresses that has keys.
func comparable(ctx *sql.Context, l, r sql.Expression) (bool, error) {
	x, left := addressOf(ctx, l)
	y, right := addressOf(ctx, r)
	if !left && !right {
		return false, nil
	}
	if _, err := agreeAddresses(l, r, x, y); err != nil {
		return false, err
	}
	return true, nil
}

// agreeAddresses says what two expressions are compared as of which one or both are addresses.
func agreeAddresses(l, r sql.Expression, x, y *schema.Address) (agreement, error) {
	of, other := x, r
	if x == nil {
		of, other = y, l
	}
	switch {
	case x != nil && y != nil && x.Kind == y.Kind:
		return agreement{how: how{kind: address, of: of}, alike: true}, nil
	case x != nil && y != nil:
		return left, mysqlerr.New(mysqlerr.IllegalParameterTypes, x.String(), y.String(), "=")
	}
	if literal, ok := other.(*expression.Literal); ok {
		if s, ok := literal.Value().(string); ok {
			if _, ok := of.Parse(s); ok {
				return agreement{how: how{kind: address, of: of}}, nil
			}
		}
	}
	return left, refuseAddress(of)
}
