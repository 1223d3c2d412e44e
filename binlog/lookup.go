package binlog

import (
	"errors"
	"fmt"
	"io"

	"github.com/duramendb/duramen/gtid"
)

// FindGTID finds where a replica that has everything up to want must start
// reading: the latest known place such that nothing it lacks lies before. It
// returns the place and the binlog state there, which the caller may keep.
// ErrPurged: the replica lacks something that is not in the log any more.
//
// The rules are those of MariaDB's sql_repl.cc: a replica without a position
// in a domain needs that domain from its very beginning.
func (l *Log) FindGTID(want gtid.Position) (Pos, *gtid.State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.mu.segments) - 1; i >= 0; i-- {
		s := l.mu.segments[i]
		if s.n > l.mu.visible.Segment || !covers(want, s.first) {
			continue
		}
		at, state := Pos{s.n, firstEvent}, s.first
		for k := len(s.samples) - 1; k >= 0; k-- {
			if p := (Pos{s.n, s.samples[k].off}); !l.mu.visible.Less(p) && covers(want, s.samples[k].state) {
				at, state = p, s.samples[k].state
				break
			}
		}
		return at, state.Clone(), nil
	}
	return Pos{}, nil, fmt.Errorf("%w: nothing covers GTID position %q", ErrPurged, want)
}

// covers reports whether a replica at want needs nothing of what came before state.
func covers(want gtid.Position, state *gtid.State) bool {
	for domain, last := range state.Position() {
		g, ok := want[domain]
		if !ok {
			return false
		}
		seq, ok := state.Lookup(domain, g.Server)
		if !ok || g.Seq > seq {
			continue // want is later than state
		}
		if g.Seq < seq || g != last {
			return false
		}
	}
	return true
}

// GTIDPosAt is the GTID position at an event boundary (BINLOG_GTID_POS).
// ErrPosition: there is no such boundary at or before Visible.
func (l *Log) GTIDPosAt(p Pos) (gtid.Position, error) {
	state, err := l.StateAt(p)
	if err != nil {
		return nil, err
	}
	return state.Position(), nil
}

// StateAt is the binlog state at an event boundary.
func (l *Log) StateAt(p Pos) (*gtid.State, error) {
	seg, err := l.hold(p.Segment)
	if err != nil {
		return nil, err
	}
	defer l.release(seg)
	l.mu.Lock()
	from, state := Pos{p.Segment, firstEvent}, seg.first
	for _, s := range seg.samples {
		if s.off <= p.Offset {
			from.Offset, state = s.off, s.state
		}
	}
	l.mu.Unlock()
	state = state.Clone()
	var groups Groups
	err = l.ReadSegment(from, func(ev []byte, at Pos) (bool, error) {
		if at.Offset >= p.Offset {
			return false, nil
		}
		ended, err := groups.Next(ev)
		if err != nil {
			return false, &CorruptError{File: l.o.path(seg.name), Offset: at.Offset, Reason: err}
		}
		if ended {
			state.Update(groups.GTID)
		}
		from.Offset = at.Offset + uint64(len(ev))
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if p.Offset > firstEvent && from.Offset != p.Offset {
		return nil, fmt.Errorf("%w: %s, offset %d is not the start of an event", ErrPosition, seg.name, p.Offset)
	}
	return state, nil
}

// ReadSegment calls fn with the events of one segment from an event boundary
// on, up to its visible end or until fn returns false or an error (SHOW BINLOG
// EVENTS). The bytes are valid until fn returns.
func (l *Log) ReadSegment(from Pos, fn func(ev []byte, at Pos) (more bool, err error)) error {
	r, err := l.NewReader(from)
	if err != nil {
		return err
	}
	for {
		ev, at, err := r.NextNoWait()
		more := false
		if err == nil && at.Segment == from.Segment {
			more, err = fn(ev, at)
		}
		if err == nil && more {
			continue
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(err, r.Close())
	}
}
