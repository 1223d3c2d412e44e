package commit

import (
	"context"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/txn"
)

// A large transaction (CommitRequest.File) is a group of its own, in a segment of
// its own (binlog/large.go):
//
//	commitLarge
//	    Seal                           the events are durable; nobody waits for this
//	    queue.hold                     from here on nobody is sequenced on arrival
//	    logMu.Lock                     when nobody who is sequenced waits in the queue,
//	        window.await              and every group before has left the log stage
//	        AppendLarge                which calls back to assign the GTID and to sequence it
//	    applyMu.Lock; logMu.Unlock     hand over hand, as for every group
//	        Apply                      an import, or a batch if the rows are few
//
// It must not overtake those who were sequenced when they arrived: it may have built on
// what they wrote, whose locks they have given up. It may overtake the others in the queue, since
// they hold all their locks.

// commitLarge is Commit for a request with a file.
func (p *Pipeline) commitLarge(ctx context.Context, req *txn.CommitRequest) (err error) {
	file, ok := req.File.(*binlog.LargeFile)
	if !ok {
		return fmt.Errorf("commit: events in a %T", req.File)
	}
	log, ok := p.log.(segmented)
	if !ok {
		return fmt.Errorf("commit: a large transaction: %w", errors.ErrUnsupported)
	}
	if err := p.queue.join(); err != nil {
		return err
	}
	defer func() {
		p.queue.accepted.Done()
		if err == nil {
			p.beforeAnswer(req.LocalOnly, req.End)
		}
	}()
	front := envelopeMax + len(req.Events)
	for {
		if !file.Fits(front) {
			if err := file.Refit(front); err != nil {
				return err
			}
		}
		if err := file.Seal(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := p.trim(log); err != nil {
			return err
		}
		// The GTID state may have grown meanwhile so much that its list does not fit any more.
		if err := p.leadLarge(log, req, file, front); !errors.Is(err, binlog.ErrReserve) {
			return err
		}
	}
}

// trimSpare is what others can write before the segment has to grow again.
const trimSpare = 1 << 20

// trim cuts off most of what is left of the live segment, in small steps between which
// others commit: closing a segment that is nearly empty takes tens of milliseconds otherwise.
func (p *Pipeline) trim(log segmented) error {
	for more := true; more; {
		p.largeMu.Lock()
		p.logMu.Lock()
		p.queue.hold() // nobody is promised the room that goes away
		var err error
		more, err = log.Trim(p.queue.sequenced() + trimSpare)
		p.queue.unhold(p.room())
		p.logMu.Unlock()
		p.largeMu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// leadLarge takes the transaction through both stages.
func (p *Pipeline) leadLarge(log segmented, req *txn.CommitRequest, file *binlog.LargeFile, front int) error {
	m := newMember(req)
	defer m.recycle()
	g := newGroup(false)
	defer g.recycle()
	g.members.push(m)
	p.lockAfterSequenced()
	p.placing.Lock()
	err := p.writeLarge(log, g, file, front)
	p.placing.Unlock()
	if err != nil {
		p.queue.unhold(p.room())
		p.logMu.Unlock()
		p.largeMu.Unlock()
		return err
	}
	p.queue.unhold(p.room())
	p.leaveLog(p.window.begin(), g, func() {
		p.logMu.Unlock()
		p.largeMu.Unlock()
	})
	p.endGroup(g)
	p.applyMu.Unlock()
	return m.err
}

// lockAfterSequenced takes logMu at a moment when everybody who was sequenced on arrival has gone
// through the log stage, and keeps it so.
func (p *Pipeline) lockAfterSequenced() {
	p.largeMu.Lock() // one at a time waits in here
	p.queue.hold()
	for {
		p.logMu.Lock()
		if p.queue.sequenced() == 0 {
			break
		}
		p.logMu.Unlock()
		<-p.queue.taken // they have a leader, who needs logMu
	}
	p.window.await(1)
}

// writeLarge is the log stage. An error means that the transaction has no place; g.err, that
// the process has to end. logMu is held.
func (p *Pipeline) writeLarge(log segmented, g *group, file *binlog.LargeFile, front int) error {
	if err := p.broken.Load(); err != nil {
		return *err
	}
	if err := p.applier.Writable(); err != nil {
		return err
	}
	m := g.members.head
	req := m.req
	if err := p.queue.outOfOrder(req); err != nil {
		return err
	}
	var unnumbered error
	_, end, err := log.AppendLarge(binlog.LargeGroup{File: file, FrontMax: front, Front: func() ([]byte, gtid.GTID) {
		unnumbered = p.queue.number(req) // it was checked, and nobody else is sequenced
		req.Ticket.Sequence()
		if req.LocalOnly {
			return nil, gtid.GTID{}
		}
		p.build.log(req)
		meta := event.Meta{Timestamp: req.Timestamp, ServerID: req.ServerID}
		if meta.ServerID == 0 {
			meta.ServerID = p.build.serverID
		}
		buf := event.AppendGTID(nil, meta, event.GTIDInfo{GTID: req.GTID, Flags: req.Flags, Replicated: req.Replicated})
		return append(buf, req.Events...), req.GTID
	}})
	if err == nil {
		err = unnumbered
	}
	switch {
	case err != nil && !m.sequenced() && !errors.Is(err, binlog.ErrSyncFailed):
		return err
	case err != nil && !m.sequenced():
		return p.fatal(err)
	case err != nil:
		p.failGroup(g, p.fatal(err))
		return nil
	}
	req.End = end
	g.end = end
	g.mark.Position, g.mark.GTIDState = req.End, p.build.text()
	p.positions.groupsUnsynced = 0
	p.stats.syncs.Add(1)
	p.stats.bytes.Add(uint64(file.Size()))
	return nil
}

// join counts a request that does not go through the queue among those that Close waits for.
func (q *queue) join() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.mu.failed != nil {
		return q.mu.failed
	}
	q.accepted.Add(1)
	return nil
}

// hold keeps requests from being sequenced on arrival until unhold.
func (q *queue) hold() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.held = true
	select {
	case <-q.taken: // from an earlier time
	default:
	}
}

// unhold ends hold, and is settle.
func (q *queue) unhold(room int64) {
	q.mu.Lock()
	q.mu.held = false
	q.mu.Unlock()
	q.settle(room)
}

// sequenced is how many bytes those in the queue need who were sequenced on arrival.
func (q *queue) sequenced() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.waiting.sequencedBytes
}
