package lock

import (
	"bytes"
	"time"
)

// Keys, statements and times are kept of waits only: a lock that nobody waits for costs none
// of this. Every lock in a circle is waited for, so a deadlock can be told in full.

// Party is an owner in a report.
type Party struct {
	ID     uint64 // Owner.ID
	Thread uint32 // Owner.Thread
	Mode   Mode   // of the lock that it has, or waits for
}

// Wait is an owner that waits for a lock.
type Wait struct {
	Party
	Class     Class
	Key       []byte // what is locked
	Statement string // Request.Statement
	Since     time.Time
	// Blockers have the lock, or are in front in the queue, in a mode that is in the way.
	Blockers []Party
}

// Deadlock is a wait that would have closed a circle.
type Deadlock struct {
	At time.Time
	// Waits are the circle: each waits for the owner of the next one, the last for that of the first,
	// which is the victim.
	Waits []Wait
}

// Waits are those of this moment, in no order.
func (m *Manager) Waits() []Wait {
	m.graph.Lock()
	defer m.graph.Unlock()
	out := make([]Wait, 0, len(m.waiting))
	for r := range m.waiting {
		if w, ok := m.describe(r); ok {
			out = append(out, w)
		}
	}
	return out
}

// LastDeadlock is the latest one; nil if there was none.
func (m *Manager) LastDeadlock() *Deadlock { return m.lastDeadlock.Load() }

// tell tells Options.Waiting of a wait that has begun.
func (m *Manager) tell(r *request) {
	m.graph.Lock()
	w, waits := m.describe(r)
	m.graph.Unlock()
	if waits {
		m.opts.Waiting(w)
	}
}

// describe tells of a wait. It is false for a request that was granted. The graph is locked.
func (m *Manager) describe(r *request) (Wait, bool) {
	blockers, waits := m.inTheWay(r)
	if !waits {
		return Wait{}, false
	}
	w := Wait{Party: r.party(), Class: r.class, Key: bytes.Clone(r.key), Statement: r.statement, Since: r.since}
	for _, b := range blockers {
		w.Blockers = append(w.Blockers, b.party())
	}
	return w, true
}

// inTheWay are the holders, and the owners of requests in front, that r conflicts with: all
// edges of the wait-for graph, which blockers leaves out in part. It is false if r was granted.
func (m *Manager) inTheWay(r *request) ([]holder, bool) {
	s := m.shard(r.hash)
	s.Lock()
	defer s.Unlock()
	if r.done {
		return nil, false
	}
	var out []holder
	l := s.locks[r.hash]
	for _, h := range l.holders {
		if !compatible(h.mode, r.mode) && !h.owner.sameSession(r.owner) {
			out = append(out, h)
		}
	}
	for _, q := range l.queue {
		if q == r || r.first {
			break
		}
		if !q.yields && !compatible(q.mode, r.mode) {
			out = append(out, holder{q.owner, q.mode})
		}
	}
	return out, true
}

// report describes the circle that r has closed. The graph is locked, and r is in its queue.
func (m *Manager) report(r *request) *Deadlock {
	d := &Deadlock{At: m.now()}
	for _, in := range m.circle(r, r.owner.waiter(), map[*Waiter]bool{}) {
		if w, ok := m.describe(in); ok {
			d.Waits = append(d.Waits, w)
		}
	}
	return d
}

// circle is a path of waits from r to target.
func (m *Manager) circle(r *request, target *Waiter, visited map[*Waiter]bool) []*request {
	blockers, _ := m.inTheWay(r)
	for _, b := range blockers {
		if b.owner.waiter() == target {
			return []*request{r}
		}
	}
	for _, b := range blockers {
		w := b.owner.waiter()
		next := w.waiting
		if next == nil || visited[w] {
			continue
		}
		visited[w] = true
		if rest := m.circle(next, target, visited); rest != nil {
			return append([]*request{r}, rest...)
		}
	}
	return nil
}

func (h holder) party() Party { return Party{ID: h.owner.ID, Thread: h.owner.Thread, Mode: h.mode} }

func (r *request) party() Party {
	return Party{ID: r.owner.ID, Thread: r.owner.Thread, Mode: r.wants}
}
