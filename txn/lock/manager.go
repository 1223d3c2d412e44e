package lock

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Errors of Lock. They are returned bare; test with errors.Is.
var (
	ErrWaitTimeout = errors.New("lock wait timeout exceeded")
	ErrDeadlock    = errors.New("deadlock found when trying to get a lock")
	// ErrNoWait: others have the lock and the caller did not want to wait.
	ErrNoWait = errors.New("row is locked")
)

// Options of a Manager. The zero value is the default.
type Options struct {
	// WokenForTesting is called, with no mutex held, by an owner that waited for a lock and got
	// it, with the context it waited with.
	WokenForTesting func(context.Context)
	// Waiting, if set, is told of every wait as it begins, in the waiter's goroutine and with no
	// mutex held. Whoever runs transactions in an order of their own can find out this way that
	// an early one waits for a later one.
	Waiting func(Wait)
	// Now is the clock of reports; nil means time.Now.
	Now func() time.Time
}

// Manager keeps the locks of all transactions. It is safe for concurrent use.
type Manager struct {
	opts   Options
	seed   maphash.Seed
	shards [shardCount]shard

	// graph guards Waiter.waiting of all owners: who waits for what. It is
	// taken before a shard's mutex, never inside one. Requests enter and leave queues
	// (other than by being granted) while it is held.
	graph   sync.Mutex
	waiting map[*request]struct{} // all of them; guarded by graph

	lastDeadlock atomic.Pointer[Deadlock]

	waits, deadlocks, timeouts atomic.Uint64

	escalated     atomic.Pointer[[]*escalatedLocks] // nil: no owner has a set
	escalatedMu   sync.Mutex                        // held while escalated is replaced
	escalationMin int                               // EscalationMin, or less in tests
	gates         atomic.Uint64

	global global

	newTimer func(time.Duration) *timer // newTimer, or another one in tests
}

// Owner is a transaction as the manager sees it. The zero value holds nothing and is ready for
// use. One goroutine at a time locks for an owner.
type Owner struct {
	// ID and Thread are for reports. They do not change while the owner has locks.
	ID     uint64
	Thread uint32

	mu   sync.Mutex
	held [classes][]uint64  // locks held, each once; guarded by mu
	few  [classes][2]uint64 // memory of the first of them

	// Waiter is shared by owners of which only one waits at a time, such as those of one session. They are not in each
	// other's way, what one has the others have too, and a circle through any of them is a deadlock. nil: there are no others.
	Waiter *Waiter
	alone  Waiter // instead of a shared one

	// escalated are row locks that are not in the table; nil as long as there are few. It is changed by
	// the owner's goroutine with mu held.
	escalated *escalatedLocks

	intent intentEntry
	// strong says that the owner has the global lock in another mode than IntentExclusive; its goroutine's own.
	strong bool
}

// Waiter is a node of the wait-for graph. The zero value waits for nothing.
type Waiter struct {
	waiting *request // guarded by Manager.graph
}

func (o *Owner) waiter() *Waiter {
	if o.Waiter != nil {
		return o.Waiter
	}
	return &o.alone
}

// sameSession reports whether o and other are not in each other's way: they are one owner, or share a waiter.
func (o *Owner) sameSession(other *Owner) bool {
	return o == other || o.Waiter != nil && o.Waiter == other.Waiter
}

// Request is what an owner asks for.
type Request struct {
	Class Class
	// Key names what is locked. It is not kept.
	Key  []byte
	Mode Mode
	// Timeout is the longest wait, for all owners in the way together; if it is negative
	// nothing is waited for, and ErrNoWait returned instead.
	Timeout time.Duration
	// First passes by those who wait: only who has the lock is in the way. It is for an owner whose end others wait for.
	First bool
	// Yields lets those who come later go first, if who has the lock is not in their way.
	Yields bool
	// Statement is for reports.
	Statement string
}

// Result tells how a lock was got.
type Result struct {
	Had    bool // the owner, or its session, held it before, in this mode or a stronger one
	Waited bool
	Newest bool // the owner had no lock on it before, and ReleaseNewest can give this one back
}

// Stats are counters since the start.
type Stats struct {
	Waits, Deadlocks, Timeouts uint64
}

// NewManager makes a manager without locks.
func NewManager(o Options) *Manager {
	m := &Manager{opts: o, waiting: map[*request]struct{}{}, seed: maphash.MakeSeed(), escalationMin: EscalationMin, newTimer: newTimer}
	for i := range m.shards {
		m.shards[i].locks = map[uint64]*lock{}
	}
	return m
}

// Stats returns the counters.
func (m *Manager) Stats() Stats {
	return Stats{Waits: m.waits.Load(), Deadlocks: m.deadlocks.Load(), Timeouts: m.timeouts.Load()}
}

func (m *Manager) now() time.Time {
	if m.opts.Now != nil {
		return m.opts.Now()
	}
	return time.Now()
}

func (m *Manager) hash(key []byte) uint64 { return maphash.Bytes(m.seed, key) }

func (m *Manager) shard(hash uint64) *shard { return &m.shards[hash%shardCount] }

// Lock takes a lock for o.
func (m *Manager) Lock(ctx context.Context, o *Owner, r Request) (Result, error) {
	if r.Class == Global && r.Mode == IntentExclusive {
		if end, ok := m.global.enter(o); ok {
			return Result{Had: end == had}, nil
		}
	}
	c := call{m: m, owner: o, Request: r, hash: m.hash(r.Key)}
	strengthens := r.Class == Global && r.Mode != IntentExclusive && !o.strong
	if strengthens {
		m.closeLists(c.hash)
	}
	end := c.run(ctx)
	if c.clock != nil {
		c.clock.stop()
	}
	if strengthens {
		if o.strong = end == granted || end == strengthened; !o.strong {
			m.openLists()
		}
	}
	switch end {
	case had:
		c.result.Had = true
	case granted:
		c.result.Newest = true
	case deadlock:
		return c.result, ErrDeadlock
	case refused:
		return c.result, ErrNoWait
	case timedOut:
		return c.result, ErrWaitTimeout
	case cancelled:
		return c.result, context.Cause(ctx)
	}
	return c.result, nil
}

// Release gives back all locks that o holds of a class.
func (m *Manager) Release(o *Owner, class Class) {
	if class == Global {
		m.global.leave(o) // it may be in the table as well: from there it came when the lists were closed before
	}
	o.mu.Lock()
	held := o.held[class]
	o.held[class] = nil
	o.mu.Unlock()
	if class == Rows {
		m.endEscalation(o)
	}
	for _, hash := range held {
		s := m.shard(hash)
		s.Lock()
		s.release(o, hash)
		s.Unlock()
	}
	if class == Global && o.strong {
		o.strong = false
		m.openLists()
	}
}

// ReleaseOne gives back one lock that o holds of a class other than Rows and Global.
func (m *Manager) ReleaseOne(o *Owner, class Class, key []byte) {
	hash := m.hash(key)
	o.mu.Lock()
	at := slices.Index(o.held[class], hash)
	if at >= 0 {
		o.held[class] = slices.Delete(o.held[class], at, at+1)
	}
	o.mu.Unlock()
	if at < 0 {
		return
	}
	s := m.shard(hash)
	s.Lock()
	s.release(o, hash)
	s.Unlock()
}

// ReleaseNewest gives back a row lock, if it is the one that o has got last, and is not in a set.
func (m *Manager) ReleaseNewest(o *Owner, key []byte) {
	hash := m.hash(key)
	o.mu.Lock()
	held := o.held[Rows]
	last := len(held) - 1
	newest := last >= 0 && held[last] == hash
	if newest {
		o.held[Rows] = held[:last]
	}
	o.mu.Unlock()
	if !newest {
		return
	}
	s := m.shard(hash)
	s.Lock()
	s.release(o, hash)
	s.Unlock()
}

// Holder is an owner that holds a lock, as long as somebody does. It is not one in a set.
func (m *Manager) Holder(key []byte) (p Party, held bool) {
	hash := m.hash(key)
	s := m.shard(hash)
	s.Lock()
	defer s.Unlock()
	l := s.locks[hash]
	if l == nil || len(l.holders) == 0 {
		return Party{}, false
	}
	return l.holders[0].party(), true
}

// Holds reports whether o has a row lock.
func (m *Manager) Holds(o *Owner, key []byte) bool {
	hash := m.hash(key)
	s := m.shard(hash)
	s.Lock()
	defer s.Unlock()
	if l := s.locks[hash]; l != nil && l.heldBy(o) != None {
		return true
	}
	return o.escalated != nil && o.escalated.has(hash)
}

// NameCount is the number of metadata locks that o holds.
func (m *Manager) NameCount(o *Owner) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.held[Metadata])
}

// RowCount is the number of row locks that o holds.
func (m *Manager) RowCount(o *Owner) int {
	o.mu.Lock()
	n, b := len(o.held[Rows]), o.escalated
	o.mu.Unlock()
	if b != nil {
		n += b.count() - 1 // the gate is no row
	}
	return n
}

// Count is the number of locks in the table: those that somebody holds or waits for, without
// those in sets.
func (m *Manager) Count() int {
	n := 0
	for i := range m.shards {
		s := &m.shards[i]
		s.Lock()
		n += len(s.locks)
		s.Unlock()
	}
	return n
}
