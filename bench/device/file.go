package device

import (
	"fmt"
	"unsafe"
)

// Mode is how a file is written and made durable.
type Mode int

const (
	// Buffered writes go to the page cache; Sync is fdatasync.
	Buffered Mode = iota
	// DSync is O_DSYNC: a write returns when it is durable, and Sync does nothing.
	DSync
	// Direct is O_DIRECT|O_DSYNC: like DSync, past the page cache. Buffers, offsets and
	// lengths are multiples of the device's block (BlockBytes always is one).
	Direct
)

// BlockBytes is a multiple of the logical block of about every device.
const BlockBytes = 4096

// Aligned returns a buffer of n bytes that Direct can write.
func Aligned(n int) []byte {
	b := make([]byte, n+BlockBytes)
	shift := 0
	if r := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % BlockBytes); r != 0 {
		shift = BlockBytes - r
	}
	return b[shift : shift+n : shift+n]
}

// fillChunk is the unit in which files are filled.
const fillChunk = 1 << 20

// CreateZeroed makes a file of size zeros, and makes it durable. An existing one is replaced.
func CreateZeroed(path string, size int64) error {
	f, err := create(path)
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	zeros := make([]byte, fillChunk)
	for at := int64(0); at < size && err == nil; at += fillChunk {
		err = f.WriteAt(zeros[:min(fillChunk, size-at)], at)
	}
	if err == nil {
		err = f.syncAll()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("fill %s: %w", path, err)
	}
	return nil
}
