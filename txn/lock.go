package txn

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"
)

const lockShards = 256 // a power of two

// lockManager keeps the locks of all transactions. A lock is granted in the
// order of arrival: a request waits if it conflicts with a holder or with
// a request in front of it, except that a holder of a shared lock who wants it exclusively goes
// first (nobody else could be granted before it anyway).
//
// Deadlocks are found when somebody is about to wait (see deadlock.go).
type lockManager struct {
	seed   maphash.Seed
	shards [lockShards]lockShard

	// graph guards lockOwner.waiting of all owners: who waits for what. It is
	// taken before a shard's mutex, never inside one. Requests enter and leave queues
	// (other than by being granted) while it is held.
	graph sync.Mutex

	waits, deadlocks, timeouts atomic.Uint64

	bulks   atomic.Pointer[[]*bulkLocks] // nil: no transaction has a set
	bulkMu  sync.Mutex                   // held while bulks is replaced
	bulkMin int                          // bulkMin, or less in tests
	gates   atomic.Uint64

	woken func(context.Context) // Config.WokenForTesting
}

type lockShard struct {
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
	queue   []*lockRequest
	next    *lock
}

type holder struct {
	owner *lockOwner
	mode  lockMode
}

// lockRequest is one wait.
type lockRequest struct {
	owner   *lockOwner
	hash    uint64
	mode    lockMode
	upgrade bool
	granted chan struct{} // closed under the shard's mutex
	done    bool          // granted was closed; guarded by the shard's mutex
}

// lockClass says when a lock is released.
type lockClass uint8

const (
	rowLocks      lockClass = iota // when the place in the log is fixed
	metadataLocks                  // at the end of the transaction
	lockClasses
)

// lockOwner is a transaction as the lock manager sees it. One goroutine at a
// time locks for an owner.
type lockOwner struct {
	mu   sync.Mutex
	held [lockClasses][]uint64 // locks held, each once; guarded by mu

	waiting *lockRequest // guarded by lockManager.graph

	bulk *bulkLocks // row locks that are not in the table; nil as long as there are few
}

func newLockManager() *lockManager {
	lm := &lockManager{seed: maphash.MakeSeed(), bulkMin: bulkMin}
	for i := range lm.shards {
		lm.shards[i].locks = map[uint64]*lock{}
	}
	return lm
}

func (lm *lockManager) hash(key []byte) uint64 { return maphash.Bytes(lm.seed, key) }

func (lm *lockManager) shard(hash uint64) *lockShard { return &lm.shards[hash%lockShards] }

// lockResult tells how a lock was got.
type lockResult struct {
	had    bool // the owner held it before, in this mode or a stronger one
	waited bool
}

// lock takes a lock for o. timeout is the longest wait; if it is negative
// nothing is waited for and ErrNoWait returned instead.
func (lm *lockManager) lock(ctx context.Context, o *lockOwner, class lockClass, hash uint64, mode lockMode, timeout time.Duration) (lockResult, error) {
	s := lm.shard(hash)
	var result lockResult
	for {
		s.Lock()
		l := s.lock(hash)
		held := l.heldBy(o)
		if held >= mode {
			s.Unlock()
			result.had = true
			return result, nil
		}
		if class == rowLocks {
			if b := lm.bulkHolder(o, hash); b != nil {
				s.dropIfUnused(hash, l)
				s.Unlock()
				if timeout < 0 {
					return result, ErrNoWait
				}
				result.waited = true
				if err := lm.awaitBulk(ctx, o, b, timeout); err != nil {
					return result, err
				}
				continue
			}
			// One that others hold, or wait for, is taken in the table.
			if o.bulk != nil && mode == modeExclusive && len(l.holders) == 0 && len(l.queue) == 0 {
				result.had = o.bulk.has(hash)
				o.bulk.add(hash)
				s.dropIfUnused(hash, l)
				s.Unlock()
				return result, nil
			}
		}
		if l.grantable(o, mode, held) {
			l.grant(o, mode)
			s.Unlock()
			if held == modeNone {
				if n := o.addHeld(class, hash); n >= lm.bulkMin && class == rowLocks && mode == modeExclusive {
					lm.startBulk(o)
				}
			}
			return result, nil
		}
		s.Unlock()
		if timeout < 0 {
			return result, ErrNoWait
		}
		waited, retry, err := lm.wait(ctx, s, o, class, hash, mode, timeout)
		result.waited = result.waited || waited
		if err != nil {
			return result, err
		}
		if retry {
			continue
		}
		if held == modeNone {
			o.addHeld(class, hash)
		}
		return result, nil
	}
}

// wait puts a request into the queue and blocks until it is granted, the
// caller gives up, or waiting would be a deadlock. retry says that it was not granted: another owner has
// it in a set.
func (lm *lockManager) wait(ctx context.Context, s *lockShard, o *lockOwner, class lockClass, hash uint64, mode lockMode, timeout time.Duration) (waited, retry bool, err error) {
	r, deadlock, retry := lm.startWait(s, o, class, hash, mode)
	if r == nil {
		return false, retry, nil // granted after all
	}
	lm.waits.Add(1)
	if deadlock {
		lm.deadlocks.Add(1)
		return true, false, ErrDeadlock
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-r.granted:
		lm.endWait(r)
		if lm.woken != nil {
			lm.woken(ctx)
		}
		return true, false, nil
	case <-timer.C:
		err = ErrLockWaitTimeout
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if !lm.giveUp(s, r) {
		return true, false, nil // granted at the last moment
	}
	if errors.Is(err, ErrLockWaitTimeout) {
		lm.timeouts.Add(1)
	}
	return true, false, err
}

// release gives back all locks that o holds of a class.
func (lm *lockManager) release(o *lockOwner, class lockClass) {
	o.mu.Lock()
	held := o.held[class]
	o.held[class] = nil
	o.mu.Unlock()
	if class == rowLocks {
		lm.endBulk(o)
	}
	for _, hash := range held {
		s := lm.shard(hash)
		s.Lock()
		l := s.locks[hash]
		l.remove(o)
		l.grantWaiters()
		s.dropIfUnused(hash, l)
		s.Unlock()
	}
}

// addHeld returns how many locks of the class are held now.
func (o *lockOwner) addHeld(class lockClass, hash uint64) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held[class] = append(o.held[class], hash)
	return len(o.held[class])
}

func (o *lockOwner) countHeld(class lockClass) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.held[class])
}

// lock finds or makes the lock. A new one must be granted or dropped before
// the shard is unlocked.
func (s *lockShard) lock(hash uint64) *lock {
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

func (s *lockShard) dropIfUnused(hash uint64, l *lock) {
	if len(l.holders) > 0 || len(l.queue) > 0 {
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

func (l *lock) heldBy(o *lockOwner) lockMode {
	for _, h := range l.holders {
		if h.owner == o {
			return h.mode
		}
	}
	return modeNone
}

// grantable reports whether o, which holds the lock in mode held, can have it now.
func (l *lock) grantable(o *lockOwner, mode, held lockMode) bool {
	if held == modeNone && len(l.queue) > 0 {
		return false
	}
	return l.compatibleWithHolders(o, mode)
}

func (l *lock) compatibleWithHolders(o *lockOwner, mode lockMode) bool {
	for _, h := range l.holders {
		if h.owner != o && !compatible(h.mode, mode) {
			return false
		}
	}
	return true
}

func (l *lock) grant(o *lockOwner, mode lockMode) {
	for i := range l.holders {
		if l.holders[i].owner == o {
			l.holders[i].mode = max(l.holders[i].mode, mode)
			return
		}
	}
	l.holders = append(l.holders, holder{o, mode})
}

func (l *lock) enqueue(r *lockRequest) {
	at := len(l.queue)
	if r.upgrade {
		for at = 0; at < len(l.queue) && l.queue[at].upgrade; at++ {
		}
	}
	l.queue = append(l.queue, nil)
	copy(l.queue[at+1:], l.queue[at:])
	l.queue[at] = r
}

func (l *lock) dequeue(r *lockRequest) {
	for i, q := range l.queue {
		if q == r {
			l.queue = append(l.queue[:i], l.queue[i+1:]...)
			return
		}
	}
}

func (l *lock) remove(o *lockOwner) {
	for i := range l.holders {
		if l.holders[i].owner == o {
			last := len(l.holders) - 1
			l.holders[i] = l.holders[last]
			l.holders[last] = holder{}
			l.holders = l.holders[:last]
			return
		}
	}
}

// grantWaiters grants from the front of the queue as far as possible.
func (l *lock) grantWaiters() {
	n := 0
	for n < len(l.queue) && l.compatibleWithHolders(l.queue[n].owner, l.queue[n].mode) {
		r := l.queue[n]
		l.grant(r.owner, r.mode)
		r.done = true
		close(r.granted)
		n++
	}
	if n > 0 {
		l.queue = append(l.queue[:0], l.queue[n:]...)
	}
}
