package exec

import (
	"bytes"

	"github.com/duramendb/duramen/query/types"
)

// keptBytes is what a value takes that is kept, beside its text.
const keptBytes = 64

// keep computes the values that are kept for the frame's row. They live until the next one.
func (s *selection) keep() {
	if s.p.Kept == nil {
		return
	}
	s.f.Kept = make([]types.Value, len(s.p.Kept))
	for i, x := range s.p.Kept {
		s.f.Kept[i] = x.Compute(s.f)
	}
}

// clonedKept are the values that are kept, for as long as the statement lasts; nil if there is no memory for them.
func (s *selection) clonedKept() []types.Value {
	size := int64(0)
	for i := range s.f.Kept {
		size += keptBytes + int64(len(s.f.Kept[i].Text))
	}
	if !s.charge(size) {
		return nil
	}
	for i := range s.f.Kept {
		v := &s.f.Kept[i]
		v.Text = bytes.Clone(v.Text)
	}
	return s.f.Kept
}

// keepGroup keeps values for the group of a place, of which the frame shows the first row.
func (s *selection) keepGroup(at int) bool {
	s.keep()
	s.groups.list[at].kept = s.clonedKept()
	return s.groups.list[at].kept != nil
}
