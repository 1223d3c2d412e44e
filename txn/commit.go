package txn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/txn/lock"
)

// errBulkOpen is a programming error of the DDL's author.
var errBulkOpen = errors.New("txn: commit with an unfinished bulk writer")

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
	if _, err := t.Global.lock(ctx, "COMMIT", true); err != nil {
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
	r, err := t.request()
	if err != nil {
		t.Rollback()
		return CommitInfo{}, fmt.Errorf("commit: %w", err)
	}
	err = t.m.cfg.Committer.Commit(ctx, r)
	state := r.Ticket.State()
	if err != nil && r.Import != nil && (state == Waiting || state == Lost) {
		r.Import.Discard()
	}
	if err != nil && state == Waiting {
		t.Rollback()
		return CommitInfo{}, fmt.Errorf("commit: %w", err)
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
	t.mu.Lock()
	v := t.mu.view
	t.mu.view = nil
	t.mu.writes.free()
	t.mu.Unlock()
	if v != nil {
		v.unref()
	}
	t.log.Free()
	t.savepoints, t.bulk, t.touched = nil, nil, nil
	t.m.locks.Release(&t.owner, lock.Rows)
	t.m.locks.Release(&t.owner, lock.Metadata)
	t.Global.Unlock()
	t.m.active.Add(-1)
}

// request describes the transaction to the committer.
func (t *Txn) request() (*CommitRequest, error) {
	for _, w := range t.bulk {
		if !w.finished {
			return nil, errBulkOpen
		}
	}
	epoch := t.m.cfg.Committer.Epoch() // before the look at what was lost
	if err := t.builtOnLost(); err != nil {
		return nil, err
	}
	f := &flight{t: t}
	r := &f.req
	*r = CommitRequest{Domain: t.opts.Domain, ServerID: t.opts.ServerID, LocalOnly: t.opts.SkipBinlog,
		Seq: t.seqNo, Strict: t.strict, Timestamp: t.log.Meta().Timestamp, Write: t.writeBatch, Ticket: NewTicket(f, epoch)}
	if !t.own.change.Empty() {
		r.Catalog = &t.own.change
	}
	if r.Catalog != nil && t.ddl == nil && t.log.End() == 0 {
		r.LocalOnly = true // there is nothing in it for a replica
	}
	if err := t.prepare(r); err != nil {
		return nil, err
	}
	f.tree = t.mu.writes.tree // nobody writes to it any more
	return r, nil
}

// flight is a transaction with its committer, the Holder of its ticket.
type flight struct {
	t    *Txn
	req  CommitRequest
	tree *writeTree // its rows; nil if they are in CommitRequest.Import
	seq  uint64     // of its pending rows
}

func (f *flight) Ordered() {
	if f.tree != nil {
		f.seq = f.t.m.pending.publish(f.tree)
	}
	if f.releasesEarly() {
		f.release()
	}
}

func (f *flight) Applied() {
	if f.tree != nil {
		f.t.m.pending.remove(f.tree, f.seq)
	}
	if !f.releasesEarly() {
		f.release()
	}
	if f.req.Catalog != nil {
		f.t.m.forgetCounters(f.req.Catalog.DropTables)
	}
}

// Lost is Ordered backwards: whoever has looked at the rows looks again.
func (f *flight) Lost() {
	if f.tree != nil {
		f.t.m.pending.dropFrom(f.seq)
	}
	f.release()
}

// releasesEarly: early lock release needs the writes in memory.
func (f *flight) releasesEarly() bool { return f.req.Import == nil }

// release lets others have the rows, and tells those who scan that they have changed.
func (f *flight) release() {
	m := f.t.m
	m.publishMoves(&f.t.moved)
	m.ordered.Add(1)
	m.locks.Release(&f.t.owner, lock.Rows)
}

// prepare completes the events after the GTID event, and what else has to be done before
// the transaction can get its place:
//
//	rows only      the statements' events, XID
//	DDL only       [catalog change], Query
//	DDL and rows   [catalog change], Query, the statements' events, XID
func (t *Txn) prepare(r *CommitRequest) error {
	l := &t.log
	t.m.spills.uses.Add(1)
	if t.ddl == nil && t.own.change.Empty() {
		r.Flags = event.FLTransactional | event.FLAllowParallel
		// One that built on a row which is not applied yet did not wait only because locks are released early.
		if t.waited.Load() || t.pendingSeen.Load() != 0 {
			r.Flags |= event.FLWaited
		}
		l.AppendLocal()
		l.AppendXID(t.id)
		return t.place(r, nil)
	}
	var head []byte
	meta := l.Meta()
	if !t.own.change.Empty() {
		payload, err := t.own.change.Marshal()
		if err != nil {
			return fmt.Errorf("catalog change: %w", err)
		}
		head = event.AppendPrivate(head, meta, event.PrivateCatalog, payload)
	}
	head = l.LocalRecord(head) // of tables that the change may have made
	if t.ddl != nil {
		r.Flags = event.FLDDL
		meta.Flags |= t.ddlFlags
		head = event.AppendQuery(head, meta, *t.ddl)
	}
	if l.End() == 0 { // a replica knows by FLDDL that it must not run this beside others
		r.Flags |= event.FLStandalone | event.FLAllowParallel
	} else {
		r.Flags |= event.FLTransactional
		l.AppendXID(t.id)
	}
	return t.place(r, head)
}

// writeBatch adds the changes of keys to a batch.
func (t *Txn) writeBatch(b engine.Batch) error {
	if !t.own.change.Empty() {
		if err := t.m.cfg.Catalog.Current().WriteChange(b, t.own.change); err != nil {
			return fmt.Errorf("write catalog change: %w", err)
		}
	}
	var err error
	if t.mu.writes.tree != nil { // of a spill.Set the rows are in CommitRequest.Import
		t.mu.writes.tree.Scan(func(w write) bool {
			switch {
			case w.shadow:
			case w.value == nil:
				err = b.Delete(w.key)
			default:
				err = b.Set(w.key, w.value)
			}
			return err == nil
		})
	}
	for _, id := range slices.Sorted(maps.Keys(t.touched)) { // sorted, so that equal histories give equal files
		if err == nil {
			// The counter as it is now: later transactions write it later, so it never goes back.
			err = b.Set(catalog.CounterKey(id), catalog.EncodeCounter(t.touched[id].peek()))
		}
	}
	if err != nil {
		return fmt.Errorf("write transaction: %w", err)
	}
	return nil
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
