package commit

import (
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/txn"
)

// member is one request on its way through the pipeline.
type member struct {
	req  *txn.CommitRequest
	next *member
	size int64 // upper bound of its bytes in the log
	err  error
	end  int // of its events in the group's buffer
	// stateText is the GTID state at its end; only of a member that changes the catalog.
	stateText string
	wake      chan struct{} // capacity 1: waking never blocks
}

var memberPool = sync.Pool{New: func() any { return &member{wake: make(chan struct{}, 1)} }}

func newMember(req *txn.CommitRequest) *member {
	m := memberPool.Get().(*member)
	m.req, m.next, m.size, m.err = req, nil, requestSize(req), nil
	return m
}

func (m *member) recycle() {
	m.req, m.next = nil, nil
	memberPool.Put(m)
}

// list is a chain of members, oldest first.
type list struct {
	head, tail *member
	count      int
	bytes      int64
	// late: the last of them were not sequenced on arrival. The sequenced ones are
	// always a prefix, of sequencedBytes bytes.
	late           bool
	sequencedBytes int64
	// lost: some members have been told that they are lost, and have their error.
	lost bool
	// durable: some members have CommitRequest.Durable.
	durable bool
}

func (l *list) push(m *member) {
	if l.tail == nil {
		l.head = m
	} else {
		l.tail.next = m
	}
	l.tail = m
	l.count++
	l.bytes += m.size
	if m.sequenced() {
		l.sequencedBytes += m.size
	} else {
		l.late = true
	}
	l.durable = l.durable || m.req.Durable != nil
}

// append moves the members of another chain to the end.
func (l *list) append(other list) {
	for m := other.head; m != nil; {
		next := m.next
		m.next = nil
		l.push(m)
		m = next
	}
}

// splitLate cuts off and returns the members that are not sequenced.
func (l *list) splitLate() list { return l.split((*member).sequenced) }

// split cuts off and returns the members that are not to be kept.
func (l *list) split(keep func(*member) bool) (rest list) {
	var kept list
	for m := l.head; m != nil; {
		next := m.next
		m.next = nil
		if keep(m) {
			kept.push(m)
		} else {
			rest.push(m)
		}
		m = next
	}
	*l = kept
	return rest
}

// queue holds the requests that wait for the next group.
type queue struct {
	full chan struct{} // capacity 1: the number of members reached the wanted one
	// taken, of capacity 1, tells of take while held.
	taken chan struct{}
	// accepted counts the requests between enqueue and the end of Commit.
	accepted sync.WaitGroup
	// epoch is that of the tickets that get a place. It changes under mu.
	epoch atomic.Uint64

	mu struct {
		sync.Mutex
		waiting list
		numbers numbers // of those that are sequenced
		// room is what the current segment can still take without Reserve, less
		// what the sequenced members of waiting, and the group being
		// written, will use.
		room int64
		// want: send to full when that many wait; 0 when no leader cares.
		want int
		// held: a large transaction is about to take its place, nobody is sequenced on arrival.
		held bool
		// failed refuses every further request.
		failed error
	}
}

// enqueue appends m, sequencing it if its place can be fixed at once. It
// reports whether m is the first, and so must lead.
func (q *queue) enqueue(m *member) (leads bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.mu.failed != nil {
		return false, q.mu.failed
	}
	if m.req.Line != nil && m.req.Line.Failed() {
		return false, txn.ErrLine
	}
	if m.req.Ticket.Epoch() != q.epoch.Load() {
		return false, txn.ErrLost // it may have built on what was lost since
	}
	w := &q.mu.waiting
	arrives := !w.late && !q.mu.held && m.size <= q.mu.room
	if arrives {
		if err := q.mu.numbers.assign(m.req); err != nil {
			return false, err
		}
	}
	q.accepted.Add(1)
	leads = w.head == nil
	if arrives {
		q.mu.room -= m.size
		m.req.Ticket.Sequence()
	}
	w.push(m)
	if q.mu.want > 0 && w.count >= q.mu.want {
		q.mu.want = 0
		q.full <- struct{}{}
	}
	return leads, nil
}

// number gives a request its GTID that is about to be sequenced by a leader. While there is one that was not sequenced on arrival, nobody is.
func (q *queue) number(req *txn.CommitRequest) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.numbers.assign(req)
}

// outOfOrder is the error of a request that number would refuse.
func (q *queue) outOfOrder(req *txn.CommitRequest) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.numbers.check(req)
}

// renumber goes on from a GTID state. Nobody is sequenced that is not in it.
func (q *queue) renumber(state *gtid.State) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.numbers.rewind(state)
}

// take empties the queue.
func (q *queue) take() list {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.mu.waiting
	q.mu.waiting = list{}
	if q.mu.held {
		select {
		case q.taken <- struct{}{}:
		default:
		}
	}
	if l.late {
		// Nobody may be sequenced after one that is not; settle ends this.
		q.mu.room = 0
	}
	return l
}

// claim takes n bytes of the room for what is no request, if they are there; settle has to follow.
func (q *queue) claim(n int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.mu.room < n {
		return false
	}
	q.mu.room -= n
	return true
}

// settle tells the queue how much room the current segment has, after the
// group in the log stage got its share.
func (q *queue) settle(room int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.room = room - q.mu.waiting.sequencedBytes
}

// fail refuses all further requests with err; the first error stays.
func (q *queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.mu.failed == nil {
		q.mu.failed = err
	}
}

// count is the number of requests that wait.
func (q *queue) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.waiting.count
}

// awaitCount arranges for a message on full when n requests wait, unless they do already.
func (q *queue) awaitCount(n int) (reached bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.mu.waiting.count >= n {
		return true
	}
	q.mu.want = n
	return false
}

// stopAwaiting withdraws awaitCount, after a timeout.
func (q *queue) stopAwaiting() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.want = 0
	select {
	case <-q.full:
	default:
	}
}

// sequenced reports whether the member's place in the log is fixed.
func (m *member) sequenced() bool { return m.req.Ticket.State() != txn.Waiting }
