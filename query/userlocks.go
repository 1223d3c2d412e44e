package query

import (
	"context"
	"sync"
	"time"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// userLocks are the locks of GET_LOCK. A session may hold any number of them, and each several
// times. Whoever waits is served in order of arrival; a wait that would close a circle of waits
// fails at once (1213), as MariaDB's, whose user locks are metadata locks.
//
// The names are compared byte by byte, as in MariaDB.
type userLocks struct {
	mu     sync.Mutex
	byName map[string]*userLock
	// waiting is the lock that a session waits for; a session waits for one at a time.
	waiting map[uint32]*userLock
}

// userLock is one name that somebody holds.
type userLock struct {
	owner uint32 // connection id
	count int    // how many times the owner has it
	queue []*userLockRequest
}

// userLockRequest is a session that waits; granted is closed, under userLocks.mu, when it has
// become the owner.
type userLockRequest struct {
	id      uint32
	granted chan struct{}
}

func newUserLocks() *userLocks {
	return &userLocks{byName: map[string]*userLock{}, waiting: map[uint32]*userLock{}}
}

// acquire takes a lock for a session; ok is false when the timeout is over. The error is
// 1213, or the cause of the end of ctx.
func (l *userLocks) acquire(ctx context.Context, id uint32, name string, timeout time.Duration) (ok bool, err error) {
	r, lock, err := l.request(id, name, timeout)
	if r == nil {
		return err == nil && lock != nil, err
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-r.granted:
		return true, nil
	case <-timer.C:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-r.granted: // meanwhile
		if err == nil {
			return true, nil
		}
		l.give(name, lock)
		return false, err
	default:
	}
	delete(l.waiting, id)
	for i, other := range lock.queue {
		if other == r {
			lock.queue = append(lock.queue[:i], lock.queue[i+1:]...)
			break
		}
	}
	return false, err
}

// request takes the lock if it is free or the session's own, which lock tells; it queues a request r
// otherwise, unless there is no time to wait.
func (l *userLocks) request(id uint32, name string, timeout time.Duration) (r *userLockRequest, lock *userLock, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock = l.byName[name]
	switch {
	case lock == nil:
		lock = &userLock{owner: id, count: 1}
		l.byName[name] = lock
		return nil, lock, nil
	case lock.owner == id:
		lock.count++
		return nil, lock, nil
	case timeout <= 0:
		return nil, nil, nil
	}
	// Every session waits for one lock at most, and every lock has one owner, so the waits
	// form chains. Those before us in the queue count as owners to come, but they wait for the
	// same owner.
	for at := lock; at != nil; at = l.waiting[at.owner] {
		if at.owner == id {
			return nil, nil, mysqlerr.New(mysqlerr.LockDeadlock)
		}
	}
	r = &userLockRequest{id: id, granted: make(chan struct{})}
	lock.queue = append(lock.queue, r)
	l.waiting[id] = lock
	return r, lock, nil
}

// give lets go of a lock once; l.mu is held.
func (l *userLocks) give(name string, lock *userLock) {
	if lock.count--; lock.count > 0 {
		return
	}
	if len(lock.queue) == 0 {
		delete(l.byName, name)
		return
	}
	next := lock.queue[0]
	lock.queue = lock.queue[1:]
	lock.owner, lock.count = next.id, 1
	delete(l.waiting, next.id)
	close(next.granted)
}

// release lets go of a lock once; held says whether anybody has it.
func (l *userLocks) release(id uint32, name string) (released, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock := l.byName[name]
	if lock == nil || lock.owner != id {
		return false, lock != nil
	}
	l.give(name, lock)
	return true, true
}

// releaseAll lets go of all locks of a session and says how many times it had locks.
func (l *userLocks) releaseAll(id uint32) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for name, lock := range l.byName {
		if lock.owner == id {
			n += lock.count
			lock.count = 1
			l.give(name, lock)
		}
	}
	return n
}

// owner is the connection that has a lock.
func (l *userLocks) owner(name string) (id uint32, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock := l.byName[name]
	if lock == nil {
		return 0, false
	}
	return lock.owner, true
}
