package plan

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/row"
)

// ROWNUM numbers the rows that WHERE accepts, in the order in which they are read. A row keeps its number when it is sorted, and a group has that of its
// first row. So it has to be known how MariaDB reads the rows.

// numbered reports whether a statement has ROWNUM.
func numbered(n tree.Node) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		call, ok := n.(*tree.Call)
		found = found || ok && strings.EqualFold(call.Name.Text, "ROWNUM")
		return !found
	})
	return found
}

func anyNumbered(list []*tree.Order) bool {
	return slices.ContainsFunc(list, func(o *tree.Order) bool { return numbered(o.X) })
}

// numbers refuses ROWNUM where it is the optimizer's business in which order rows are read.
func numbers(c *compiler, p *Select, n *tree.Select) error {
	switch {
	case !c.b.Numbered:
		return nil
	case p.Access.Row == nil && len(c.scope.used) > 0 && c.scope.covered():
		return mysqlerr.Never("ROWNUM of rows that an index may have in its order; use ROW_NUMBER() OVER (ORDER BY ...)")
	case p.Access.Index >= 0 && (p.Sorted || p.Group != nil):
		return mysqlerr.Never("ROWNUM of rows in the order of an index; use ROW_NUMBER() OVER (ORDER BY ...)")
	case p.Group != nil && (n.Having != nil && numbered(n.Having) || anyNumbered(n.GroupBy) || anyNumbered(n.OrderBy)):
		return mysqlerr.Never("ROWNUM that groups rows, or orders or chooses groups; use a derived table")
	case p.Group != nil && p.Group.Keyed && !p.Temporary:
		return mysqlerr.Never("ROWNUM of groups that an index may make; use a derived table")
	case p.Group != nil && slices.ContainsFunc(p.Group.Ends, func(end *Access) bool { return end != nil }):
		return mysqlerr.Never("ROWNUM beside values at the end of an index; use a derived table")
	}
	other := *n // what is left without WHERE
	if other.Where = nil; p.Group == nil && len(p.Order) > 0 && numbered(&other) {
		if p.Access.Index < 0 && p.Access.Row == nil { // the rows are numbered before they are sorted
			p.Sorted, p.Access.Reverse = false, c.scope.src.Descending
		}
		p.Temporary = true
		for _, item := range p.Items {
			item.Named = item.X.Is(eval.Moving) && !p.Distinct
		}
	}
	return nil
}

// covered reports whether an index other than the primary key has all columns that are read, so that MariaDB may read it in its order.
func (s *scope) covered() bool {
	t := s.src.Table
	for i := range t.Indexes {
		has := map[int]bool{}
		for _, parts := range [][]row.KeyPart{t.Parts(i), t.Parts(-1)} {
			for _, part := range parts {
				has[part.Column] = has[part.Column] || part.PrefixLen == 0
			}
		}
		missing := false
		for at := range s.used {
			missing = missing || !has[at]
		}
		if !missing {
			return true
		}
	}
	return false
}

// numbersChanges is numbers for an UPDATE or DELETE, whose rows are changed as they are read.
func numbersChanges(c *compiler, p *Select) error {
	if c.b.Numbered && (p.Access.Index >= 0 || len(p.Order) > 0 && !p.Sorted || len(p.Access.Spans) > 1) {
		return mysqlerr.Never("ROWNUM of rows that are sorted before they are changed, or found by an index")
	}
	return nil
}
