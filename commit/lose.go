package commit

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn"
)

// A log that several machines agree on can lose its end: what a leader has sequenced, and a majority does not have, is not
// in the log of the next leader. Nobody has seen it except writers that have built on it, so it is dropped as one suffix:
//
//	Lose(after)
//	    placing.Lock, applyMu.Lock     no group gets a place, none is applied
//	    barrier.Lock, queue.mu.Lock    nobody reads, nobody is sequenced on arrival
//	        Ticket.Lose                of all in the groups past after, and of those in the queue that are sequenced
//	        ErrLost                    for them, and for the others in the queue, who may have built on them
//	        the epoch ends             and with it the right to a place of all that have read in it
//	    Cut                            of the log; GTIDs go on from what is left
//
// The leaders of the lost groups are on their way between the stages. They find their groups lost when their turn comes,
// whatever Finish has told them, and wake the members.

// cuttable is a log that can lose its end.
type cuttable interface {
	// Cut removes everything after a place between two groups. Finish returns soon, if it is waiting for one of
	// those; it does not matter what.
	Cut(after logpos.Pos) error
}

// inFlight are the groups that have their places and are not applied, in log order.
type inFlight struct {
	mu     sync.Mutex
	groups []*group
}

func (f *inFlight) add(g *group) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.groups = append(f.groups, g)
}

// remove takes out a group, if it is there.
func (f *inFlight) remove(g *group) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.groups, g); i >= 0 {
		f.groups = slices.Delete(f.groups, i, i+1)
	}
}

// split takes out and returns the groups after a place. The place has to be between two groups, the first of
// which begins at applied.
func (f *inFlight) split(after, applied logpos.Pos) ([]*group, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, at := 0, applied
	for n < len(f.groups) && !after.Before(f.groups[n].end) {
		at = f.groups[n].end
		n++
	}
	if at != after {
		return nil, fmt.Errorf("commit: the log cannot lose what is after %s: everything up to %s is applied, and the next groups end at %s",
			after, applied, f.endsLocked())
	}
	lost := slices.Clone(f.groups[n:])
	f.groups = slices.Delete(f.groups, n, len(f.groups))
	return lost, nil
}

func (f *inFlight) endsLocked() (ends []logpos.Pos) {
	for _, g := range f.groups {
		ends = append(ends, g.end)
	}
	return ends
}

// Lose drops everything after a place in the log that is not applied yet, and whoever has not got a place. Their Commit
// returns txn.ErrLost. The place is the end of a group. The log has to be one that can be cut; those in files cannot.
func (p *Pipeline) Lose(after logpos.Pos) error {
	log, ok := p.log.(cuttable)
	if !ok {
		return fmt.Errorf("commit: losing the end of the log: %w", errors.ErrUnsupported)
	}
	p.placing.Lock()
	defer p.placing.Unlock()
	p.applyMu.Lock()
	defer p.applyMu.Unlock()
	if err := p.broken.Load(); err != nil {
		return *err
	}
	lost, err := p.inFlight.split(after, p.positions.applied())
	if err != nil {
		return err
	}
	p.barrier.Lock()
	defer p.barrier.Unlock()
	p.queue.lose(lost)
	if err := log.Cut(after); err != nil {
		return p.fatal(fmt.Errorf("cutting the log at %s: %w", after, err))
	}
	p.build.rewind(p.log, pointAt(p.applier.Applied()))
	p.queue.renumber(p.build.point.State)
	p.queue.settle(p.room())
	return nil
}

// lose moves the tickets of these groups, and of those who wait, and begins a new epoch. Those who wait are
// refused when their leader takes them.
func (q *queue) lose(groups []*group) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, g := range groups {
		g.lost.Store(true)
		g.members.lose()
	}
	q.mu.waiting.lose()
	q.epoch.Add(1)
}

// lose gives all members the error of those who are lost, oldest first: with the first one's rows go those of all others.
func (l *list) lose() {
	for m := l.head; m != nil; m = m.next {
		m.err = txn.ErrLost
		if m.req.Ticket.State() == txn.Sequenced {
			m.req.Ticket.Lose()
		}
	}
	l.lost, l.late, l.sequencedBytes = true, true, 0
}

// splitLost cuts off and returns the members that are lost.
func (l *list) splitLost() list {
	if !l.lost {
		return list{}
	}
	return l.split(func(m *member) bool { return m.err == nil })
}
