package binlog

// Room is how many bytes of groups the live segment can take for certain:
// Reserve for no more than that neither rotates nor fails for want of space. A
// caller that appends them in several writes counts RoomPerWrite for each. It
// changes with every Append, Reserve and Rotate.
func (l *Log) Room() int64 {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	if l.o.NoPreallocate || l.live.seg == nil || l.live.seg.large {
		return 0
	}
	checkpoint := minEventSize + 4 + len(l.live.seg.name) // one may become due before the next write
	limit := min(uint64(l.maxSize()), l.live.allocated)
	used := l.live.end + l.overhead() + uint64(checkpoint)
	if used >= limit {
		return 0
	}
	return int64(limit - used)
}

// RoomPerWrite is what every write takes for itself.
const RoomPerWrite = markSize
