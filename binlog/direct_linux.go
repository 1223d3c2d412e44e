package binlog

import (
	"fmt"
	"os"
	"syscall"
)

// openDirect opens an existing file for writes that are durable when they return.
func openDirect(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_DIRECT|syscall.O_DSYNC, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoDirect, err)
	}
	return f, nil
}
