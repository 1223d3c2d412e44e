package txn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// ErrLine: a transaction before this one in its line has not been committed.
var ErrLine = errors.New("a transaction before this one was refused")

// Line is a series of transactions that one goroutine begins and starts, one after the other, and whose places in the log are in that order: a
// replica's. Each may build on those before it while they are on their way. The zero value is ready; it is used by one goroutine, but for the
// waits.
type Line struct {
	failed atomic.Bool
	open   sync.WaitGroup
	// placed counts those that have no place yet.
	placed sync.WaitGroup
}

// Fail says that one of its transactions was refused.
func (l *Line) Fail() { l.failed.Store(true) }

// Failed reports whether one was; then all later ones are.
func (l *Line) Failed() bool { return l.failed.Load() }

// Drain returns when the waits of all that were started have returned.
func (l *Line) Drain() { l.open.Wait() }

// Placed returns when all that were started have their places, or never will have one. Until then their rows are nowhere to be seen: who asks for a
// row by its key waits for its lock, but who looks for rows among others has to call this first, as Scan does for a transaction with Options.Line.
func (l *Line) Placed() { l.placed.Wait() }

// Started is a transaction that has asked for its place in the log.
type Started struct {
	t    *Txn
	f    *flight
	line *Line
	wait func() error
}

// errDefinitions is a programming error.
var errDefinitions = errors.New("txn: a change of definitions cannot be committed without waiting for it")

// Start begins the commit of a transaction with changes of rows, in a line, and returns without waiting for it: from here on nothing but Wait may be
// called. With an error the transaction was rolled back. One that changed nothing is logged as well, as a group with nothing but its GTID.
func Start(ctx context.Context, t *Txn, line *Line) (*Started, error) {
	if t.finished {
		return nil, ErrFinished
	}
	if t.log.Running() {
		t.EndStatement()
	}
	s, err := started(ctx, t, line)
	if err != nil {
		t.Rollback()
		return nil, fmt.Errorf("commit: %w", err)
	}
	return s, nil
}

func started(ctx context.Context, t *Txn, line *Line) (*Started, error) {
	if !t.own.change.Empty() || t.ddl != nil {
		return nil, errDefinitions
	}
	if _, err := t.Global.take(ctx, "COMMIT", true); err != nil {
		return nil, err
	}
	f, err := newFlight(t)
	if err != nil {
		return nil, err
	}
	f.req.Line = line
	line.placed.Add(1)
	s := &Started{t: t, f: f, line: line}
	if s.wait, err = t.m.cfg.Committer.Start(ctx, &f.req); err != nil {
		line.Fail()
		line.placed.Done()
		if f.req.Import != nil {
			f.req.Import.Discard()
		}
		return nil, err
	}
	line.open.Add(1)
	return s, nil
}

// Wait returns when the transaction is durable and visible, or was refused and rolled back. It may be called by another goroutine than
// Start, once.
func (s *Started) Wait() (CommitInfo, error) {
	defer s.line.open.Done()
	err := s.wait()
	if s.f.req.Ticket.State() == Waiting {
		s.line.placed.Done()
	}
	return s.f.committed(err)
}
