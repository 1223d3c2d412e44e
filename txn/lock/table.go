package lock

import (
	"slices"
	"sync"
	"time"
)

const shardCount = 256 // a power of two

type shard struct {
	sync.Mutex
	locks     map[uint64]*lock
	peak      int   // the most locks since the map was made
	free      *lock // reused locks, linked by next
	freeCount int
}

// A shard keeps at most this many unused locks, and gives up its map when it
// is empty and has held more than that: a transaction that locked a million rows
// leaves nothing behind.
const (
	freeLocksMax = 64
	keptPeakMax  = 1024
)

// lock exists while somebody holds it or waits for it.
type lock struct {
	holders []holder
	queue   []*request
	next    *lock
	// strong is how many holders have a mode that an intent is in conflict with. Many transactions change a table at a time, and hardly ever
	// one of them is in the way: then the others need not be looked through.
	strong int
}

type holder struct {
	owner *Owner
	mode  Mode
}

// request is one wait.
type request struct {
	owner   *Owner
	hash    uint64
	class   Class
	mode    Mode
	gate    bool          // hash is that of a set's gate
	first   bool          // goes before those who wait: Request.First, or the session has the lock in a weaker mode
	yields  bool          // Request.Yields
	granted chan struct{} // closed under the shard's mutex
	done    bool          // granted was closed; guarded by the shard's mutex
	gain    outcome       // what being granted is: granted or strengthened; set before granted is closed

	// For reports. The lock may be a gate: then key and wants are those of the row's lock.
	key       []byte
	wants     Mode
	statement string
	since     time.Time
}

// lockOf finds or makes the lock of a key's hash. A new one must be granted or dropped before
// the shard is unlocked.
func (s *shard) lockOf(hash uint64) *lock {
	l := s.locks[hash]
	if l != nil {
		return l
	}
	if l = s.free; l != nil {
		s.free, l.next = l.next, nil
		s.freeCount--
	} else {
		l = &lock{holders: make([]holder, 0, 1)}
	}
	s.locks[hash] = l
	s.peak = max(s.peak, len(s.locks))
	return l
}

func (s *shard) dropIfUnused(hash uint64, l *lock) {
	if !l.unused() {
		return
	}
	delete(s.locks, hash)
	if len(s.locks) == 0 && s.peak > keptPeakMax {
		s.locks, s.peak = map[uint64]*lock{}, 0
	}
	if s.freeCount < freeLocksMax {
		l.holders, l.queue = l.holders[:0], nil
		l.next, s.free = s.free, l
		s.freeCount++
	}
}

// release takes o out of a lock, and lets in who waited for that.
func (s *shard) release(o *Owner, hash uint64) {
	l := s.locks[hash]
	l.remove(o)
	l.grantWaiters()
	s.dropIfUnused(hash, l)
}

func (l *lock) unused() bool { return len(l.holders) == 0 && len(l.queue) == 0 }

// heldBy is what the owner and the others of its session hold.
func (l *lock) heldBy(o *Owner) Mode {
	held := None
	for _, h := range l.holders {
		if h.owner.sameSession(o) {
			held = held.with(h.mode)
		}
	}
	return held
}

// grantable reports whether o can have the lock now. Who goes first looks at those who hold it only.
func (l *lock) grantable(o *Owner, mode Mode, first bool) bool {
	return l.compatibleWithHolders(o, mode) && (first || l.compatibleWithQueue(mode))
}

func (l *lock) compatibleWithHolders(o *Owner, mode Mode) bool {
	if l.strong == 0 && conflicts[mode]&^conflicts[IntentExclusive] == 0 {
		return true
	}
	for _, h := range l.holders {
		if !compatible(h.mode, mode) && !h.owner.sameSession(o) {
			return false
		}
	}
	return true
}

func (l *lock) compatibleWithQueue(mode Mode) bool {
	for _, r := range l.queue {
		if !r.yields && !compatible(r.mode, mode) {
			return false
		}
	}
	return true
}

// grant returns granted, or strengthened if o itself had the lock.
func (l *lock) grant(o *Owner, mode Mode) outcome {
	for i := range l.holders {
		if h := &l.holders[i]; h.owner == o {
			l.strong -= h.mode.strong()
			h.mode = h.mode.with(mode)
			l.strong += h.mode.strong()
			return strengthened
		}
	}
	return l.grantNew(o, mode)
}

// grantNew is grant to an owner that does not hold the lock.
func (l *lock) grantNew(o *Owner, mode Mode) outcome {
	l.strong += mode.strong()
	l.holders = append(l.holders, holder{o, mode})
	return granted
}

func (l *lock) enqueue(r *request) {
	at := len(l.queue)
	if r.first {
		for at = 0; at < len(l.queue) && l.queue[at].first; at++ {
		}
	}
	l.queue = append(l.queue, nil)
	copy(l.queue[at+1:], l.queue[at:])
	l.queue[at] = r
}

func (l *lock) dequeue(r *request) {
	for i, q := range l.queue {
		if q == r {
			l.queue = append(l.queue[:i], l.queue[i+1:]...)
			return
		}
	}
}

func (l *lock) remove(o *Owner) {
	for i := range l.holders {
		if l.holders[i].owner == o {
			l.strong -= l.holders[i].mode.strong()
			last := len(l.holders) - 1
			l.holders[i] = l.holders[last]
			l.holders[last] = holder{}
			l.holders = l.holders[:last]
			return
		}
	}
}

// grantWaiters grants, from the front of the queue, what nobody is in the way of any more; requests that yield after the others.
func (l *lock) grantWaiters() {
	if l.grantPass(false) {
		l.grantPass(true)
	}
}

// grantPass grants requests that yield, or the others. It reports whether it has seen one that yields.
func (l *lock) grantPass(yielding bool) (yields bool) {
	var waiting modeSet // of those who stay and are in the way of others
	kept := l.queue[:0]
	for i, r := range l.queue {
		if waiting&Exclusive.set() != 0 && !r.first {
			kept = append(kept, l.queue[i:]...)
			break
		}
		yields = yields || r.yields
		if r.yields != yielding || !r.first && waiting&conflicts[r.mode] != 0 || !l.compatibleWithHolders(r.owner, r.mode) {
			if !r.yields {
				waiting |= r.mode.set()
			}
			kept = append(kept, r)
			continue
		}
		r.gain = l.grant(r.owner, r.mode)
		r.done = true
		close(r.granted)
	}
	clear(l.queue[len(kept):])
	l.queue = kept
	return yields
}

// hasMetadata reports whether o, or another owner of its session, may hold a metadata lock.
func (o *Owner) hasMetadata(hash uint64) bool {
	if o.Waiter != nil {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.held[Metadata], hash)
}

// addHeld notes a lock that the table has granted, and returns how many of its class o holds.
func (o *Owner) addHeld(class Class, hash uint64) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held[class] == nil {
		o.held[class] = o.few[class][:0]
	}
	o.held[class] = append(o.held[class], hash)
	return len(o.held[class])
}
