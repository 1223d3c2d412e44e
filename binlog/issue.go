package binlog

import (
	"fmt"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// Several writes may be in flight: issued, and not durable yet. Either all that is not
// durable went through the page cache, or all of it goes past it:
//
//   - Through the page cache, the bytes are handed to the system in log order, by Issue. Then any
//     later sync makes them durable: synced moves to the end of the write whose sync is done.
//   - Past it, Finish writes the blocks. Writes finish in any order; synced moves over those
//     that have all their predecessors. Two writes in flight never share a block.
//
// A write of the other kind is issued when none is in flight and nothing is left to sync.

// Write is a part of the log that was given its place by Issue. Finish has to be called, once.
type Write struct {
	// Start is where the groups start, End where the write ends, after the padding.
	Start, End logpos.Pos

	log    *writer
	direct blockFile
	buf    []byte // direct: whole blocks, in a buffer of the log
	off    int64  // direct: where they go
	handle *syncHandle
	done   bool // direct; guarded by status.mu
}

// syncHandle is an open file of the live segment for one sync at a time. The system reports
// a failed write-back once per open file: with a handle each, two syncs
// that run at the same time both see it.
type syncHandle struct {
	mu sync.Mutex
	f  vfs.File
}

// Issue gives groups the next place in the log, like Append, for a write that is to be durable at
// once: Finish makes it so. Further writes may be issued before; what they cover
// counts as durable in log order.
//
// With pad the write ends with a padding record up to the end of a block, if there is room: up to
// RoomForPadding more. The next write then does not write the same block again, and a direct one can be issued
// before this one is finished.
func (w *writer) Issue(groups []byte, pad bool) (*Write, error) {
	gtids, err := gtidsOf(groups)
	if err != nil {
		return nil, fmt.Errorf("binlog: issue: %w", err)
	}
	return w.IssueGroups(groups, gtids, pad)
}

// IssueGroups is Issue for a caller that made the groups itself: it vouches that they are complete, and for
// their GTIDs, in order.
func (w *writer) IssueGroups(groups []byte, gtids []gtid.GTID, pad bool) (*Write, error) {
	w.writeMu.Lock()
	defer w.writeMu.Unlock()
	if err := w.usable(); err != nil {
		return nil, err
	}
	if direct, err := w.mayGoDirect(len(groups)); err != nil {
		return nil, err
	} else if direct {
		return w.issueDirect(groups, gtids, pad)
	}
	start, end, err := w.append(groups, gtids, pad)
	if err != nil {
		return nil, err
	}
	issued := &Write{Start: start, End: end, log: w}
	if issued.handle, err = w.takeHandle(); err != nil {
		return nil, w.fail(err)
	}
	w.mu.Lock()
	w.flying.count++
	w.mu.Unlock()
	return issued, nil
}

// RoomForPadding is what padding takes at most.
const RoomForPadding = blockSize + MinPadding

// mayGoDirect decides how n bytes of groups are written, and waits for what has to be finished before.
func (w *writer) mayGoDirect(n int) (bool, error) {
	if w.live.blocks == nil {
		return false, nil
	}
	limit := w.live.end + w.overhead() + uint64(n)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.flying.direct) == 0 && w.mu.synced.Before(w.mu.written) {
		return false, nil // after what went through the page cache
	}
	if n > directMax || roundUp(limit, w.unit) > w.live.allocated {
		return false, w.drainLocked()
	}
	if w.live.end%uint64(w.unit) != 0 { // the write in flight holds a part of our first block
		return true, w.drainLocked()
	}
	return true, nil
}

// drainLocked waits until no write is in flight. writeMu is held, so that none is issued meanwhile.
func (w *writer) drainLocked() error {
	for w.flying.count > 0 && w.mu.failed == nil {
		w.idle.Wait()
	}
	return w.mu.failed
}

func (w *writer) drain() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.drainLocked()
}

// issueDirect builds whole blocks: what the first one holds already, mark and groups,
// padding, zeros.
func (w *writer) issueDirect(groups []byte, gtids []gtid.GTID, pad bool) (*Write, error) {
	at := w.live.end
	buf := w.buffer(len(w.live.tail) + int(w.overhead()) + len(groups) + RoomForPadding)
	buf = append(buf, w.live.tail...)
	buf, err := w.prefix(buf, groups, at)
	if err != nil {
		return nil, w.fail(err)
	}
	base := blockStart(at, w.unit)
	first := base + uint64(len(buf))
	if err := event.Finalize(groups, first); err != nil {
		return nil, w.fail(err)
	}
	buf = append(buf, groups...)
	if pad {
		if buf, err = w.pad(buf, base+uint64(len(buf))); err != nil {
			return nil, w.fail(err)
		}
	}
	end := base + uint64(len(buf))
	w.recent.keep(w.live.seg, at, buf[len(w.live.tail):])
	w.live.tail = append(w.live.tail[:0], buf[blockStart(len(buf), w.unit):]...)
	size := roundUp(len(buf), w.unit)
	clear(buf[len(buf):size])
	seg := w.live.seg
	issued := &Write{Start: logpos.At(seg.n, first), End: logpos.At(seg.n, end), log: w,
		direct: w.live.blocks, buf: buf[:size], off: int64(base)}
	w.live.end = end
	w.note(gtids, issued.End, issued)
	return issued, nil
}

// pad fills the last block of buf, whose end goes to offset end, if it is not full.
func (w *writer) pad(buf []byte, end uint64) ([]byte, error) {
	gap := int(roundUp(end, w.unit) - end)
	if gap == 0 || roundUp(end+RoomForPadding, w.unit) > w.live.allocated {
		return buf, nil
	}
	if gap < MinPadding {
		gap += w.unit
	}
	n := len(buf)
	buf = AppendPadding(buf, w.meta(), gap)
	return buf, event.Finalize(buf[n:], end)
}

// buffer takes an aligned buffer for at least n bytes from those that are free.
func (w *writer) buffer(n int) []byte {
	n = roundUp(n, blockSize)
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, b := range w.flying.buffers {
		if cap(b) >= n {
			w.flying.buffers = slices.Delete(w.flying.buffers, i, i+1)
			return b[:0]
		}
	}
	return alignedBuffer(max(n, 64<<10))
}

// buffersKept is how many buffers are kept for further writes: the largest.
const buffersKept = 4

func (w *writer) keepBufferLocked(b []byte) {
	if len(w.flying.buffers) < buffersKept {
		w.flying.buffers = append(w.flying.buffers, b)
		return
	}
	for i, kept := range w.flying.buffers {
		if cap(kept) < cap(b) {
			w.flying.buffers[i] = b
			return
		}
	}
}

// takeHandle returns a handle of the live file that no other write in flight uses.
func (w *writer) takeHandle() (*syncHandle, error) {
	w.mu.Lock()
	if n := len(w.flying.handles); n > 0 {
		h := w.flying.handles[n-1]
		w.flying.handles = w.flying.handles[:n-1]
		w.mu.Unlock()
		return h, nil
	}
	w.mu.Unlock()
	f, err := w.dir.openWritable(w.live.seg.name)
	if err != nil {
		return nil, err
	}
	return &syncHandle{f: f}, nil
}

// Finish makes the write durable; together with all writes before it, once they are
// finished as well. After a failure every call of the log fails: the
// process has to end.
func (w *Write) Finish() error {
	if w.direct == nil {
		return w.finishBuffered()
	}
	log := w.log
	err := w.direct.writeBlocks(w.buf, w.off)
	if err != nil {
		err = log.fail(fmt.Errorf("write %s at offset %d: %w", log.dir.path(log.dir.segmentName(w.End.Segment)), w.off, err))
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	log.keepBufferLocked(w.buf[:0])
	w.buf = nil
	w.done = err == nil
	n := 0
	for n < len(log.flying.direct) && log.flying.direct[n].done {
		log.mu.synced = logpos.Max(log.mu.synced, log.flying.direct[n].End)
		n++
	}
	log.flying.direct = slices.Delete(log.flying.direct, 0, n)
	log.checkPositionsLocked()
	log.landedLocked()
	return err
}

func (w *Write) finishBuffered() error {
	log, h := w.log, w.handle
	h.mu.Lock()
	err := h.f.SyncData()
	h.mu.Unlock()
	if err != nil {
		err = log.fail(fmt.Errorf("sync %s: %w", log.dir.path(log.dir.segmentName(w.End.Segment)), err))
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if err == nil {
		log.mu.synced = logpos.Max(log.mu.synced, w.End)
	}
	log.flying.handles = append(log.flying.handles, h)
	log.checkPositionsLocked()
	log.landedLocked()
	return err
}

// landedLocked is called when a write is no longer in flight.
func (w *writer) landedLocked() {
	w.flying.count--
	w.idle.Broadcast()
}
