package binlog

// Room is how many bytes of groups the live segment can take for certain:
// Reserve for no more than that neither rotates nor fails for want of space. A
// caller that appends them in several writes counts RoomPerWrite for each. It
// changes with every Append, Reserve and Rotate.
func (w *writer) Room() int64 {
	w.writeMu.Lock()
	defer w.writeMu.Unlock()
	if w.o.NoPreallocate || w.live.seg == nil || w.live.seg.large {
		return 0
	}
	checkpoint := minEventSize + 4 + len(w.live.seg.name) // one may become due before the next write
	limit := min(uint64(w.maxSize()), w.live.allocated)
	used := w.live.end + w.overhead() + uint64(checkpoint)
	if used >= limit {
		return 0
	}
	return int64(limit - used)
}

// RoomPerWrite is what every write takes for itself.
const RoomPerWrite = markSize
