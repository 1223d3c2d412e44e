package txn

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"time"
)

// A lock in the table takes about 140 bytes. When a transaction holds bulkMin of them, the
// exclusive locks on rows that it takes from then on are only noted in a hashSet, which takes
// about eleven bytes for each.
//
// Whoever wants a row lock looks into the sets of all such transactions, while it
// holds the shard's mutex, under which the owner adds to its set. If one has the
// lock it waits for the owner's gate: a lock in the table that the owner
// holds until it releases all. So waits, time-outs and deadlocks are those of other
// locks.

// bulkMin is the number of row locks from which on a transaction uses a set.
const bulkMin = 1 << 16

// bulkLocks are the locks of one owner that are not in the table.
type bulkLocks struct {
	owner *lockOwner
	gate  uint64 // hash of the owner's gate

	mu  sync.RWMutex // taken under a shard's mutex
	set hashSet
}

func (b *bulkLocks) has(hash uint64) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.set.has(hash)
}

func (b *bulkLocks) add(hash uint64) {
	b.mu.Lock()
	b.set.add(hash)
	b.mu.Unlock()
}

func (b *bulkLocks) count() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.set.size
}

// bulkHolder finds the owner, other than o, whose set has a row lock; nil if there is none.
// The lock's shard is locked.
func (lm *lockManager) bulkHolder(o *lockOwner, hash uint64) *bulkLocks {
	all := lm.bulks.Load()
	if all == nil {
		return nil
	}
	for _, b := range *all {
		if b.owner != o && b.has(hash) {
			return b
		}
	}
	return nil
}

// startBulk lets o note its row locks in a set from now on.
func (lm *lockManager) startBulk(o *lockOwner) {
	if o.bulk != nil {
		return
	}
	// The key of no row, and of no name: a table id that does not exist.
	key := binary.BigEndian.AppendUint64([]byte("\x00\x00\x00\x00gate"), lm.gates.Add(1))
	b := &bulkLocks{owner: o, gate: lm.hash(key)}
	s := lm.shard(b.gate)
	s.Lock()
	l := s.lock(b.gate)
	free := len(l.holders) == 0 && len(l.queue) == 0
	if free {
		l.grant(o, modeExclusive)
	}
	s.Unlock()
	if !free {
		return // the hash of another lock: the next time will do
	}
	o.addHeld(rowLocks, b.gate)
	o.bulk = b
	lm.bulkMu.Lock()
	defer lm.bulkMu.Unlock()
	var all []*bulkLocks
	if old := lm.bulks.Load(); old != nil {
		all = slices.Clone(*old)
	}
	all = append(all, b)
	lm.bulks.Store(&all)
}

// endBulk forgets o's set. The gate, which is released afterwards, lets those in who wait.
func (lm *lockManager) endBulk(o *lockOwner) {
	if o.bulk == nil {
		return
	}
	lm.bulkMu.Lock()
	defer lm.bulkMu.Unlock()
	all := slices.DeleteFunc(slices.Clone(*lm.bulks.Load()), func(b *bulkLocks) bool { return b.owner == o })
	o.bulk = nil
	if len(all) == 0 {
		lm.bulks.Store(nil)
		return
	}
	lm.bulks.Store(&all)
}

// awaitBulk waits until the owner of a set has released its locks.
func (lm *lockManager) awaitBulk(ctx context.Context, o *lockOwner, b *bulkLocks, timeout time.Duration) error {
	s := lm.shard(b.gate)
	if _, _, err := lm.wait(ctx, s, o, metadataLocks, b.gate, modeShared, timeout); err != nil {
		return err
	}
	s.Lock()
	defer s.Unlock()
	l := s.locks[b.gate]
	l.remove(o)
	l.grantWaiters()
	s.dropIfUnused(b.gate, l)
	return nil
}
