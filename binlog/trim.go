package binlog

import (
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// trimBytes is how much Trim cuts off at a time. The system locks a file while it is cut, and needs a
// third of a millisecond for a megabyte of zeros.
const trimBytes = 4 << 20

// Trim gives back a part of the zeros after the live segment's end, but leaves room for keep bytes of
// groups: a segment that is about to be closed before it is full is cut step by step, so that nobody
// waits for the whole of it. It reports whether there is more to cut.
func (w *writer) Trim(keep int64) (more bool, err error) {
	w.writeMu.Lock()
	defer w.writeMu.Unlock()
	if err := w.usable(); err != nil {
		return false, err
	}
	if w.o.NoPreallocate || w.o.PrepareInline || w.live.seg.large || w.live.file.f.Fd() == vfs.InvalidFd {
		return false, nil
	}
	least := roundUp(w.live.end+w.overhead()+uint64(keep)+RoomForPadding, blockSize)
	if least+trimBytes > w.live.allocated {
		return false, nil
	}
	size := max(least, w.live.allocated-trimBytes)
	if err := os.Truncate(w.dir.path(w.live.seg.name), int64(size)); err != nil {
		return false, fmt.Errorf("cut %s to %d bytes: %w", w.dir.path(w.live.seg.name), size, err)
	}
	w.live.allocated = size
	return size > least, nil
}
