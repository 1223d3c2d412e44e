package query

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// commitGate is what FLUSH TABLES WITH READ LOCK closes. While it is closed no session begins a
// statement that writes (see pass), and no commit passes of one that was running already.
type commitGate struct {
	owners atomic.Int32 // len(owner): the fast way past
	mu     sync.Mutex
	owner  map[*Session]struct{}
	inside int
	change chan struct{} // closed and replaced at every change that may let somebody go on
}

func newCommitGate() *commitGate {
	return &commitGate{owner: map[*Session]struct{}{}, change: make(chan struct{})}
}

func (g *commitGate) changed() {
	close(g.change)
	g.change = make(chan struct{})
}

// pass returns when a statement of the session may write. It does not wait for the session itself:
// one that holds the gate closed cannot write (1223).
func (g *commitGate) pass(ctx context.Context, s *Session, timeout time.Duration) error {
	if g.owners.Load() == 0 {
		return nil
	}
	return g.await(ctx, timeout, func() (bool, error) {
		if _, mine := g.owner[s]; mine {
			return false, mysqlerr.New(mysqlerr.CantUpdateWithReadlock)
		}
		return len(g.owner) == 0, nil
	})
}

// enter waits until no other session holds the gate closed; leave must follow.
func (g *commitGate) enter(ctx context.Context, s *Session, timeout time.Duration) error {
	return g.await(ctx, timeout, func() (bool, error) {
		_, mine := g.owner[s]
		open := len(g.owner) == 0 || mine && len(g.owner) == 1
		if open {
			g.inside++
		}
		return open, nil
	})
}

// await waits until ready, which is called with the mutex held, says so: txn.ErrLockWaitTimeout after timeout.
func (g *commitGate) await(ctx context.Context, timeout time.Duration, ready func() (bool, error)) error {
	var deadline <-chan time.Time
	for {
		g.mu.Lock()
		ok, err := ready()
		wait := g.change
		g.mu.Unlock()
		if ok || err != nil {
			return err
		}
		if deadline == nil {
			timer := time.NewTimer(timeout)
			defer timer.Stop()
			deadline = timer.C
		}
		select {
		case <-wait:
		case <-deadline:
			return txn.ErrLockWaitTimeout
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (g *commitGate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.inside == 0 && len(g.owner) > 0 {
		g.changed()
	}
}

// close closes the gate and waits for the commits that are on their way.
func (g *commitGate) close(ctx context.Context, s *Session) error {
	g.mu.Lock()
	g.owner[s] = struct{}{}
	g.owners.Store(int32(len(g.owner)))
	for g.inside > 0 {
		wait := g.change
		g.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			g.open(s)
			return context.Cause(ctx)
		}
		g.mu.Lock()
	}
	g.mu.Unlock()
	return nil
}

// open gives up the session's hold on the gate.
func (g *commitGate) open(s *Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.owner[s]; ok {
		delete(g.owner, s)
		g.owners.Store(int32(len(g.owner)))
		g.changed()
	}
}

// passReadLock returns when no FLUSH TABLES WITH READ LOCK keeps the session from writing.
func (s *Session) passReadLock(ctx context.Context) error {
	return s.engine.gate.pass(ctx, s, s.metadataTimeout())
}

// writesTables reports whether a statement changes rows of tables that are not temporary, or locks them to
// change them.
func (s *Session) writesTables(st *statement) bool {
	for i := range st.tables {
		t := &st.tables[i]
		if t.strength != readExclusive {
			continue
		}
		db := t.db
		if db == "" {
			db = s.DB()
		}
		if !s.temp.Has(db, t.name) {
			return true
		}
	}
	return false
}
