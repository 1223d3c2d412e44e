package txn

// Deadlock detection. The wait-for graph has an edge from a waiting owner to
// every holder, and every request in front of it in the queue, that its
// request conflicts with. The graph is searched when an owner starts to wait, and
// the waiter is the victim.
//
// That is enough: an edge that appears later replaces a longer path (a
// request in front that becomes a holder, a gap left by a request that gave up; an
// upgrade that goes to the front was a holder before). A request enters its queue
// and the graph under one mutex, so of the waits that close a cycle the last one sees all others.
//
// A request that was granted, but whose owner has not woken yet, has no edges.

// startWait puts a request into the lock's queue and reports whether waiting
// would close a cycle; then the request is out of the queue again. r is nil if
// the lock could be granted at once, or, with retry, if another owner has got it in a set since.
func (lm *lockManager) startWait(s *lockShard, o *lockOwner, class lockClass, hash uint64, mode lockMode) (r *lockRequest, deadlock, retry bool) {
	lm.graph.Lock()
	defer lm.graph.Unlock()
	s.Lock()
	l := s.lock(hash)
	held := l.heldBy(o)
	if class == rowLocks && lm.bulkHolder(o, hash) != nil {
		s.dropIfUnused(hash, l)
		s.Unlock()
		return nil, false, true
	}
	if l.grantable(o, mode, held) {
		l.grant(o, mode)
		s.Unlock()
		return nil, false, false
	}
	r = &lockRequest{owner: o, hash: hash, mode: mode, upgrade: held != modeNone, granted: make(chan struct{})}
	l.enqueue(r)
	s.Unlock()
	o.waiting = r
	if !lm.reaches(r, o) {
		return r, false, false
	}
	return r, lm.leaveQueue(s, r), false
}

// giveUp takes r out of the queue. It reports false if r was granted before.
func (lm *lockManager) giveUp(s *lockShard, r *lockRequest) bool {
	lm.graph.Lock()
	defer lm.graph.Unlock()
	return lm.leaveQueue(s, r)
}

// leaveQueue is giveUp with the graph locked.
func (lm *lockManager) leaveQueue(s *lockShard, r *lockRequest) bool {
	r.owner.waiting = nil
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
func (lm *lockManager) endWait(r *lockRequest) {
	lm.graph.Lock()
	r.owner.waiting = nil
	lm.graph.Unlock()
}

// reaches follows the edges of r and reports whether they lead to target.
func (lm *lockManager) reaches(r *lockRequest, target *lockOwner) bool {
	var visited map[*lockOwner]bool
	stack := lm.blockers(nil, r, target)
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
			visited = map[*lockOwner]bool{}
		}
		visited[o] = true
		stack = lm.blockers(stack, o.waiting, target)
	}
	return false
}

// blockers appends the owners that r waits for, directly or through requests
// in front of it in the same queue. Of those requests' owners only target is of
// interest: they wait for this lock and nothing else, so all further edges start at
// its holders. (Following a queue request by request would make the search
// quadratic, with a mutex held, where many wait for one hot row.)
func (lm *lockManager) blockers(dst []*lockOwner, r *lockRequest, target *lockOwner) []*lockOwner {
	s := lm.shard(r.hash)
	s.Lock()
	defer s.Unlock()
	if r.done {
		return dst
	}
	l := s.locks[r.hash]
	at := len(l.queue) - 1
	for l.queue[at] != r {
		at--
	}
	// Everything in front of an exclusive request matters to it, and through it
	// to those behind.
	all, behind := r.mode == modeExclusive, false
	for at--; at >= 0; at-- {
		q := l.queue[at]
		if q.mode == modeExclusive {
			all, behind = true, true
		}
		if all && q.owner == target {
			dst = append(dst, target)
		}
	}
	for _, h := range l.holders {
		// A request does not wait for its own owner (an upgrade), but may stand behind one that does.
		if (all || h.mode == modeExclusive) && (h.owner != r.owner || behind) {
			dst = append(dst, h.owner)
		}
	}
	return dst
}
