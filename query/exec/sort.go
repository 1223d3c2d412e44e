package exec

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/types"
)

// kept is a row that waits for its place.
type kept struct {
	key   []byte
	at    int // it was the n-th: of equal ones the first comes first
	image []byte
	row   []byte // its key, of a statement that changes rows
	group int    // where there are groups; they have their images themselves
	kept  []types.Value
	// accepted is its number among those that WHERE has accepted.
	accepted uint64
}

func (a kept) compare(b kept) int {
	if c := bytes.Compare(a.key, b.key); c != 0 {
		return c
	}
	return a.at - b.at
}

// sortRoom is memory for rows that are sorted, to be used again.
type sortRoom struct {
	rows  []kept
	order []place
	chunk []byte              // what rows have, one after the other
	seen  map[string]struct{} // the keys of rows, of DISTINCT
}

// place is a row in its order: the beginning of its key, and where the row is.
type place struct {
	first uint64
	at    int
}

const (
	// Rows are put together in pieces of chunkLeast to chunkMost bytes; the last one is kept for the next statement, with the room for roomRows rows.
	chunkLeast, chunkMost = 4 << 10, 64 << 10
	roomRows              = 256
)

// clone is a copy of b.
func (r *sortRoom) clone(b []byte) []byte {
	switch {
	case b == nil:
		return nil
	case len(b) > chunkLeast/2:
		return bytes.Clone(b)
	case len(b) > cap(r.chunk)-len(r.chunk):
		const twice = 2
		r.chunk = make([]byte, 0, min(max(twice*cap(r.chunk), chunkLeast), chunkMost))
	}
	start := len(r.chunk)
	r.chunk = append(r.chunk, b...)
	return r.chunk[start:len(r.chunk):len(r.chunk)]
}

// sort is the order of the rows.
func (r *sortRoom) sort(rows []kept) []place {
	r.order = r.order[:0]
	for i := range rows {
		var first [8]byte
		copy(first[:], rows[i].key)
		r.order = append(r.order, place{binary.BigEndian.Uint64(first[:]), i})
	}
	slices.SortFunc(r.order, func(a, b place) int {
		switch {
		case a.first < b.first:
			return -1
		case a.first > b.first:
			return 1
		}
		return rows[a.at].compare(rows[b.at])
	})
	return r.order
}

// again is the room for another statement.
func (r *sortRoom) again() sortRoom {
	if cap(r.rows) > roomRows || len(r.seen) > roomRows {
		return sortRoom{}
	}
	clear(r.rows[:cap(r.rows)])
	clear(r.seen)
	return sortRoom{r.rows[:0], r.order[:0], r.chunk[:0], r.seen}
}

// sorted emits the rows that walk comes to in the order of their keys. Of few that are asked for no more are kept.
func (s *selection) sorted(walk func(func() error) error) error {
	rows := heap(s.room.rows[:0])
	defer func() { s.room.rows = rows }()
	most := uint64(1<<64 - 1)
	if l := s.p.Limit; l.Any && !s.p.CountAll && !s.leavesOut && l.Count < most-l.Offset {
		most = l.Count + l.Offset
	}
	n := 0
	err := walk(func() error {
		key := s.known
		if !s.again {
			s.scratch = s.scratch[:0]
			for _, w := range s.order {
				s.scratch = w.Append(s.scratch, s.f)
			}
			key = s.scratch
		}
		if err := s.f.Diag.Failed(); err != nil {
			return err
		}
		r := kept{key: key, at: n, image: s.image(), row: s.rowKey, group: s.groups.at, accepted: s.f.Accepted}
		n++
		full := uint64(len(rows)) >= most
		if full && r.compare(rows[0]) > 0 {
			return nil
		}
		if s.p.Group != nil {
			r.image = nil
		} else if s.changes {
			r.image = s.stored
		}
		clone := s.room.clone
		if full { // the place of the one before stays
			clone = bytes.Clone
		}
		if r.image, r.row = clone(r.image), clone(r.row); !s.again { // else it was copied
			r.key = clone(r.key)
		}
		if s.p.Kept != nil && s.p.Group == nil {
			if r.kept = s.clonedKept(); r.kept == nil {
				return s.f.Diag.Failed()
			}
		}
		if full {
			if len(r.image)+len(r.key) > len(rows[0].image)+len(rows[0].key) && !s.charge(int64(len(r.image)+len(r.key))) {
				return s.f.Diag.Failed()
			}
			rows.replace(r)
			return nil
		}
		if !s.charge(int64(len(r.key)+len(r.image)+len(r.row)) + sortedBytes) {
			return s.f.Diag.Failed()
		}
		if most < 1<<32 {
			rows.push(r)
		} else {
			rows = append(rows, r)
		}
		if len(s.order) == 0 && uint64(len(rows)) == most {
			return errEnough
		}
		return nil
	})
	if err != nil || s.cut {
		return err
	}
	if s.p.Limit.Counts == plan.CountDistinct && len(s.order) > 0 {
		if err := s.touchSorted(n); err != nil || s.cut {
			return err
		}
	}
	shown := uint64(0)
	for _, e := range s.room.sort(rows) {
		i := e.at
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		s.f.Reset()
		shown++
		s.f.Row = shown
		if s.p.Group != nil {
			s.see(rows[i].group)
		} else {
			s.set(rows[i].image)
			s.rowKey, s.stored = rows[i].row, rows[i].image
			s.f.Kept, s.f.Accepted = rows[i].kept, rows[i].accepted
			if err := s.reread(); err != nil {
				return err
			}
		}
		s.place = rows[i].key
		rows[i] = kept{} // what it has may go
		if err := s.f.Diag.Failed(); err != nil {
			return err
		}
		switch err := s.show(); {
		case errors.Is(err, errEnough):
			return nil
		case err != nil:
			return err
		}
	}
	return s.touchEnd()
}

// heap has the greatest of its rows in front.
type heap []kept

func (h *heap) push(r kept) {
	*h = append(*h, r)
	for i := len(*h) - 1; i > 0; {
		up := (i - 1) / 2
		if (*h)[i].compare((*h)[up]) <= 0 {
			break
		}
		(*h)[i], (*h)[up] = (*h)[up], (*h)[i]
		i = up
	}
}

// replace puts a row in the place of the greatest.
func (h heap) replace(r kept) {
	h[0] = r
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(h) {
			return
		}
		if down+1 < len(h) && h[down+1].compare(h[down]) > 0 {
			down++
		}
		if h[i].compare(h[down]) >= 0 {
			return
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}
