package txn

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/txn/lock"
)

// Commit makes the transaction durable and visible, when nobody else has the global lock as Shared. On an error it was rolled
// back. A transaction that changed nothing only releases its locks.
func (t *Txn) Commit(ctx context.Context) (CommitInfo, error) {
	if t.finished {
		return CommitInfo{}, ErrFinished
	}
	if t.log.Running() {
		t.EndStatement()
	}
	if !t.Changed() {
		t.finish()
		return CommitInfo{}, nil
	}
	// It passes by a FLUSH TABLES WITH READ LOCK that waits, perhaps for a statement that waits for this transaction's rows.
	if _, err := t.Global.take(ctx, "COMMIT", true); err != nil {
		t.Rollback()
		return CommitInfo{}, fmt.Errorf("commit: %w", err)
	}
	if !t.own.change.Empty() {
		// One change of the catalog after the other, so that each is known to fit
		// the version that it will be applied to. Whoever commits waits for no lock any more.
		t.m.ddl.Lock()
		defer t.m.ddl.Unlock()
		if _, err := t.m.cfg.Catalog.Prepare(t.own.change); err != nil {
			t.Rollback()
			return CommitInfo{}, fmt.Errorf("commit: %w", err)
		}
	}
	f, err := newFlight(t)
	if err != nil {
		t.Rollback()
		return CommitInfo{}, fmt.Errorf("commit: %w", err)
	}
	return f.committed(t.m.cfg.Committer.Commit(ctx, &f.req))
}

// committed ends the transaction as the committer has said.
func (f *flight) committed(err error) (CommitInfo, error) {
	t, r := f.t, &f.req
	state := r.Ticket.State()
	if err != nil && r.Import != nil && (state == Waiting || state == Lost) {
		r.Import.Discard()
	}
	if err != nil && state == Waiting {
		t.Rollback()
		return CommitInfo{}, fmt.Errorf("commit: %w", err)
	}
	if err == nil && t.writes.severalEngines() {
		t.m.multiEngine.Add(1)
	}
	if err == nil && f.large {
		t.m.spills.large.Add(1)
	}
	t.finish()
	if err != nil {
		// If it was not lost, the outcome is unknown: nothing may be undone, as the log may have it.
		return CommitInfo{}, fmt.Errorf("commit: %w", err)
	}
	return CommitInfo{GTID: r.GTID, End: r.End}, nil
}

// Rollback ends the transaction without a trace. It is harmless after Commit.
func (t *Txn) Rollback() {
	if t.finished {
		return
	}
	for _, w := range t.bulk {
		w.discard()
	}
	t.finish()
}

// finish lets go of everything.
func (t *Txn) finish() {
	t.finished = true
	t.dropView()
	t.writes.free()
	t.log.Free()
	t.savepoints, t.bulk, t.touched = nil, nil, nil
	t.m.locks.Release(&t.owner, lock.Rows)
	t.m.locks.Release(&t.owner, lock.Metadata)
	t.Global.Unlock()
	t.m.active.Add(-1)
}

// forgetCounters drops what is kept of dropped tables.
func (m *Manager) forgetCounters(tables []uint32) {
	m.counters.Lock()
	defer m.counters.Unlock()
	for _, id := range tables {
		delete(m.counters.byTable, id)
		delete(m.counters.rowIDs, id)
	}
}
