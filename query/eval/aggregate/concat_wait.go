package aggregate

import (
	"bytes"
	"slices"
	"unsafe"

	"github.com/duramendb/duramen/query/eval"
)

// pruneFirst is from how many bytes on waiting rows are looked at for those that no result needs.
const pruneFirst = 1 << 20

// entry is a row that waits for all others: its key and its text in concats.data.
type entry struct {
	start, middle, end int
	next               int // of the group, plus one
}

// wait keeps a row's text until all rows are known. More of it than the result may have is not needed.
func (s *concats) wait(f *eval.Frame, g *joined, text []byte) {
	if keep := s.lengthMax + s.set.MaxLen() + 1; !s.array && len(text) > keep {
		text = text[:keep]
	}
	e := entry{start: len(s.data)}
	for _, w := range s.order {
		s.data = w.Append(s.data, f)
	}
	e.middle = len(s.data)
	s.data = append(s.data, text...)
	e.end = len(s.data)
	if held := int64(cap(s.data)) + int64(len(s.entries)+1)*int64(unsafe.Sizeof(entry{})); held > s.charged {
		if !charge(f, held-s.charged) {
			return
		}
		s.charged = held
	}
	s.chain(g, e)
	if size := s.waiting(); size >= max(s.pruneAt, pruneFirst) {
		s.prune()
		s.pruneAt = 2 * s.waiting()
	}
}

// waiting is how many bytes wait.
func (s *concats) waiting() int { return len(s.data) + len(s.entries)*int(unsafe.Sizeof(entry{})) }

// chain puts an entry at the end of its group's.
func (s *concats) chain(g *joined, e entry) {
	s.entries = append(s.entries, e)
	if n := len(s.entries); g.last == 0 {
		g.first, g.last = n, n
	} else {
		s.entries[g.last-1].next, g.last = n, n
	}
}

// prune forgets rows that are behind the end of their group's result already: those that come can only move them farther behind it.
func (s *concats) prune() {
	const dropped = -1
	groupOf := make([]int, len(s.entries))
	for i := range groupOf {
		groupOf[i] = dropped
	}
	for i := range s.groups {
		g := &s.groups[i]
		s.needed(g, func(at int) { groupOf[at] = i })
		g.first, g.last = 0, 0
	}
	old, size := s.entries, 0
	s.entries = s.entries[:0]
	for i, group := range groupOf {
		if group == dropped {
			continue
		}
		e := old[i]
		copy(s.data[size:], s.data[e.start:e.end])
		by := e.start - size
		size += e.end - e.start
		s.chain(&s.groups[group], entry{start: e.start - by, middle: e.middle - by, end: e.end - by})
	}
	s.data = s.data[:size]
}

// needed calls yield for the rows of a group that its result is made of, as far as it is known.
func (s *concats) needed(g *joined, yield func(at int)) {
	length, skipped, used := 0, uint64(0), uint64(0)
	for _, at := range s.inOrder(g) {
		if s.limited && used == s.limit.Count || length > s.lengthMax {
			return
		}
		if yield(at); skipped < s.limit.Offset {
			skipped++
			continue
		}
		if used > 0 {
			length += len(s.separator)
		}
		length += s.entries[at].end - s.entries[at].middle
		used++
	}
}

// inOrder are the places of the rows of a group that wait, in their order; of equal ones the last that came is first.
func (s *concats) inOrder(g *joined) []int {
	var rows []int
	for at := g.first; at > 0; at = s.entries[at-1].next {
		rows = append(rows, at-1)
	}
	slices.Reverse(rows)
	slices.SortStableFunc(rows, func(a, b int) int { return bytes.Compare(s.key(a), s.key(b)) })
	return rows
}

func (s *concats) key(at int) []byte {
	e := &s.entries[at]
	return s.data[e.start:e.middle]
}

// sort puts the rows that wait together, in their order.
func (s *concats) sort(f *eval.Frame, g *joined) {
	for _, at := range s.inOrder(g) {
		e := s.entries[at]
		if s.join(f, g, s.data[e.middle:e.end]); g.cut || f.Failed() {
			break
		}
	}
	g.first, g.last = 0, 0
}
