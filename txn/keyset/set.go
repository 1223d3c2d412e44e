package keyset

import "slices"

// Set is an exact set of 64-bit hashes in about eleven bytes each: sorted runs behind a
// Filter, which answers for most of what is not in the set.
type Set struct {
	filter Filter
	recent map[uint64]struct{}
	runs   [][]uint64 // sorted
	size   int
}

const (
	hashRunMin = 1 << 14 // the size at which recent becomes a run
	hashRunMax = 1 << 20 // runs are not merged beyond: that would take too long at once
)

// Has reports whether hash was added.
func (s *Set) Has(hash uint64) bool {
	if !s.filter.Has(hash) {
		return false
	}
	if _, ok := s.recent[hash]; ok {
		return true
	}
	for _, r := range s.runs {
		if _, ok := slices.BinarySearch(r, hash); ok {
			return true
		}
	}
	return false
}

// Add adds a hash.
func (s *Set) Add(hash uint64) {
	if s.Has(hash) {
		return
	}
	s.filter.Add(hash)
	s.size++
	if s.recent == nil {
		s.recent = make(map[uint64]struct{})
	}
	s.recent[hash] = struct{}{}
	if len(s.recent) < hashRunMin {
		return
	}
	run := make([]uint64, 0, len(s.recent))
	for h := range s.recent {
		run = append(run, h)
	}
	slices.Sort(run)
	clear(s.recent)
	for n := len(s.runs); n > 0 && len(s.runs[n-1]) <= len(run) && len(s.runs[n-1])+len(run) <= hashRunMax; n-- {
		run = mergeSorted(s.runs[n-1], run)
		s.runs = s.runs[:n-1]
	}
	s.runs = append(s.runs, run)
}

// Len is the number of hashes.
func (s *Set) Len() int { return s.size }

func mergeSorted(a, b []uint64) []uint64 {
	out := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
