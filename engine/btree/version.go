package btree

import "github.com/duramendb/duramen/engine"

// version is what the engine holds at one moment. It is never changed. Whoever reads it has acquired its base.
type version struct {
	active *delta // what Apply adds to
	// layers lie between the active delta and the base, the newest first. There are none unless a checkpoint runs or has
	// failed, an import was applied, or the base has debts.
	layers []*layer
	base   *base
	mark   engine.Mark // of the last Apply
}

// layer is a part of a version: changes in a delta, in a run, or both; the run's keys are not the delta's, and the delta's
// spans are below both. A layer waits for a checkpoint, or is a debt of the base: then it is durable, and being moved
// into the base bit by bit. Debts lie below all others. It is never changed.
type layer struct {
	delta *delta
	run   *run        // nil: none
	mark  engine.Mark // of the last Apply in it; not of a debt
	// debt says that it is one. Its delta has spans only.
	debt *debt
}

// overlaps says that a layer has something between lower and upper; nil is no bound.
func (l *layer) overlaps(lower, upper []byte) bool {
	return l.delta.overlaps(lower, upper) || l.run != nil && l.run.ranges.overlap(lower, upper)
}

// over says that two layers may have something for the same key.
func (l *layer) over(below *layer) bool {
	for _, s := range below.delta.spans {
		if l.overlaps(s.lower, s.upper) {
			return true
		}
	}
	if below.run != nil {
		for _, s := range below.run.ranges {
			if l.overlaps(s.lower, s.upper) {
				return true
			}
		}
	}
	return false
}

// waiting is the oldest layer that waits for a checkpoint, nil if there is none.
func (v *version) waiting() *layer {
	for i := len(v.layers) - 1; i >= 0; i-- {
		if v.layers[i].debt == nil {
			return v.layers[i]
		}
	}
	return nil
}

// oldestDebt is the debt that is paid first, nil if there is none.
func (v *version) oldestDebt() *layer {
	if n := len(v.layers); n > 0 && v.layers[n-1].debt != nil {
		return v.layers[n-1]
	}
	return nil
}

// replace are the layers with another one, or none, in the place of one of them.
func (v *version) replace(old, with *layer) []*layer {
	var layers []*layer
	for _, l := range v.layers {
		switch {
		case l != old:
			layers = append(layers, l)
		case with != nil:
			layers = append(layers, with)
		}
	}
	return layers
}

// backlog is how many layers wait for a checkpoint or have a run, which makes reading slower.
func (v *version) backlog() int {
	n := 0
	for _, l := range v.layers {
		if l.debt == nil || l.run != nil {
			n++
		}
	}
	return n
}

// pendingBytes is about the memory that the deltas take which wait for a checkpoint.
func (v *version) pendingBytes() int {
	n := v.active.bytes
	for _, l := range v.layers {
		if l.debt == nil {
			n += l.delta.bytes
		}
	}
	return n
}

// diskBytes is what the files take.
func (v *version) diskBytes() uint64 {
	n := v.base.tx.Size()
	for _, l := range v.layers {
		if l.run != nil {
			n += l.run.bytes
		}
	}
	return uint64(n)
}
