package txn

import (
	"errors"
	"sync"
)

// CursorSet knows the cursors that a session has open, over all its
// transactions. A SQL engine does not always close what it opened when a
// statement fails, and a cursor of a stored procedure may outlive the
// transaction that it was opened in; an open one keeps the engine from freeing
// what it reads. So the session closes what is left when a client's statement
// ends. The zero value is ready for use; it is safe for concurrent use.
type CursorSet struct {
	mu struct {
		sync.Mutex
		open map[*Cursor]struct{}
	}
}

func (s *CursorSet) add(c *Cursor) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.open == nil {
		s.mu.open = map[*Cursor]struct{}{}
	}
	s.mu.open[c] = struct{}{}
}

func (s *CursorSet) remove(c *Cursor) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.mu.open, c)
}

// CloseAll closes all cursors that are still open. None of them may be in use.
func (s *CursorSet) CloseAll() error {
	s.mu.Lock()
	left := s.mu.open
	s.mu.open = nil
	s.mu.Unlock()
	var errs []error
	for c := range left {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
