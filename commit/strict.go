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

// mayBeOutOfOrder tells the transactions that the leader has to check. They must not be sequenced
// on arrival, because then they could not be refused any more.
func mayBeOutOfOrder(req *txn.CommitRequest) bool {
	return req.Strict && req.Seq != 0 && !req.LocalOnly
}

// refuseOutOfOrder takes those out of a group that would be out of order. logMu is held.
func (p *Pipeline) refuseOutOfOrder(g *group) (refused list) {
	due := false
	for m := g.members.head; m != nil; m = m.next {
		due = due || mayBeOutOfOrder(m.req)
	}
	if !due {
		return list{}
	}
	last := map[uint32]gtid.GTID{}
	var kept list
	for m := g.members.head; m != nil; {
		next := m.next
		m.next = nil
		if err := p.build.follow(m.req, last); err != nil {
			m.err = err
			refused.push(m)
		} else {
			kept.push(m)
		}
		m = next
	}
	g.members = kept
	return refused
}

// follow checks the GTID that a request would get after those in last (by domain), and notes it
// there. It assigns nothing.
func (b *builder) follow(req *txn.CommitRequest, last map[uint32]gtid.GTID) error {
	if req.LocalOnly {
		return nil
	}
	before, ok := last[req.Domain]
	if !ok {
		before, ok = b.state.Last(req.Domain)
	}
	g := gtid.GTID{Domain: req.Domain, Server: req.ServerID, Seq: req.Seq}
	if g.Server == 0 {
		g.Server = b.serverID
	}
	if g.Seq == 0 {
		g.Seq = max(before.Seq, b.state.MaxSeq(req.Domain)) + 1
	}
	if ok && mayBeOutOfOrder(req) && g.Seq <= before.Seq {
		return &OutOfOrderError{GTID: g, Last: before}
	}
	last[req.Domain] = g
	return nil
}
