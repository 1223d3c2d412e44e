package exec

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/eval/key"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
)

// rollup gives groups with super rows: all rows are sorted by the keys, and the functions computed for each level as they come. Level 0 are the
// groups; level n are the rows above the n-th key from the end, the last one is that of all rows.
type rollup struct {
	s       *selection
	keys    []*key.Writer
	rows    []kept
	states  [][]aggregate.States // by level
	readers []*row.Reader        // one a key, for its column
}

// endBytes is what each key adds to a row's bytes: where it ends.
const endBytes = 4

// rollup calls f for all groups and super rows that are asked for.
func (s *selection) rollup(f func() error) error {
	r := &rollup{s: s, states: make([][]aggregate.States, len(s.p.Group.Keys)+1)}
	for i, x := range s.p.Group.Keys {
		w, err := key.New(x, s.p.Group.Descending[i])
		if err != nil {
			return err
		}
		r.keys = append(r.keys, w)
		r.readers = append(r.readers, row.NewReader(s.p.Source.Table.Layout))
	}
	s.f.Rows = append(s.f.Rows, r.readers...)
	s.f.Aggregates = make([]types.Value, len(s.p.Group.Aggregates))
	s.f.KeysLeft = len(r.keys)
	if err := s.each(r.keep); err != nil {
		return err
	}
	slices.SortFunc(r.rows, kept.compare)
	err := r.groups(f)
	s.f.KeysLeft, s.f.Super = len(r.keys), false
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// keep keeps the frame's row. Its key has behind it where each of its parts ends: of equal keys these are equal, too.
func (r *rollup) keep() error {
	s := r.s
	s.scratch = s.scratch[:0]
	var few [8]uint32
	ends := few[:0]
	for _, w := range r.keys {
		s.scratch = w.Append(s.scratch, s.f)
		ends = append(ends, uint32(len(s.scratch)))
	}
	if err := s.f.Diag.Failed(); err != nil {
		return err
	}
	for _, end := range ends {
		s.scratch = binary.BigEndian.AppendUint32(s.scratch, end)
	}
	k := kept{key: bytes.Clone(s.scratch), image: bytes.Clone(s.image()), at: len(r.rows)}
	r.rows = append(r.rows, k)
	if !s.charge(int64(len(k.key)+len(k.image)) + sortedBytes) {
		return s.f.Diag.Failed()
	}
	return nil
}

// shared is how many of the first keys two rows have in common.
func (r *rollup) shared(a, b []byte) int {
	end := func(of []byte, i int) int { return int(binary.BigEndian.Uint32(of[len(of)-endBytes*(len(r.keys)-i):])) }
	for i := range r.keys {
		if !bytes.Equal(a[:end(a, i)], b[:end(b, i)]) {
			return i
		}
	}
	return len(r.keys)
}

func (r *rollup) groups(f func() error) error {
	s := r.s
	var first kept // of the group
	for i := range r.rows {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		next := r.rows[i]
		r.rows[i] = kept{}
		shared := 0
		if i > 0 {
			shared = r.shared(first.key, next.key)
		}
		if i > 0 && shared < len(r.keys) {
			if err := r.give(first.image, len(r.keys)-shared, f); err != nil {
				return err
			}
		}
		if i == 0 || shared < len(r.keys) {
			first = next
			r.begin(len(r.keys) - shared)
		}
		s.f.Reset()
		s.set(next.image)
		if err := r.add(); err != nil {
			return err
		}
	}
	if len(r.rows) == 0 {
		return nil
	}
	return r.give(first.image, len(r.keys)+1, f)
}

// begin makes states without rows for so many levels, the groups' first.
func (r *rollup) begin(levels int) {
	if r.states[len(r.keys)] == nil {
		levels++ // that of all rows begins with the first
	}
	for level := range levels {
		r.states[level] = r.states[level][:0]
		for _, fn := range r.s.p.Group.Aggregates {
			st := fn.States()
			st.Grow(1)
			r.states[level] = append(r.states[level], st)
		}
		if r.states[level] == nil {
			r.states[level] = []aggregate.States{}
		}
	}
}

// add adds the frame's row to all levels.
func (r *rollup) add() error {
	for _, states := range r.states {
		for _, i := range r.s.p.Group.Adding {
			states[i].Add(r.s.f, 0)
			if err := r.s.f.Diag.Failed(); err != nil {
				return err
			}
		}
	}
	return nil
}

// give calls f for the rows of so many levels that HAVING asks for.
func (r *rollup) give(image []byte, levels int, f func() error) error {
	s := r.s
	for level := range levels {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		s.f.Reset()
		s.set(image)
		s.f.KeysLeft, s.f.Super = len(r.keys)-level, level > 0
		for i, reader := range r.readers {
			if reader.Set(image); i >= s.f.KeysLeft {
				reader.SetNull()
			}
		}
		for i, st := range r.states[level] {
			s.f.Aggregates[i] = st.Result(s.f, 0)
		}
		ok := s.had()
		if err := s.f.Diag.Failed(); err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}
