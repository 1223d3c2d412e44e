package sorted

import (
	"bytes"
	"sort"
)

// samplesMax is how many keys are looked at for an estimate.
const samplesMax = 64

// Size is about how many bytes the keys from lower (inclusive) to upper (exclusive) and their values have: the number of
// the keys, times the mean of some of them. nil is no bound. Where there are few keys it is exact.
func (m Map) Size(lower, upper []byte) uint64 {
	from, to := m.rank(lower), m.tree.Len()
	if upper != nil {
		to = m.rank(upper)
	}
	if from >= to {
		return 0
	}
	samples := min(to-from, samplesMax)
	sum := 0
	for i := range samples {
		p, _ := m.tree.GetAt(from + i*(to-from)/samples)
		sum += len(p.key) + len(p.value)
	}
	return uint64(sum) * uint64(to-from) / uint64(samples)
}

// rank is how many keys lie before one.
func (m Map) rank(key []byte) int {
	return sort.Search(m.tree.Len(), func(i int) bool {
		p, _ := m.tree.GetAt(i)
		return bytes.Compare(p.key, key) >= 0
	})
}
