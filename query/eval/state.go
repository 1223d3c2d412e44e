package eval

// Slot is the place in Frame.State of a node that is being made and keeps something from row to row.
func (b *Builder) Slot() int {
	b.slots++
	return b.slots - 1
}

// Kept reports whether a node keeps something from row to row.
func (b *Builder) Kept() bool { return b.slots > 0 }

// StateOf is what a node keeps in its slot: a zero S when the statement begins.
func StateOf[S any](f *Frame, slot int) *S {
	for len(f.State) <= slot {
		f.State = append(f.State, nil)
	}
	s, ok := f.State[slot].(*S)
	if !ok {
		s = new(S)
		f.State[slot] = s
	}
	return s
}
