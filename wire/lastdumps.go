package wire

import (
	"context"
	"errors"
	"time"
)

// FinishDumps is to be called before Shutdown if replicas are to have everything then: it ends all other connections as Shutdown does, whose statements are
// cancelled when ctx ends, calls last, whereupon the backend's ServeDump returns when everything is sent, and waits for these dumps. It gives up at the end of patience, or if
// a statement goes on although it was cancelled. Its error is one of closing listeners.
func (s *Server) FinishDumps(ctx, patience context.Context, last func()) error {
	err := errors.Join(s.stopAccepting()...)
	for _, c := range s.snapshot() {
		if !c.dumping.Load() {
			c.timed.rouse()
		}
	}
	idle := time.NewTicker(10 * time.Millisecond)
	defer idle.Stop()
	statements, deadline := ctx.Done(), (<-chan time.Time)(nil)
	for !s.onlyDumps() {
		select {
		case <-statements:
			for _, c := range s.snapshot() {
				if !c.dumping.Load() {
					c.kill(errShutdown())
				}
			}
			statements, deadline = nil, time.After(s.opts.AbandonAfter)
		case <-deadline:
			return err
		case <-patience.Done():
			return err
		case <-idle.C:
		}
	}
	last()
	for s.Connections() > 0 {
		select {
		case <-patience.Done():
			return err
		case <-idle.C:
		}
	}
	return err
}

// onlyDumps reports whether all connections that are left serve replicas.
func (s *Server) onlyDumps() bool {
	for _, c := range s.snapshot() {
		if !c.dumping.Load() {
			return false
		}
	}
	return true
}
