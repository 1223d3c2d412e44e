package lock

import "sync"

// The lock of class Global is wanted in mode IntentExclusive by everybody who changes anything, and nearly never in
// another mode. So as long as it is not, its holders are not in the table: each is in one of several lists, chosen by its
// thread, so that they do not meet at one mutex.
//
// Whoever wants it in another mode closes the lists first: their members become holders in the table, and who
// comes then asks there. Waits and deadlocks are those of other locks then. When the last one in another mode is
// gone the lists are opened again; those who are in the table stay there until they release the lock.

const intentListCount = 64 // a power of two

// intentList are owners that have the global lock as IntentExclusive.
type intentList struct {
	sync.Mutex // taken before a shard's mutex and Owner.mu
	closed     bool
	first      *Owner
	_          [40]byte // a cache line of its own
}

// intentEntry is an owner's place in its list; guarded by the list's mutex.
type intentEntry struct {
	in         bool
	prev, next *Owner
}

// global says whether the lists are closed.
type global struct {
	sync.Mutex     // taken before the lists' mutexes
	strong     int // owners that have the lock in another mode than IntentExclusive, or ask for it
	lists      [intentListCount]intentList
}

func (g *global) list(o *Owner) *intentList { return &g.lists[o.Thread%intentListCount] }

// enter puts o into its list, if that is open.
func (g *global) enter(o *Owner) (end outcome, ok bool) {
	l := g.list(o)
	l.Lock()
	defer l.Unlock()
	switch {
	case l.closed:
		return 0, false
	case o.intent.in:
		return had, true
	}
	l.add(o)
	return granted, true
}

// leave takes o out of its list, if it is there.
func (g *global) leave(o *Owner) {
	l := g.list(o)
	l.Lock()
	defer l.Unlock()
	if o.intent.in {
		l.remove(o)
	}
}

func (l *intentList) add(o *Owner) {
	o.intent = intentEntry{in: true, next: l.first}
	if l.first != nil {
		l.first.intent.prev = o
	}
	l.first = o
}

func (l *intentList) remove(o *Owner) {
	if prev := o.intent.prev; prev != nil {
		prev.intent.next = o.intent.next
	} else {
		l.first = o.intent.next
	}
	if next := o.intent.next; next != nil {
		next.intent.prev = o.intent.prev
	}
	o.intent = intentEntry{}
}

// closeLists makes the holders in the lists holders in the table. openLists must follow, when the lock has been released
// or was not got.
func (m *Manager) closeLists(hash uint64) {
	g := &m.global
	g.Lock()
	defer g.Unlock()
	if g.strong++; g.strong > 1 {
		return
	}
	for i := range g.lists {
		m.closeList(&g.lists[i], hash)
	}
}

func (m *Manager) closeList(l *intentList, hash uint64) {
	l.Lock()
	defer l.Unlock()
	l.closed = true
	for l.first != nil {
		o := l.first
		l.remove(o)
		s := m.shard(hash)
		s.Lock()
		// The lists were open, so nobody has the lock in another mode, or waits for it.
		end := s.lockOf(hash).grant(o, IntentExclusive)
		s.Unlock()
		if end == granted {
			o.addHeld(Global, hash)
		}
	}
}

func (m *Manager) openLists() {
	g := &m.global
	g.Lock()
	defer g.Unlock()
	if g.strong--; g.strong > 0 {
		return
	}
	for i := range g.lists {
		l := &g.lists[i]
		l.Lock()
		l.closed = false
		l.Unlock()
	}
}
