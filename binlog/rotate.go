package binlog

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// Rotate ends the live segment and starts the next one (FLUSH BINARY LOGS). The old file may have to be closed yet: see
// AwaitClosed.
func (l *Log) Rotate() error {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	return l.rotate()
}

// AwaitClosed returns when all segments but the live one are closed files that the index lists. ErrNoSpace: the disk is too full
// for that now; it is tried again.
func (l *Log) AwaitClosed() error {
	if err := l.usable(); err != nil {
		return err
	}
	return l.closer.finish()
}

// rotate needs writeMu. Others wait for one sync of two files at a time. In this order, so that a crash in between leaves
// a log that recovery continues without loss:
//
//  1. the next file is there, zero-filled; its header is written
//     — until here an error leaves everything as it was —
//  2. ROTATE is written to the old file, and both files are synced
//  3. the next file gets its name
//
// Then groups are written to the new file, and closer does the rest.
func (l *Log) rotate() error {
	rotate, err := l.rotateEvent()
	if err != nil {
		return err
	}
	next, file, err := l.stageSegment(l.live.seg.n+1, l.StateClone(), 0)
	if err != nil {
		return err
	}
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	if err := l.leave(rotate, func() error { return l.syncHeader(file) }); err != nil {
		return l.fail(errors.Join(err, file.Close()))
	}
	if err := l.dir.rename(l.dir.nextName(), next.name); err != nil {
		return l.fail(errors.Join(err, file.Close()))
	}
	before := l.leaving(rotate, true)
	l.install(next, file)
	to := logpos.At(next.n, next.headerEnd)
	l.mu.Lock()
	l.follow(before, next, len(rotate))
	l.mu.written, l.mu.synced = to, to
	l.passBoundariesLocked()
	l.wakeLocked()
	l.mu.Unlock()
	return l.closer.add(before)
}

// rotateEvent is the event that ends the live segment, for which there is room. Nothing is in flight then, and the segments before are
// closed, unless somebody is about to. An error leaves everything as it was.
func (l *Log) rotateEvent() ([]byte, error) {
	if err := l.drain(); err != nil {
		return nil, err
	}
	if l.o.closeByHand {
		if err := l.closer.nameAll(l.closer.queued()); err != nil {
			return nil, l.fail(err)
		}
	}
	seg := l.live.seg
	if l.closer.pending() != nil {
		if err := l.closer.finish(); err != nil {
			return nil, fmt.Errorf("%w (kept %s)", err, seg.name)
		}
	}
	rotate, err := l.closingEvent(event.AppendRotate(nil, l.meta(), uint64(len(event.Magic)), l.dir.segmentName(seg.n+1)))
	if err != nil {
		return nil, err
	}
	return rotate, l.allocate(l.live.end + uint64(len(rotate)))
}

// leave writes the last event of the live file, and makes it durable, at the same time as the next file by syncNext; one
// after the other where runs must repeat.
func (l *Log) leave(last []byte, syncNext func() error) error {
	path := l.dir.path(l.live.seg.name)
	f := l.live.file.f
	done := make(chan error, 1)
	if l.o.PrepareInline {
		done <- syncNext()
	}
	if _, err := f.WriteAt(last, int64(l.live.end)); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if !l.o.PrepareInline {
		go func() { done <- syncNext() }()
	}
	err := f.SyncData()
	if err != nil {
		err = fmt.Errorf("sync %s: %w", path, err)
	}
	return errors.Join(<-done, err)
}

// leaving takes the live file from the writer, for closer. The caller puts another one there.
func (l *Log) leaving(last []byte, renamed bool) *left {
	before := &left{seg: l.live.seg, file: l.live.file.f, size: l.live.end + uint64(len(last)), extra: l.takeExtra(), renamed: renamed}
	l.live.file = nil
	return before
}

// follow puts next into the list of segments, after the one that was left, whose last event has that many bytes. mu is held.
func (l *Log) follow(before *left, next *segment, last int) {
	old := before.seg
	old.size, old.closed = before.size, true
	old.holds++ // until closer has done with it
	l.mu.segments = append(l.mu.segments, next)
	l.mu.boundaries = append(l.mu.boundaries, boundary{logpos.At(old.n, old.size-uint64(last)), logpos.At(next.n, next.headerEnd)})
}

// stageSegment takes the prepared file and writes segment n's header into it, not durably. The file
// keeps its temporary name.
func (l *Log) stageSegment(n uint64, state *gtid.State, created uint32) (*segment, vfs.File, error) {
	return l.stageSegmentFrom(n, state, created, l.recoveryStartFor(n))
}

// stageSegmentFrom is stageSegment for a recovery that would begin with segment recoverFrom.
func (l *Log) stageSegmentFrom(n uint64, state *gtid.State, created uint32, recoverFrom uint64) (*segment, vfs.File, error) {
	l.announced, l.checkpoint = l.dir.segmentName(recoverFrom), ""
	head, err := l.o.buildHeader(state, created, l.dir.segmentName(recoverFrom))
	if err != nil {
		return nil, nil, err
	}
	if err := l.prep.take(); err != nil {
		return nil, nil, err
	}
	path := l.dir.path(l.dir.nextName())
	f, err := l.dir.openWritable(l.dir.nextName())
	if err != nil {
		l.prep.settled() // the next one takes its place
		return nil, nil, err
	}
	_, err = f.WriteAt(head, 0)
	if err == nil && l.o.NoPreallocate {
		err = f.Sync() // there may be no room for it
	}
	if err != nil {
		return nil, nil, l.unstage(f, noSpace(fmt.Errorf("write %s: %w", path, err)))
	}
	return &segment{n: n, name: l.dir.segmentName(n), first: state, headerEnd: uint64(len(head)), sampled: true}, f, nil
}

// syncHeader makes the header of a staged segment durable.
func (l *Log) syncHeader(f vfs.File) error {
	if l.o.NoPreallocate {
		return nil // stageSegment has done it
	}
	if err := f.SyncData(); err != nil { // neither size nor extents have changed
		return fmt.Errorf("sync %s: %w", l.dir.path(l.dir.nextName()), err)
	}
	return nil
}

// unstage gives up a staged segment because of err.
func (l *Log) unstage(f vfs.File, err error) error {
	path := l.dir.path(l.dir.nextName())
	cerr := f.Close()
	if rerr := l.dir.fs.Remove(path); rerr != nil && !oserror.IsNotExist(rerr) {
		cerr = rerr
	}
	if cerr != nil {
		// It still holds a header and must not be taken for zeros.
		return l.fail(fmt.Errorf("remove %s: %w (after: %w)", path, cerr, err))
	}
	l.prep.settled()
	return err
}

// publish gives the staged segment and the staged index, which ends with it, their names.
func (l *Log) publish(next *segment, f vfs.File) error {
	if err := l.syncHeader(f); err != nil {
		return err
	}
	if err := l.dir.rename(l.dir.nextName(), next.name); err != nil {
		return err
	}
	if err := l.dir.sync(); err != nil {
		return err
	}
	l.prep.settled()
	if err := l.dir.commitIndex(); err != nil {
		return err
	}
	l.mu.Lock()
	l.mu.listed = next.n
	l.mu.Unlock()
	return nil
}

// Close writes STOP, cuts the live segment to its size and releases
// everything. Readers get ErrClosed. A second call does nothing.
func (l *Log) Close() error {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	l.mu.Lock()
	closed, failed := l.mu.closed, l.mu.failed
	l.mu.closed = true
	l.wakeLocked()
	l.mu.Unlock()
	if closed {
		return nil
	}
	l.prep.close()
	if failed == nil {
		failed = l.drain()
	}
	if err := l.closer.close(); failed == nil {
		failed = err
	}
	if failed != nil {
		_ = l.closeExtra() // what they hold is unknown already
		if l.live.file != nil {
			_ = l.live.file.f.Close()
		}
		return failed
	}
	var size uint64
	stop, err := l.closingEvent(event.AppendStop(nil, l.meta()))
	if err == nil {
		size, err = l.closeLive(stop)
	}
	if err != nil {
		return l.fail(fmt.Errorf("close: %w", err))
	}
	l.storeGTIDIndex(l.live.seg, size)
	return nil
}
