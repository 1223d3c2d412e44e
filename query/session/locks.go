package session

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
	"github.com/duramendb/duramen/txn/lock"
)

// tableLocks is a session's LOCK TABLES: the tables as it has named them (see confine), and an owner
// of metadata locks on them until UNLOCK TABLES. It and the session's transactions are not in each other's way.
type tableLocks struct {
	named   []statement.Ref
	catalog *catalog.Registry
	temp    Temporary
	locks   *lock.Manager
	owner   lock.Owner
}

// BelowViews completes the tables of a LOCK TABLES by those that its views are made of.
type BelowViews func(want []statement.Ref) ([]statement.Ref, error)

// LockTables is LOCK TABLES: it commits, releases earlier locks, and waits for
// the transactions that use the tables. Only two tables of one name are refused before that.
func (s *Session) LockTables(ctx context.Context, want []statement.Ref, below BelowViews, timeout time.Duration) error {
	for i := range want {
		t := &want[i]
		if t.DB == "" {
			t.DB = s.DB()
		}
		for _, other := range want[:i] {
			if other.Alias == t.Alias && other.DB == t.DB {
				return mysqlerr.New(mysqlerr.NonUniqTable, t.Alias)
			}
		}
	}
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	s.releaseTables()
	l := &tableLocks{named: want, catalog: s.Server.Store.Catalog(), temp: s.Temp, locks: s.Server.Store.Txns().Locks()}
	l.owner.Thread, l.owner.Waiter = s.Info.ID, &s.waiter
	var err error
	if l.writes() {
		err = s.ReadLock.MayChange()
	}
	if err == nil {
		err = l.checkExist()
	}
	if err == nil {
		l.named, err = below(want)
	}
	if err == nil {
		err = l.acquire(ctx, timeout)
	}
	if err == nil {
		err = l.checkExist() // one may have been dropped during a wait
	}
	if err != nil {
		l.release()
		return err
	}
	s.tabLocks = l
	return nil
}

// checkExist reports the first table that does not exist.
func (l *tableLocks) checkExist() error {
	for _, t := range l.named {
		if !l.exists(t) {
			return mysqlerr.New(mysqlerr.NoSuchTable, t.DB, t.Table)
		}
	}
	return nil
}

func (l *tableLocks) exists(t statement.Ref) bool {
	cat := l.catalog.Current()
	return l.unlocked(t) || cat.Table(t.DB, t.Table) != nil || cat.Object("view", t.DB, t.Table) != nil
}

// unlocked reports whether LOCK TABLES of a table does nothing.
func (l *tableLocks) unlocked(t statement.Ref) bool {
	return VirtualDatabase(t.DB) || l.temp.Has(t.DB, t.Table)
}

// writes reports whether a table that others can see is locked with WRITE.
func (l *tableLocks) writes() bool {
	return slices.ContainsFunc(l.named, func(t statement.Ref) bool { return t.Write && !l.temp.Has(t.DB, t.Table) })
}

// acquire takes the locks: the global one first, then one table after the other in the order of their
// names, so that two LOCK TABLES of the same tables do not wait for each other. READ lets others go first that come while it
// waits, as MariaDB does.
func (l *tableLocks) acquire(ctx context.Context, timeout time.Duration) error {
	write := map[string]bool{}
	for _, t := range l.named {
		if l.unlocked(t) {
			continue
		}
		key := string(txn.TableLockKey(t.DB, t.Table))
		write[key] = write[key] || t.Write
	}
	r := lock.Request{Class: lock.Global, Key: txn.GlobalLockKey(), Mode: lock.IntentExclusive, Timeout: timeout, Statement: "LOCK TABLES"}
	if l.writes() {
		if _, err := l.locks.Lock(ctx, &l.owner, r); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(write)) {
		r.Class, r.Key, r.Mode, r.Yields = lock.Metadata, []byte(key), lock.Shared, true
		if write[key] {
			r.Mode, r.Yields = lock.Confined, false
		}
		if _, err := l.locks.Lock(ctx, &l.owner, r); err != nil {
			return err
		}
	}
	return nil
}

func (l *tableLocks) release() {
	l.locks.Release(&l.owner, lock.Metadata)
	l.locks.Release(&l.owner, lock.Global)
}

// ForgetDropped takes the tables that do not exist any more out of the session's LOCK TABLES.
func (s *Session) ForgetDropped() {
	l := s.tabLocks
	if l == nil {
		return
	}
	l.named = slices.DeleteFunc(l.named, func(t statement.Ref) bool {
		if l.exists(t) {
			return false
		}
		l.locks.ReleaseOne(&l.owner, lock.Metadata, txn.TableLockKey(t.DB, t.Table))
		return true
	})
}

// UnlockTables is UNLOCK TABLES, for LOCK TABLES and FLUSH TABLES WITH READ LOCK.
func (s *Session) UnlockTables() {
	s.releaseTables()
	s.ReadLock.release()
}

// releaseTables ends LOCK TABLES; FLUSH TABLES WITH READ LOCK stays.
func (s *Session) releaseTables() {
	if s.tabLocks != nil {
		s.tabLocks.release()
		s.tabLocks = nil
	}
}

// MetadataTimeout is how long the session waits for metadata locks and for the global lock; negative is not at all.
func (s *Session) MetadataTimeout() time.Duration { return Seconds(s.Vars.Value(varMDLWait)) }

// LockForStatement takes the metadata locks of the tables that a statement names.
func (s *Session) LockForStatement(ctx context.Context, tx *txn.Txn, st *statement.Statement) error {
	current := s.DB()
	for i := range st.Tables {
		t := &st.Tables[i]
		db := t.DB
		if db == "" {
			db = current
		}
		if db == "" || VirtualDatabase(db) {
			continue
		}
		mode := txn.IntentShared
		if t.Strength == statement.Exclusive {
			mode = txn.IntentExclusive
		}
		switch {
		case st.Kind != statement.Definition:
			if s.Temp.Has(db, t.Name) {
				continue
			}
		case t.Strength != statement.Exclusive:
		case st.Temporary:
			continue // it is the temporary table's name
		default:
			mode = txn.Exclusive
		}
		if err := tx.LockTable(ctx, db, t.Name, mode); err != nil {
			return err
		}
	}
	return nil
}

func VirtualDatabase(db string) bool {
	return strings.EqualFold(db, "information_schema") || strings.EqualFold(db, "mysql") || strings.EqualFold(db, "performance_schema")
}

// Confined reports whether the session is confined to the tables of its LOCK TABLES.
func (s *Session) Confined() bool { return s.tabLocks != nil }

// Confine reports the first use of a table that LOCK TABLES does not allow. The tables have their databases.
func (s *Session) Confine(refs []statement.Ref) error {
	if s.tabLocks == nil {
		return nil
	}
	for _, r := range refs {
		if s.Temp.Has(r.DB, r.Table) || VirtualDatabase(r.DB) && !strings.EqualFold(r.DB, "mysql") {
			continue
		}
		if err := s.tabLocks.check(r); err != nil {
			return err
		}
	}
	return nil
}

// check reports what the session's LOCK TABLES does not allow about one table.
func (l *tableLocks) check(r statement.Ref) error {
	at := slices.IndexFunc(l.named, func(t statement.Ref) bool {
		return t.DB == r.DB && t.Table == r.Table && t.Alias == r.Alias
	})
	switch {
	case at < 0:
		return mysqlerr.New(mysqlerr.TableNotLocked, r.Alias)
	case r.Write && !l.named[at].Write:
		return mysqlerr.New(mysqlerr.TableNotLockedForWrite, r.Alias)
	}
	return nil
}
