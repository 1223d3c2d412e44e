package eval

// Slot is the place in Frame.State of a node that is being made and keeps something from row to row.
func (b *Builder) Slot() int {
	if b.parent != nil {
		return b.parent.Slot()
	}
	b.slots++
	return b.slots - 1
}

// Slots is how many slots were given out.
func (b *Builder) Slots() int { return b.slots }

// Rewind takes back all slots from one on, of nodes that nobody computes any more, with what frame f keeps in them.
func (b *Builder) Rewind(slots int, f *Frame) {
	b.slots = slots
	if len(f.State) > slots {
		clear(f.State[slots:])
		f.State = f.State[:slots]
	}
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
