package binlog

import (
	"encoding/binary"
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// Own is what a crash has left at the end of the log of transactions that this server has begun itself, as opposed to those that came by
// replication. The zero value is nothing.
type Own struct {
	// From is the place before the first of them. Everything after it, replicated groups included, is what a cut there takes away.
	From logpos.Pos
	// FirstFileBytes is the size in bytes of the file of From, up to the end of its last event.
	FirstFileBytes uint64
	// GTIDs are the groups after From, in their order; of many only the first and the last OwnListed/2 each. Groups counts all.
	GTIDs  []gtid.GTID
	Groups int
	// Local is the end of the first transaction after From that no replica ever gets (sql_log_bin=0); zero if there is none.
	Local logpos.Pos
}

// OwnListed is how many GTIDs Own.GTIDs has at most.
const OwnListed = 100

// FindOwn looks for transactions of this server after a place, which engines have reached. A log that ends with a clean shutdown has none, nor has
// one that is damaged, or is being reset: Scan says what is to be done about those. It changes nothing.
func FindOwn(o Options, after logpos.Pos) (Own, error) {
	plan, err := Scan(o, ScanSpec{Engine: after})
	if err != nil || plan.Damage != nil || plan.Reset != nil {
		return Own{}, err
	}
	var found Own
	last := event.Type(0)
	for _, seg := range plan.segments {
		if seg.n < after.Segment {
			continue
		}
		if last, err = found.readSegment(plan, seg, after); err != nil {
			return Own{}, fmt.Errorf("read %s: %w", plan.dir.path(seg.name), err)
		}
	}
	if last == event.StopEvent || found.Groups == 0 {
		return Own{}, nil
	}
	return found, nil
}

// readSegment reads a segment that is known to be valid up to its end in the plan, and returns the type of its last event.
func (o *Own) readSegment(p *Plan, seg *segment, after logpos.Pos) (last event.Type, err error) {
	f, s, err := p.dir.openScanner(seg.name)
	if err != nil {
		return 0, err
	}
	defer f.Close() // it was only read
	s.limit = min(s.limit, seg.size)
	if _, err := readHeader(s, p.dir.path(seg.name)); err != nil {
		return 0, err
	}
	var groups Groups
	for s.off < s.limit {
		ev, at, err := s.next()
		if err != nil {
			return 0, err
		}
		last = event.Type(ev[4])
		ended, err := groups.Next(ev)
		if err != nil {
			return 0, err
		}
		if logpos.At(seg.n, at).Before(after) {
			continue
		}
		replicated := binary.LittleEndian.Uint16(ev[17:])&event.FlagRelayLog != 0
		switch {
		case last == event.GTIDEvent && !replicated && o.From.IsZero():
			o.From = logpos.At(seg.n, at)
		case o.From.IsZero():
		case isLocal(ev) && !groups.Open && o.Local.IsZero():
			o.Local = logpos.At(seg.n, s.off)
		}
		if ended && !o.From.IsZero() {
			o.add(groups.GTID)
		}
		if o.From.Segment == seg.n {
			o.FirstFileBytes = s.off
		}
	}
	return last, nil
}

func (o *Own) add(g gtid.GTID) {
	o.Groups++
	if len(o.GTIDs) == OwnListed {
		o.GTIDs = append(o.GTIDs[:OwnListed/2], o.GTIDs[OwnListed/2+1:]...)
	}
	o.GTIDs = append(o.GTIDs, g)
}

// isLocal tells a transaction under sql_log_bin=0.
func isLocal(ev []byte) bool {
	return event.IsPrivate(ev) && len(ev) >= event.HeaderSize+markPrefix && event.PrivateKind(ev[event.HeaderSize+markPrefix-1]) == event.PrivateLocal
}
