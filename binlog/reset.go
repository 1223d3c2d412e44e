package binlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// RESET MASTER replaces the log by an empty one whose files may have the names of the old
// ones, although engines recover from the log. A file, <basename>.reset, makes that
// one step:
//
//  1. the engines hold everything, durably, up to the log's end: they need nothing of it (the caller)
//  2. the first file of the new log is made, under its temporary name, and the new index
//  3. <basename>.reset is written, synced, and gets its name; directory synced
//     — until here an error, or a crash, leaves the old log —
//  4. the old segments and their GTID indexes are removed
//  5. the new segment and the new index get their names; directory synced
//  6. the engines' marks move to the new log's start, durably (the caller)
//  7. <basename>.reset is removed; directory synced
//
// Nothing is written to the new log before that. Hence, as long as <basename>.reset is
// there, all segments are worthless, old and new ones alike, and recovery
// goes on from step 4.
//
//	0   "DurRst1\n"
//	8   CRC32C of everything after it, little endian, 4 bytes
//	12  number of the first segment; segment and offset of the old log's end; length of the GTID
//	    state at the new log's start as text    uvarints
//	    that text

// Reset is a RESET MASTER that was begun and not finished.
type Reset struct {
	First  uint64      // number of the new log's first segment
	State  *gtid.State // at the new log's start
	OldEnd logpos.Pos  // what the engines hold is complete up to here, or up to the new log's start
}

// ResetNumberMax is the highest number that the first file of a log may get, as in MariaDB.
const ResetNumberMax = 1<<31 - 1

const (
	resetMagic  = "DurRst1\n"
	resetPrefix = len(resetMagic) + 4
	// resetSizeMax bounds what is read: a million servers' GTIDs stay below.
	resetSizeMax = 64 << 20
)

func (r *Reset) encode() []byte {
	b := append([]byte(resetMagic), 0, 0, 0, 0)
	b = binary.AppendUvarint(b, r.First)
	b = logpos.Append(b, r.OldEnd)
	text := r.State.String()
	b = binary.AppendUvarint(b, uint64(len(text)))
	b = append(b, text...)
	binary.LittleEndian.PutUint32(b[len(resetMagic):], crc32.Checksum(b[resetPrefix:], castagnoli))
	return b
}

var errResetBroken = errors.New("it is not what RESET MASTER writes")

func decodeReset(b []byte) (*Reset, error) {
	if len(b) < resetPrefix || string(b[:len(resetMagic)]) != resetMagic ||
		crc32.Checksum(b[resetPrefix:], castagnoli) != binary.LittleEndian.Uint32(b[len(resetMagic):]) {
		return nil, errResetBroken
	}
	u := uvarints{b: b[resetPrefix:]}
	r := &Reset{First: u.next(), OldEnd: logpos.At(u.next(), u.next())}
	text := u.bytes(u.next())
	if u.short || len(u.b) > 0 || r.First == 0 || r.First > ResetNumberMax {
		return nil, errResetBroken
	}
	state, err := gtid.ParseState(string(text))
	if err != nil {
		return nil, errResetBroken
	}
	r.State = state
	return r, nil
}

// readReset returns nil and no error if there is no unfinished reset.
func (d dir) readReset() (*Reset, error) {
	path := d.path(d.resetName())
	f, err := d.fs.Open(path)
	if oserror.IsNotExist(err) {
		return nil, nil // no reset is not an error
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	b, err := io.ReadAll(io.LimitReader(f, resetSizeMax))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	r, err := decodeReset(b)
	if err != nil {
		return nil, &CorruptError{File: path, Reason: err}
	}
	return r, nil
}

// planReset makes the plan of a directory in which a reset was begun.
func (p *Plan) planReset(r *Reset) error {
	if !p.spec.Until.IsZero() {
		return fmt.Errorf("%w: a RESET MASTER was interrupted: start once without a place to recover until", ErrPosition)
	}
	names, err := p.dir.fs.List(p.dir.root)
	if err != nil {
		return fmt.Errorf("list %s: %w", p.dir.root, err)
	}
	for _, name := range names {
		_, segment := p.dir.parseSegmentName(name)
		_, index := p.dir.parseGTIDIndexName(name)
		if segment || index || name == p.dir.indexName() || p.dir.unfinished(name) {
			p.remove = append(p.remove, name)
		}
	}
	p.Reset, p.State = r, r.State.Clone()
	return nil
}

// Reset replaces the log by an empty one that starts with segment first and with
// state (RESET MASTER TO first). The caller has made sure that nobody writes, that
// everything written is visible, and that no engine needs anything of the log
// any more, also after a crash. moved is called with the new log's start: it moves the engines'
// marks there, durably.
//
// Readers of the old log get ErrReset. An ErrNoSpace, or another error that is not ErrSyncFailed, leaves the
// old log as it was.
func (l *Log) Reset(first uint64, state *gtid.State, moved func(start logpos.Pos) error) error {
	if first == 0 || first > ResetNumberMax {
		return fmt.Errorf("%w: a log cannot begin with file number %d", ErrPosition, first)
	}
	l.purgeMu.Lock()
	defer l.purgeMu.Unlock()
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	if err := l.drain(); err != nil {
		return err
	}
	if err := l.closer.finish(); err != nil {
		return err
	}
	if err := l.Sync(); err != nil {
		return err
	}
	end := l.End()
	if l.Visible() != end {
		return fmt.Errorf("binlog: reset: the log ends at %v, but is visible up to %v only", end, l.Visible())
	}
	l.indexMu.Lock()
	defer l.indexMu.Unlock()
	next, file, err := l.stageSegmentFrom(first, state.Clone(), 0, first)
	if err != nil {
		return err
	}
	err = l.dir.stageIndex([]uint64{first})
	if err == nil {
		err = l.dir.stageReset(&Reset{First: first, State: state, OldEnd: end})
	}
	if err != nil {
		return l.unstage(file, err)
	}
	if err := l.commitReset(next, file); err != nil {
		return l.fail(fmt.Errorf("reset: %w", err))
	}
	if err := moved(logpos.At(next.n, next.headerEnd)); err != nil {
		return l.fail(fmt.Errorf("reset: %w", err))
	}
	return l.FinishReset()
}

// stageReset writes the file that begins the reset, under its temporary name.
func (d dir) stageReset(r *Reset) error {
	return noSpace(d.stageBytes(d.resetName()+tmpSuffix, r.encode()))
}

// commitReset does the steps from the reset's beginning to the new log. It takes syncMu.
func (l *Log) commitReset(next *segment, file vfs.File) error {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	if err := l.dir.commit(l.dir.resetName()+tmpSuffix, l.dir.resetName()); err != nil {
		return err
	}
	if err := l.closeExtra(); err != nil {
		return fmt.Errorf("close %s: %w", l.live.seg.name, err)
	}
	if err := l.live.file.f.Close(); err != nil {
		return fmt.Errorf("close %s: %w", l.live.seg.name, err)
	}
	l.live.file = nil
	for _, n := range l.segmentNumbers() {
		if err := l.dir.fs.Remove(l.dir.path(l.dir.segmentName(n))); err != nil {
			return fmt.Errorf("remove %s: %w", l.dir.path(l.dir.segmentName(n)), err)
		}
		if err := l.dir.removeGTIDIndex(n); err != nil {
			return err
		}
	}
	if err := l.publish(next, file); err != nil {
		return err
	}
	l.install(next, file)
	start := logpos.At(next.n, next.headerEnd)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.segments = []*segment{next}
	l.mu.state = next.first.Clone()
	l.mu.written, l.mu.synced, l.mu.visible, l.mu.offered, l.mu.recoveryStart = start, start, start, start, start
	l.mu.boundaries = nil
	l.mu.resets++
	l.wakeLocked()
	return nil
}

// FinishReset ends a reset: the engines' marks are those of the new log. Who opens a log by
// a Plan with a Reset calls it before anything is written.
func (l *Log) FinishReset() error {
	path := l.dir.path(l.dir.resetName())
	if err := l.dir.fs.Remove(path); err != nil && !oserror.IsNotExist(err) {
		return l.fail(fmt.Errorf("remove %s: %w", path, err))
	}
	if err := l.dir.sync(); err != nil {
		return l.fail(err)
	}
	return nil
}
