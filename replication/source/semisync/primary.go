package semisync

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/logpos"
)

// place is an end of a transaction in the log; the zero value is before all.
type place = logpos.Pos

// Config says what a Primary works with.
type Config struct {
	// FileName is the name of a file of the log, for messages.
	FileName func(segment uint64) string
	Logger   *slog.Logger // slog.Default if nil
}

// Primary is the primary's side. Its methods are safe for concurrent use.
type Primary struct {
	fileName func(segment uint64) string
	log      *slog.Logger
	clock    clock
	enabled  atomic.Bool // settings.Enabled, for who only asks for that

	mu struct {
		sync.Mutex
		settings Settings
		on       bool // Rpl_semi_sync_master_status
		ending   bool // by BeginEnd
		ended    bool // by End
		// committed is the latest end that a commit wanted to wait for; acked is what enough replicas have.
		committed, acked place
		ends             []place             // announced and not acknowledged, in order
		replicas         map[uint32]*Replica // by server id
		waiting          []*waiter           // by their ends
		changed          chan struct{}       // closed when the settings change
		counts           counts
	}
}

// waiter is a commit group, or a transaction, that waits.
type waiter struct {
	end          place
	transactions int
	done         chan struct{} // closed when it may go on
}

// clock is what a Primary knows of time; tests have their own.
type clock interface {
	Now() time.Time
	// Timer gives a channel that receives when d has passed, and a function that gives the timer back.
	Timer(d time.Duration) (<-chan time.Time, func())
}

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// New returns a Primary that is disabled.
func New(c Config) *Primary {
	p := &Primary{fileName: c.FileName, log: c.Logger, clock: wallClock{}}
	if p.log == nil {
		p.log = slog.Default()
	}
	p.mu.replicas = map[uint32]*Replica{}
	p.mu.changed = make(chan struct{})
	return p
}

// announcedMax is how many ends are remembered. Without an older one its group waits for the acknowledgement of a later one.
const announcedMax = 1024

// Announce says that AfterSync will be called with end, before any replica can be sent what ends there. Ends come in the order of the log.
func (p *Primary) Announce(end logpos.Pos) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := &p.mu
	if len(m.ends) == announcedMax {
		m.ends = slices.Delete(m.ends, 0, announcedMax/2)
	}
	m.ends = append(m.ends, end)
}

// awaitedLocked reports whether the acknowledgement of end is, or will be, waited for: a group was announced, somebody waits since the wait point was another one,
// or the status becomes ON with it.
func (p *Primary) awaitedLocked(end place) bool {
	m := &p.mu
	if _, announced := slices.BinarySearchFunc(m.ends, end, place.Compare); announced || end == m.committed {
		return true
	}
	_, waits := slices.BinarySearchFunc(m.waiting, end, func(w *waiter, end place) int { return w.end.Compare(end) })
	return waits
}

// AfterSync waits with a group that is durable, whose last transaction ends at end, unless the wait point is another one. The
// group has so many transactions.
func (p *Primary) AfterSync(end logpos.Pos, transactions int) { p.wait(AfterSync, end, transactions) }

// AfterCommit waits with a transaction that is visible, unless the wait point is another one.
func (p *Primary) AfterCommit(end logpos.Pos) { p.wait(AfterCommit, end, 1) }

// Reset forgets all places, because the log was replaced, and the replicas, which have to connect again. Nobody waits
// for what the old log had.
func (p *Primary) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.releaseLocked(len(p.mu.waiting), false)
	p.mu.committed, p.mu.acked, p.mu.ends = place{}, place{}, nil
	clear(p.mu.replicas)
}

// BeginEnd is called when the server begins to shut down: from now on nobody waits when fewer replicas are connected than
// are needed. End follows.
func (p *Primary) BeginEnd() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.ending = true
	p.forceLocked(p.aloneLocked())
}

// End lets everybody go on, now and later: the server shuts down.
func (p *Primary) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.ended = true
	p.forceLocked(true)
}

// forceLocked lets everybody go on because of a shutdown.
func (p *Primary) forceLocked(force bool) {
	if n := len(p.mu.waiting); n > 0 && force {
		p.log.Warn("SEMISYNC: Forced shutdown. Some updates might not be replicated.", "waiting", n)
		p.releaseLocked(n, false)
	}
}

// wait is the wait of so many transactions for the acknowledgement of end.
func (p *Primary) wait(point WaitPoint, end place, transactions int) {
	w, changed := p.join(point, end, transactions)
	if w == nil {
		return
	}
	began := p.clock.Now()
	for {
		left := p.timeout() - p.clock.Now().Sub(began)
		expired, stop := p.clock.Timer(left)
		select {
		case <-w.done:
			stop()
			p.waited(w, p.clock.Now().Sub(began))
			return
		case <-changed:
			stop()
			changed = p.settingsChanged()
		case <-expired:
			p.expire(w)
		}
	}
}

// join makes a waiter, or returns nil if there is nothing to wait for.
func (p *Primary) join(point WaitPoint, end place, transactions int) (w *waiter, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := &p.mu
	if !m.settings.Enabled || m.settings.Point != point {
		return nil, nil
	}
	m.committed = logpos.Max(m.committed, end)
	switch {
	case !m.acked.Before(end) && m.on:
		m.counts.yes += uint64(transactions)
		return nil, nil
	case !m.on || m.ended || p.aloneLocked():
		m.counts.no += uint64(transactions)
		return nil, nil
	}
	at, _ := slices.BinarySearchFunc(m.waiting, end, func(w *waiter, end place) int {
		if end.Before(w.end) {
			return 1
		}
		return -1
	})
	if at < len(m.waiting) {
		m.counts.backtraverse++
	}
	w = &waiter{end: end, transactions: transactions, done: make(chan struct{})}
	m.waiting = slices.Insert(m.waiting, at, w)
	m.counts.sessions += transactions
	return w, m.changed
}

func (p *Primary) timeout() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mu.settings.Timeout
}

func (p *Primary) settingsChanged() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mu.changed
}

// waited counts a wait that has ended.
func (p *Primary) waited(w *waiter, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := uint64(w.transactions)
	p.mu.counts.waits += n
	p.mu.counts.waitTime += d * time.Duration(n)
}

// expire makes the status OFF because somebody has waited for too long, unless it was let go at the same time.
func (p *Primary) expire(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := &p.mu
	if !slices.Contains(m.waiting, w) {
		return
	}
	file, at := "", uint64(0)
	if m.acked != (place{}) {
		file, at = p.fileName(m.acked.Segment), m.acked.Offset
	}
	p.log.Warn(fmt.Sprintf("Timeout waiting for reply of binlog (file: %s, pos: %d), semi-sync up to file %s, position %d.",
		p.fileName(w.end.Segment), w.end.Offset, file, at))
	p.log.Warn("Semi-sync replication switched OFF.")
	m.on = false
	m.counts.off++
	p.releaseLocked(len(m.waiting), false)
}

// releaseLocked lets the first n waiters go on, with or without an acknowledgement.
func (p *Primary) releaseLocked(n int, acknowledged bool) {
	for _, w := range p.mu.waiting[:n] {
		if acknowledged {
			p.mu.counts.yes += uint64(w.transactions)
		} else {
			p.mu.counts.no += uint64(w.transactions)
		}
		p.mu.counts.sessions -= w.transactions
		close(w.done)
	}
	p.mu.waiting = slices.Delete(p.mu.waiting, 0, n)
}

// aloneLocked reports whether nobody waits, because there are too few replicas.
func (p *Primary) aloneLocked() bool {
	s := &p.mu.settings
	return (!s.WaitNoReplica || p.mu.ending) && len(p.mu.replicas) < s.needed()
}

// leaveIfAloneLocked lets everybody go on if too few replicas are left.
func (p *Primary) leaveIfAloneLocked() {
	alone := p.aloneLocked()
	p.forceLocked(alone && p.mu.ending)
	if alone {
		p.releaseLocked(len(p.mu.waiting), false)
	}
}

// acknowledgedLocked is called when by's place has moved, or nil for the number of replicas that are needed: those go
// on whose ends enough replicas have.
func (p *Primary) acknowledgedLocked(by *Replica) {
	m := &p.mu
	m.acked = logpos.Max(m.acked, p.commonLocked())
	n := 0
	for n < len(m.ends) && !m.acked.Before(m.ends[n]) {
		n++
	}
	m.ends = slices.Delete(m.ends, 0, n)
	n = 0
	for n < len(m.waiting) && !m.acked.Before(m.waiting[n].end) {
		n++
	}
	p.releaseLocked(n, true)
	if by == nil || m.on || !m.settings.Enabled || m.acked.Before(m.committed) {
		return
	}
	m.on = true
	p.log.Info(fmt.Sprintf("Semi-sync replication switched ON with slave (server_id: %d) at (%s, %d)",
		by.serverID, p.fileName(m.acked.Segment), m.acked.Offset))
}

// commonLocked is the place up to which as many replicas as are needed have the log.
func (p *Primary) commonLocked() place {
	n := p.mu.settings.needed()
	if len(p.mu.replicas) < n {
		return place{}
	}
	var all []place
	for _, r := range p.mu.replicas {
		all = append(all, r.has)
	}
	slices.SortFunc(all, func(a, b place) int {
		switch {
		case b.Before(a):
			return -1
		case a.Before(b):
			return 1
		}
		return 0
	})
	return all[n-1]
}
