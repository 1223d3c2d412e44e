package query

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// tableLocks are the tables of one session's LOCK TABLES: key of tableKey, value
// true for WRITE.
type tableLocks struct{ tables map[string]bool }

func tableKey(db, table string) string {
	return strings.ToLower(db) + "\x00" + strings.ToLower(table)
}

// explicitLocks are the LOCK TABLES of all sessions. A statement looks here after
// it got its metadata locks (which keep DDL and new LOCK TABLES ... WRITE away).
type explicitLocks struct {
	count atomic.Int64 // sessions with locks: the fast way past
	mu    sync.Mutex
	held  map[string]map[*Session]bool // write?
	freed chan struct{}                // closed and replaced when locks are released
}

func newExplicitLocks() *explicitLocks {
	return &explicitLocks{held: map[string]map[*Session]bool{}, freed: make(chan struct{})}
}

// wait returns when no other session's LOCK TABLES is in the way of the use.
func (l *explicitLocks) wait(ctx context.Context, s *Session, key string, write bool, timeout time.Duration) error {
	if l.count.Load() == 0 {
		return nil
	}
	deadline := time.NewTimer(max(timeout, 0))
	defer deadline.Stop()
	for {
		l.mu.Lock()
		blocked := false
		for owner, w := range l.held[key] {
			blocked = blocked || owner != s && (w || write)
		}
		freed := l.freed
		l.mu.Unlock()
		if !blocked {
			return nil
		}
		select {
		case <-freed:
		case <-deadline.C:
			return txn.ErrLockWaitTimeout
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (l *explicitLocks) add(s *Session, key string, write bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[key] == nil {
		l.held[key] = map[*Session]bool{}
	}
	l.held[key][s] = l.held[key][s] || write
}

func (l *explicitLocks) release(s *Session, keys map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range keys {
		delete(l.held[key], s)
		if len(l.held[key]) == 0 {
			delete(l.held, key)
		}
	}
	close(l.freed)
	l.freed = make(chan struct{})
}

// lockTables is LOCK TABLES: it releases earlier locks, commits, and waits for
// the transactions that use the tables.
func (s *Session) lockTables(ctx context.Context, want []tableUse) error {
	s.unlockTables()
	if err := s.commitAll(ctx); err != nil {
		return err
	}
	defer s.rollbackAll()
	tx := s.ensureTxn()
	locks := &tableLocks{tables: map[string]bool{}}
	s.engine.explicit.count.Add(1)
	s.tabLocks = locks
	for _, t := range want {
		db := t.db
		if db == "" {
			db = s.GetCurrentDatabase()
		}
		if virtualDatabase(db) {
			continue
		}
		if tx.Catalog().Table(db, t.name) == nil && tx.Catalog().Object("view", db, t.name) == nil {
			s.unlockTables()
			return mysqlerr.New(mysqlerr.NoSuchTable, db, t.name)
		}
		write := t.strength == readExclusive
		mode := txn.Shared
		if write {
			mode = txn.Exclusive
		}
		key := tableKey(db, t.name)
		err := tx.LockTable(ctx, db, t.name, mode)
		if err == nil {
			err = s.engine.explicit.wait(ctx, s, key, write, s.metadataTimeout())
		}
		if err != nil {
			s.unlockTables()
			return err
		}
		s.engine.explicit.add(s, key, write)
		locks.tables[key] = locks.tables[key] || write
	}
	return nil
}

// unlockTables is UNLOCK TABLES, for LOCK TABLES and FLUSH TABLES WITH READ LOCK.
func (s *Session) unlockTables() {
	if s.tabLocks != nil {
		s.engine.explicit.release(s, s.tabLocks.tables)
		s.engine.explicit.count.Add(-1)
		s.tabLocks = nil
	}
	s.engine.gate.open(s)
}

func (s *Session) metadataTimeout() time.Duration { return max(seconds(s.vars.Value(varMDLWait)), 0) }

// lockForStatement takes the metadata locks of the tables that a statement names.
func (s *Session) lockForStatement(ctx context.Context, tx *txn.Txn, st *statement) error {
	current := s.GetCurrentDatabase()
	for i := range st.tables {
		t := &st.tables[i]
		db := t.db
		if db == "" {
			db = current
		}
		if db == "" || virtualDatabase(db) {
			continue
		}
		mode, write := txn.Shared, t.strength == readExclusive && st.kind != kindRead
		if st.kind == kindDDL && t.strength == readExclusive && !st.temporary {
			mode = txn.Exclusive
		}
		if s.tabLocks != nil {
			if err := s.tabLocks.check(db, t.name, write); err != nil {
				return err
			}
		}
		if err := tx.LockTable(ctx, db, t.name, mode); err != nil {
			return err
		}
		if err := s.engine.explicit.wait(ctx, s, tableKey(db, t.name), write, s.metadataTimeout()); err != nil {
			return err
		}
	}
	return nil
}

// check reports the use of a table that LOCK TABLES did not name.
func (l *tableLocks) check(db, table string, write bool) error {
	held, ok := l.tables[tableKey(db, table)]
	switch {
	case !ok && write:
		return mysqlerr.New(mysqlerr.TableNotLocked, table)
	case ok && write && !held:
		return mysqlerr.New(mysqlerr.TableNotLockedForWrite, table)
	}
	return nil
}

func virtualDatabase(db string) bool {
	return strings.EqualFold(db, "information_schema") || strings.EqualFold(db, "mysql") || strings.EqualFold(db, "performance_schema")
}

// commitGate is what FLUSH TABLES WITH READ LOCK closes: no other session's
// commit passes while it is closed.
type commitGate struct {
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

// enter waits until no other session holds the gate closed; leave must follow.
func (g *commitGate) enter(ctx context.Context, s *Session) error {
	for {
		g.mu.Lock()
		_, mine := g.owner[s]
		if len(g.owner) == 0 || mine && len(g.owner) == 1 {
			g.inside++
			g.mu.Unlock()
			return nil
		}
		wait := g.change
		g.mu.Unlock()
		select {
		case <-wait:
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
		g.changed()
	}
}
