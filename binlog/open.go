package binlog

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/errors/oserror"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// Recovered tells what Open found.
type Recovered struct {
	// State is the binlog state after the last group.
	State *gtid.State
	// End is the end of the last group found, before Open started its own
	// segment; zero in a new log. Nothing after it may have reached an engine.
	End logpos.Pos
	// Crashed says that the log was not closed by the process before.
	Crashed bool
	// TornBytes is what was cut off after End: writes that were never acknowledged.
	TornBytes int64
	// TornFile is the segment they were in, "" if there were none.
	TornFile string
}

// Open recovers the log in o.Dir, or creates it, and starts a new segment, as
// MariaDB does at every start. It refuses damage (ErrCorrupt, ErrIndex)
// without changing anything; see the package comment for what counts as damage.
// The caller has made sure that no other process uses the directory. Who has engines
// to compare the log with uses Scan and Plan.Open instead.
func Open(o Options) (*Log, *Recovered, error) {
	p, err := Scan(o, ScanSpec{Engine: lastOnly})
	if err != nil {
		return nil, nil, err
	}
	l, err := p.Open()
	if err == nil && p.Reset != nil {
		err = l.FinishReset()
	}
	if err != nil {
		return nil, nil, err
	}
	return l, &p.Recovered, nil
}

// Open carries the plan out and starts a new segment. With Damage nothing is changed.
func (p *Plan) Open() (*Log, error) {
	if p.Damage != nil {
		return nil, p.Damage
	}
	if err := p.dir.make(); err != nil {
		return nil, err
	}
	if err := p.execute(); err != nil {
		return nil, err
	}
	l := newLog(p.o)
	l.mu.segments = p.segments
	if p.Anew {
		l.mu.recoveryStart = logpos.Pos{Segment: p.lastNumber + 1}
	}
	l.chooseMethod()
	if err := l.startFirst(p.State, p.nextNumber()); err != nil {
		l.prep.close()
		return nil, fmt.Errorf("start a binary log file: %w", err)
	}
	if err := p.dropSetAside(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.storeDue() // of the last one of the process before
	l.tellRotated()
	return l, nil
}

// nextNumber is the number of the segment that the process begins.
func (p *Plan) nextNumber() uint64 {
	switch {
	case p.Reset != nil:
		return p.Reset.First
	case p.Anew:
		return p.lastNumber + 1
	case len(p.segments) > 0:
		return p.segments[len(p.segments)-1].n + 1
	}
	return 1
}

// startFirst starts this process's first segment.
func (l *Log) startFirst(state *gtid.State, n uint64) error {
	l.mu.state = state.Clone()
	if err := l.adoptNext(); err != nil {
		return err
	}
	next, f, err := l.stageSegment(n, l.StateClone(), l.o.now())
	if errors.Is(err, ErrNoSpace) && !l.o.NoPreallocate {
		if err = l.prep.fillSmall(); err == nil {
			next, f, err = l.stageSegment(n, l.StateClone(), l.o.now())
		}
	}
	if err != nil {
		return err
	}
	if err := l.dir.stageIndex(append(l.segmentNumbers(), n)); err != nil {
		return l.unstage(f, err)
	}
	if err := l.publish(next, f); err != nil {
		return errors.Join(err, f.Close())
	}
	l.install(next, f)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.segments = append(l.mu.segments, next)
	pos := logpos.At(n, next.headerEnd)
	l.mu.written, l.mu.synced, l.mu.visible, l.mu.offered = pos, pos, pos, pos
	return nil
}

// headMax is more than the header of a segment usually takes.
const headMax = 64 << 10

// adoptNext uses the file that a process before prepared, if it is as it was
// made: of the right size, and no header was written into it.
func (l *Log) adoptNext() error {
	path := l.dir.path(l.dir.nextName())
	fi, err := l.dir.fs.Stat(path)
	if oserror.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stat %s: %w", path, err)
	}
	if fi.Size() == roundUp(l.mu.maxSize, blockSize) && !l.o.NoPreallocate {
		// A header cannot have been longer than one made now: states only grow.
		head, err := l.o.buildHeader(l.mu.state, 0, l.dir.segmentName(1))
		if err != nil {
			return err
		}
		clean, err := l.dir.startsWithZeros(path, max(headMax, 2*len(head)))
		if err != nil {
			return err
		}
		if clean {
			l.prep.adopt()
			return nil
		}
	}
	if err := l.dir.fs.Remove(path); err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}
