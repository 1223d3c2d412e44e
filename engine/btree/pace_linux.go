package btree

import (
	"errors"
	"os"
	"syscall"
)

// From linux/fs.h.
const (
	syncFileRangeWaitBefore = 1
	syncFileRangeWrite      = 2
	syncFileRangeWaitAfter  = 4
)

// writeOut has the system write a part of a file, and waits for that. Nothing is durable by it. Not all file systems can do it.
func writeOut(f *os.File, from, size int64) error {
	err := syscall.SyncFileRange(int(f.Fd()), from, size, syncFileRangeWaitBefore|syncFileRangeWrite|syncFileRangeWaitAfter)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ESPIPE) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}
