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
	// Start is where the groups start, End where the write ends, behind the padding.
	Start, End logpos.Pos

	l      *Log
	direct blockFile
	buf    []byte // direct: whole blocks, in a buffer of the log
	off    int64  // direct: where they go
	handle *syncHandle
	done   bool // direct; guarded by Log.mu
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
func (l *Log) Issue(groups []byte, pad bool) (*Write, error) {
	gtids, err := gtidsOf(groups)
	if err != nil {
		return nil, fmt.Errorf("binlog: issue: %w", err)
	}
	return l.IssueGroups(groups, gtids, pad)
}

// IssueGroups is Issue for a caller that made the groups itself: it vouches that they are complete, and for
// their GTIDs, in order.
func (l *Log) IssueGroups(groups []byte, gtids []gtid.GTID, pad bool) (*Write, error) {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	if err := l.usable(); err != nil {
		return nil, err
	}
	if direct, err := l.mayGoDirect(len(groups)); err != nil {
		return nil, err
	} else if direct {
		return l.issueDirect(groups, gtids, pad)
	}
	start, end, err := l.append(groups, gtids, pad)
	if err != nil {
		return nil, err
	}
	w := &Write{Start: start, End: end, l: l}
	if w.handle, err = l.takeHandle(); err != nil {
		return nil, l.fail(err)
	}
	l.mu.Lock()
	l.mu.inFlight++
	l.mu.Unlock()
	return w, nil
}

// RoomForPadding is what padding takes at most.
const RoomForPadding = blockSize + MinPadding

// mayGoDirect decides how n bytes of groups are written, and waits for what has to be finished before.
func (l *Log) mayGoDirect(n int) (bool, error) {
	if l.live.blocks == nil {
		return false, nil
	}
	limit := l.live.end + l.overhead() + uint64(n)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.mu.flights) == 0 && l.mu.synced.Before(l.mu.written) {
		return false, nil // behind what went through the page cache
	}
	if n > directMax || roundUp(limit, l.unit) > l.live.allocated {
		return false, l.drainLocked()
	}
	if l.live.end%uint64(l.unit) != 0 { // the write in flight holds a part of our first block
		return true, l.drainLocked()
	}
	return true, nil
}

// drainLocked waits until no write is in flight. writeMu is held, so that none is issued meanwhile.
func (l *Log) drainLocked() error {
	for l.mu.inFlight > 0 && l.mu.failed == nil {
		l.idle.Wait()
	}
	return l.mu.failed
}

func (l *Log) drain() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.drainLocked()
}

// issueDirect builds whole blocks: what the first one holds already, mark and groups,
// padding, zeros.
func (l *Log) issueDirect(groups []byte, gtids []gtid.GTID, pad bool) (*Write, error) {
	at := l.live.end
	buf := l.buffer(len(l.live.tail) + int(l.overhead()) + len(groups) + RoomForPadding)
	buf = append(buf, l.live.tail...)
	buf, err := l.prefix(buf, groups, at)
	if err != nil {
		return nil, l.fail(err)
	}
	base := blockStart(at, l.unit)
	first := base + uint64(len(buf))
	if err := event.Finalize(groups, first); err != nil {
		return nil, l.fail(err)
	}
	buf = append(buf, groups...)
	if pad {
		if buf, err = l.pad(buf, base+uint64(len(buf))); err != nil {
			return nil, l.fail(err)
		}
	}
	end := base + uint64(len(buf))
	l.live.tail = append(l.live.tail[:0], buf[blockStart(len(buf), l.unit):]...)
	size := roundUp(len(buf), l.unit)
	clear(buf[len(buf):size])
	seg := l.live.seg
	w := &Write{Start: logpos.At(seg.n, first), End: logpos.At(seg.n, end), l: l,
		direct: l.live.blocks, buf: buf[:size], off: int64(base)}
	l.live.end = end
	l.note(gtids, w.End, w)
	return w, nil
}

// pad fills the last block of buf, whose end goes to offset end, if it is not full.
func (l *Log) pad(buf []byte, end uint64) ([]byte, error) {
	gap := int(roundUp(end, l.unit) - end)
	if gap == 0 || roundUp(end+RoomForPadding, l.unit) > l.live.allocated {
		return buf, nil
	}
	if gap < MinPadding {
		gap += l.unit
	}
	n := len(buf)
	buf = AppendPadding(buf, l.meta(), gap)
	return buf, event.Finalize(buf[n:], end)
}

// buffer takes an aligned buffer for at least n bytes from those that are free.
func (l *Log) buffer(n int) []byte {
	n = roundUp(n, blockSize)
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, b := range l.mu.buffers {
		if cap(b) >= n {
			l.mu.buffers = slices.Delete(l.mu.buffers, i, i+1)
			return b[:0]
		}
	}
	return alignedBuffer(max(n, 64<<10))
}

// buffersKept is how many buffers are kept for further writes: the largest.
const buffersKept = 4

func (l *Log) keepBufferLocked(b []byte) {
	if len(l.mu.buffers) < buffersKept {
		l.mu.buffers = append(l.mu.buffers, b)
		return
	}
	for i, kept := range l.mu.buffers {
		if cap(kept) < cap(b) {
			l.mu.buffers[i] = b
			return
		}
	}
}

// takeHandle returns a handle of the live file that no other write in flight uses.
func (l *Log) takeHandle() (*syncHandle, error) {
	l.mu.Lock()
	if n := len(l.mu.handles); n > 0 {
		h := l.mu.handles[n-1]
		l.mu.handles = l.mu.handles[:n-1]
		l.mu.Unlock()
		return h, nil
	}
	l.mu.Unlock()
	f, err := l.dir.openWritable(l.live.seg.name)
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
	l := w.l
	err := w.direct.writeBlocks(w.buf, w.off)
	if err != nil {
		err = l.fail(fmt.Errorf("write %s at offset %d: %w", l.dir.path(l.dir.segmentName(w.End.Segment)), w.off, err))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keepBufferLocked(w.buf[:0])
	w.buf = nil
	w.done = err == nil
	n := 0
	for n < len(l.mu.flights) && l.mu.flights[n].done {
		l.mu.synced = logpos.Max(l.mu.synced, l.mu.flights[n].End)
		n++
	}
	l.mu.flights = slices.Delete(l.mu.flights, 0, n)
	l.landedLocked()
	return err
}

func (w *Write) finishBuffered() error {
	l, h := w.l, w.handle
	h.mu.Lock()
	err := h.f.SyncData()
	h.mu.Unlock()
	if err != nil {
		err = l.fail(fmt.Errorf("sync %s: %w", l.dir.path(l.dir.segmentName(w.End.Segment)), err))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.mu.synced = logpos.Max(l.mu.synced, w.End)
	}
	l.mu.handles = append(l.mu.handles, h)
	l.landedLocked()
	return err
}

// landedLocked is called when a write is no longer in flight.
func (l *Log) landedLocked() {
	l.mu.inFlight--
	l.idle.Broadcast()
}
