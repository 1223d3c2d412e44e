package binlog

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// lookup finds places in the log by GTID, and the GTID state at a place, with the help of the GTID indexes.
type lookup struct {
	*status
	logger  *slog.Logger
	rebuild sync.Mutex // held while a GTID index is made anew
	hits    atomic.Uint64
	misses  atomic.Uint64
}

// FindGTID finds where a replica that has everything up to want must start
// reading: the latest known place such that nothing it lacks lies before. It
// returns the place and the binlog state there, which the caller may keep.
// ErrPurged: the replica lacks something that is not in the log any more.
//
// The rules are those of MariaDB's sql_repl.cc: a replica without a position
// in a domain needs that domain from its very beginning.
//
// It reads no more of a closed segment than its index and one event, unless the index is missing.
func (k *lookup) FindGTID(want gtid.Position) (logpos.Pos, *gtid.State, error) {
	seg, err := k.holdCovered(want)
	if err != nil {
		return logpos.Pos{}, nil, err
	}
	defer k.release(seg)
	at, state, err := k.lastSample(seg, func(off uint64, state *gtid.State) bool {
		return covers(want, state) && !k.Visible().Before(logpos.At(seg.n, off))
	})
	if err != nil {
		// The start of the segment is always right, only slower.
		k.logger.Warn("cannot use the GTID index of a binary log file", "file", seg.name, "err", err)
		return logpos.At(seg.n, firstEvent), seg.first.Clone(), nil
	}
	return logpos.At(seg.n, at), state, nil
}

// holdCovered holds the last segment before whose start a replica at want needs nothing.
func (k *lookup) holdCovered(want gtid.Position) (*segment, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := len(k.mu.segments) - 1; i >= 0; i-- {
		s := k.mu.segments[i]
		if s.n <= k.mu.visible.Segment && covers(want, s.first) {
			s.holds++
			return s, nil
		}
	}
	return nil, fmt.Errorf("%w: nothing covers GTID position %q", ErrPurged, want)
}

// lastSample finds the last known place in a segment, held by the caller, up to which all
// known places are accepted; the segment's start is one always. The state may be kept.
func (k *lookup) lastSample(seg *segment, accept func(off uint64, state *gtid.State) bool) (uint64, *gtid.State, error) {
	k.mu.Lock()
	samples, inMemory, size := seg.samples, seg.sampled || !seg.closed, seg.size
	k.mu.Unlock()
	if inMemory {
		off, state := uint64(firstEvent), seg.first
		for _, s := range samples {
			if !accept(s.off, s.state) {
				break
			}
			off, state = s.off, s.state
		}
		return off, state.Clone(), nil
	}
	if size < seg.headerEnd+indexWorth {
		return firstEvent, seg.first.Clone(), nil
	}
	x, err := k.gtidIndexOf(seg, size)
	if err != nil {
		return 0, nil, err
	}
	accepted := 0
	if err := x.walk(seg.first.Clone(), func(off uint64, state *gtid.State) bool {
		if !accept(off, state) {
			return false
		}
		accepted++
		return true
	}); err != nil {
		return 0, nil, err
	}
	if accepted == 0 {
		return firstEvent, seg.first.Clone(), nil
	}
	at, state := uint64(0), seg.first.Clone()
	if err := x.walk(state, func(off uint64, _ *gtid.State) bool {
		at = off
		accepted--
		return accepted > 0
	}); err != nil {
		return 0, nil, err
	}
	return at, state, k.checkEventAt(seg, at)
}

// checkEventAt makes sure that an event starts at off.
func (k *lookup) checkEventAt(seg *segment, off uint64) error {
	f, s, err := k.dir.openScanner(seg.name)
	if err != nil {
		return err
	}
	s.chunk = minEventSize
	s.seek(off)
	_, _, err = s.next()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("%w: offset %d: %w", errIndexBroken, off, err)
	}
	return nil
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
func (k *lookup) GTIDPosAt(p logpos.Pos) (gtid.Position, error) {
	state, err := k.StateAt(p)
	if err != nil {
		return nil, err
	}
	return state.Position(), nil
}

// StateAt is the binlog state at an event boundary. An offset in front of the first event means that one.
func (k *lookup) StateAt(p logpos.Pos) (*gtid.State, error) {
	seg, err := k.hold(p.Segment)
	if err != nil {
		return nil, err
	}
	defer k.release(seg)
	if limit, _ := k.readable(p.Segment); p.Offset > limit {
		return nil, fmt.Errorf("%w: %s, offset %d: the log ends at %d", ErrPosition, seg.name, p.Offset, limit)
	}
	off, state, err := k.lastSample(seg, func(off uint64, _ *gtid.State) bool { return off <= p.Offset })
	if err != nil {
		off, state = firstEvent, seg.first.Clone()
	}
	from := logpos.At(p.Segment, off)
	var groups Groups
	err = k.ReadSegment(from, func(ev []byte, at logpos.Pos) (bool, error) {
		if at.Offset >= p.Offset {
			return false, nil
		}
		ended, err := groups.Next(ev)
		if err != nil {
			return false, &CorruptError{File: k.dir.path(seg.name), Offset: at.Offset, Reason: err}
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
func (k *lookup) ReadSegment(from logpos.Pos, fn func(ev []byte, at logpos.Pos) (more bool, err error)) error {
	r, err := newReader(k.status, from, nil, false)
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
