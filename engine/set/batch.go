package set

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/engine"
)

// batch is one batch per engine that it touches.
type batch struct {
	set   *Set
	parts []engine.Batch // nil: not touched
}

// NewBatch returns an empty batch.
func (s *Set) NewBatch() engine.Batch {
	if s.only != nil {
		return s.only.NewBatch()
	}
	return &batch{set: s, parts: make([]engine.Batch, len(s.engines))}
}

// Part is what a batch of NewBatch has for one of the engines, by its place in Engines: for keys of which only who sets them
// knows where they belong.
func (s *Set) Part(b engine.Batch, i int) engine.Batch {
	if s.only != nil {
		return b
	}
	return b.(*batch).part(i)
}

func (b *batch) part(i int) engine.Batch {
	if b.parts[i] == nil {
		b.parts[i] = b.set.engines[i].NewBatch()
	}
	return b.parts[i]
}

// take takes a part out.
func (b *batch) take(i int) engine.Batch {
	part := b.parts[i]
	b.parts[i] = nil
	return part
}

// each calls f for the parts at a place.
func (b *batch) each(place int, f func(engine.Batch) error) error {
	if place != everywhere {
		return f(b.part(place))
	}
	for i := range b.parts {
		if err := f(b.part(i)); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) Set(key, value []byte) error {
	place, err := b.set.place(key)
	if err != nil {
		return err
	}
	return b.each(place, func(part engine.Batch) error { return part.Set(key, value) })
}

func (b *batch) Delete(key []byte) error {
	place, err := b.set.place(key)
	if err != nil {
		return err
	}
	return b.each(place, func(part engine.Batch) error { return part.Delete(key) })
}

func (b *batch) DeleteRange(lower, upper []byte) error {
	place, err := b.set.span(lower, upper)
	if err != nil {
		return err
	}
	return b.each(place, func(part engine.Batch) error { return part.DeleteRange(lower, upper) })
}

func (b *batch) Len() int {
	n := 0
	for _, part := range b.parts {
		if part != nil {
			n += part.Len()
		}
	}
	return n
}

func (b *batch) Discard() {
	for i := range b.parts {
		if part := b.take(i); part != nil {
			part.Discard()
		}
	}
}

// Apply gives each engine that the batch touches its part, together with the mark. After an error some engines have
// applied theirs and others have not, which only a recovery puts right.
func (s *Set) Apply(b engine.Batch, m engine.Mark) error {
	if s.only != nil {
		return s.only.Apply(b, m)
	}
	return s.apply(b.(*batch), m, func(i int, part engine.Batch) error {
		if part == nil {
			return nil
		}
		return s.engines[i].Apply(part, m)
	})
}

// apply calls f with every engine's part of a batch, nil for those that it does not touch.
func (s *Set) apply(b *batch, m engine.Mark, f func(i int, part engine.Batch) error) error {
	defer b.Discard() // what an error leaves
	s.barrier.Lock()
	defer s.barrier.Unlock()
	if m.Position.Before(s.applied.Position) {
		return fmt.Errorf("engine/set: apply at %s after %s", m.Position, s.applied.Position)
	}
	s.outdate()
	for i := range s.engines {
		if err := f(i, b.take(i)); err != nil {
			return fmt.Errorf("engine %s: %w", s.engines[i].Name(), err)
		}
	}
	s.applied = m
	return nil
}

// Load has one of the engines load an import.
func (s *Set) Load(l engine.Loader, i engine.Import) error {
	err := l.Load(i)
	if s.only == nil {
		s.barrier.Lock()
		s.outdate()
		s.barrier.Unlock()
	}
	return err
}

// Ingest writes a batch without a mark.
func (s *Set) Ingest(b engine.Batch) error {
	if s.only != nil {
		return s.only.Ingest(b)
	}
	parts := b.(*batch)
	defer parts.Discard()
	var errs []error
	for i, e := range s.engines {
		if part := parts.take(i); part != nil {
			errs = append(errs, e.Ingest(part))
		}
	}
	s.barrier.Lock()
	s.outdate()
	s.barrier.Unlock()
	return errors.Join(errs...)
}
