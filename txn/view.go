package txn

import (
	"fmt"
	"sync/atomic"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/invariants"
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

// useView returns the view for a plain read, with a reference of the caller's.
func (t *Txn) useView() *view {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mu.view == nil {
		t.mu.view = t.m.newView()
	}
	t.mu.view.ref()
	return t.mu.view
}

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
// SNAPSHOT). In READ COMMITTED it does nothing.
func (t *Txn) StartSnapshot() error {
	if t.finished {
		return ErrFinished
	}
	if t.opts.Isolation == RepeatableRead || t.opts.Isolation == Serializable {
		t.useView().unref()
	}
	return nil
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
