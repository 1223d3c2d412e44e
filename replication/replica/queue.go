package replica

import (
	"context"
	"sync"

	"github.com/duramendb/duramen/replication/replica/primary"
)

// queue is what was received and is not executed yet, in order: one goroutine puts, one takes. Its bytes are bounded: put waits for room.
//
//	[0, next) is taken and not executed, [next, len) is not taken
type queue struct {
	limit int
	// room and ready wake the one that puts and the one that takes.
	room, ready chan struct{}
	mu          struct {
		sync.Mutex
		entries []entry
		next    int
		bytes   int // of the entries that hold their parts
		groups  int // entries that are the end of a group
	}
}

// entry is a part in the queue.
type entry struct {
	// part is nil once it is taken, if it is not a whole group: of these nothing is kept, they may be as large as they like.
	part *primary.Part
	// What counts of a part that is gone.
	kind        primary.Kind
	place       primary.Place
	timestamp   uint32
	first, last bool
	bytes       int
	// done: there is nothing to execute, its place counts when everything before it is executed.
	done bool
}

func newQueue(limit int) *queue {
	return &queue{limit: limit, room: make(chan struct{}, 1), ready: make(chan struct{}, 1)}
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// put appends a part, once there is room.
func (q *queue) put(ctx context.Context, p *primary.Part) error {
	for {
		q.mu.Lock()
		if q.mu.bytes == 0 || q.mu.bytes+p.Bytes <= q.limit {
			break
		}
		q.mu.Unlock()
		select {
		case <-q.room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	q.mu.entries = append(q.mu.entries, entry{part: p, kind: p.Kind, place: p.Place, timestamp: p.Timestamp, first: p.First, last: p.Last, bytes: p.Bytes})
	q.mu.bytes += p.Bytes
	if p.Kind == primary.Group && p.Last {
		q.mu.groups++
	}
	q.mu.Unlock()
	wake(q.ready) // who takes needs mu at once
	return nil
}

// tryTake takes the next part; nil if there is none. reached is the place up to which everything is executed, if that has moved.
func (q *queue) tryTake() (p *primary.Part, reached primary.Place, moved bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.mu.next == len(q.mu.entries) {
		return nil, primary.Place{}, false
	}
	e := &q.mu.entries[q.mu.next]
	p = e.part
	q.mu.next++
	switch {
	case e.kind == primary.Moved || e.kind == primary.UntilReached:
		e.done = true
		reached, moved = q.shift()
	case e.kind == primary.Group && !(e.first && e.last):
		q.free(e)
	}
	return p, reached, moved
}

// free lets go of a part.
func (q *queue) free(e *entry) {
	if e.part != nil {
		e.part = nil
		q.mu.bytes -= e.bytes
		wake(q.room)
	}
}

// shift removes what is done from the queue's front.
func (q *queue) shift() (reached primary.Place, ok bool) {
	n := 0
	for n < q.mu.next && q.mu.entries[n].done {
		e := &q.mu.entries[n]
		q.free(e)
		if e.kind == primary.Group && e.last {
			q.mu.groups--
		}
		reached, ok = e.place, true
		n++
	}
	if n > 0 {
		clear(q.mu.entries[:n])
		q.mu.entries = q.mu.entries[n:]
		q.mu.next -= n
	}
	return reached, ok
}

// executed says that the first group, or other part, that was taken and was not said to be executed yet is, whose last part p is.
func (q *queue) executed(p *primary.Part) (reached primary.Place, moved bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.mu.entries[:q.mu.next] {
		e := &q.mu.entries[i]
		if e.done {
			continue
		}
		e.done = true
		if p.Kind != primary.Group && e.part == p || p.Kind == primary.Group && e.kind == primary.Group && e.last {
			break
		}
	}
	return q.shift()
}

// dropUnfinished removes from the end what there is of a group whose last part is not there. If something of it was taken, that stays, for the
// one who has taken it rolls it back when another group comes.
func (q *queue) dropUnfinished() {
	q.mu.Lock()
	defer q.mu.Unlock()
	end := len(q.mu.entries)
	for end > q.mu.next && q.mu.entries[end-1].kind == primary.Group && !q.mu.entries[end-1].last {
		end--
		q.free(&q.mu.entries[end])
	}
	q.mu.entries = q.mu.entries[:end]
}

// rewind has everything taken again that is not executed; false if that cannot be, as some of it is gone.
func (q *queue) rewind() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.mu.entries[:q.mu.next] {
		if e := &q.mu.entries[i]; !e.done && e.part == nil {
			return false
		}
	}
	q.mu.next = 0
	for i := range q.mu.entries { // places that wait for a group before them
		q.mu.entries[i].done = false
	}
	if len(q.mu.entries) > 0 {
		wake(q.ready)
	}
	return true
}

// empty drops everything.
func (q *queue) empty() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.entries, q.mu.next, q.mu.bytes, q.mu.groups = nil, 0, 0, 0
	wake(q.room)
}

// oldest is when the primary has logged the first group that is not executed; ok is false if there is none.
func (q *queue) oldest() (timestamp uint32, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.mu.entries {
		if e := &q.mu.entries[i]; !e.done && e.kind == primary.Group {
			return e.timestamp, true
		}
	}
	return 0, false
}

// size is what the parts in the queue have had on the wire, and how many groups are whole and not executed.
func (q *queue) size() (bytes, groups int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.bytes, q.mu.groups
}
