package engine

// ClosedSnapshot is what Snapshot of a closed engine returns: it has ErrClosed.
type ClosedSnapshot struct{}

var _ Snapshot = ClosedSnapshot{}

// Get is refused.
func (ClosedSnapshot) Get([]byte) ([]byte, bool, func(), error) { return nil, false, nil, ErrClosed }

// NewIter is refused.
func (ClosedSnapshot) NewIter(_, _ []byte) (Iterator, error) { return nil, ErrClosed }

// Close does nothing.
func (ClosedSnapshot) Close() error { return nil }
