package query

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// tableLocks are the tables of one session's LOCK TABLES: as it has named them (see confine), and
// what it holds of them in explicitLocks, by tableKey, true for WRITE.
type tableLocks struct {
	named []tableRef
	held  map[string]bool
}

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
func (s *Session) lockTables(ctx context.Context, want []tableRef) error {
	s.releaseTables()
	if err := s.commitAll(ctx); err != nil {
		return err
	}
	defer s.rollbackAll()
	tx := s.ensureTxn()
	for i := range want {
		t := &want[i]
		if t.db == "" {
			t.db = s.DB()
		}
		for _, other := range want[:i] {
			if strings.EqualFold(other.alias, t.alias) && strings.EqualFold(other.db, t.db) {
				return mysqlerr.New(mysqlerr.NonUniqTable, t.alias)
			}
		}
		if virtualDatabase(t.db) {
			continue
		}
		if tx.Catalog().Table(t.db, t.table) == nil && tx.Catalog().Object("view", t.db, t.table) == nil && !s.temp.Has(t.db, t.table) {
			return mysqlerr.New(mysqlerr.NoSuchTable, t.db, t.table)
		}
	}
	want, err := s.belowViews(want)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(want, func(t tableRef) bool { return t.write }) {
		if err := s.passReadLock(ctx); err != nil {
			return err
		}
	}
	locks := &tableLocks{named: want, held: map[string]bool{}}
	s.engine.explicit.count.Add(1)
	s.tabLocks = locks
	for _, t := range want {
		if virtualDatabase(t.db) || s.temp.Has(t.db, t.table) {
			continue
		}
		mode := txn.Shared
		if t.write {
			mode = txn.Exclusive
		}
		key := tableKey(t.db, t.table)
		err := tx.LockTable(ctx, t.db, t.table, mode)
		if err == nil {
			err = s.engine.explicit.wait(ctx, s, key, t.write, s.metadataTimeout())
		}
		if err != nil {
			s.releaseTables()
			return err
		}
		s.engine.explicit.add(s, key, t.write)
		locks.held[key] = locks.held[key] || t.write
	}
	return nil
}

// forgetDropped takes the tables that do not exist any more out of the session's LOCK TABLES.
func (s *Session) forgetDropped() {
	if s.tabLocks == nil {
		return
	}
	cat := s.engine.store.Catalog().Current()
	gone := map[string]bool{}
	s.tabLocks.named = slices.DeleteFunc(s.tabLocks.named, func(t tableRef) bool {
		if virtualDatabase(t.db) || s.temp.Has(t.db, t.table) || cat.Table(t.db, t.table) != nil || cat.Object("view", t.db, t.table) != nil {
			return false
		}
		key := tableKey(t.db, t.table)
		gone[key] = true
		delete(s.tabLocks.held, key)
		return true
	})
	if len(gone) > 0 {
		s.engine.explicit.release(s, gone)
	}
}

// unlockTables is UNLOCK TABLES, for LOCK TABLES and FLUSH TABLES WITH READ LOCK.
func (s *Session) unlockTables() {
	s.releaseTables()
	s.engine.gate.open(s)
}

// releaseTables ends LOCK TABLES; FLUSH TABLES WITH READ LOCK stays.
func (s *Session) releaseTables() {
	if s.tabLocks != nil {
		s.engine.explicit.release(s, s.tabLocks.held)
		s.engine.explicit.count.Add(-1)
		s.tabLocks = nil
	}
}

func (s *Session) metadataTimeout() time.Duration { return max(seconds(s.vars.Value(varMDLWait)), 0) }

// lockForStatement takes the metadata locks of the tables that a statement names.
func (s *Session) lockForStatement(ctx context.Context, tx *txn.Txn, st *statement) error {
	current := s.DB()
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
		if err := tx.LockTable(ctx, db, t.name, mode); err != nil {
			return err
		}
		if err := s.engine.explicit.wait(ctx, s, tableKey(db, t.name), write, s.metadataTimeout()); err != nil {
			return err
		}
	}
	return nil
}

func virtualDatabase(db string) bool {
	return strings.EqualFold(db, "information_schema") || strings.EqualFold(db, "mysql") || strings.EqualFold(db, "performance_schema")
}
