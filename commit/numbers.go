package commit

import (
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/txn"
)

// numbers gives requests their GTIDs when they are sequenced, which is in the order of the log. So it is the GTID state as it will be when
// all that are sequenced are written, where builder.point is what is written, and Log.StateClone what was. queue.mu guards it.
type numbers struct {
	serverID uint32
	domains  map[uint32]*domainNumbers
	recent   *domainNumbers // the one that was asked for last; nil if none was
}

// domainNumbers are those of a domain.
type domainNumbers struct {
	domain  uint32
	used    bool      // last is one
	last    gtid.GTID // in the order of the log
	highest uint64    // of any server
}

// rewind goes on from a GTID state.
func (n *numbers) rewind(state *gtid.State) {
	n.domains, n.recent = map[uint32]*domainNumbers{}, nil
	for _, g := range state.List() { // of each domain the last one is last
		n.of(g.Domain).logged(g)
	}
}

// of are the numbers of a domain.
func (n *numbers) of(domain uint32) *domainNumbers {
	if n.recent != nil && n.recent.domain == domain {
		return n.recent
	}
	d := n.domains[domain]
	if d == nil {
		d = &domainNumbers{domain: domain}
		n.domains[domain] = d
	}
	n.recent = d
	return d
}

// logged notes a GTID that has its place in the log.
func (d *domainNumbers) logged(g gtid.GTID) {
	d.used, d.last, d.highest = true, g, max(d.highest, g.Seq)
}

// next is the GTID that a request gets, after which a domain is at d. A request that comes with a sequence number keeps it, but for one that may not
// be out of order, and is.
func (n *numbers) next(req *txn.CommitRequest, d *domainNumbers) (gtid.GTID, error) {
	g := gtid.GTID{Domain: req.Domain, Server: req.ServerID, Seq: req.Seq}
	if g.Server == 0 {
		g.Server = n.serverID
	}
	if g.Seq == 0 {
		g.Seq = d.highest + 1
	} else if req.Strict && d.used && g.Seq <= d.last.Seq {
		return g, &OutOfOrderError{GTID: g, Last: d.last}
	}
	return g, nil
}

// check is the error of a request that would be out of order, after all that are sequenced.
func (n *numbers) check(req *txn.CommitRequest) error {
	if req.LocalOnly {
		return nil
	}
	_, err := n.next(req, n.of(req.Domain))
	return err
}

// assign gives a request its GTID, unless it would be out of order: then nothing happens.
func (n *numbers) assign(req *txn.CommitRequest) error {
	if req.LocalOnly {
		return nil
	}
	d := n.of(req.Domain)
	g, err := n.next(req, d)
	if err != nil {
		return err
	}
	d.logged(g)
	req.GTID = g
	return nil
}
