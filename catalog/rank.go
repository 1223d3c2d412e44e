package catalog

import (
	"cmp"
	"slices"
)

// ranked are the places of a table's indexes in the order in which keys are looked at: of two that other rows have, the first is named by the error.
//
// MariaDB makes the indexes of a new table in this order, whatever the order of the statement (sort_keys in its sql/sql_table.cc): unique ones that
// cannot be NULL, unique ones, those of parts of columns behind others of their kind, all others. InnoDB goes through them so. What ALTER TABLE adds
// without making the table anew comes last there, which the definition does not tell.
func ranked(def *TableDef) []int {
	class := func(i int) int {
		ix := &def.Indexes[i]
		if !ix.Unique {
			return 4
		}
		if ix.Hash {
			return 3
		}
		c := 0
		for _, p := range ix.Parts {
			if def.Columns[p.Column].Nullable {
				c |= 2
			}
			if p.Prefix > 0 {
				c |= 1
			}
		}
		return c
	}
	out := make([]int, len(def.Indexes))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(class(a), class(b)) })
	return out
}
