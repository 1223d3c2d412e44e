package binlog

import (
	"encoding/binary"
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/internal/invariants"
	"github.com/duramendb/duramen/logpos"
)

// copyMax is up to which size a group is copied after its write mark, so
// that both go out with one write.
const copyMax = 1 << 20

// growBytes is the unit (or MaxSize, if that is less) in which a segment grows when one group needs more
// than is left.
const growBytes = 1 << 20

// spareBytes is what is kept free on a disk while segments are not preallocated.
const spareBytes = 16 << 20

// Reserve makes sure that n bytes of groups can be appended: it goes on to the
// next segment if they would make the current one larger than MaxSize. An
// ErrNoSpace leaves everything as it was.
func (l *Log) Reserve(n int64) error {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	l.noteRecoveryStart()
	need := uint64(n) + l.overhead()
	maxSize := uint64(l.maxSize())
	if l.live.seg.large || l.live.end+need > maxSize && l.live.end > l.live.seg.headerEnd {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	if err := l.allocate(l.live.end + need); err != nil {
		return err
	}
	if l.live.end > maxSize/4 {
		l.prep.want()
	}
	return nil
}

// overhead is what Append and a later rotation add to a group.
func (w *writer) overhead() uint64 {
	rotate := minEventSize + 8 + len(w.live.seg.name) + 1
	checkpoint := 0
	if w.checkpoint != "" {
		checkpoint = minEventSize + 4 + len(w.checkpoint)
	}
	return uint64(rotate + checkpoint + markSize)
}

// allocate makes the live file at least size bytes long, the new part zeros and durable.
func (w *writer) allocate(size uint64) error {
	if size <= w.live.allocated {
		return nil
	}
	path := w.dir.path(w.live.seg.name)
	if w.o.NoPreallocate {
		if du, err := w.dir.fs.GetDiskUsage(w.dir.root); err == nil && du.AvailBytes < size-w.live.end+spareBytes {
			return fmt.Errorf("%w: %s: %d bytes are left on the disk", ErrNoSpace, path, du.AvailBytes)
		}
		return nil
	}
	unit := min(growBytes, uint64(w.maxSize()))
	size = (size + unit - 1) / unit * unit
	// Zeros that fill the disk to the brim would leave the engine nothing, and PURGE no room for the new index.
	if du, err := w.dir.fs.GetDiskUsage(w.dir.root); err == nil && du.AvailBytes < size-w.live.allocated+spareBytes/4 {
		return fmt.Errorf("%w: %s: %d bytes are left on the disk", ErrNoSpace, path, du.AvailBytes)
	}
	var err error
	for at := w.live.allocated; at < size && err == nil; {
		n := min(uint64(len(zeroChunk)), size-at)
		_, err = w.live.file.f.WriteAt(zeroChunk[:n], int64(at))
		at += n
	}
	if err != nil {
		// A partly grown file holds zeros at its end, as it did before.
		if isNoSpace(err) {
			return fmt.Errorf("%w: grow %s: %w", ErrNoSpace, path, err)
		}
		return w.fail(fmt.Errorf("grow %s: %w", path, err))
	}
	w.live.file.mu.Lock()
	err = w.live.file.f.Sync()
	w.live.file.mu.Unlock()
	if err != nil {
		return w.fail(fmt.Errorf("sync %s: %w", path, err))
	}
	w.live.allocated = size
	return nil
}

// Append writes complete groups (event.Append…, positions and checksums not yet
// filled in) at the end of the log, preceded by a write mark. It fills in
// positions and checksums in place, takes the groups' GTIDs into the state,
// and returns where the groups start and end. They are durable after Sync.
// Bytes that are not complete groups are refused, since recovery would take them
// for damage. Any other error poisons the log.
func (w *writer) Append(groups []byte) (start, end logpos.Pos, err error) {
	gtids, err := gtidsOf(groups)
	if err != nil {
		return logpos.Pos{}, logpos.Pos{}, fmt.Errorf("binlog: append: %w", err)
	}
	return w.write(groups, gtids)
}

func (w *writer) write(groups []byte, gtids []gtid.GTID) (start, end logpos.Pos, err error) {
	w.writeMu.Lock()
	defer w.writeMu.Unlock()
	if err := w.usable(); err != nil {
		return logpos.Pos{}, logpos.Pos{}, err
	}
	if w.live.blocks != nil {
		if err := w.drain(); err != nil {
			return logpos.Pos{}, logpos.Pos{}, err
		}
	}
	return w.append(groups, gtids, false)
}

// append needs writeMu. Everything in flight goes through the page cache, or nothing is in flight.
func (w *writer) append(groups []byte, gtids []gtid.GTID, pad bool) (start, end logpos.Pos, err error) {
	at := w.live.end
	buf, err := w.prefix(w.scratch[:0], groups, at)
	if err != nil {
		return logpos.Pos{}, logpos.Pos{}, w.fail(err)
	}
	first := at + uint64(len(buf))
	if err := event.Finalize(groups, first); err != nil {
		return logpos.Pos{}, logpos.Pos{}, w.fail(err)
	}
	if len(groups) <= copyMax {
		buf = append(buf, groups...)
		if pad {
			if buf, err = w.pad(buf, at+uint64(len(buf))); err != nil {
				return logpos.Pos{}, logpos.Pos{}, w.fail(err)
			}
		}
		_, err = w.live.file.f.WriteAt(buf, int64(at))
		w.extendTail(buf, at)
	} else {
		_, err = w.live.file.f.WriteAt(buf, int64(at))
		if err == nil {
			_, err = w.live.file.f.WriteAt(groups, int64(first))
		}
		w.extendTail(groups, first)
	}
	w.scratch = buf[:0]
	if err != nil {
		return logpos.Pos{}, logpos.Pos{}, w.fail(fmt.Errorf("write %s at offset %d: %w", w.dir.path(w.live.seg.name), at, err))
	}
	seg := w.live.seg
	w.live.end = max(at+uint64(len(buf)), first+uint64(len(groups)))
	start, end = logpos.At(seg.n, first), logpos.At(seg.n, w.live.end)
	w.live.allocated = max(w.live.allocated, w.live.end)
	w.note(gtids, end, nil)
	return start, end, nil
}

// extendTail takes b, which goes to offset at, the end of the log, into the copy of the last block.
func (w *writer) extendTail(b []byte, at uint64) {
	if w.live.blocks == nil {
		return
	}
	w.live.tail = append(w.live.tail, b[max(0, len(b)-w.unit):]...)
	n := int((at + uint64(len(b))) % uint64(w.unit))
	w.live.tail = append(w.live.tail[:0], w.live.tail[len(w.live.tail)-n:]...)
}

// note takes a write that ends at end into the cursors; flight is not nil if it has yet to be
// written.
func (w *writer) note(gtids []gtid.GTID, end logpos.Pos, flight *Write) {
	w.checkpoint = ""
	seg := w.live.seg
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, g := range gtids {
		w.mu.state.Update(g)
	}
	invariants.Check(w.mu.written.Before(end), "the log ends at %v, and a write before that, at %v", w.mu.written, end)
	w.mu.written = end
	w.checkPositionsLocked()
	if flight != nil {
		w.flying.direct = append(w.flying.direct, flight)
		w.flying.count++
	}
	if last := seg.lastSample(); end.Offset-last >= sampleDistance {
		seg.samples = append(seg.samples, sample{end.Offset, w.mu.state.Clone()})
	}
}

// lastSample is the offset of the last known state in the segment.
func (s *segment) lastSample() uint64 {
	if n := len(s.samples); n > 0 {
		return s.samples[n-1].off
	}
	return s.headerEnd
}

// prefix appends to buf what goes before the groups of one write at offset at: the mark, and a
// checkpoint event if one is due.
func (w *writer) prefix(buf, groups []byte, at uint64) ([]byte, error) {
	n := len(buf)
	m := event.Meta{Timestamp: binary.LittleEndian.Uint32(groups), ServerID: w.o.ServerID}
	length := len(groups)
	if w.checkpoint != "" {
		length += minEventSize + 4 + len(w.checkpoint)
	}
	buf = appendMark(buf, m, w.durableOffset(), length)
	if w.checkpoint != "" {
		buf = event.AppendBinlogCheckpoint(buf, m, w.checkpoint)
	}
	if err := event.Finalize(buf[n:], at); err != nil {
		return nil, err
	}
	return buf, nil
}

// durableOffset is how much of the live segment is known to be durable.
func (w *writer) durableOffset() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.synced.Segment == w.live.seg.n {
		return w.mu.synced.Offset
	}
	return w.live.seg.headerEnd
}

// gtidsOf collects the GTIDs of complete groups in order.
func gtidsOf(events []byte) ([]gtid.GTID, error) {
	var list []gtid.GTID
	var groups Groups
	for rest := events; len(rest) > 0; {
		ev, tail, err := event.Next(rest)
		if err != nil {
			return nil, err
		}
		if len(ev) < minEventSize {
			return nil, fmt.Errorf("event of %d bytes", len(ev))
		}
		ended, err := groups.Next(ev)
		if err != nil {
			return nil, err
		}
		if ended {
			list = append(list, groups.GTID)
		}
		rest = tail
	}
	if groups.Open || len(events) == 0 {
		return nil, fmt.Errorf("group %v has no end", groups.GTID)
	}
	return list, nil
}

// Sync makes everything appended or issued before the call durable. After a failure
// every call of the log fails: the process has to end.
func (w *writer) Sync() error {
	w.syncMu.Lock()
	defer w.syncMu.Unlock()
	w.mu.Lock()
	target, closed := w.mu.written, w.mu.closed
	for len(w.flying.direct) > 0 && w.mu.synced.Before(target) && w.mu.failed == nil {
		w.idle.Wait() // their blocks are being written, each by whoever issued it
	}
	failed, done := w.mu.failed, !w.mu.synced.Before(target)
	w.mu.Unlock()
	switch {
	case failed != nil:
		return failed
	case done:
		return nil
	case closed:
		return ErrClosed
	}
	file := w.live.file
	file.mu.Lock()
	err := file.f.SyncData()
	file.mu.Unlock()
	if err != nil {
		return w.fail(fmt.Errorf("sync %s: %w", w.dir.path(w.dir.segmentName(target.Segment)), err))
	}
	w.mu.Lock()
	w.mu.synced = logpos.Max(w.mu.synced, target)
	w.checkPositionsLocked()
	w.mu.Unlock()
	return nil
}

// noteRecoveryStart makes the next write announce where recovery would start, if that has moved to another
// segment. Reserve calls it, which then makes room for the event. writeMu is held.
func (w *writer) noteRecoveryStart() {
	w.mu.Lock()
	n := w.mu.recoveryStart.Segment
	w.mu.Unlock()
	if n == w.noted || n == 0 {
		return
	}
	w.noted = n
	if name := w.dir.segmentName(n); name != w.announced {
		w.checkpoint, w.announced = name, name
	}
}
