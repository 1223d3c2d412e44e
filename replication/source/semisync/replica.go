package semisync

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/logpos"
)

// Replica is a connected replica that acknowledges: one dump. Leave has to be called.
type Replica struct {
	p        *Primary
	serverID uint32

	// Guarded by Primary.mu.
	has   place // everything before
	asked place // the latest end that it was asked to acknowledge
	told  place // the latest place that it has acknowledged
	known bool  // it is, or was, among the replicas

	acknowledged chan struct{} // gets a value when told has moved
}

// Serve returns a replica that is about to be served. It counts from the first call of Has.
func (p *Primary) Serve(serverID uint32) *Replica {
	return &Replica{p: p, serverID: serverID, acknowledged: make(chan struct{}, 1)}
}

// Has notes that the replica has everything before at: that is where its dump starts, or it was skipped because of what the
// replica has said.
func (r *Replica) Has(at logpos.Pos) {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if !r.known {
		r.known = true
		p.mu.replicas[r.serverID] = r
		p.log.Info(fmt.Sprintf("Start semi-sync binlog_dump to slave (server_id: %d, pos(%s, %d))", r.serverID, p.fileName(at.Segment), at.Offset))
	}
	if r.currentLocked() {
		r.has = logpos.Max(r.has, at)
		p.acknowledgedLocked(r)
	}
}

// currentLocked reports whether the replica counts: it does not when it has come by another connection since, or the log was replaced.
func (r *Replica) currentLocked() bool { return r.p.mu.replicas[r.serverID] == r }

// Asks reports whether the replica is to acknowledge the transaction that ends at end, which is about to be sent: with AFTER_SYNC the last of a group.
func (r *Replica) Asks(end logpos.Pos) bool {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	m := &p.mu
	switch {
	case !m.settings.Enabled, !r.currentLocked(), !m.acked.Before(end), !r.has.Before(end):
		return false
	case !m.on && end.Before(m.committed):
		return false
	case m.settings.Point == AfterSync && !p.awaitedLocked(end):
		return false
	}
	r.asked = logpos.Max(r.asked, end)
	m.counts.asked++
	return true
}

// Acknowledged notes what the replica says it has: a file of the log and an offset in it, as events and rotations told them.
// An error means that it was not asked for that.
func (r *Replica) Acknowledged(segment, offset uint64) error {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	at := logpos.At(segment, offset)
	if segment == r.asked.Segment && offset>>32 == 0 {
		// Events have 32 bits for the end of a transaction.
		at.Offset |= r.asked.Offset &^ (1<<32 - 1)
		if r.asked.Before(at) && at.Offset>>32 != 0 {
			at.Offset -= 1 << 32
		}
	}
	if r.asked.Before(at) {
		return fmt.Errorf("replica with server id %d acknowledges %s, offset %d, and was asked up to %s, offset %d",
			r.serverID, p.fileName(segment), offset, p.fileName(r.asked.Segment), r.asked.Offset)
	}
	p.mu.counts.got++
	r.told = logpos.Max(r.told, at)
	select {
	case r.acknowledged <- struct{}{}:
	default:
	}
	if r.currentLocked() {
		r.has = logpos.Max(r.has, at)
		p.acknowledgedLocked(r)
	}
	return nil
}

// AwaitAcknowledged waits until everything is acknowledged that was asked for, or ctx ends. Nobody asks meanwhile, and it is called by one goroutine at a time.
func (r *Replica) AwaitAcknowledged(ctx context.Context) {
	for r.owes() {
		select {
		case <-r.acknowledged:
		case <-ctx.Done():
			return
		}
	}
}

func (r *Replica) owes() bool {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	return r.told.Before(r.asked)
}

// Leave is called when the replica is not served any more.
func (r *Replica) Leave() {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if !r.known {
		return
	}
	p.log.Info(fmt.Sprintf("Stop semi-sync binlog_dump to slave (server_id: %d)", r.serverID))
	if r.currentLocked() {
		delete(p.mu.replicas, r.serverID)
		p.leaveIfAloneLocked()
	}
}
