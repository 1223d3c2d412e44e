package btree

import (
	"fmt"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/invariants"
)

// snapshot keeps a version.
type snapshot struct {
	v    *version // nil when it was closed
	once invariants.Once
}

// Snapshot returns the state after the last Apply.
func (e *Engine) Snapshot() engine.Snapshot {
	if v := e.acquire(); v != nil {
		return &snapshot{v: v}
	}
	return engine.ClosedSnapshot{}
}

func (s *snapshot) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	s.v.base.refs.Add(1) // the value may stay longer than the snapshot
	return s.v.get(key)
}

func (s *snapshot) NewIter(lower, upper []byte) (engine.Iterator, error) {
	s.v.base.refs.Add(1)
	return newIterator(s.v, lower, upper), nil
}

func (s *snapshot) Close() error {
	s.once.Happens("a snapshot was closed")
	if s.v != nil {
		s.v.base.release()
		s.v = nil
	}
	return nil
}

// Get reads the current state.
func (e *Engine) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	v := e.acquire()
	if v == nil {
		return nil, false, nil, engine.ErrClosed
	}
	return v.get(key)
}

// NewIter iterates over the current state.
func (e *Engine) NewIter(lower, upper []byte) (engine.Iterator, error) {
	v := e.acquire()
	if v == nil {
		return nil, engine.ErrClosed
	}
	return newIterator(v, lower, upper), nil
}

func noRelease() {}

// get reads a version whose base was acquired for this call: the caller's release gives it up, or get itself if there is
// nothing to be released.
func (v *version) get(key []byte) (value []byte, ok bool, release func(), err error) {
	if value, ok, decided := v.active.get(key); decided {
		return v.base.notInBase(value, ok)
	}
	for _, l := range v.layers {
		if value, ok, decided := l.delta.get(key); decided {
			if l.run != nil && !ok { // a span, which the run's keys are above
				if e, found, err := l.run.get(key); err != nil || found {
					return v.base.ofRun(e, err)
				}
			}
			return v.base.notInBase(value, ok)
		}
		if l.run == nil {
			continue
		}
		if e, found, err := l.run.get(key); err != nil || found {
			return v.base.ofRun(e, err)
		}
	}
	if value, ok, err = v.base.get(key); err != nil {
		v.base.release()
		return nil, false, nil, fmt.Errorf("btree: read %s: %w", fileName, err)
	} else if !ok {
		v.base.release()
		return nil, false, noRelease, nil
	}
	return lend(value, v.base.unref)
}

// notInBase is the end of get for a value that is the garbage collector's.
func (b *base) notInBase(value []byte, ok bool) ([]byte, bool, func(), error) {
	b.release()
	if !ok {
		return nil, false, noRelease, nil
	}
	return lend(value, noRelease)
}

func (b *base) ofRun(e runEntry, err error) ([]byte, bool, func(), error) {
	if err != nil {
		b.release()
		return nil, false, nil, err
	}
	return b.notInBase(e.value, !e.deleted)
}

// lend is the end of get. With checks, the value is overwritten when it is released, which happens once.
func lend(value []byte, release func()) ([]byte, bool, func(), error) {
	if !invariants.Enabled {
		return value, true, release, nil
	}
	lent, once := new(invariants.Lent), new(invariants.Once)
	return lent.Lend(value), true, func() {
		once.Happens("a value was released")
		lent.Recall()
		release()
	}, nil
}
