package set

import (
	"errors"

	"github.com/duramendb/duramen/engine"
)

// Get reads the current state of a key.
func (s *Set) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	if s.only != nil {
		return s.only.Get(key)
	}
	place, err := s.place(key)
	if err != nil {
		return nil, false, nil, err
	}
	return s.engines[reader(place)].Get(key)
}

// NewIter iterates over keys of one table, or of the meta space.
func (s *Set) NewIter(lower, upper []byte) (engine.Iterator, error) {
	if s.only != nil {
		return s.only.NewIter(lower, upper)
	}
	place, err := s.span(lower, upper)
	if err != nil {
		return nil, err
	}
	return s.engines[reader(place)].NewIter(lower, upper)
}

// snapshot is a snapshot of each engine.
type snapshot struct {
	set   *Set
	parts []engine.Snapshot
}

// Snapshot returns the state after the last Apply, of all engines.
func (s *Set) Snapshot() engine.Snapshot {
	if s.only != nil {
		return s.only.Snapshot()
	}
	s.barrier.RLock()
	defer s.barrier.RUnlock()
	parts := make([]engine.Snapshot, len(s.engines))
	for i, e := range s.engines {
		parts[i] = e.Snapshot()
	}
	return &snapshot{set: s, parts: parts}
}

func (s *snapshot) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	place, err := s.set.place(key)
	if err != nil {
		return nil, false, nil, err
	}
	return s.parts[reader(place)].Get(key)
}

func (s *snapshot) NewIter(lower, upper []byte) (engine.Iterator, error) {
	place, err := s.set.span(lower, upper)
	if err != nil {
		return nil, err
	}
	return s.parts[reader(place)].NewIter(lower, upper)
}

func (s *snapshot) Close() error {
	errs := make([]error, len(s.parts))
	for i, part := range s.parts {
		errs[i] = part.Close()
	}
	return errors.Join(errs...)
}
