package commit

import (
	"sync/atomic"

	"github.com/duramendb/duramen/logpos"
)

// SemiSync are the places where a commit waits for others to have a copy: semi-synchronous replication, which decides for
// how long. Each function may be nil; all but Reset are called by several goroutines at a time.
//
// A transaction that no replica gets (CommitRequest.LocalOnly) is not waited for. An end is that of a transaction's last event.
type SemiSync struct {
	// BeforeOffered is called with the end that BeforeVisible will be called with, in the order of the log and by one goroutine at a time, before any
	// reader may see the group: a replica has to be asked for a copy at these ends, and need not be at others.
	BeforeOffered func(end logpos.Pos)
	// BeforeVisible is called when a group is durable, and before anybody sees it but readers of what the log offers (Log.Offer).
	// end is that of its last transaction. Groups behind it are written and synced meanwhile, and called with as well; they
	// become visible in order.
	BeforeVisible func(end logpos.Pos, transactions int)
	// BeforeAnswer is called when a transaction is visible, before Commit returns.
	BeforeAnswer func(end logpos.Pos)
	// Reset is called when the log has been replaced (ResetLog), before anything is written to the new one: places of
	// before mean nothing.
	Reset func()
}

// SetSemiSync changes what commits wait for; the zero value is nothing.
func (p *Pipeline) SetSemiSync(s SemiSync) { p.tuning.semiSync.Store(&s) }

// semiSync is an atomic pointer whose zero value points to nothing to wait for.
type semiSync struct{ p atomic.Pointer[SemiSync] }

func (s *semiSync) Store(v *SemiSync) { s.p.Store(v) }

func (s *semiSync) Load() SemiSync {
	if v := s.p.Load(); v != nil {
		return *v
	}
	return SemiSync{}
}

// waitForCopy is the stage between the log stage and the apply stage: it begins in the order of the log, and ends in any order.
type waitForCopy struct {
	hook  func(end logpos.Pos, transactions int) // nil if nothing is to be waited for
	end   logpos.Pos
	count int
	turn  uint64 // in the window behind the stage
}

// leaveLog takes a group that has gone through the log stage into the apply stage, by way of the wait for its copies: on return
// applyMu is held, and all groups before it have held it. g is nil for who stands for an empty group. unlock gives up what
// is held of the log stage. Without anything to wait for, anybody to be told, or a group before that does either, applyMu is taken before
// that, hand over hand.
func (p *Pipeline) leaveLog(number uint64, g *group, unlock func()) {
	var w waitForCopy
	stays := false // in the stage
	p.window.enter(number, func() {
		w, stays = p.beginWait(g)
		if !stays {
			p.copied.enter(w.turn, p.applyMu.Lock)
		}
	})
	unlock()
	if !stays {
		return
	}
	p.tellDurable(g)
	if w.hook != nil {
		w.hook(w.end, w.count)
	}
	p.copied.enter(w.turn, p.applyMu.Lock)
}

// tellDurable tells those members of a group that want to know that it is durable, and everything before it. Nothing is held.
func (p *Pipeline) tellDurable(g *group) {
	if g == nil || !g.members.durable || g.err != nil || g.lost.Load() || p.broken.Load() != nil {
		return
	}
	for m := g.members.head; m != nil; m = m.next {
		if m.req.Durable != nil {
			m.req.Durable(m.req.End)
		}
	}
}

// beginWait begins the wait for the copies of a group. It is called in the order of the log, by one goroutine at a time, when
// everything up to the group's end has gone through the log stage.
func (p *Pipeline) beginWait(g *group) (w waitForCopy, stays bool) {
	w.turn = p.copied.begin()
	hooks := p.tuning.semiSync.Load()
	hook := hooks.BeforeVisible
	if hook == nil {
		return w, g != nil && g.members.durable || !p.copied.isNext(w.turn)
	}
	if g == nil || g.err != nil || g.lost.Load() || p.broken.Load() != nil {
		return w, true
	}
	for m := g.members.head; m != nil; m = m.next {
		if !m.req.LocalOnly {
			w.end, w.hook = m.req.End, hook
			w.count++
		}
	}
	if w.hook != nil {
		if hooks.BeforeOffered != nil {
			hooks.BeforeOffered(w.end)
		}
		p.log.Offer(g.end)
	}
	return w, true
}

// beforeAnswer waits, with AFTER_COMMIT, for the copies of a transaction that is visible.
func (p *Pipeline) beforeAnswer(local bool, end logpos.Pos) {
	if hook := p.tuning.semiSync.Load().BeforeAnswer; hook != nil && !local {
		hook(end)
	}
}
