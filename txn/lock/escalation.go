package lock

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/duramendb/duramen/txn/keyset"
)

// Lock escalation: a lock in the table takes about 140 bytes. When a transaction holds EscalationMin of them, the
// exclusive locks on rows that it takes from then on are only noted in a keyset.Set, which takes
// about eleven bytes for each. They are still locks on rows: nobody has to wait for a row that is not in the set.
//
// Whoever wants a row lock looks into the sets of all such transactions, while it
// holds the shard's mutex, under which the owner adds to its set. If one has the
// lock it waits for the owner's gate: a lock in the table that the owner
// holds until it releases all. So waits, time-outs and deadlocks are those of other
// locks.

// EscalationMin is the number of row locks from which on those of an owner are escalated.
const EscalationMin = 1 << 16

// SetEscalationMinForTesting lets locks be escalated earlier than EscalationMin.
func (m *Manager) SetEscalationMinForTesting(n int) { m.escalationMin = n }

// escalatedLocks are the locks of one owner that are not in the table.
type escalatedLocks struct {
	owner *Owner
	gate  uint64 // hash of the owner's gate

	mu  sync.RWMutex // taken under a shard's mutex
	set keyset.Set
}

func (b *escalatedLocks) has(hash uint64) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.set.Has(hash)
}

func (b *escalatedLocks) add(hash uint64) {
	b.mu.Lock()
	b.set.Add(hash)
	b.mu.Unlock()
}

func (b *escalatedLocks) count() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.set.Len()
}

// escalatedHolder finds the owner, other than o, whose set has a row lock; nil if there is none.
// The lock's shard is locked.
func (m *Manager) escalatedHolder(o *Owner, hash uint64) *escalatedLocks {
	all := m.escalated.Load()
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

// escalate lets o note its row locks in a set from now on.
func (m *Manager) escalate(o *Owner) {
	if o.escalated != nil {
		return
	}
	// The key of no row, and of no name: a table id that does not exist.
	key := binary.BigEndian.AppendUint64([]byte("\x00\x00\x00\x00gate"), m.gates.Add(1))
	b := &escalatedLocks{owner: o, gate: m.hash(key)}
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
	o.setEscalated(b)
	m.escalatedMu.Lock()
	defer m.escalatedMu.Unlock()
	var all []*escalatedLocks
	if old := m.escalated.Load(); old != nil {
		all = slices.Clone(*old)
	}
	all = append(all, b)
	m.escalated.Store(&all)
}

func (o *Owner) setEscalated(b *escalatedLocks) {
	o.mu.Lock()
	o.escalated = b
	o.mu.Unlock()
}

// endEscalation forgets o's set. The gate, which is released afterwards, lets those in who wait.
func (m *Manager) endEscalation(o *Owner) {
	if o.escalated == nil {
		return
	}
	m.escalatedMu.Lock()
	defer m.escalatedMu.Unlock()
	all := slices.DeleteFunc(slices.Clone(*m.escalated.Load()), func(b *escalatedLocks) bool { return b.owner == o })
	o.setEscalated(nil)
	if len(all) == 0 {
		m.escalated.Store(nil)
		return
	}
	m.escalated.Store(&all)
}

// awaitSet waits until the owner of a set has released its locks, and returns granted then.
func (c *call) awaitSet(ctx context.Context, set *escalatedLocks) outcome {
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
