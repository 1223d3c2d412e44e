package inspect

import (
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
)

// numbering follows the GTIDs of a file: the numbers of a domain rise by one, unless somebody set
// gtid_seq_no.
type numbering struct {
	rep *Report
	w   *walk
	// strict: other numbers than the next one are problems.
	strict bool

	told    int
	skipped int
}

// toldMax is how many notes on GTIDs a file gets.
const toldMax = 10

func (n *numbering) visit(ev event.Event, _ bool) error {
	g, ok := ev.Body.(*event.GTIDInfo)
	if !ok {
		return nil
	}
	last, known := n.w.state.Last(g.GTID.Domain)
	if !known {
		return nil
	}
	at := uint64(ev.Header.LogPos - ev.Header.Size)
	if n.w.end > at { // positions have 32 bits in the event
		at = n.w.end
	}
	switch highest := n.w.state.MaxSeq(g.GTID.Domain); {
	case g.GTID.Seq <= highest:
		n.tell(at, n.strict, "GTID %s comes after %s", g.GTID, last)
	case g.GTID.Seq > highest+1:
		n.tell(at, n.strict, "GTID %s comes after %s: a gap of %d", g.GTID, last, g.GTID.Seq-highest-1)
	}
	return nil
}

func (n *numbering) tell(at uint64, problem bool, format string, args ...any) {
	switch n.told++; {
	case n.told > toldMax:
		n.skipped++
		if problem && n.skipped == 1 {
			n.rep.problem(at, "further GTIDs out of order")
		}
	case problem:
		n.rep.problem(at, format, args...)
	default:
		n.rep.note("offset %d: %s", at, fmt.Sprintf(format, args...))
	}
}

func (n *numbering) end() {
	if n.skipped > 0 {
		n.rep.note("%d further GTIDs that are not the next number", n.skipped)
	}
}
