package binlog

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// blockSize is the page size, a multiple of every device's sector. Buffers lie in memory at multiples of
// it, segments are filled to multiples of it.
const blockSize = 4096

// sectorSize is the smallest unit of direct writes. A device with sectors of 4096 bytes that takes writes of
// 512 does not put more at risk by that: whatever it does to its sector when the power fails,
// rewriting the sector's unchanged part with the rest would allow, too.
const sectorSize = 512

// directMax is up to which size a write goes past the page cache. It bounds the buffers.
const directMax = copyMax

// blockFile writes whole blocks. What was written is durable when writeBlocks
// returns. Several writes may run at a time, of different blocks.
type blockFile interface {
	writeBlocks(p []byte, off int64) error
	io.Closer
}

// openBlocks opens a segment for direct writes. On the operating system's file system this is a
// handle with O_DIRECT|O_DSYNC. On any other one (in tests, or a wrapper that must see every write) it is
// an ordinary handle that is synced after each write, so that the block logic is the same.
func (d dir) openBlocks(name string) (blockFile, error) {
	path := d.path(name)
	if d.fs == vfs.Default {
		f, err := openDirect(path)
		if err != nil {
			return nil, fmt.Errorf("open %s for direct writes: %w", path, err)
		}
		return directFile{f}, nil
	}
	f := &syncedFile{dir: d, name: name}
	h, err := f.take()
	if err != nil {
		return nil, err
	}
	f.put(h)
	return f, nil
}

type directFile struct {
	f interface {
		io.WriterAt
		io.Closer
	}
}

func (d directFile) writeBlocks(p []byte, off int64) error {
	_, err := d.f.WriteAt(p, off)
	return err
}

func (d directFile) Close() error { return d.f.Close() }

// syncedFile has a handle for each write under way: a handle reports an error to one caller only.
type syncedFile struct {
	dir  dir
	name string
	mu   struct {
		sync.Mutex
		free []vfs.File
	}
}

func (s *syncedFile) take() (vfs.File, error) {
	s.mu.Lock()
	if n := len(s.mu.free); n > 0 {
		f := s.mu.free[n-1]
		s.mu.free = s.mu.free[:n-1]
		s.mu.Unlock()
		return f, nil
	}
	s.mu.Unlock()
	return s.dir.openWritable(s.name)
}

func (s *syncedFile) put(f vfs.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.free = append(s.mu.free, f)
}

func (s *syncedFile) writeBlocks(p []byte, off int64) error {
	f, err := s.take()
	if err != nil {
		return err
	}
	defer s.put(f)
	if _, err := f.WriteAt(p, off); err != nil {
		return err
	}
	return f.SyncData()
}

func (s *syncedFile) Close() error {
	var errs []error
	for _, f := range s.mu.free {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

var errNoDirect = errors.New("direct writes are not supported on this system")

// alignedBuffer returns an empty buffer of at least n bytes whose address is a multiple of
// the block size.
func alignedBuffer(n int) []byte {
	n = roundUp(n, blockSize)
	b := make([]byte, n+blockSize)
	at := -int(uintptr(unsafe.Pointer(&b[0]))) & (blockSize - 1)
	return b[at : at : at+n]
}

// roundUp rounds to whole blocks.
func roundUp[T int | int64 | uint64](n T, block int) T {
	return (n + T(block) - 1) / T(block) * T(block)
}

// blockStart is where the block that holds offset n begins.
func blockStart[T int | int64 | uint64](n T, block int) T { return n / T(block) * T(block) }
