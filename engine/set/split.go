package set

import "github.com/duramendb/duramen/engine"

// Split returns a batch that hands each engine's changes to the batch that part returns for its place in Engines. It is for
// who wants to know them without an Apply.
func (s *Set) Split(part func(i int) engine.Batch) engine.Batch { return &split{s, part} }

type split struct {
	set  *Set
	part func(i int) engine.Batch
}

// each calls f with the batches of a place.
func (b *split) each(place int, f func(engine.Batch) error) error {
	if place != everywhere {
		return f(b.part(place))
	}
	for i := range b.set.engines {
		if err := f(b.part(i)); err != nil {
			return err
		}
	}
	return nil
}

// place is that of the set, which knows no tables if there is one engine only.
func (b *split) place(key []byte) (int, error) {
	if b.set.only != nil {
		return 0, nil
	}
	return b.set.place(key)
}

func (b *split) Set(key, value []byte) error {
	place, err := b.place(key)
	if err != nil {
		return err
	}
	return b.each(place, func(part engine.Batch) error { return part.Set(key, value) })
}

func (b *split) Delete(key []byte) error {
	place, err := b.place(key)
	if err != nil {
		return err
	}
	return b.each(place, func(part engine.Batch) error { return part.Delete(key) })
}

func (b *split) DeleteRange(lower, upper []byte) error {
	place := 0
	if b.set.only == nil {
		var err error
		if place, err = b.set.span(lower, upper); err != nil {
			return err
		}
	}
	return b.each(place, func(part engine.Batch) error { return part.DeleteRange(lower, upper) })
}

// Len is the caller's to know.
func (b *split) Len() int { return 0 }

// Discard does nothing: the parts are the caller's.
func (b *split) Discard() {}
