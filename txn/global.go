package txn

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/txn/lock"
)

// GlobalLock is a transaction's hold on the global lock, which whoever changes anything has: nobody else gets it as Shared then
// (FLUSH TABLES WITH READ LOCK). It belongs to the transaction's goroutine.
type GlobalLock struct {
	t    *Txn
	held bool
}

// Lock takes the lock until Unlock or the end of the transaction. It waits for who has it as Shared, and for who has begun to
// wait for that. taken is false if the transaction had it. statement is for reports.
func (g *GlobalLock) Lock(ctx context.Context, statement string) (taken bool, err error) {
	return g.take(ctx, statement, false)
}

// take is Lock; first passes by those who wait for the lock.
func (g *GlobalLock) take(ctx context.Context, statement string, first bool) (taken bool, err error) {
	t := g.t
	if t.finished {
		return false, ErrFinished
	}
	if g.held {
		return false, nil
	}
	t.locking.Lock()
	defer t.locking.Unlock()
	_, err = t.m.locks.Lock(ctx, &t.owner, lock.Request{Class: lock.Global, Key: globalLockKey, Mode: lock.IntentExclusive, First: first,
		Timeout: t.opts.MetadataTimeout, Statement: statement})
	if err != nil {
		return false, fmt.Errorf("global lock: %w", err)
	}
	g.held = true
	return true, nil
}

// Unlock lets go of the lock, if the transaction has it.
func (g *GlobalLock) Unlock() {
	if g.held {
		g.held = false
		g.t.m.locks.Release(&g.t.owner, lock.Global)
	}
}
