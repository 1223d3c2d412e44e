package set

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/duramendb/duramen/engine"
)

// smallest is the mark of the engine that lacks most of the log.
func smallest(engines []engine.Engine, of func(engine.Engine) engine.Mark) engine.Mark {
	least := of(engines[0])
	for _, e := range engines[1:] {
		if m := of(e); m.Position.Before(least.Position) {
			least = m
		}
	}
	return least
}

// Recovered says that each engine was brought to the end of the log by itself.
func (s *Set) Recovered() {
	s.barrier.Lock()
	defer s.barrier.Unlock()
	s.applied = smallest(s.engines, engine.Engine.Applied)
}

// Applied is the mark of the last Apply.
func (s *Set) Applied() engine.Mark {
	if s.only != nil {
		return s.only.Applied()
	}
	s.barrier.RLock()
	defer s.barrier.RUnlock()
	return s.applied
}

// Durable is the mark from which recovery would have to begin.
func (s *Set) Durable() engine.Mark {
	if s.only != nil {
		return s.only.Durable()
	}
	return smallest(s.engines, engine.Engine.Durable)
}

// Checkpoint makes everything applied before the call durable, in all engines at the same time. An engine that the latest Applies have not
// touched hears of their mark now, so that it needs nothing of the log before.
func (s *Set) Checkpoint() (engine.Mark, error) {
	if s.only != nil {
		return s.only.Checkpoint()
	}
	if err := s.levelMarks(); err != nil {
		return engine.Mark{}, err
	}
	marks, errs := make([]engine.Mark, len(s.engines)), make([]error, len(s.engines))
	checkpoint := func(i int) {
		var err error
		if marks[i], err = s.engines[i].Checkpoint(); err != nil {
			errs[i] = fmt.Errorf("engine %s: %w", s.engines[i].Name(), err)
		}
	}
	var others sync.WaitGroup
	for i := 1; i < len(s.engines); i++ {
		others.Go(func() { checkpoint(i) })
	}
	checkpoint(0)
	others.Wait()
	if err := errors.Join(errs...); err != nil {
		return engine.Mark{}, err
	}
	return slices.MinFunc(marks, func(a, b engine.Mark) int { return a.Position.Compare(b.Position) }), nil
}

// levelMarks moves the marks of all engines to that of the last Apply. One whose Apply would wait for a failing disk stays where it
// is: everybody else would wait with it.
func (s *Set) levelMarks() error {
	s.barrier.Lock()
	defer s.barrier.Unlock()
	for _, e := range s.engines {
		if !e.Applied().Position.Before(s.applied.Position) || e.Capabilities().Writable() != nil {
			continue
		}
		if err := e.Apply(e.NewBatch(), s.applied); err != nil {
			return fmt.Errorf("engine %s: %w", e.Name(), err)
		}
	}
	return nil
}
