//go:build !linux

package usage

import (
	"errors"
	"fmt"
)

// Syncs cannot be counted here.
type Syncs struct{}

// CountSyncs returns errors.ErrUnsupported.
func CountSyncs(int, string) (*Syncs, error) {
	return nil, fmt.Errorf("count syncs: %w", errors.ErrUnsupported)
}

// Count returns errors.ErrUnsupported.
func (s *Syncs) Count() (uint64, error) { return 0, errors.ErrUnsupported }

// Close does nothing.
func (s *Syncs) Close() {}
