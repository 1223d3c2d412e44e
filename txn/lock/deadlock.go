package lock

// Deadlock detection. The wait-for graph has an edge from a waiting owner to
// every holder, and every request before it in the queue, that its
// request conflicts with; a request that goes first has none before it, and one
// that yields is in nobody's way. The graph is searched when an owner starts to wait, and
// the waiter is the victim.
//
// That is enough: an edge that appears later replaces a longer path (a
// request in front that becomes a holder, a gap left by a request that gave up), or leads to an owner that does
// not wait (who got the lock before a request that yields), or to the one that the search is for
// (who goes before others that wait). A request enters its queue
// and the graph under one mutex, so of the waits that close a cycle the last one sees all others.
//
// A request that was granted, but whose owner has not woken yet, has no edges.

// enter puts r into its lock's queue and returns blocked; or deadlock, if waiting would close
// a cycle: then r is out of the queue again. If the lock can be granted at once it is, and if
// another owner has got it in a set since the caller looked, r is not queued and inSet returned.
func (m *Manager) enter(r *request) outcome {
	s := m.shard(r.hash)
	m.graph.Lock()
	defer m.graph.Unlock()
	if end := s.enqueue(m, r); end != blocked {
		return end
	}
	r.owner.waiter().waiting = r
	m.waiting[r] = struct{}{}
	if !m.reaches(r, r.owner.waiter()) {
		return blocked
	}
	d := m.report(r)
	if !m.leaveQueue(r) {
		return blocked // granted meanwhile
	}
	m.lastDeadlock.Store(d)
	return deadlock
}

// enqueue is enter for the shard alone.
func (s *shard) enqueue(m *Manager, r *request) outcome {
	s.Lock()
	defer s.Unlock()
	l := s.lockOf(r.hash)
	if r.class == Rows && !r.gate && m.escalatedHolder(r.owner, r.hash) != nil {
		s.dropIfUnused(r.hash, l)
		return inSet
	}
	r.first = r.first || l.heldBy(r.owner) != None
	if l.grantable(r.owner, r.mode, r.first) {
		return l.grant(r.owner, r.mode)
	}
	r.granted = make(chan struct{})
	l.enqueue(r)
	return blocked
}

// giveUp takes r out of the queue. It reports false if r was granted before.
func (m *Manager) giveUp(r *request) bool {
	m.graph.Lock()
	defer m.graph.Unlock()
	return m.leaveQueue(r)
}

// leaveQueue is giveUp with the graph locked.
func (m *Manager) leaveQueue(r *request) bool {
	m.leaveGraph(r)
	s := m.shard(r.hash)
	s.Lock()
	defer s.Unlock()
	if r.done {
		return false
	}
	l := s.locks[r.hash]
	l.dequeue(r)
	l.grantWaiters()
	s.dropIfUnused(r.hash, l)
	return true
}

// endWait takes a granted request out of the graph.
func (m *Manager) endWait(r *request) {
	m.graph.Lock()
	m.leaveGraph(r)
	m.graph.Unlock()
}

func (m *Manager) leaveGraph(r *request) {
	if w := r.owner.waiter(); w.waiting == r {
		w.waiting = nil
	}
	delete(m.waiting, r)
}

// reaches follows the edges of r and reports whether they lead to target.
func (m *Manager) reaches(r *request, target *Waiter) bool {
	var visited map[*Waiter]bool
	stack := m.blockers(nil, r, target)
	for len(stack) > 0 {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if o == target {
			return true
		}
		if o.waiting == nil || visited[o] {
			continue
		}
		if visited == nil {
			visited = map[*Waiter]bool{}
		}
		visited[o] = true
		stack = m.blockers(stack, o.waiting, target)
	}
	return false
}

// blockers appends the owners that r waits for, directly or through requests
// before it in the same queue. Of those requests' owners only target is of
// interest: they wait for this lock and nothing else, so all further edges start at
// its holders. (Following a queue request by request would make the search
// quadratic, with a mutex held, where many wait for one hot row.)
func (m *Manager) blockers(dst []*Waiter, r *request, target *Waiter) []*Waiter {
	s := m.shard(r.hash)
	s.Lock()
	defer s.Unlock()
	if r.done {
		return dst
	}
	l := s.locks[r.hash]
	// ahead and held are the modes that are in the way of r, or of a request that r waits for: in the queue,
	// and of holders.
	ahead, held := conflicts[r.mode], conflicts[r.mode]
	if r.first {
		ahead = 0
	}
	at := len(l.queue) - 1
	for l.queue[at] != r {
		at--
	}
	for at--; at >= 0; at-- {
		q := l.queue[at]
		if q.yields || ahead&q.mode.set() == 0 {
			continue
		}
		held |= conflicts[q.mode]
		if !q.first {
			ahead |= conflicts[q.mode]
		}
		if q.owner.waiter() == target {
			dst = append(dst, target)
		}
	}
	// Those of r's own session are in nobody's way here: who has the lock in any mode goes first.
	for _, h := range l.holders {
		if held&h.mode.set() != 0 && !h.owner.sameSession(r.owner) {
			dst = append(dst, h.owner.waiter())
		}
	}
	return dst
}
