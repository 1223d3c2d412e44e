package commit

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn"
)

// envelopeMax is an upper bound of what the log holds for a request besides its
// events: a GTID event or the frame of a private record, and a write of its own.
const envelopeMax = 64 + binlog.RoomPerWrite

func requestSize(req *txn.CommitRequest) int64 { return int64(len(req.Events)) + envelopeMax }

// bufferKept is the largest group buffer that is kept for the next group.
const bufferKept = 4 << 20

// builder assembles the bytes of a group. It belongs to the
// holder of placing.
type builder struct {
	serverID  uint32
	buf       []byte
	point     gtid.Point  // after the last group
	stateText string      // point as text; "" when it has to be made anew
	commitID  uint64      // last one given
	gtids     []gtid.GTID // of the group, in order
}

func (b *builder) init(log Log, serverID uint32, at gtid.Point) {
	b.serverID = serverID
	b.rewind(log, at)
	// Commit ids must only differ between neighbouring groups. Starting at the
	// segment keeps them apart over restarts, too.
	b.commitID = log.End().Segment << 32
}

// rewind goes on from the GTID state that the log has, and from what had come by replication there.
func (b *builder) rewind(log Log, at gtid.Point) {
	b.point, b.stateText = at.At(log.StateClone()), ""
}

// log notes the GTID of a request, which was given to it when it was sequenced.
func (b *builder) log(req *txn.CommitRequest) {
	b.point.Update(req.GTID, req.Replicated)
	if req.MySQL.Valid() {
		b.point.Execute(req.MySQL)
	}
	b.stateText = ""
	b.gtids = append(b.gtids, req.GTID)
}

// group assembles the events of all members, with GTIDs but without positions,
// and notes for each member where its events end. The result is valid until
// the next call.
func (b *builder) group(l *list) []byte {
	if int64(cap(b.buf)) < l.bytes {
		b.buf = make([]byte, 0, l.bytes)
	}
	buf := b.buf[:0]
	b.gtids = b.gtids[:0]
	run := commitRun{b: b}
	for m := l.head; m != nil; m = m.next {
		req := m.req
		meta := event.Meta{Timestamp: req.Timestamp, ServerID: req.ServerID}
		if meta.ServerID == 0 {
			meta.ServerID = b.serverID
		}
		if req.LocalOnly {
			buf = event.AppendPrivate(buf, meta, event.PrivateLocal, req.Events)
			if req.Reposition != nil {
				b.point.Reposition(*req.Reposition)
				b.stateText = ""
			}
			if req.Executed != nil {
				b.point.SetExecuted(*req.Executed)
				b.stateText = ""
			}
		} else {
			b.log(req)
			buf = event.AppendGTID(buf, meta, event.GTIDInfo{GTID: req.GTID, Flags: req.Flags, CommitID: run.id(m), Replicated: req.Replicated})
			buf = append(buf, req.Events...)
		}
		m.end = len(buf)
		if req.Catalog != nil {
			m.stateText = b.text()
		}
	}
	if cap(buf) <= bufferKept {
		b.buf = buf
	} else {
		b.buf = nil
	}
	return buf
}

// commitRun gives out commit ids: transactions with the same id are
// independent of each other, so a replica may run them in parallel. One that
// waited for another (which, by early lock release, may be of the same group)
// starts a new run; a run of one has the id 0.
type commitRun struct {
	b       *builder
	current uint64
	last    *member
}

func (r *commitRun) id(m *member) uint64 {
	if r.last == nil || waited(m) {
		r.current = 0
		if next := nextGlobal(m); next != nil && !waited(next) {
			r.b.commitID++
			r.current = r.b.commitID
		}
	}
	r.last = m
	return r.current
}

// nextGlobal is the next member after m that gets a GTID.
func nextGlobal(m *member) *member {
	for m = m.next; m != nil && m.req.LocalOnly; m = m.next {
	}
	return m
}

func waited(m *member) bool { return m.req.Flags&event.FLWaited != 0 }

// text is the point after everything that was assembled.
func (b *builder) text() string {
	if b.stateText == "" {
		b.stateText = b.point.String()
	}
	return b.stateText
}

// writeGroup is the log stage without the sync. On return the members of g have their places or
// their error; those returned separately were refused
// before anything was fixed. logMu and placing are held.
func (p *Pipeline) writeGroup(g *group) (refused list) {
	if err := p.broken.Load(); err != nil {
		return p.refuse(g, *err)
	}
	refused = g.members.splitLost()
	refused.failLines()
	refused.append(p.queue.refuseLate(g))
	refused.append(p.reserve(g)) // all that are late, or none
	refused.failLines()
	if g.members.head == nil || g.err != nil {
		p.queue.settle(p.room())
		return refused
	}
	for m := g.members.head; m != nil; m = m.next {
		if m.sequenced() {
			continue
		}
		if err := p.queue.number(m.req); err != nil {
			p.failGroup(g, p.fatal(err)) // it was checked above
			return refused
		}
		m.req.Ticket.Sequence()
	}
	if err := p.appendGroup(g); err != nil {
		p.failGroup(g, p.fatal(err))
	}
	return refused
}

// failLines keeps the order of lines: with those that are refused go those after them. None of these is sequenced, as nobody is who stands after one
// that is not.
func (l *list) failLines() {
	for m := l.head; m != nil; m = m.next {
		m.failLine()
	}
}

func (m *member) failLine() {
	if m.req.Line != nil {
		m.req.Line.Fail()
	}
}

// room is how many bytes of requests may be sequenced on arrival.
func (p *Pipeline) room() int64 {
	if p.applier.Writable() != nil {
		return 0
	}
	return p.log.Room()
}

// reserve makes room for the group, or cuts it down to what has room anyway.
func (p *Pipeline) reserve(g *group) (refused list) {
	err := p.applier.Writable()
	if err == nil {
		err = p.log.Reserve(g.members.bytes)
	}
	if err == nil {
		return list{}
	}
	if errors.Is(err, binlog.ErrSyncFailed) {
		_ = p.fatal(err) // who is refused gets the cause itself
		return p.refuse(g, err)
	}
	refused = g.members.splitLate()
	for m := refused.head; m != nil; m = m.next {
		m.err = err
	}
	if g.members.head != nil {
		// These were promised their room when they were queued.
		if err := p.log.Reserve(g.members.bytes); err != nil {
			p.failGroup(g, p.fatal(fmt.Errorf("reserving promised room: %w", err)))
		}
	}
	return refused
}

// appendGroup gives the group its place in the log.
func (p *Pipeline) appendGroup(g *group) error {
	buf := p.build.group(&g.members)
	start, end, err := p.place(g, buf)
	if err != nil {
		return err
	}
	for m := g.members.head; m != nil; m = m.next {
		m.req.End = start.Plus(m.end)
	}
	g.end = end
	g.mark = engine.Mark{Position: end, GTIDState: p.build.text()}
	p.queue.settle(p.room())
	p.stats.bytes.Add(uint64(len(buf)))
	return nil
}

// place gives the bytes of a group their place in the log.
func (p *Pipeline) place(g *group, buf []byte) (start, end logpos.Pos, err error) {
	p.positions.groupsUnsynced++
	n := p.tuning.syncBinlog.Load()
	due := n > 0 && p.positions.groupsUnsynced >= n
	if due {
		p.positions.groupsUnsynced = 0
	}
	if n != 1 || !due {
		g.syncs = due
		return p.log.Append(buf)
	}
	padding := p.log.Padding(len(buf), g.overlaps)
	start, end, g.write, err = p.log.Issue(buf, p.build.gtids, padding > 0 && p.queue.claim(padding))
	return start, end, err
}

// refuse fails all members of a group of which nothing was written.
func (p *Pipeline) refuse(g *group, err error) list {
	l := g.members
	g.members = list{}
	for m := l.head; m != nil; m = m.next {
		m.err = err
	}
	return l
}

// failGroup gives all members the error of their group.
func (p *Pipeline) failGroup(g *group, err error) {
	g.err = err
	for m := g.members.head; m != nil; m = m.next {
		m.err = err
	}
}
