package commit

import (
	"fmt"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/txn"
)

// OutOfOrderError refuses a transaction whose sequence number, which the session chose (gtid_seq_no), is not after
// the last one of its domain, with gtid_strict_mode. Nothing happened.
type OutOfOrderError struct {
	GTID gtid.GTID // of the transaction
	Last gtid.GTID // of the domain
}

func (e *OutOfOrderError) Error() string {
	return fmt.Sprintf("commit: GTID %s is not after %s, the last one of its domain", e.GTID, e.Last)
}

// mayBeOutOfOrder tells the transactions that have to be checked before they are sequenced, because then they cannot be
// refused any more: on arrival, or by the leader.
func mayBeOutOfOrder(req *txn.CommitRequest) bool {
	return req.Strict && req.Seq != 0 && !req.LocalOnly
}

// refuseLate takes those out of a group that are not sequenced and would be out of order, and those after them in their lines: in the order of the
// group, so that what is before the first one in its line stays. logMu is held: nobody else sequences anything.
func (q *queue) refuseLate(g *group) (refused list) {
	due := false
	for m := g.members.head; m != nil; m = m.next {
		due = due || !m.sequenced() && (m.req.Line != nil || mayBeOutOfOrder(m.req))
	}
	if !due {
		return list{}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	domains := map[uint32]domainNumbers{} // as they will be after the members so far
	return g.members.split(func(m *member) bool {
		if m.sequenced() {
			return true
		}
		if m.req.Line != nil && m.req.Line.Failed() {
			m.err = txn.ErrLine
			return false
		}
		if m.req.LocalOnly {
			return true
		}
		d, ok := domains[m.req.Domain]
		if !ok {
			d = *q.mu.numbers.of(m.req.Domain)
		}
		var next gtid.GTID
		if next, m.err = q.mu.numbers.next(m.req, &d); m.err != nil {
			m.failLine()
			return false
		}
		d.logged(next)
		domains[m.req.Domain] = d
		return true
	})
}
