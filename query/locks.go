package query

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
	"github.com/duramendb/duramen/txn/lock"
)

// tableLocks is a session's LOCK TABLES: the tables as it has named them (see confine), and an owner
// of metadata locks on them until UNLOCK TABLES. It and the session's transactions are not in each other's way.
type tableLocks struct {
	named   []tableRef
	catalog *catalog.Registry
	temp    *tables.TempTables
	locks   *lock.Manager
	owner   lock.Owner
}

// lockTables is LOCK TABLES: it commits, releases earlier locks, and waits for
// the transactions that use the tables.
func (s *Session) lockTables(ctx context.Context, want []tableRef, timeout time.Duration) error {
	if err := s.commitAll(ctx); err != nil {
		return err
	}
	s.releaseTables()
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
	}
	l := &tableLocks{named: want, catalog: s.engine.store.Catalog(), temp: &s.temp, locks: s.engine.store.Txns().Locks()}
	l.owner.Thread, l.owner.Waiter = s.info.ID, &s.waiter
	err := l.checkExist()
	if err == nil {
		l.named, err = s.belowViews(want)
	}
	if err == nil && l.writes() {
		err = s.readLock.mayChange()
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
			return mysqlerr.New(mysqlerr.NoSuchTable, t.db, t.table)
		}
	}
	return nil
}

func (l *tableLocks) exists(t tableRef) bool {
	cat := l.catalog.Current()
	return l.unlocked(t) || cat.Table(t.db, t.table) != nil || cat.Object("view", t.db, t.table) != nil
}

// unlocked reports whether LOCK TABLES of a table does nothing.
func (l *tableLocks) unlocked(t tableRef) bool {
	return virtualDatabase(t.db) || l.temp.Has(t.db, t.table)
}

func (l *tableLocks) writes() bool {
	return slices.ContainsFunc(l.named, func(t tableRef) bool { return t.write })
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
		key := string(txn.TableLockKey(t.db, t.table))
		write[key] = write[key] || t.write
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

// forgetDropped takes the tables that do not exist any more out of the session's LOCK TABLES.
func (s *Session) forgetDropped() {
	l := s.tabLocks
	if l == nil {
		return
	}
	l.named = slices.DeleteFunc(l.named, func(t tableRef) bool {
		if l.exists(t) {
			return false
		}
		l.locks.ReleaseOne(&l.owner, lock.Metadata, txn.TableLockKey(t.db, t.table))
		return true
	})
}

// unlockTables is UNLOCK TABLES, for LOCK TABLES and FLUSH TABLES WITH READ LOCK.
func (s *Session) unlockTables() {
	s.releaseTables()
	s.readLock.release()
}

// releaseTables ends LOCK TABLES; FLUSH TABLES WITH READ LOCK stays.
func (s *Session) releaseTables() {
	if s.tabLocks != nil {
		s.tabLocks.release()
		s.tabLocks = nil
	}
}

// metadataTimeout is how long the session waits for metadata locks and for the global lock; negative is not at all.
func (s *Session) metadataTimeout() time.Duration { return seconds(s.vars.Value(varMDLWait)) }

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
		mode := txn.IntentShared
		if t.strength == readExclusive {
			mode = txn.IntentExclusive
		}
		switch {
		case st.kind != kindDDL:
			if s.temp.Has(db, t.name) {
				continue
			}
		case t.strength != readExclusive:
		case st.temporary:
			continue // it is the temporary table's name
		default:
			mode = txn.Exclusive
		}
		if err := tx.LockTable(ctx, db, t.name, mode); err != nil {
			return err
		}
	}
	return nil
}

func virtualDatabase(db string) bool {
	return strings.EqualFold(db, "information_schema") || strings.EqualFold(db, "mysql") || strings.EqualFold(db, "performance_schema")
}
