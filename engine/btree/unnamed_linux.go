package btree

import (
	"os"

	"golang.org/x/sys/unix"
)

// unnamed is a file in memory, which goes away when it is closed.
func unnamed() (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "memfd:"+name), nil
}
