package binlog

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// A large transaction has a segment of its own, which is written before the transaction is
// committed, by its own goroutine, beside the log:
//
//	<basename>.large-<n>.tmp
//
//	0        reserved: zeros
//	reserve  events, with the positions and checksums that they keep
//	…        zeros: room for ROTATE
//
// The commit (AppendLarge) fills the reserved part:
//
//	0        magic, format description, GTID list, checkpoint
//	         padding
//	         write mark, GTID event, [events of a DDL statement]
//
// syncs it, and makes the file the next segment, as a rotation does. So what happens while
// others wait does not depend on the transaction's size. The mark calls everything up to
// the end of the group durable: recovery takes a hole in it for damage, never for
// a torn tail. The next group goes to yet another segment.

// ErrReserve: the reserved part of a LargeFile cannot hold what has to go there; Refit makes
// it larger. Nothing was changed.
var ErrReserve = errors.New("reserved part of a large transaction's file is too small")

const (
	// largeSyncBytes is how much of a LargeFile may be unsynced: syncing the rest must never
	// take long, and other files' syncs must not find it in their way.
	largeSyncBytes = 8 << 20
	// largeEnd is the greatest offset of events in a segment: positions have 32 bits.
	largeEnd = 1<<32 - 1<<20
)

// LargeFile is the segment of a large transaction before its commit. It is used
// by one goroutine at a time.
type LargeFile struct {
	l        *Log
	name     string
	f        vfs.File
	reserve  uint64
	size     uint64 // of the events
	written  uint64 // end of what was ever written
	unsynced uint64
	sealed   bool
	done     bool // discarded, or part of the log
}

// NewLargeFile creates the file for the events of one transaction.
func (l *Log) NewLargeFile() (*LargeFile, error) {
	if err := l.usable(); err != nil {
		return nil, err
	}
	return l.newLargeFile(0)
}

// newLargeFile reserves room for the header as it would be now, some more GTIDs, and front bytes.
func (l *Log) newLargeFile(front int) (*LargeFile, error) {
	head, err := l.o.buildHeader(l.StateClone(), 0, l.dir.segmentName(1<<40))
	if err != nil {
		return nil, err
	}
	f := &LargeFile{l: l, name: l.dir.largeName(l.larges.Add(1))}
	f.reserve = roundUp(uint64(len(head)+len(head)/4+front)+4096, blockSize)
	path := l.dir.path(f.name)
	if f.f, err = l.dir.fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified); err != nil {
		return nil, noSpace(fmt.Errorf("create %s: %w", path, err))
	}
	if err := f.zeros(0, f.reserve); err != nil {
		f.Discard()
		return nil, err
	}
	return f, nil
}

// zeros fills the file between two offsets.
func (f *LargeFile) zeros(from, to uint64) error {
	for at := from; at < to; {
		n := min(uint64(len(zeroChunk)), to-at)
		if err := f.writeAt(zeroChunk[:n], at); err != nil {
			return err
		}
		at += n
	}
	return nil
}

func (f *LargeFile) writeAt(p []byte, at uint64) error {
	if _, err := f.f.WriteAt(p, int64(at)); err != nil {
		return noSpace(fmt.Errorf("write %s: %w", f.path(), err))
	}
	f.written = max(f.written, at+uint64(len(p)))
	f.unsynced += uint64(len(p))
	return nil
}

func (f *LargeFile) path() string { return f.l.dir.path(f.name) }

// Append writes complete events after those that are there. It fills in their positions
// and checksums in place.
func (f *LargeFile) Append(events []byte) error {
	at := f.reserve + f.size
	if at+uint64(len(events)) > largeEnd {
		return fmt.Errorf("%w: %s: a transaction cannot log more than 4 GiB", ErrNoSpace, f.path())
	}
	if err := event.Finalize(events, at); err != nil {
		return fmt.Errorf("write %s: %w", f.path(), err)
	}
	if err := f.writeAt(events, at); err != nil {
		return err
	}
	f.size += uint64(len(events))
	if f.unsynced < largeSyncBytes {
		return nil
	}
	f.l.prep.want() // the segment after this one
	f.unsynced = 0
	if err := f.f.SyncData(); err != nil {
		return noSpace(fmt.Errorf("sync %s: %w", f.path(), err))
	}
	return nil
}

// Truncate forgets everything after the first size bytes of events.
func (f *LargeFile) Truncate(size int64) { f.size = min(f.size, uint64(size)) }

// ReadAt fills p with the events off bytes after the first one.
func (f *LargeFile) ReadAt(p []byte, off int64) error {
	if _, err := f.f.ReadAt(p, int64(f.reserve)+off); err != nil {
		return fmt.Errorf("read %s: %w", f.path(), err)
	}
	return nil
}

// Size is the number of bytes of events.
func (f *LargeFile) Size() int64 { return int64(f.size) }

// Discard removes the file, unless it has become part of the log.
func (f *LargeFile) Discard() {
	if f.done {
		return
	}
	f.done = true
	err := f.f.Close()
	if rerr := f.l.dir.fs.Remove(f.path()); err == nil {
		err = rerr
	}
	if err != nil { // the next start removes it
		f.l.o.Logger.Warn("cannot remove the file of a transaction", "file", f.path(), "err", err)
	}
}

// Seal makes the events durable, and says that there will be no more.
func (f *LargeFile) Seal() error {
	if f.sealed {
		return nil
	}
	end := f.reserve + f.size
	if f.written > end { // events that were rolled back
		var err error
		if f.f, err = f.l.dir.cutFile(f.f, f.name, end); err != nil {
			return noSpace(err)
		}
		f.written = end
	}
	if err := f.zeros(end, roundUp(end+blockSize, blockSize)); err != nil {
		return err
	}
	if err := f.f.Sync(); err != nil {
		return noSpace(fmt.Errorf("sync %s: %w", f.path(), err))
	}
	f.sealed = true
	return f.l.prep.await() // so that the next group need not
}

// await waits until the next segment is there, without taking it.
func (p *preparer) await() error {
	if p.o.PrepareInline {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.mu.wanted {
		p.mu.err = nil
	}
	for {
		switch {
		case p.mu.closed:
			return ErrClosed
		case p.mu.ready:
			return nil
		case p.mu.err != nil:
			return p.mu.err
		}
		if !p.mu.wanted {
			p.mu.wanted = true
			p.cond.Broadcast()
		}
		p.mu.waiters++
		p.cond.Wait()
		p.mu.waiters--
	}
}

// Fits reports whether the reserved part can hold front bytes before the events if the
// transaction is committed now.
func (f *LargeFile) Fits(front int) bool {
	head, err := f.l.o.buildHeader(f.l.StateClone(), 0, f.l.dir.segmentName(1<<40))
	return err == nil && f.room(len(head), front) >= 0
}

// room is the padding that is left, and negative if the parts do not fit.
func (f *LargeFile) room(head, front int) int {
	return int(f.reserve) - head - MinPadding - markSize - front
}

// Refit copies the file into one with a larger reserved part, which takes its place.
func (f *LargeFile) Refit(front int) error {
	to, err := f.l.newLargeFile(front + int(f.reserve))
	if err != nil {
		return err
	}
	s := &scanner{f: f.f, off: f.reserve, limit: f.reserve + f.size, chunk: 1 << 20}
	for s.off < s.limit {
		ev, _, err := s.next()
		if err == nil {
			err = to.Append(ev)
		}
		if err != nil {
			to.Discard()
			return fmt.Errorf("copy %s: %w", f.path(), err)
		}
	}
	old := *f
	old.Discard()
	*f = *to
	return nil
}

// LargeGroup is what AppendLarge writes.
type LargeGroup struct {
	File *LargeFile // sealed
	// FrontMax bounds the bytes that Front returns.
	FrontMax int
	// Front is called once, when nothing but a failing disk can keep the group from getting its place,
	// and returns what precedes the file's events: a GTID event, and more events; no
	// positions and checksums. Without events (the file holds private records only) there is no GTID.
	Front func() (events []byte, id gtid.GTID)
}

// AppendLarge makes the file the next segment, and the transaction durable. An
// error of ErrReserve or ErrNoSpace means that nothing has changed and Front was not called; any
// other one poisons the log.
//
// In this order:
//
//  1. the reserved part is written, and ROTATE to the old file; both files are synced
//  2. the file gets its name; directory synced
//
// Then closer does the rest, as after a rotation.
func (l *Log) AppendLarge(g LargeGroup) (start, end logpos.Pos, err error) {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	if err := l.usable(); err != nil {
		return logpos.Pos{}, logpos.Pos{}, err
	}
	rotate, err := l.rotateEvent()
	if err != nil {
		return logpos.Pos{}, logpos.Pos{}, err
	}
	f := g.File
	old, state := l.live.seg, l.StateClone()
	recoverFrom := l.dir.segmentName(l.recoveryStartFor(old.n + 1))
	head, err := l.o.buildHeader(state, 0, recoverFrom)
	if err != nil {
		return logpos.Pos{}, logpos.Pos{}, err
	}
	if f.room(len(head), g.FrontMax) < 0 {
		return logpos.Pos{}, logpos.Pos{}, fmt.Errorf("%w: %s", ErrReserve, f.path())
	}
	next := &segment{n: old.n + 1, name: l.dir.segmentName(old.n + 1), first: state, headerEnd: uint64(len(head)),
		sampled: true, large: true}

	front, id := g.Front()
	l.announced, l.checkpoint = recoverFrom, ""
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	first, err := f.fill(head, front, l.meta())
	if err == nil {
		err = l.leave(rotate, f.syncFront)
	}
	if err == nil {
		err = l.dir.commit(f.name, next.name)
	}
	if err != nil {
		return logpos.Pos{}, logpos.Pos{}, l.fail(err)
	}
	start, end = logpos.At(next.n, first), logpos.At(next.n, f.reserve+f.size)
	before := l.leaving(rotate, false)
	l.installLarge(next, f)
	l.mu.Lock()
	l.follow(before, next, len(rotate))
	if len(front) > 0 {
		l.mu.state.Update(id)
	}
	l.mu.written, l.mu.synced = end, end
	l.passBoundariesLocked()
	l.wakeLocked()
	l.mu.Unlock()
	return start, end, l.closer.add(before)
}

// fill writes the reserved part, and returns where front starts.
func (f *LargeFile) fill(head, front []byte, m event.Meta) (first uint64, err error) {
	first = f.reserve - uint64(len(front))
	buf := make([]byte, 0, f.reserve)
	buf = append(buf, head...)
	buf = AppendPadding(buf, m, int(f.reserve)-len(head)-markSize-len(front))
	buf = appendMark(buf, m, f.reserve+f.size, len(front)+int(f.size))
	buf = append(buf, front...)
	if err := event.Finalize(buf[len(head):], uint64(len(head))); err != nil {
		return 0, err
	}
	if _, err := f.f.WriteAt(buf, 0); err != nil {
		return 0, fmt.Errorf("write %s: %w", f.path(), err)
	}
	return first, nil
}

// syncFront makes the reserved part durable; the events are.
func (f *LargeFile) syncFront() error {
	if err := f.f.SyncData(); err != nil {
		return fmt.Errorf("sync %s: %w", f.path(), err)
	}
	return nil
}
