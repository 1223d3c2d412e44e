package lsm

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/engine"
)

// ResetMark implements engine.MarkResetter.
func (e *Engine) ResetMark(m engine.Mark) error {
	e.checkpoint.Lock()
	defer e.checkpoint.Unlock()
	if e.closed.Load() {
		return engine.ErrClosed
	}
	e.mu.Lock()
	// From here on a flush may make m durable, and it needs nothing of the log before.
	e.mu.applying, e.mu.applied = m, m
	e.mu.Unlock()
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }() // it was written, or was not: there is nothing to lose
	err := b.Set(markKey, appendMark(nil, m), nil)
	if err == nil {
		err = e.commit(b)
	}
	if err != nil {
		return fmt.Errorf("lsm: reset the mark to %s: %w", m.Position, err)
	}
	flushed, err := e.asyncFlush()
	if err != nil {
		return fmt.Errorf("lsm: reset the mark to %s: %w", m.Position, err)
	}
	select {
	case <-flushed:
	case <-e.quit:
		return engine.ErrClosed
	}
	got, err := e.readDurable()
	if err == nil && got != m {
		err = errors.New("another mark is durable")
	}
	if err != nil {
		return fmt.Errorf("lsm: reset the mark to %s: %w", m.Position, err)
	}
	e.mu.Lock()
	e.mu.durable = m
	e.mu.Unlock()
	return nil
}
