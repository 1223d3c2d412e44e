package plan

import (
	"math"
	"slices"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Examination is what LIMIT ROWS EXAMINED counts: each row that MariaDB reads from a table or a temporary table or writes to one, and each end of
// rows that it comes to.
type Examination uint8

// What is counted.
const (
	// CountPass: the rows of one pass, of an INSERT those that it writes, too.
	CountPass Examination = iota
	// CountSort: the rows that are read, and their end. What was sorted is not read again.
	CountSort
	// CountGroups: of each row a look into a temporary table and what is written there, too; then the groups are sorted, and read in their order.
	CountGroups
	// CountDistinct: of each row what is written into a temporary table, too. Its rows are then read, and before that sorted if there is ORDER BY.
	CountDistinct
	// CountCopy: of an INSERT into the table that it reads, what is written into a temporary table first, and then all of its rows and what is
	// written of them.
	CountCopy
)

// shortKey is the length in characters up to which a text certainly is the key of a temporary table in memory.
const shortKey = 100

// examined settles what LIMIT ROWS EXAMINED counts. Where that depends on which index MariaDB reads, it is refused.
func examined(p *Select, n *tree.Select, assigns bool) error {
	if p.Limit.Examined == nil {
		return nil
	}
	sorts := len(p.Order) > 0 && (!p.Sorted || p.Access.Index >= 0)
	ends := p.Group != nil && slices.ContainsFunc(p.Group.Ends, func(end *Access) bool { return end != nil })
	groups := p.Group != nil && p.Group.Keyed || ends
	refusal := mysqlerr.Never("LIMIT ROWS EXAMINED of more than a pass over a table, where an index may save some of it; use LIMIT")
	if len(p.Access.Spans) > 1 || p.Source.Place != 0 && p.Group != nil || p.Source.Counted {
		return refusal
	}
	if !sorts && !groups && !p.Distinct {
		if p.Group != nil && slices.ContainsFunc(p.Group.Aggregates, (*aggregate.Func).Sorts) && !unkeyed(p) {
			return refusal // an index may have the values together
		}
		return nil
	}
	plain := len(p.Group.keys())+len(p.Order) > 0 || p.Distinct
	if !plain || ends || p.Source.Place != 0 || p.CountAll || assigns || p.Limit.Ties || !unkeyed(p) || !short(p) {
		return refusal
	}
	switch {
	case groups && !p.Distinct && !p.Group.Rollup && len(p.Group.Constants) == 0 && len(p.Group.Aggregates) > 0 && !slices.ContainsFunc(p.Group.Aggregates, (*aggregate.Func).Sorts) && !unordered(p, n):
		p.Limit.Counts = CountGroups
	case p.Distinct && p.Group == nil && len(p.Having) == 0 && ofItems(p):
		p.Limit.Counts = CountDistinct
	case sorts && p.Group == nil && !p.Distinct && len(p.Having) == 0:
		p.Limit.Counts = CountSort
	default:
		return refusal
	}
	return nil
}

// keys are those of GROUP BY.
func (g *Group) keys() []*eval.Expr {
	if g == nil {
		return nil
	}
	return g.Keys
}

// unkeyed reports whether no column that the statement names is in an index, so that the table is scanned.
func unkeyed(p *Select) bool {
	t := p.Source.Table
	for i := -1; i < len(t.Indexes); i++ {
		for _, part := range t.Parts(i) {
			if p.Used[part.Column] {
				return false
			}
		}
	}
	return true
}

// short reports whether all that is shown or compared is a column with short values, or a function over rows.
func short(p *Select) bool {
	var all []*eval.Expr
	for _, item := range p.Items {
		all = append(all, item.X)
	}
	for _, o := range p.Order {
		all = append(all, o.X)
	}
	for _, x := range append(all, p.Group.keys()...) {
		if _, _, column := x.Column(); !column && !x.Aggregated() || x.Type.Kind.Blob() || x.Type.Class() == types.ClassText && x.Type.Length > shortKey {
			return false
		}
	}
	return true
}

// unordered reports whether groups come in no order: ORDER BY NULL.
func unordered(p *Select, n *tree.Select) bool { return n.OrderBy != nil && len(p.Order) == 0 }

// ofItems reports whether all keys of ORDER BY are shown, as columns.
func ofItems(p *Select) bool {
	for _, o := range p.Order {
		if o.Column < 0 || !slices.ContainsFunc(p.Items, func(item *Item) bool { return item.Column != nil && item.Column == &p.Source.Table.Columns[o.Column] }) {
			return false
		}
	}
	return true
}

// examinedCopy settles what LIMIT ROWS EXAMINED counts of the query of an INSERT.
func (c *inserting) examinedCopy(p *Select) error {
	switch {
	case c.replaces:
		return mysqlerr.Never("LIMIT ROWS EXAMINED of rows that change others")
	case !c.p.Itself():
		return nil
	case len(p.Order) > 0 || p.Distinct || p.Group != nil || p.Limit.Count != math.MaxUint64 || p.Limit.Offset > 0:
		return mysqlerr.Never("LIMIT ROWS EXAMINED of rows that are read once more")
	}
	p.Limit.Counts = CountCopy
	return nil
}
