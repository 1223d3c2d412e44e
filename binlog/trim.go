package binlog

import (
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// trimBytes is how much Trim cuts off at a time. The system locks a file while it is cut, and needs a
// third of a millisecond for a megabyte of zeros.
const trimBytes = 4 << 20

// Trim gives back a part of the zeros behind the live segment's end, but leaves room for keep bytes of
// groups: a segment that is about to be closed before it is full is cut step by step, so that nobody
// waits for the whole of it. It reports whether there is more to cut.
func (l *Log) Trim(keep int64) (more bool, err error) {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	if err := l.usable(); err != nil {
		return false, err
	}
	if l.o.NoPreallocate || l.o.PrepareInline || l.live.seg.large || l.live.file.f.Fd() == vfs.InvalidFd {
		return false, nil
	}
	least := roundUp(l.live.end+l.overhead()+uint64(keep)+RoomForPadding, blockSize)
	if least+trimBytes > l.live.allocated {
		return false, nil
	}
	size := max(least, l.live.allocated-trimBytes)
	if err := os.Truncate(l.dir.path(l.live.seg.name), int64(size)); err != nil {
		return false, fmt.Errorf("cut %s to %d bytes: %w", l.dir.path(l.live.seg.name), size, err)
	}
	l.live.allocated = size
	return size > least, nil
}
