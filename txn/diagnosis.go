package txn

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn/lock"
)

// Info is what others may know of a transaction.
type Info struct {
	ID        uint64
	Thread    uint32
	Started   time.Time
	Isolation Isolation
	ReadOnly  bool
	// RowsLocked counts the keys of unique indexes as well, NamesLocked metadata locks.
	RowsLocked, NamesLocked, RowsModified int
	// Used says that the transaction has read, locked or changed something.
	Used bool
}

// Info tells about the transaction. Unlike other methods it may be called by any goroutine.
func (t *Txn) Info() Info {
	i := Info{ID: t.id, Thread: t.opts.ThreadID, Started: t.started, Isolation: t.opts.Isolation, ReadOnly: t.opts.ReadOnly,
		RowsLocked: t.LockCount(), NamesLocked: t.m.locks.NameCount(&t.owner), RowsModified: t.writes.rowsChanged()}
	t.mu.Lock()
	defer t.mu.Unlock()
	i.Used = i.RowsLocked > 0 || i.RowsModified > 0 || t.mu.view != nil
	return i
}

// Locks are the locks of all transactions, and of whoever else waits for them.
func (m *Manager) Locks() *lock.Manager { return m.locks }

// UserLockKey is the key of a lock of GET_LOCK.
func UserLockKey(name string) []byte {
	key := append(append([]byte{}, nameKeyPrefix...), "u\x00"...)
	return append(append(key, name...), 0)
}

// TableLockKey is the key of the metadata lock on a table name.
func TableLockKey(db, table string) []byte { return appendNameKey(nil, "t", db, table) }

// GlobalLockKey is the key of the global lock.
func GlobalLockKey() []byte { return bytes.Clone(globalLockKey) }

var globalLockKey = appendNameKey(nil, "g", "", "")

// appendNameKey appends the key of a lock on a name. It cannot be that of a row: it starts with the table id of the meta space.
func appendNameKey(key []byte, kind, db, table string) []byte {
	key = append(key, nameKeyPrefix...)
	key = append(append(key, kind...), 0)
	key = append(append(key, catalog.Fold(db)...), 0)
	return append(key, catalog.Fold(table)...)
}

// Waits are the waits for locks of this moment.
func (m *Manager) Waits() []lock.Wait { return m.locks.Waits() }

// LastDeadlock is the latest deadlock; nil if there was none since the start.
func (m *Manager) LastDeadlock() *lock.Deadlock { return m.locks.LastDeadlock() }

// Locked says what a lock protects, for people.
type Locked struct {
	// DB and Table are empty if the table is not there any more. Table is empty for a lock
	// on the name of a database.
	DB, Table string
	// Name says that the lock is on the name, a metadata lock; what follows is of rows only.
	Name bool
	// User is the name of a lock of GET_LOCK, and nothing else is set then.
	User string
	// Global says that it is the global lock, and nothing else is set then.
	Global           bool
	TableID, IndexID uint32
	Index            string
	Key              string // the values of the key's columns; see row.DisplayKey
}

// nameKeyPrefix starts the keys of names. It is no row's: there is no table of the id 0.
var nameKeyPrefix = []byte{0, 0, 0, 0}

// DescribeLock says what the lock with this key protects.
func (m *Manager) DescribeLock(key []byte) Locked {
	if name, ok := bytes.CutPrefix(key, nameKeyPrefix); ok {
		parts := strings.SplitN(string(name), "\x00", 3) // see appendNameKey
		switch parts[0] {
		case "u":
			return Locked{User: parts[1]}
		case "g":
			return Locked{Global: true}
		}
		return Locked{Name: true, DB: parts[1], Table: parts[2]}
	}
	table, index, rest, _ := catalog.ParsePrefix(key)
	l := Locked{TableID: table, IndexID: index, Key: fmt.Sprintf("0x%x", rest)}
	tbl := m.cfg.Catalog.Current().TableByID(table)
	if tbl == nil {
		return l
	}
	l.DB, l.Table = tbl.Def.DB, tbl.Def.Name
	if index == catalog.RowsIndex {
		l.Index = "PRIMARY"
		if tbl.Keyless() {
			l.Index = "GEN_CLUST_INDEX" // what InnoDB calls it
			return l
		}
		l.show(tbl, -1, rest)
		return l
	}
	for i := range tbl.Indexes {
		if tbl.Indexes[i].Def.ID == index {
			l.Index = tbl.Indexes[i].Def.Name
			l.show(tbl, i, rest)
		}
	}
	return l
}

func (l *Locked) show(tbl *catalog.Table, index int, key []byte) {
	if s, err := row.DisplayKey(tbl.Columns, tbl.Parts(index), key); err == nil {
		l.Key = s
	}
}
