package binlog

import (
	"fmt"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// Rotate ends the live segment and starts the next one (FLUSH BINARY LOGS).
func (l *Log) Rotate() error {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	return l.rotate()
}

// rotate needs writeMu. In this order, so that a crash in between leaves a log
// that recovery continues without loss:
//
//  1. the next file is there, zero-filled; its header is written and synced
//  2. the new index is written and synced under a temporary name
//     — until here an error leaves everything as it was —
//  3. ROTATE is written to the old file and synced; then its in-use
//     flag is cleared, it is cut to size and synced
//  4. the next file gets its name; directory synced
//  5. the new index gets its name; directory synced
//
// Only then are groups written to the new file.
func (l *Log) rotate() error {
	if err := l.drain(); err != nil {
		return err
	}
	defer l.segmentClosed() // when the locks below are released
	old := l.live.seg
	rotate, err := l.closingEvent(event.AppendRotate(nil, l.meta(), uint64(len(event.Magic)), l.dir.segmentName(old.n+1)))
	if err != nil {
		return err
	}
	if err := l.allocate(l.live.end + uint64(len(rotate))); err != nil {
		return err
	}
	state := l.StateClone()
	next, file, err := l.stageSegment(old.n+1, state, 0)
	if err != nil {
		return err
	}
	l.indexMu.Lock()
	defer l.indexMu.Unlock()
	if err := l.dir.stageIndex(append(l.segmentNumbers(), next.n)); err != nil {
		err = fmt.Errorf("%w (kept %s)", err, old.name)
		return l.unstage(file, err)
	}
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	size, err := l.closeLive(rotate)
	if err == nil {
		err = l.publish(next)
	}
	if err != nil {
		return l.fail(err)
	}
	l.install(next, file)

	from, to := logpos.At(old.n, size-uint64(len(rotate))), logpos.At(next.n, next.headerEnd)
	l.mu.Lock()
	defer l.mu.Unlock()
	old.size, old.closed = size, true
	l.mu.segments = append(l.mu.segments, next)
	l.mu.written, l.mu.synced = to, to
	l.mu.boundaries = append(l.mu.boundaries, boundary{from, to})
	l.passBoundariesLocked()
	l.wakeLocked()
	return nil
}

// stageSegment takes the prepared file and writes segment n's header into it. The file
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
		err = f.Sync()
	} else if err == nil {
		err = f.SyncData() // neither size nor extents have changed
	}
	if err != nil {
		return nil, nil, l.unstage(f, noSpace(fmt.Errorf("write %s: %w", path, err)))
	}
	return &segment{n: n, name: l.dir.segmentName(n), first: state, headerEnd: uint64(len(head)), sampled: true}, f, nil
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

// publish gives the staged segment and the staged index their names.
func (l *Log) publish(next *segment) error { return l.publishAs(l.dir.nextName(), next) }

// publishAs is publish for a segment whose file has the given name.
func (l *Log) publishAs(name string, next *segment) error {
	if err := l.dir.rename(name, next.name); err != nil {
		return err
	}
	if name == l.dir.nextName() {
		l.prep.settled()
	}
	if err := l.dir.sync(); err != nil {
		return err
	}
	return l.dir.commitIndex()
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
