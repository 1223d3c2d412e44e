package eval

// Slot is the place in Frame.State of a node that is being made and keeps something from row to row.
func (b *Builder) Slot() int {
	if b.parent != nil {
		return b.parent.Slot()
	}
	b.slots++
	return b.slots - 1
}

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
