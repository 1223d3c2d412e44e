//go:build unix

package suite

import (
	"os"
	"syscall"
)

// lock takes a lock that ends with the process, or fails at once.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
