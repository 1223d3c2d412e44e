package userlock

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
	"github.com/duramendb/duramen/txn/lock"
)

// Set are the locks of GET_LOCK that a session holds: any number of them, and each several
// times. They are in one table with the locks of transactions, so a wait that would close a circle
// through both kinds fails at once (1213). Whoever waits is served in order of arrival.
//
// The names are compared byte by byte, as in MariaDB.
type Set struct {
	locks *lock.Manager
	owner lock.Owner

	mu    sync.Mutex
	count map[string]int // how many times the session has each
}

// Init makes the set of a connection. waiter is that of its transactions: who waits for one waits for both.
func (l *Set) Init(m *lock.Manager, connection uint32, waiter *lock.Waiter) {
	l.locks, l.count = m, map[string]int{}
	l.owner.Thread, l.owner.Waiter = connection, waiter
}

// Acquire takes a lock; ok is false when the timeout is over. The error is 1213, or
// the cause of the end of ctx.
func (l *Set) Acquire(ctx context.Context, name string, timeout time.Duration) (ok bool, err error) {
	if timeout == 0 {
		timeout = -1 // see lock.Request
	}
	_, err = l.locks.Lock(ctx, &l.owner, lock.Request{Class: lock.Named, Key: txn.UserLockKey(name), Mode: lock.Exclusive, Timeout: timeout,
		Statement: "GET_LOCK"})
	if errors.Is(err, lock.ErrNoWait) || errors.Is(err, lock.ErrWaitTimeout) {
		return false, nil
	}
	if errors.Is(err, lock.ErrDeadlock) {
		return false, mysqlerr.New(mysqlerr.LockDeadlock)
	}
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count[name]++
	return true, nil
}

// Release lets go of a lock once; held says whether anybody has it.
func (l *Set) Release(name string) (released, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count[name] == 0 {
		_, held = l.locks.Holder(txn.UserLockKey(name))
		return false, held
	}
	if l.count[name]--; l.count[name] == 0 {
		delete(l.count, name)
		l.locks.ReleaseOne(&l.owner, lock.Named, txn.UserLockKey(name))
	}
	return true, true
}

// ReleaseAll lets go of all locks of the session and says how many times it had locks.
func (l *Set) ReleaseAll() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, count := range l.count {
		n += count
	}
	clear(l.count)
	l.locks.Release(&l.owner, lock.Named)
	return n
}

// Holder is the connection that has a lock.
func (l *Set) Holder(name string) (id uint32, ok bool) {
	p, ok := l.locks.Holder(txn.UserLockKey(name))
	return p.Thread, ok
}
