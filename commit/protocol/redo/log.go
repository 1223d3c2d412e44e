package redo

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"
)

var (
	// ErrNoSpace: the disk is full. The record was not written, and the log is as it was.
	ErrNoSpace = errors.New("redo: the disk is full")
	// ErrFailed is wrapped by every error after a write or sync that failed: nobody knows what is in the file.
	ErrFailed = errors.New("redo: log failed")
)

// defaultSegmentBytes is the size of a segment unless told otherwise.
const defaultSegmentBytes = 16 << 20

// Options say where a log lies. FS and Dir are required; the directory exists.
type Options struct {
	FS  vfs.FS
	Dir string
	// SegmentBytes is the size of a segment; 0 means 16 MiB. One gets larger only if a record needs it.
	SegmentBytes int64
	// NoPreallocate lets segments grow by appending.
	NoPreallocate bool
	Logger        *slog.Logger // nil means slog.Default()
}

// Place is where a record ends in the sequence of all records since Open, in bytes.
type Place uint64

// Stats are counters since Open.
type Stats struct {
	Syncs uint64 // of records, those of rotations included
	Bytes uint64 // of records, with their frames
}

// Log is a log that is open for appending. It is safe for concurrent use.
type Log struct {
	o Options

	// syncMu is held during a sync, and while the segment is replaced. syncMu -> mu.
	syncMu sync.Mutex
	synced atomic.Uint64

	mu struct {
		sync.Mutex
		file    vfs.File
		segment uint64
		oldest  uint64 // segment that is kept
		offset  uint64 // in the segment: where the next record goes
		size    uint64 // of the segment's file
		end     Place
		scratch []byte
		failed  error
		// spare is the size of redo.next, which is durable; 0: there is none.
		spare uint64
		// reserved bytes, frames included, can be appended in any case: in the segment, or in the spare one.
		reserved uint64
	}

	syncs, bytes atomic.Uint64
}

// Open goes on with the log in a directory, in a segment of its own. What Read finds is not touched.
func Open(o Options) (*Log, error) {
	if o.SegmentBytes <= 0 {
		o.SegmentBytes = defaultSegmentBytes
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	numbers, err := list(o.FS, o.Dir)
	if err != nil {
		return nil, err
	}
	names, err := o.FS.List(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("redo: list %s: %w", o.Dir, err)
	}
	l := &Log{o: o}
	for _, name := range names {
		// A spare file may be half filled, or hold a header already.
		if name == nextName || strings.HasPrefix(name, prefix) && strings.HasSuffix(name, tmpSuffix) {
			if err := o.FS.Remove(l.path(name)); err != nil {
				return nil, fmt.Errorf("redo: %w", err)
			}
		}
	}
	n := uint64(1)
	l.mu.oldest = n
	if len(numbers) > 0 {
		n = numbers[len(numbers)-1] + 1
		l.mu.oldest = numbers[0]
	}
	if err := l.begin(n, true); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *Log) path(name string) string { return l.o.FS.PathJoin(l.o.Dir, name) }

// begin makes segment n the one that is written to. mu is held, or nobody knows the log.
func (l *Log) begin(n uint64, opened bool) error {
	path := l.path(nextName)
	if err := l.fillFor(0); err != nil {
		return err
	}
	size := l.mu.spare
	l.mu.spare = 0
	f, err := l.o.FS.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return noSpace(fmt.Errorf("redo: %w", err))
	}
	_, err = f.WriteAt(appendHeader(nil, n, opened), 0)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = l.o.FS.Rename(path, l.path(segmentName(n)))
	}
	if err == nil {
		err = l.syncDir()
	}
	if err != nil {
		return noSpace(errors.Join(fmt.Errorf("redo: begin %s: %w", l.path(segmentName(n)), err), f.Close()))
	}
	l.mu.file, l.mu.segment, l.mu.offset, l.mu.size = f, n, headerSize, size
	return nil
}

// fillFor makes redo.next, unless there is one, with room for a number of bytes. mu is held, and syncMu, or nobody knows the log.
func (l *Log) fillFor(room uint64) error {
	if l.mu.spare >= headerSize+room && l.mu.spare > 0 {
		return nil
	}
	size := max(uint64(l.o.SegmentBytes), headerSize+room)
	if err := l.fill(size); err != nil {
		return noSpace(fmt.Errorf("redo: prepare %s: %w", l.path(nextName), err))
	}
	l.mu.spare = size
	return nil
}

var zeros = make([]byte, 256<<10)

// fill makes redo.next, full of zeros and durable.
func (l *Log) fill(size uint64) error {
	f, err := l.o.FS.Create(l.path(nextName+tmpSuffix), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if !l.o.NoPreallocate {
		for at := uint64(0); at < size && err == nil; {
			n := min(uint64(len(zeros)), size-at)
			_, err = f.WriteAt(zeros[:n], int64(at))
			at += n
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = l.o.FS.Rename(l.path(nextName+tmpSuffix), l.path(nextName))
	}
	if err != nil {
		// A full disk needs the space; Open removes what this cannot.
		_ = l.o.FS.Remove(l.path(nextName + tmpSuffix))
	}
	return err // the directory is synced when the file gets its number
}

func (l *Log) syncDir() error {
	d, err := l.o.FS.OpenDir(l.o.Dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// noSpace marks errors of a full disk.
func noSpace(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}

// Append writes a record, which is durable after Sync(at). With ErrNoSpace nothing has changed; any other error is for good. What is
// reserved stays free.
func (l *Log) Append(payload []byte) (at Place, segment uint64, err error) {
	return l.appendRecord(payload, false)
}

// AppendReserved is Append for what Reserve has made room for.
func (l *Log) AppendReserved(payload []byte) (at Place, segment uint64, err error) {
	return l.appendRecord(payload, true)
}

// FrameSize is what a record takes besides its payload.
const FrameSize = frameSize

// Reserve makes sure that records of at least so many bytes, frames included, can be appended by AppendReserved. ErrNoSpace leaves
// everything as it was. (Without preallocation the room is none that a disk would keep.)
func (l *Log) Reserve(n int) error {
	l.mu.Lock()
	more := uint64(n) > l.mu.reserved
	failed := l.mu.failed
	l.mu.Unlock()
	if !more || failed != nil {
		return failed
	}
	return l.makeRoom(func() uint64 { return uint64(n) }, func() { l.mu.reserved = max(l.mu.reserved, uint64(n)) })
}

// MakeRoom prepares for records of so many bytes besides what is reserved. Others may take the room.
func (l *Log) MakeRoom(n int) error {
	return l.makeRoom(func() uint64 { return uint64(n) + l.mu.reserved }, func() {})
}

// makeRoom makes room for as much as need says, and then calls done; mu is held in both.
func (l *Log) makeRoom(need func() uint64, done func()) error {
	l.mu.Lock()
	there := l.roomLocked(need())
	if there {
		done()
	}
	l.mu.Unlock()
	if there {
		return nil
	}
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.failed != nil {
		return l.mu.failed
	}
	if bytes := need(); !l.roomLocked(bytes) {
		if err := l.fillFor(bytes + frameSize); err != nil {
			return err
		}
	}
	done()
	return nil
}

// roomLocked says whether records of so many bytes fit here, or in the spare segment.
func (l *Log) roomLocked(n uint64) bool {
	return l.fitsLocked(n) || l.roomInSpareLocked(n)
}

func (l *Log) roomInSpareLocked(n uint64) bool { return l.mu.spare >= headerSize+n+frameSize }

func (l *Log) appendRecord(payload []byte, reserved bool) (at Place, segment uint64, err error) {
	if len(payload) == 0 || len(payload) > payloadMax {
		return 0, 0, fmt.Errorf("redo: a record of %d bytes", len(payload))
	}
	for {
		at, segment, fits, err := l.append(payload, reserved)
		if err != nil || fits {
			return at, segment, err
		}
		if err := l.rotate(len(payload), reserved); err != nil {
			return 0, 0, err
		}
	}
}

func (l *Log) append(payload []byte, reserved bool) (at Place, segment uint64, fits bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.failed != nil {
		return 0, 0, false, l.mu.failed
	}
	size := uint64(frameSize + len(payload))
	if !l.mayAppendLocked(size, reserved) {
		return 0, 0, false, nil
	}
	buf := appendRecord(l.mu.scratch[:0], l.mu.segment, l.mu.offset, payload, false)
	if _, err := l.mu.file.WriteAt(buf, int64(l.mu.offset)); err != nil {
		return 0, 0, false, l.failLocked(fmt.Errorf("write %s at %d: %w", l.path(segmentName(l.mu.segment)), l.mu.offset, err))
	}
	if l.mu.scratch = buf; cap(buf) > scratchKept {
		l.mu.scratch = nil
	}
	if reserved {
		l.mu.reserved -= min(l.mu.reserved, size)
	}
	l.mu.offset += size
	l.mu.end += Place(size)
	l.bytes.Add(size)
	return l.mu.end, l.mu.segment, true, nil
}

// mayAppendLocked says whether a record fits, and what is reserved afterwards, too: here or in the spare segment.
func (l *Log) mayAppendLocked(size uint64, reserved bool) bool {
	return l.fitsLocked(size) && (reserved || l.mu.reserved == 0 || l.fitsLocked(size+l.mu.reserved) || l.roomInSpareLocked(l.mu.reserved))
}

// scratchKept is the largest buffer that is kept for the next record.
const scratchKept = 1 << 20

// fitsLocked says whether a record fits before the one that ends the segment.
func (l *Log) fitsLocked(size uint64) bool { return l.mu.offset+size+frameSize <= l.mu.size }

func (l *Log) failLocked(err error) error {
	if l.mu.failed == nil {
		l.mu.failed = fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return l.mu.failed
}

// rotate goes on to the next segment, unless somebody else has done that and a payload may be appended now. Everything in the old
// one is durable before the new one has its name.
func (l *Log) rotate(payload int, reserved bool) error {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.failed != nil {
		return l.mu.failed
	}
	size := uint64(frameSize + payload)
	if l.mayAppendLocked(size, reserved) {
		return nil
	}
	if l.fitsLocked(size) { // it is what is reserved that lacks room
		return l.fillFor(l.mu.reserved + frameSize)
	}
	old, path := l.mu.file, l.path(segmentName(l.mu.segment))
	// Room first: until there is some, the old segment can go on. The next one takes what is reserved as well.
	room := size + l.mu.reserved
	if reserved {
		room = max(size, l.mu.reserved)
	}
	if err := l.fillFor(room + frameSize); err != nil {
		return err
	}
	if _, err := old.WriteAt(appendRecord(nil, l.mu.segment, l.mu.offset, nil, true), int64(l.mu.offset)); err != nil {
		return l.failLocked(fmt.Errorf("write %s: %w", path, err))
	}
	if err := old.SyncData(); err != nil {
		return l.failLocked(fmt.Errorf("sync %s: %w", path, err))
	}
	l.syncs.Add(1)
	l.synced.Store(uint64(l.mu.end))
	if err := l.begin(l.mu.segment+1, false); err != nil {
		return l.failLocked(err)
	}
	if err := old.Close(); err != nil {
		return l.failLocked(fmt.Errorf("close %s: %w", path, err))
	}
	return nil
}

// Sync returns when everything up to a place is durable. After an error nothing is, ever again.
func (l *Log) Sync(to Place) error {
	if l.synced.Load() >= uint64(to) {
		return nil
	}
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	if l.synced.Load() >= uint64(to) {
		return nil // by one who waited as well
	}
	l.mu.Lock()
	f, segment, end, failed := l.mu.file, l.mu.segment, l.mu.end, l.mu.failed
	l.mu.Unlock()
	if failed != nil {
		return failed
	}
	l.syncs.Add(1)
	if err := f.SyncData(); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.failLocked(fmt.Errorf("sync %s: %w", l.path(segmentName(segment)), err))
	}
	l.synced.Store(uint64(end))
	return nil
}

// SyncAll is Sync of everything that was appended before.
func (l *Log) SyncAll() error { return l.Sync(l.End()) }

// End is the place after the last record.
func (l *Log) End() Place {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.end
}

// Segment is the number of the segment that is written to.
func (l *Log) Segment() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.segment
}

// TrimTo removes the segments before one, as far as there are any, the oldest first.
func (l *Log) TrimTo(segment uint64) error {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.failed != nil {
		return l.mu.failed
	}
	segment = min(segment, l.mu.segment)
	for l.mu.oldest < segment {
		if err := l.drop(l.path(segmentName(l.mu.oldest))); err != nil && !oserror.IsNotExist(err) {
			return fmt.Errorf("redo: trim: %w", err)
		}
		// One after the other: a crash must never leave a gap between segments, nor a name on what is used again.
		if err := l.syncDir(); err != nil {
			return l.failLocked(fmt.Errorf("sync %s: %w", l.o.Dir, err))
		}
		l.mu.oldest++
	}
	return nil
}

// drop takes the name of a segment, which becomes the next one if there is none yet.
func (l *Log) drop(path string) error {
	fi, err := l.o.FS.Stat(path)
	if err != nil {
		return err
	}
	if l.mu.spare > 0 || l.o.NoPreallocate || fi.Size() != l.o.SegmentBytes {
		return l.o.FS.Remove(path)
	}
	if err := l.o.FS.Rename(path, l.path(nextName)); err != nil {
		return err
	}
	l.mu.spare = uint64(l.o.SegmentBytes)
	return nil
}

// Stats are the counters.
func (l *Log) Stats() Stats { return Stats{Syncs: l.syncs.Load(), Bytes: l.bytes.Load()} }

// Close makes everything durable and closes the file.
func (l *Log) Close() error {
	err := l.SyncAll()
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.file == nil {
		return err
	}
	err = errors.Join(err, l.mu.file.Close())
	l.mu.file = nil
	_ = l.failLocked(errors.New("closed"))
	return err
}
