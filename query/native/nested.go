package native

import (
	"strconv"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/types"
)

// unnested is the SELECT in parentheses, with the ORDER BY and LIMIT behind them that belong to it as well, and what is around that: there LIMIT, and
// ORDER BY if there was one before, make of what is in the parentheses a table of its own. What is no such statement is returned as it is.
func unnested(n *tree.Nested) (tree.Statement, []tree.Tail) {
	var tails []tree.Tail
	var inner *tree.Select
	for q := tree.Query(n); inner == nil; {
		switch x := q.(type) {
		case *tree.Nested:
			rest := x.Tail
			if rest.OrderBy, rest.Limit = nil, nil; x.With != nil || !rest.Empty() {
				return n, nil
			}
			tails, q = append(tails, x.Tail), x.Query
		case *tree.Select:
			inner = x
		default:
			return n, nil
		}
	}
	rest := inner.Tail
	if rest.OrderBy, rest.Limit = nil, nil; inner.With != nil || !rest.Empty() {
		return n, nil
	}
	out := *inner
	out.Span = n.Span
	var outer []tree.Tail
	last := &out.Tail
	for i := len(tails) - 1; i >= 0; i-- {
		t := tails[i]
		switch {
		case t.OrderBy == nil && t.Limit == nil:
		case last.OrderBy == nil && last.Limit == nil:
			last.OrderBy, last.Limit = t.OrderBy, t.Limit
		case last.Limit == nil && t.OrderBy == nil && !t.Limit.WithTies:
			last.Limit = t.Limit
		default:
			outer = append(outer, t)
			last = &outer[len(outer)-1]
		}
	}
	return &out, outer
}

// withoutParentheses is an INSERT whose query is no longer in parentheses, if nothing around them makes a table of it.
func withoutParentheses(n *tree.Insert) *tree.Insert {
	nested, ok := n.Query.(*tree.Nested)
	if !ok {
		return n
	}
	query, around := unnested(nested)
	if sel, ok := query.(*tree.Select); ok && len(around) == 0 {
		out := *n
		out.Query = sel
		return &out
	}
	return n
}

// ofDerived describes a column as that of a table that is made of a SELECT in parentheses.
func (st *Statement) ofDerived(c *result.Column, item *plan.Item) {
	if st.plan.Merged {
		merged(c, "__"+strconv.Itoa(len(st.plan.Outer)+1), "__"+strconv.Itoa(len(st.plan.Outer)+1))
		return
	}
	st.asKept(c, item)
	switch item.X.Type.Class() {
	case types.ClassInt, types.ClassFloat, types.ClassDec:
		c.Flags &^= mysql.BINARY_FLAG
	}
	c.Schema, c.OrgName = "", c.Name
	c.Table = "__" + strconv.Itoa(len(st.plan.Outer)+1)
	if c.OrgTable = ""; item.Described != nil || extremeOf(item.X) != nil {
		c.OrgTable = st.plan.Source.Table.Def.Name
	}
}

// merged describes a column of a view or derived table that is merged with the statement: it is called as that, and is what the table's column is.
func merged(c *result.Column, alias, name string) {
	c.Table, c.OrgTable, c.OrgName = alias, name, c.Name
}

// ofView describes a column of a view. In a temporary table, and of groups, it is the table's.
func (st *Statement) ofView(c *result.Column, item *plan.Item) {
	p := st.plan
	switch {
	case p.Temporary:
		if item.Described != nil || p.Group == nil && !p.Distinct {
			c.OrgName = item.View
		}
		st.inTemporary(c, item)
		c.Table = p.Source.Alias
	case p.Group == nil:
		c.Table, c.OrgTable, c.OrgName = p.Source.Alias, p.Source.Alias, item.View
	}
}
