package twopc

import (
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// RESET MASTER, in the order in which a crash may interrupt it:
//
//  1. nothing is prepared, and nothing will be (Exclusive)
//  2. the engines hold everything in their own files, up to the log's end
//  3. the redo logs begin anew: they have no commit record any more, whose mark would be one of the old log
//  4. package binlog replaces the log. Under a redo log, the files are durable by themselves before (enginelog.FS)
//  5. the engines' marks move to the new log's start
//
// Until 4 the old log counts, and an engine comes up at its own mark, which is that log's end. After that, package store goes on where
// it was interrupted, and finds the engines at the end of the old log or at the start of the new one.

// Exclusive runs f, which replaces the log, while nothing is prepared.
func (p *Protocol) Exclusive(f func() error) error {
	p.committing.Lock()
	defer p.committing.Unlock()
	return f()
}

// Resetter begins the redo logs anew between the engines' checkpoint and the new log.
func (a applier) Resetter() commit.Resetter {
	next := a.Applier.Resetter()
	if next == nil {
		return nil
	}
	return resetter{next, a.p}
}

type resetter struct {
	commit.Resetter
	p *Protocol
}

// Checkpoint makes everything durable in the engines, and then takes it out of the redo logs.
func (r resetter) Checkpoint() (engine.Mark, error) {
	mark, err := r.Resetter.Checkpoint()
	if err != nil {
		return mark, err
	}
	for _, e := range r.p.engines {
		if e == nil {
			continue
		}
		if err := e.begin(); err != nil {
			return mark, r.p.appended(err)
		}
	}
	if r.p.o.Carry == nil {
		return mark, nil
	}
	// For the end of the one log and the start of the other, which a full disk must not refuse.
	return mark, r.p.appended(r.p.o.Carry.Reserve(resetBytes))
}

// resetBytes is more than the records of Carry.Stop and Carry.Start take, besides what stands reserved.
const resetBytes = 2048

// ResetMark is for the engines; the log is new.
func (r resetter) ResetMark(m engine.Mark) error {
	if err := r.Resetter.ResetMark(m); err != nil {
		return err
	}
	p := r.p
	p.marks.segment = m.Position.Segment
	if p.o.Carry == nil {
		return nil
	}
	return p.o.Carry.Start(p.carrier().redo, p.log.SegmentName(m.Position.Segment), m.Position.Offset)
}

// begin takes what is in the redo log out of it: the engine holds it, durably. What it takes on the disk the next checkpoint gives back.
func (e *Engine) begin() error {
	at, _, err := e.redo.Append([]byte{recordBegin})
	if err == nil {
		err = e.redo.Sync(at)
	}
	if err == nil {
		e.missed = e.missed[:0]
	}
	return err
}

// markResetter moves the mark of an engine whose redo log has begun anew.
type markResetter struct {
	*Engine
	engine.MarkResetter
}

// ResetMark is that of the engine. Places in the old log mean nothing any more.
func (m markResetter) ResetMark(mark engine.Mark) error {
	if err := m.MarkResetter.ResetMark(mark); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.mu.open)
	m.mu.level, m.mu.levelSegment = logpos.Pos{}, 0
	return nil
}
