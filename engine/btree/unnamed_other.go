//go:build !linux

package btree

import (
	"errors"
	"os"
)

// unnamed is a file without a name, which goes away when it is closed.
func unnamed() (*os.File, error) {
	f, err := os.CreateTemp("", name)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
