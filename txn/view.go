package txn

import (
	"fmt"
	"sync/atomic"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/invariants"
	"github.com/duramendb/duramen/logpos"
)

// view is a read view: the engine's and the catalog's state at one moment. It
// is shared by the transaction and its open cursors.
type view struct {
	snap engine.Snapshot
	cat  *catalog.Snapshot
	refs atomic.Int32
}

// newView takes the state after the last applied transaction. The catalog
// goes first: what it knows is then in the snapshot, unless it was dropped
// at that very moment, which the metadata lock of whoever reads a table prevents.
func (m *Manager) newView() *view {
	cat := m.cfg.Catalog.Current()
	v := &view{cat: cat, snap: m.cfg.Engine.Snapshot()}
	v.refs.Store(1)
	return v
}

func (v *view) ref() { v.refs.Add(1) }

func (v *view) unref() {
	left := v.refs.Add(-1)
	invariants.Check(left >= 0, "a read view was released %d times too often", -left)
	if left == 0 {
		_ = v.snap.Close() // frees memory; nothing was written
	}
}

// useView returns the view for a plain read of a mode, with a reference of the caller's.
func (t *Txn) useView(mode ReadMode) *view {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mu.view == nil {
		if mode == Alone {
			v := &view{cat: t.m.cfg.Catalog.Current(), snap: present{t.m.cfg.Engine}}
			v.refs.Store(1)
			return v
		}
		t.mu.view = t.m.newView()
	}
	t.mu.view.ref()
	return t.mu.view
}

// present is the state of the engine as it is whenever it is read.
type present struct{ of engine.Engine }

func (p present) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	return p.of.Get(key)
}

func (p present) NewIter(lower, upper []byte) (engine.Iterator, error) {
	return p.of.NewIter(lower, upper)
}

func (p present) Close() error { return nil }

// dropView lets go of the view; the next plain read makes another one.
func (t *Txn) dropView() {
	t.mu.Lock()
	v := t.mu.view
	t.mu.view = nil
	t.mu.Unlock()
	if v != nil {
		v.unref()
	}
}

// StartSnapshot makes the read view now (START TRANSACTION WITH CONSISTENT
// SNAPSHOT), and notes its place in the log. In READ COMMITTED it only notes the place.
func (t *Txn) StartSnapshot() error {
	if t.finished {
		return ErrFinished
	}
	t.m.cfg.Committer.ApplyBarrier(func() {
		if t.opts.Isolation == RepeatableRead || t.opts.Isolation == Serializable {
			t.useView(Snapshot).unref()
		}
		at := t.m.cfg.Applied()
		t.mu.Lock()
		t.mu.snapshotAt = at
		t.mu.Unlock()
	})
	return nil
}

// SnapshotAt is the place in the log of the snapshot that StartSnapshot made: the transaction sees what is before it, and its own changes.
// ok is false without one.
func SnapshotAt(t *Txn) (at logpos.Pos, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mu.snapshotAt, t.mu.snapshotAt != logpos.Pos{}
}

// check refuses tables and indexes that came or changed after the view was
// made: their rows in the view are missing, or in another format.
func (v *view) check(t *Txn, tbl *catalog.Table, index int) error {
	id := tbl.ID()
	old := v.cat.TableByID(id)
	if old == tbl {
		return nil
	}
	if old == nil {
		if t.own.current != nil && t.own.current.TableByID(id) != nil && t.m.cfg.Catalog.Current().TableByID(id) == nil {
			return nil // this transaction makes the table
		}
		return fmt.Errorf("%w: %s.%s", ErrTableChanged, tbl.Def.DB, tbl.Def.Name)
	}
	same := len(old.Columns) == len(tbl.Columns)
	for i := 0; same && i < len(old.Columns); i++ {
		a, b := &old.Def.Columns[i], &tbl.Def.Columns[i]
		same = a.Type == b.Type && a.Meta == b.Meta && a.Collation == b.Collation && a.Unsigned == b.Unsigned
	}
	if same && index >= 0 {
		same = old.HasIndex(tbl.Indexes[index].Def.ID)
	}
	if !same {
		return fmt.Errorf("%w: %s.%s", ErrTableChanged, tbl.Def.DB, tbl.Def.Name)
	}
	return nil
}
