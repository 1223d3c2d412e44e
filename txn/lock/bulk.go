package lock

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/duramendb/duramen/txn/keyset"
)

// A lock in the table takes about 140 bytes. When a transaction holds BulkMin of them, the
// exclusive locks on rows that it takes from then on are only noted in a keyset.Set, which takes
// about eleven bytes for each.
//
// Whoever wants a row lock looks into the sets of all such transactions, while it
// holds the shard's mutex, under which the owner adds to its set. If one has the
// lock it waits for the owner's gate: a lock in the table that the owner
// holds until it releases all. So waits, time-outs and deadlocks are those of other
// locks.

// BulkMin is the number of row locks from which on an owner uses a set.
const BulkMin = 1 << 16

// SetBulkMinForTesting lets owners use sets earlier than BulkMin.
func (m *Manager) SetBulkMinForTesting(n int) { m.bulkMin = n }

// bulkLocks are the locks of one owner that are not in the table.
type bulkLocks struct {
	owner *Owner
	gate  uint64 // hash of the owner's gate

	mu  sync.RWMutex // taken under a shard's mutex
	set keyset.Set
}

func (b *bulkLocks) has(hash uint64) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.set.Has(hash)
}

func (b *bulkLocks) add(hash uint64) {
	b.mu.Lock()
	b.set.Add(hash)
	b.mu.Unlock()
}

func (b *bulkLocks) count() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.set.Len()
}

// bulkHolder finds the owner, other than o, whose set has a row lock; nil if there is none.
// The lock's shard is locked.
func (m *Manager) bulkHolder(o *Owner, hash uint64) *bulkLocks {
	all := m.bulks.Load()
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
func (m *Manager) startBulk(o *Owner) {
	if o.bulk != nil {
		return
	}
	// The key of no row, and of no name: a table id that does not exist.
	key := binary.BigEndian.AppendUint64([]byte("\x00\x00\x00\x00gate"), m.gates.Add(1))
	b := &bulkLocks{owner: o, gate: m.hash(key)}
	s := m.shard(b.gate)
	s.Lock()
	l := s.lockOf(b.gate)
	free := len(l.holders) == 0 && len(l.queue) == 0
	if free {
		l.grant(o, Exclusive)
	}
	s.Unlock()
	if !free {
		return // the hash of another lock: the next time will do
	}
	o.addHeld(Rows, b.gate)
	o.setBulk(b)
	m.bulkMu.Lock()
	defer m.bulkMu.Unlock()
	var all []*bulkLocks
	if old := m.bulks.Load(); old != nil {
		all = slices.Clone(*old)
	}
	all = append(all, b)
	m.bulks.Store(&all)
}

func (o *Owner) setBulk(b *bulkLocks) {
	o.mu.Lock()
	o.bulk = b
	o.mu.Unlock()
}

// endBulk forgets o's set. The gate, which is released afterwards, lets those in who wait.
func (m *Manager) endBulk(o *Owner) {
	if o.bulk == nil {
		return
	}
	m.bulkMu.Lock()
	defer m.bulkMu.Unlock()
	all := slices.DeleteFunc(slices.Clone(*m.bulks.Load()), func(b *bulkLocks) bool { return b.owner == o })
	o.setBulk(nil)
	if len(all) == 0 {
		m.bulks.Store(nil)
		return
	}
	m.bulks.Store(&all)
}

// awaitSet waits until the owner of a set has released its locks, and returns granted then.
func (c *call) awaitSet(ctx context.Context, set *bulkLocks) outcome {
	c.result.Waited = true
	if end := c.wait(ctx, c.request(set.gate, Shared)); end != granted {
		return end
	}
	s := c.m.shard(set.gate)
	s.Lock()
	defer s.Unlock()
	s.release(c.owner, set.gate)
	return granted
}
