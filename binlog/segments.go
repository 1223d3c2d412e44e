package binlog

import (
	"fmt"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// The list of segments: what it tells, and how a segment is kept from being purged.

// SegmentInfo describes one file of the log.
type SegmentInfo struct {
	Name    string
	Segment uint64
	// Size in bytes; of the live segment up to Visible, without the zeros after it.
	Size int64
	// FirstState is the binlog state at its start. It must not be changed.
	FirstState *gtid.State
	Live       bool
}

// SetRecoveryStart says that no engine needs anything before p any more. The write after the
// next Reserve announces it in a BINLOG_CHECKPOINT event, and older segments may be purged.
func (st *status) SetRecoveryStart(p logpos.Pos) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.mu.recoveryStart = logpos.Max(st.mu.recoveryStart, p)
}

// RecoveryStart is where the engines' recovery would begin.
func (st *status) RecoveryStart() logpos.Pos {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.mu.recoveryStart
}

// recoveryStartFor is the segment that recovery would begin with, as the header of segment n says it.
func (st *status) recoveryStartFor(n uint64) uint64 {
	st.mu.Lock()
	recoverFrom := st.mu.recoveryStart.Segment
	st.mu.Unlock()
	if recoverFrom == 0 { // not known yet
		recoverFrom = n
		if numbers := st.segmentNumbers(); len(numbers) > 0 {
			recoverFrom = numbers[0]
		}
	}
	return recoverFrom
}

// segmentNumbers lists all segments.
func (st *status) segmentNumbers() []uint64 { return st.numbersUpTo(1<<64 - 1) }

// listedNumbers lists the segments of the index. indexMu is held.
func (st *status) listedNumbers() []uint64 {
	st.mu.Lock()
	listed := st.mu.listed
	st.mu.Unlock()
	return st.numbersUpTo(listed)
}

// numbersUpTo lists the segments up to number last.
func (st *status) numbersUpTo(last uint64) []uint64 {
	st.mu.Lock()
	defer st.mu.Unlock()
	list := make([]uint64, 0, len(st.mu.segments)+1)
	for _, s := range st.mu.segments {
		if s.n <= last {
			list = append(list, s.n)
		}
	}
	return list
}

// Start is where the oldest segment has its first group.
func (st *status) Start() logpos.Pos {
	st.mu.Lock()
	defer st.mu.Unlock()
	return logpos.At(st.mu.segments[0].n, st.mu.segments[0].headerEnd)
}

// Segments lists the files of the log, oldest first (SHOW BINARY LOGS).
func (st *status) Segments() []SegmentInfo {
	st.mu.Lock()
	defer st.mu.Unlock()
	list := make([]SegmentInfo, len(st.mu.segments))
	for i, s := range st.mu.segments {
		list[i] = SegmentInfo{Name: s.name, Segment: s.n, Size: int64(s.size), FirstState: s.first, Live: !s.closed}
		if !s.closed {
			list[i].Size = int64(s.headerEnd)
			if st.mu.visible.Segment == s.n {
				list[i].Size = int64(st.mu.visible.Offset)
			}
		}
	}
	return list
}

// SegmentName is the file name of segment n.
func (st *status) SegmentName(n uint64) string { return st.dir.segmentName(n) }

// SegmentByName finds a segment by its file name, with or without directory.
func (st *status) SegmentByName(name string) (uint64, bool) {
	n, ok := st.dir.parseSegmentName(name)
	if !ok {
		return 0, false
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	return n, st.segmentLocked(n) != nil
}

// Basename is log_bin_basename without the directory; IndexName the index file's name.
func (st *status) Basename() string { return st.dir.basename }

// IndexName is log_bin_index without the directory.
func (st *status) IndexName() string { return st.dir.indexName() }

// hold keeps segment n and all later ones.
func (st *status) hold(n uint64) (*segment, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.holdLocked(n)
}

// holdOf is hold for a reader that was made after that many resets.
func (st *status) holdOf(resets, n uint64) (*segment, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.mu.resets != resets {
		return nil, ErrReset
	}
	return st.holdLocked(n)
}

func (st *status) holdLocked(n uint64) (*segment, error) {
	seg := st.segmentLocked(n)
	if seg == nil {
		if len(st.mu.segments) > 0 && n < st.mu.segments[0].n {
			return nil, fmt.Errorf("%w: %s; the oldest is %s", ErrPurged, st.dir.segmentName(n), st.mu.segments[0].name)
		}
		return nil, fmt.Errorf("%w: there is no file %s", ErrPosition, st.dir.segmentName(n))
	}
	seg.holds++
	return seg, nil
}

func (st *status) release(seg *segment) {
	st.mu.Lock()
	defer st.mu.Unlock()
	seg.holds--
}

// Hold keeps segment n and all later ones from being purged until release is
// called (once).
func (st *status) Hold(n uint64) (release func(), err error) {
	seg, err := st.hold(n)
	if err != nil {
		return nil, err
	}
	return func() { st.release(seg) }, nil
}
