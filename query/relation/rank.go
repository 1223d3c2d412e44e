package relation

import (
	"slices"

	"github.com/duramendb/duramen/row"
)

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

// Clustered is the key by which InnoDB keeps the rows, each of whose entries in indexes moves with it: the primary key, or else the first unique
// one of whole columns that cannot be NULL; none if there is no such key.
func (t *Table) Clustered() []row.KeyPart {
	if len(t.Primary) > 0 || len(t.Ranked) == 0 {
		return t.Primary
	}
	first := &t.Indexes[t.Ranked[0]]
	for _, p := range first.Parts {
		if t.Table.Columns[p.Column].Nullable || p.PrefixLen > 0 {
			return nil
		}
	}
	if !first.Unique || first.Def.Hash {
		return nil
	}
	return first.Parts
}
