package btree

import (
	"fmt"

	"github.com/duramendb/duramen/engine"
)

// ResetMark implements engine.MarkResetter.
func (e *Engine) ResetMark(m engine.Mark) error {
	e.checkpoint.Lock()
	defer e.checkpoint.Unlock()
	e.mu.Lock()
	if err := e.usableLocked(); err != nil {
		e.mu.Unlock()
		return err
	}
	next := *e.now.Load()
	next.mark, next.layers = m, nil
	for _, l := range e.now.Load().layers {
		if l.debt == nil { // it needs nothing of the old log
			c := *l
			c.mark = m
			l = &c
		}
		next.layers = append(next.layers, l)
	}
	e.now.Store(&next)
	e.mu.Unlock()
	if _, err := e.checkpointLocked(true); err != nil {
		return fmt.Errorf("btree: reset the mark to %s: %w", m.Position, err)
	}
	return nil
}
