package binlog

import (
	"fmt"
	"time"

	"github.com/cockroachdb/errors/oserror"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// SegmentInfo describes one file of the log.
type SegmentInfo struct {
	Name    string
	Segment uint64
	// Size in bytes; of the live segment up to Visible, without the zeros behind it.
	Size int64
	// FirstState is the binlog state at its start. It must not be changed.
	FirstState *gtid.State
	Live       bool
}

// Segments lists the files of the log, oldest first (SHOW BINARY LOGS).
func (l *Log) Segments() []SegmentInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]SegmentInfo, len(l.mu.segments))
	for i, s := range l.mu.segments {
		list[i] = SegmentInfo{Name: s.name, Segment: s.n, Size: int64(s.size), FirstState: s.first, Live: !s.closed}
		if !s.closed {
			list[i].Size = int64(s.headerEnd)
			if l.mu.visible.Segment == s.n {
				list[i].Size = int64(l.mu.visible.Offset)
			}
		}
	}
	return list
}

// SegmentName is the file name of segment n.
func (l *Log) SegmentName(n uint64) string { return l.dir.segmentName(n) }

// SegmentByName finds a segment by its file name, with or without directory.
func (l *Log) SegmentByName(name string) (uint64, bool) {
	n, ok := l.dir.parseSegmentName(name)
	if !ok {
		return 0, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return n, l.segmentLocked(n) != nil
}

// Basename is log_bin_basename without the directory; IndexName the index file's name.
func (l *Log) Basename() string { return l.dir.basename }

// IndexName is log_bin_index without the directory.
func (l *Log) IndexName() string { return l.dir.indexName() }

// PurgeTo removes the segments before segment n (PURGE BINARY LOGS TO). It
// stops, without an error, at the first one that a reader, a Hold or recovery still needs,
// as MariaDB does, and returns the names of those removed.
func (l *Log) PurgeTo(n uint64) ([]string, error) {
	l.purgeMu.Lock()
	defer l.purgeMu.Unlock()
	gone, err := l.unlist(n)
	if err != nil {
		return nil, err
	}
	// Removing large files takes its time: no lock is held that commits need.
	var names []string
	for _, s := range gone {
		if err := l.dir.fs.Remove(l.dir.path(s.name)); err != nil {
			return names, fmt.Errorf("remove %s: %w", l.dir.path(s.name), err)
		}
		if err := l.dir.removeGTIDIndex(s.n); err != nil {
			return names, err
		}
		names = append(names, s.name)
	}
	if len(names) == 0 {
		return nil, nil
	}
	return names, l.dir.sync()
}

// unlist takes the segments before n that nobody needs out of the index. The
// files follow: a crash in between leaves files that it does not list, which
// Open removes.
func (l *Log) unlist(n uint64) ([]*segment, error) {
	l.indexMu.Lock()
	defer l.indexMu.Unlock()
	if err := l.usable(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	var gone, kept []*segment
	recoverFrom := l.mu.recoveryStart.Segment
	if recoverFrom == 0 {
		recoverFrom = l.mu.segments[0].n
	}
	for i, s := range l.mu.segments {
		if s.n >= n || !s.closed || s.holds > 0 || s.n >= recoverFrom || s.n >= l.mu.visible.Segment {
			gone, kept = l.mu.segments[:i:i], l.mu.segments[i:]
			break
		}
	}
	if len(gone) == 0 {
		l.mu.Unlock()
		return nil, nil
	}
	l.mu.segments = kept
	l.mu.Unlock()

	if err := l.dir.stageIndex(l.segmentNumbers()); err != nil {
		l.mu.Lock()
		l.mu.segments = append(gone, l.mu.segments...)
		l.mu.Unlock()
		return nil, err
	}
	if err := l.dir.commitIndex(); err != nil {
		return nil, l.fail(err)
	}
	return gone, nil
}

// PurgeBefore removes the segments last written before t (PURGE BINARY LOGS BEFORE), up
// to the first that is younger or needed.
func (l *Log) PurgeBefore(t time.Time) ([]string, error) {
	until, err := l.WrittenSince(t)
	if err != nil {
		return nil, err
	}
	return l.PurgeTo(until)
}

// WrittenSince is the number of the oldest segment that is live, or was written to at t or later.
func (l *Log) WrittenSince(t time.Time) (uint64, error) {
	segments := l.Segments()
	for _, s := range segments {
		if s.Live {
			return s.Segment, nil
		}
		fi, err := l.dir.fs.Stat(l.dir.path(s.Name))
		if oserror.IsNotExist(err) {
			continue // purged meanwhile
		}
		if err != nil {
			return 0, fmt.Errorf("stat %s: %w", l.dir.path(s.Name), err)
		}
		if !fi.ModTime().Before(t) {
			return s.Segment, nil
		}
	}
	return segments[len(segments)-1].Segment, nil
}

// DiskUse is the size in bytes of the log's files: the segments, the live one as long as it is on
// the disk, and the prepared one.
func (l *Log) DiskUse() int64 {
	var n int64
	for _, s := range l.Segments() {
		size := s.Size
		if s.Live {
			size = max(size, l.dir.fileSize(s.Name))
		}
		n += size
	}
	return n + l.dir.fileSize(l.dir.nextName()) + l.dir.fileSize(l.dir.nextName()+tmpSuffix)
}

// FittingInto is the number of the oldest segment that may stay if the log is not to take more
// than total bytes of the disk. The live one stays always.
func (l *Log) FittingInto(total int64) uint64 {
	use, segments := l.DiskUse(), l.Segments()
	for _, s := range segments {
		if s.Live || use <= total {
			return s.Segment
		}
		use -= s.Size
	}
	return segments[len(segments)-1].Segment
}

// RecoveryStart is where the engines' recovery would begin.
func (l *Log) RecoveryStart() logpos.Pos {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.recoveryStart
}

// ServerID is the server id of events that the log writes itself.
func (l *Log) ServerID() uint32 { return l.o.ServerID }
