package txn

import (
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

// flight is a transaction on its way through the log: what the committer gets to know of it, and the Holder of its ticket, who
// tells the others how far it has come.
type flight struct {
	large bool // its events are in a file of the log
	t     *Txn
	req   CommitRequest
	tree  *writeTree // its rows; nil if there are none, or if they are in CommitRequest.Import
	seq   uint64     // of its pending rows
}

// newFlight prepares everything that has to be there before the transaction can get its place in the log.
func newFlight(t *Txn) (*flight, error) {
	for _, w := range t.bulk {
		if !w.finished {
			return nil, errBulkOpen
		}
	}
	epoch := t.m.cfg.Committer.Epoch() // before the look at what was lost
	if err := t.unapplied.lost(t.m.pending); err != nil {
		return nil, err
	}
	f := &flight{t: t}
	f.req = CommitRequest{Domain: t.opts.Domain, ServerID: t.opts.ServerID, LocalOnly: t.opts.SkipBinlog,
		Seq: t.seqNo, Strict: t.strict, Replicated: t.opts.Replicated, Durable: t.opts.Durable, Timestamp: t.log.Meta().Timestamp, Write: f.writeBatch, Ticket: NewTicket(f, epoch)}
	if !t.own.change.Empty() {
		f.req.Catalog = &t.own.change
	}
	if f.req.Catalog != nil && t.ddl == nil && t.log.End() == 0 {
		f.req.LocalOnly = true // there is nothing in it for a replica
	}
	if err := f.prepare(); err != nil {
		return nil, err
	}
	f.tree = t.writes.set.tree // nobody writes to it any more
	return f, nil
}

// prepare completes the events after the GTID event, and what else has to be done before
// the transaction can get its place:
//
//	from a MySQL   [what it calls the transaction], and then one of the others
//	rows only      the statements' events, XID
//	DDL only       [catalog change], Query
//	DDL and rows   [catalog change], Query, the statements' events, XID
func (f *flight) prepare() error {
	t, r := f.t, &f.req
	l := &t.log
	t.m.spills.uses.Add(1)
	head := f.mysqlGTID()
	if t.ddl == nil && t.own.change.Empty() {
		r.Flags = event.FLTransactional | event.FLAllowParallel
		// One that built on a row which is not applied yet did not wait only because locks are released early.
		if t.waited.Load() || t.unapplied.any() {
			r.Flags |= event.FLWaited
		}
		l.AppendLocal()
		l.AppendXID(t.id)
		return f.place(head)
	}
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
	return f.place(head)
}

// mysqlGTID is the record of what a MySQL calls the transaction. One that gets no GTID of ours is not all of it, and has none.
func (f *flight) mysqlGTID() []byte {
	if g := f.t.opts.MySQL; g.Valid() && !f.req.LocalOnly {
		f.req.MySQL = g
		return event.AppendPrivate(nil, f.t.log.Meta(), event.PrivateMySQLGTID, g.AppendTo(nil))
	}
	return nil
}

// writeBatch adds the changes of keys to a batch.
func (f *flight) writeBatch(b engine.Batch) error {
	t := f.t
	if !t.own.change.Empty() {
		if err := t.m.cfg.Catalog.Current().WriteChange(b, t.own.change); err != nil {
			return fmt.Errorf("write catalog change: %w", err)
		}
	}
	var err error
	if f.tree != nil {
		f.tree.Scan(func(w write) bool {
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
	if len(t.touched) > 0 && err == nil { // of few transactions
		err = f.writeCounters(b)
	}
	if err != nil {
		return fmt.Errorf("write transaction: %w", err)
	}
	return nil
}

// writeCounters writes the counters of AUTO_INCREMENT as they are now: later transactions write them later, so they never go back.
func (f *flight) writeCounters(b engine.Batch) error {
	t := f.t
	for _, id := range slices.Sorted(maps.Keys(t.touched)) { // sorted, so that equal histories give equal files
		if err := b.Set(catalog.CounterKey(id), catalog.EncodeCounter(t.touched[id].peek())); err != nil {
			return err
		}
	}
	return nil
}

func (f *flight) Sequenced() {
	if f.tree != nil {
		f.seq = f.t.m.pending.publish(f.tree)
	}
	if f.releasesEarly() {
		f.release()
	}
	if f.req.Line != nil {
		f.req.Line.placed.Done()
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

// Lost is Sequenced backwards: whoever has looked at the rows looks again.
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
	m.sequenced.Add(1)
	m.locks.Release(&f.t.owner, lock.Rows)
}
