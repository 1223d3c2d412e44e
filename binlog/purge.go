package binlog

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/errors/oserror"
)

// purger removes segments that nobody needs any more. Removing large files takes its time, so it holds no lock
// meanwhile that a commit needs.
type purger struct {
	*status
	// purgeMu is held by a purge until the files are gone, and by a reset, which gives their names to
	// other files.
	purgeMu sync.Mutex
	// settle waits for the segments that a rotation has left.
	settle func() error
}

// PurgeTo removes the segments before segment n (PURGE BINARY LOGS TO). It
// stops, without an error, at the first one that a reader, a Hold or recovery still needs,
// as MariaDB does, and returns the names of those removed.
func (p *purger) PurgeTo(n uint64) ([]string, error) {
	p.purgeMu.Lock()
	defer p.purgeMu.Unlock()
	if err := p.settle(); err != nil && !errors.Is(err, ErrNoSpace) { // others can be removed, which makes room
		return nil, err
	}
	gone, err := p.unlist(n)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range gone {
		if err := p.dir.fs.Remove(p.dir.path(s.name)); err != nil {
			return names, fmt.Errorf("remove %s: %w", p.dir.path(s.name), err)
		}
		if err := p.dir.removeGTIDIndex(s.n); err != nil {
			return names, err
		}
		names = append(names, s.name)
	}
	if len(names) == 0 {
		return nil, nil
	}
	return names, p.dir.sync()
}

// unlist takes the segments before n that nobody needs out of the index. The
// files follow: a crash in between leaves files that it does not list, which
// Open removes.
func (p *purger) unlist(n uint64) ([]*segment, error) {
	p.indexMu.Lock()
	defer p.indexMu.Unlock()
	if err := p.usable(); err != nil {
		return nil, err
	}
	p.mu.Lock()
	var gone, kept []*segment
	recoverFrom := p.mu.recoveryStart.Segment
	if recoverFrom == 0 {
		recoverFrom = p.mu.segments[0].n
	}
	for i, s := range p.mu.segments {
		if s.n >= n || !s.closed || s.holds > 0 || s.n >= recoverFrom || s.n >= p.mu.visible.Segment {
			gone, kept = p.mu.segments[:i:i], p.mu.segments[i:]
			break
		}
	}
	if len(gone) == 0 {
		p.mu.Unlock()
		return nil, nil
	}
	p.mu.segments = kept
	p.mu.Unlock()

	if err := p.dir.stageIndex(p.listedNumbers()); err != nil {
		p.mu.Lock()
		p.mu.segments = append(gone, p.mu.segments...)
		p.mu.Unlock()
		return nil, err
	}
	if err := p.dir.commitIndex(); err != nil {
		return nil, p.fail(err)
	}
	return gone, nil
}

// PurgeBefore removes the segments last written before t (PURGE BINARY LOGS BEFORE), up
// to the first that is younger or needed.
func (p *purger) PurgeBefore(t time.Time) ([]string, error) {
	until, err := p.WrittenSince(t)
	if err != nil {
		return nil, err
	}
	return p.PurgeTo(until)
}

// WrittenSince is the number of the oldest segment that is live, or was written to at t or later.
func (p *purger) WrittenSince(t time.Time) (uint64, error) {
	segments := p.Segments()
	for _, s := range segments {
		if s.Live {
			return s.Segment, nil
		}
		fi, err := p.dir.fs.Stat(p.dir.path(s.Name))
		if oserror.IsNotExist(err) {
			continue // purged meanwhile
		}
		if err != nil {
			return 0, fmt.Errorf("stat %s: %w", p.dir.path(s.Name), err)
		}
		if !fi.ModTime().Before(t) {
			return s.Segment, nil
		}
	}
	return segments[len(segments)-1].Segment, nil
}

// DiskUse is the size in bytes of the log's files: the segments, the live one as long as it is on
// the disk, and the prepared one.
func (p *purger) DiskUse() int64 {
	var n int64
	for _, s := range p.Segments() {
		size := s.Size
		if s.Live {
			size = max(size, p.dir.fileSize(s.Name))
		}
		n += size
	}
	return n + p.dir.fileSize(p.dir.nextName()) + p.dir.fileSize(p.dir.nextName()+tmpSuffix)
}

// FittingInto is the number of the oldest segment that may stay if the log is not to take more
// than total bytes of the disk. The live one stays always.
func (p *purger) FittingInto(total int64) uint64 {
	use, segments := p.DiskUse(), p.Segments()
	for _, s := range segments {
		if s.Live || use <= total {
			return s.Segment
		}
		use -= s.Size
	}
	return segments[len(segments)-1].Segment
}
