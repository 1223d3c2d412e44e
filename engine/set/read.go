package set

import (
	"errors"
	"sync/atomic"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/invariants"
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

// Size is the size in the engine that holds the keys; of the meta space, which all hold, the sum.
func (s *Set) Size(lower, upper []byte) (uint64, error) {
	if s.only != nil {
		return s.only.Size(lower, upper)
	}
	place, err := s.span(lower, upper)
	if err != nil {
		return 0, err
	}
	if place != everywhere {
		return s.engines[place].Size(lower, upper)
	}
	var sum uint64
	for _, e := range s.engines {
		n, err := e.Size(lower, upper)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// Stats are the sum over all engines; Engines have their own.
func (s *Set) Stats() (sum engine.Stats) {
	for _, e := range s.engines {
		sum.Add(e.Stats())
	}
	return sum
}

// snapshot is a snapshot of each engine. All who want one between the same two Applies share it.
type snapshot struct {
	set   *Set
	parts []engine.Snapshot
	// refs are those who read it, and one for Set.latest; 0: it is closed.
	refs atomic.Int64
}

// Snapshot returns the state after the last Apply, of all engines.
func (s *Set) Snapshot() engine.Snapshot {
	if s.only != nil {
		return s.only.Snapshot()
	}
	if latest := s.latest.Load(); latest != nil && latest.ref() {
		return latest
	}
	s.barrier.RLock()
	defer s.barrier.RUnlock()
	s.latestMu.Lock()
	defer s.latestMu.Unlock()
	if latest := s.latest.Load(); latest != nil { // nobody outdates it inside the barrier
		latest.refs.Add(1)
		return latest
	}
	made := &snapshot{set: s, parts: make([]engine.Snapshot, len(s.engines))}
	for i, e := range s.engines {
		made.parts[i] = e.Snapshot()
	}
	made.refs.Store(2)
	s.latest.Store(made)
	return made
}

// outdate says that what Snapshot has returned until now is not the latest any more. The barrier is held, or nobody else uses the set.
func (s *Set) outdate() {
	if old := s.latest.Swap(nil); old != nil {
		_ = old.Close() // frees memory; nothing was written
	}
}

// ref adds somebody who reads, unless it is closed.
func (s *snapshot) ref() bool {
	for {
		n := s.refs.Load()
		if n == 0 {
			return false
		}
		if s.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
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
	left := s.refs.Add(-1)
	invariants.Check(left >= 0, "a snapshot was closed %d times too often", -left)
	if left > 0 {
		return nil
	}
	errs := make([]error, len(s.parts))
	for i, part := range s.parts {
		errs[i] = part.Close()
	}
	return errors.Join(errs...)
}
