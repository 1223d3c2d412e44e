package relation

import (
	"cmp"
	"slices"

	"github.com/duramendb/duramen/catalog"
)

// Rank is the place of an index in the order in which InnoDB goes through them, -1 for the primary key; Ranked is the index of a rank.
//
// MariaDB makes the indexes of a new table in this order, whatever the order of the statement (sort_keys in its sql/sql_table.cc). What ALTER
// TABLE adds without making the table anew comes last there, which the definition does not tell.
func (t *Table) Rank(index int) int {
	if index < 0 {
		return -1
	}
	return slices.Index(t.ranked, index)
}

// Ranked is the index of a rank.
func (t *Table) Ranked(rank int) int {
	if rank < 0 {
		return -1
	}
	return t.ranked[rank]
}

// rankedIndexes are the indexes of a table in InnoDB's order.
func rankedIndexes(t *catalog.Table) []int {
	class := func(i int) int {
		ix := &t.Indexes[i]
		if !ix.Unique {
			return 4
		}
		c := 0
		for _, p := range ix.Parts {
			if t.Columns[p.Column].Nullable {
				c |= 2
			}
			if p.PrefixLen > 0 {
				c |= 1
			}
		}
		return c
	}
	out := make([]int, len(t.Indexes))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(class(a), class(b)) })
	return out
}
