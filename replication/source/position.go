package source

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// start is where a dump starts and what it skips.
type start struct {
	pos   logpos.Pos
	state *gtid.State // binlog state at pos; GTID mode only
	// skip: in these domains groups are skipped up to the GTID.
	skip map[uint32]*skipUntil
	// until: what is left of UntilGTID; domains that are not in it are done.
	until gtid.Position
}

// skipUntil is the replica's position in one domain.
type skipUntil struct {
	gtid.GTID
	// empty: the log had nothing in this domain when the replica connected. The
	// position is checked when something does appear.
	empty bool
}

// locateFile resolves a file and position.
func locateFile(log *binlog.Log, req *Request) (start, error) {
	segments := log.Segments()
	if req.File == "" {
		return start{pos: logpos.At(segments[0].Segment, max(req.Pos, headerOffset))}, nil
	}
	n, ok := log.SegmentByName(req.File)
	if !ok {
		return start{}, &Error{Message: "Could not find first log file name in binary log index file", Class: ErrUnknownFile}
	}
	if req.Pos < headerOffset {
		return start{}, &Error{Message: "Client requested master to start replication from position < 4", Class: ErrPosition}
	}
	return start{pos: logpos.At(n, req.Pos)}, nil
}

// headerOffset is the offset of a file's first event.
const headerOffset = 4

// locateGTID follows MariaDB's check_slave_start_position and
// gtid_find_binlog_file.
func locateGTID(log *binlog.Log, req *Request) (start, error) {
	s := start{skip: map[uint32]*skipUntil{}}
	if req.UntilGTID != nil {
		s.until = req.UntilGTID.Clone()
	}
	state := log.StateClone()
	for _, g := range req.ConnectState.List() {
		entry := &skipUntil{GTID: g}
		s.skip[g.Domain] = entry
		if state.Contains(g) {
			continue
		}
		last, known := state.Last(g.Domain)
		if !known {
			// Probably another primary serves this domain.
			entry.empty = true
			continue
		}
		if req.IgnoreDuplicates && last.Seq < g.Seq {
			continue // it came to the replica by another way, and will come here
		}
		if req.UntilGTID != nil {
			until, ok := req.UntilGTID[g.Domain]
			if !ok || state.Contains(until) {
				delete(s.until, g.Domain) // stops before it starts
				continue
			}
		}
		return start{}, notInBinlog(g, last)
	}
	pos, at, err := log.FindGTID(req.ConnectState)
	if errors.Is(err, binlog.ErrPurged) {
		return start{}, &Error{
			Message: "Could not find GTID state requested by slave in any binlog files. Probably the slave state is too old and required binlog files have been purged.",
			Class:   ErrPurged,
		}
	}
	if err != nil {
		return start{}, fmt.Errorf("find GTID position: %w", err)
	}
	for domain, last := range at.Position() {
		if e := s.skip[domain]; e != nil && e.GTID == last {
			delete(s.skip, domain) // starts with the first group of the domain from here on
		}
	}
	for _, g := range s.until.List() {
		if at.Contains(g) {
			delete(s.until, g.Domain) // was reached before the start
		}
	}
	s.pos, s.state = pos, at
	return s, nil
}

// decision about one group in GTID mode.
type decision struct {
	skip bool
	// reached: the start of the domain was reached with this group.
	reached bool
	// last: nothing is left to be sent after this group.
	last bool
}

// decide takes the GTID of the next group. state is that of the whole log, asked for only when needed.
func (s *start) decide(g gtid.GTID, strict bool, state func() *gtid.State) (d decision, err error) {
	if e := s.skip[g.Domain]; e != nil {
		if e.empty {
			if st := state(); !st.Contains(e.GTID) {
				last, _ := st.Last(g.Domain)
				return d, notInBinlog(e.GTID, last)
			}
			e.empty = false
		}
		d.skip = g.Server != e.Server || g.Seq <= e.Seq
		if g.Server == e.Server && g.Seq >= e.Seq {
			if strict && g.Seq > e.Seq {
				return d, inHole(e.GTID)
			}
			d.reached = true
			delete(s.skip, g.Domain)
		}
	}
	if s.until == nil {
		return d, nil
	}
	stop, ok := s.until[g.Domain]
	switch {
	case !ok:
		d.skip = true // this domain is done
	case g.Server == stop.Server && g.Seq >= stop.Seq:
		delete(s.until, g.Domain)
		d.last = len(s.until) == 0
		d.skip = d.skip || g.Seq > stop.Seq
	}
	return d, nil
}
