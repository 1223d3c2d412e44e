package device

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// File is an open file of a log. It is what a log has at least to do: one
// system call for a write, one for a sync.
type File struct {
	fd   int
	mode Mode
}

// Open opens an existing file for overwriting.
func Open(path string, mode Mode) (*File, error) {
	flags := map[Mode]int{Buffered: 0, DSync: unix.O_DSYNC, Direct: unix.O_DIRECT | unix.O_DSYNC}[mode]
	return open(path, unix.O_RDWR|flags, mode)
}

func create(path string) (*File, error) {
	return open(path, unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC, Buffered)
}

func open(path string, flags int, mode Mode) (*File, error) {
	for {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o644)
		if err == nil {
			return &File{fd: fd, mode: mode}, nil
		}
		if err != unix.EINTR {
			return nil, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
}

// WriteAt writes all of b.
func (f *File) WriteAt(b []byte, off int64) error {
	for len(b) > 0 {
		n, err := unix.Pwrite(f.fd, b, off)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("write at offset %d: %w", off, err)
		}
		b, off = b[n:], off+int64(n)
	}
	return nil
}

// Sync makes what was written durable.
func (f *File) Sync() error {
	if f.mode != Buffered {
		return nil
	}
	for {
		if err := unix.Fdatasync(f.fd); err != unix.EINTR {
			return err
		}
	}
}

// syncAll makes data, size and extents durable.
func (f *File) syncAll() error {
	for {
		if err := unix.Fsync(f.fd); err != unix.EINTR {
			return err
		}
	}
}

// reserve gives the file size bytes that read as zeros and were never written.
func (f *File) reserve(size int64) error {
	for {
		if err := unix.Fallocate(f.fd, 0, 0, size); err != unix.EINTR {
			return err
		}
	}
}

// Close closes the file.
func (f *File) Close() error { return unix.Close(f.fd) }

// Settle writes out everything that the file system of path still has to write.
func Settle(path string) error {
	f, err := open(path, unix.O_RDONLY, Buffered)
	if err != nil {
		return err
	}
	err = unix.Syncfs(f.fd)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
