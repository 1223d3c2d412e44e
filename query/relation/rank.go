package relation

import "slices"

// Rank is the place of an index in the order in which InnoDB goes through them, -1 for the primary key; AtRank is the index of a rank.
func (t *Table) Rank(index int) int {
	if index < 0 {
		return -1
	}
	return slices.Index(t.Ranked, index)
}

// AtRank is the index of a rank.
func (t *Table) AtRank(rank int) int {
	if rank < 0 {
		return -1
	}
	return t.Ranked[rank]
}
