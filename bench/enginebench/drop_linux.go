package enginebench

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// drop drops a file from the page cache.
func drop(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED), f.Close())
}
