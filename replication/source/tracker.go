package source

import (
	"sync"
	"time"
)

// replicaMemory is how long a replica that went away is counted on to come back: long enough for a restart or
// an upgrade of its machine, short enough that a replica which is gone for good does not fill the disk of
// its primary. Only automatic purging waits for it; PURGE does not.
const replicaMemory = time.Hour

// trackedMax bounds how many replicas are remembered that went away.
const trackedMax = 10_000

// Tracker knows which part of the log the replicas need, by their server ids: those that are served, and
// those that went away not long ago. Its zero value is ready, and its methods are safe for concurrent use.
//
// MariaDB's replicas do not say what they have stored. What was sent may be lost on its way with
// the connection, so a replica needs the file before the one that it is being sent, too.
type Tracker struct {
	now func() time.Time // for tests; nil means time.Now

	mu struct {
		sync.Mutex
		resets    int // calls of Forget
		connected int
		replicas  map[uint32]*tracked
	}
}

type tracked struct {
	dumps   int
	segment uint64    // of the latest dump
	left    time.Time // when the last dump ended; dumps is 0
}

// Tracking is one dump.
type Tracking struct {
	t      *Tracker
	id     uint32
	resets int
	known  bool // At was called
}

// Begin notes that a replica is being served. End has to be called.
func (t *Tracker) Begin(serverID uint32) *Tracking {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.connected++
	return &Tracking{t: t, id: serverID, resets: t.mu.resets}
}

// At notes that the dump has come to a segment.
func (x *Tracking) At(segment uint64) {
	t := x.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if x.resets != t.mu.resets {
		return
	}
	r := t.mu.replicas[x.id]
	if r == nil {
		if t.mu.replicas == nil {
			t.mu.replicas = map[uint32]*tracked{}
		}
		t.tidyLocked()
		r = &tracked{}
		t.mu.replicas[x.id] = r
	}
	if !x.known {
		x.known = true
		r.dumps++
	}
	r.segment = segment
}

// End notes that the dump has ended.
func (x *Tracking) End() {
	t := x.t
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.connected--
	if r := t.mu.replicas[x.id]; x.known && x.resets == t.mu.resets && r != nil {
		r.dumps--
		r.left = t.time()
	}
}

// Connected is how many replicas are being served.
func (t *Tracker) Connected() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mu.connected
}

// Needed is the oldest segment that a replica needs; false if none needs any.
func (t *Tracker) Needed() (segment uint64, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tidyLocked()
	for _, r := range t.mu.replicas {
		need := max(r.segment, 2) - 1
		if !ok || need < segment {
			segment, ok = need, true
		}
	}
	return segment, ok
}

// Forget forgets what replicas need, because the log was replaced.
func (t *Tracker) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.resets++
	clear(t.mu.replicas)
}

// tidyLocked forgets who has been away for too long.
func (t *Tracker) tidyLocked() {
	now := t.time()
	for id, r := range t.mu.replicas {
		if r.dumps == 0 && now.Sub(r.left) >= replicaMemory {
			delete(t.mu.replicas, id)
		}
	}
	for id, r := range t.mu.replicas {
		if len(t.mu.replicas) < trackedMax {
			return
		}
		if r.dumps == 0 {
			delete(t.mu.replicas, id)
		}
	}
}

func (t *Tracker) time() time.Time {
	if t.now != nil {
		return t.now()
	}
	return time.Now()
}
