package lsm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/invariants"
)

type snapshot struct {
	e    *Engine
	s    *pebble.Snapshot
	once invariants.Once
}

// Snapshot returns the state after the last Apply.
func (e *Engine) Snapshot() engine.Snapshot {
	if e.closed.Load() {
		return engine.ClosedSnapshot{}
	}
	return &snapshot{e: e, s: e.db.NewSnapshot()}
}

// Get reads the current state.
func (e *Engine) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	if e.closed.Load() {
		return nil, false, nil, engine.ErrClosed
	}
	return get(e.db, key)
}

// NewIter iterates over the current state.
func (e *Engine) NewIter(lower, upper []byte) (engine.Iterator, error) {
	if e.closed.Load() {
		return nil, engine.ErrClosed
	}
	e.scanned()
	return newIter(e.db, lower, upper)
}

func (s *snapshot) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	return get(s.s, key)
}

func (s *snapshot) NewIter(lower, upper []byte) (engine.Iterator, error) {
	s.e.scanned()
	return newIter(s.s, lower, upper)
}

func (s *snapshot) Close() error {
	s.once.Happens("a snapshot was closed")
	return s.s.Close()
}

func noRelease() {}

func get(r pebble.Reader, key []byte) (value []byte, ok bool, release func(), err error) {
	var c io.Closer
	value, c, err = r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, noRelease, nil
	}
	if err != nil {
		return nil, false, nil, fmt.Errorf("lsm: get %x: %w", key, err)
	}
	if invariants.Enabled {
		return lend(value, c)
	}
	l, _ := leases.Get().(*lease)
	if l == nil {
		l = &lease{}
		l.release = l.end
	}
	l.c = c
	return value, true, l.release, nil
}

// lease is what Pebble lends a value with. Its release is made once: a function made for each Get would be a piece of garbage each.
type lease struct {
	c       io.Closer
	release func()
}

// leases are the leases that have ended.
var leases sync.Pool

func (l *lease) end() {
	c := l.c
	l.c = nil
	leases.Put(l)
	_ = c.Close() // frees memory; it has no error to report
}

// lend is the end of get with checks: the value is overwritten when it is released, which happens once.
func lend(value []byte, c io.Closer) ([]byte, bool, func(), error) {
	lent, once := new(invariants.Lent), new(invariants.Once)
	return lent.Lend(value), true, func() {
		once.Happens("a value was released")
		lent.Recall()
		_ = c.Close()
	}, nil
}

func newIter(r pebble.Reader, lower, upper []byte) (engine.Iterator, error) {
	if upper != nil && bytes.Compare(lower, upper) > 0 {
		upper = lower // an empty range: Pebble wants its bounds in order
	}
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return nil, fmt.Errorf("lsm: iterate: %w", err)
	}
	return &iterator{it: it, stepper: stepper{it: it}}, nil
}
