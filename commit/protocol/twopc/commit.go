package twopc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/commit/protocol/redo"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/txn"
)

// Committer prepares transactions in the engines, and hands them to the pipeline.
func (p *Protocol) Committer() txn.Committer { return committer{p} }

type committer struct{ p *Protocol }

// ApplyBarrier is the pipeline's.
func (c committer) ApplyBarrier(f func()) { c.p.pipeline.ApplyBarrier(f) }

// Epoch is the pipeline's.
func (c committer) Epoch() uint64 { return c.p.pipeline.Epoch() }

// flight is a transaction between its first and its last phase.
type flight struct {
	p        *Protocol
	xid      uint64
	original *txn.CommitRequest
	req      txn.CommitRequest // what the pipeline gets: it moves a ticket of ours
	parts    []part            // as Protocol.engines
	position *position         // nil: none is kept of it
}

// part is what an engine has of a transaction.
type part struct {
	changes *changes // nil: not touched
	segment uint64   // of the redo log
	at      redo.Place
	done    bool // prepared
}

// recordMax bounds what an engine has of a transaction.
const recordMax = 1 << 30

// Start is Commit: who wants to have several transactions on their way uses another protocol.
func (c committer) Start(ctx context.Context, req *txn.CommitRequest) (wait func() error, err error) {
	err = c.Commit(ctx, req)
	return func() error { return err }, nil
}

// Commit is txn.Committer's.
func (c committer) Commit(ctx context.Context, req *txn.CommitRequest) error {
	p := c.p
	if req.File != nil || req.Import != nil {
		return fmt.Errorf("commit: a large transaction in files: %w", errors.ErrUnsupported)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.committing.RLock()
	defer p.committing.RUnlock()
	f := &flight{p: p, original: req, req: *req, parts: make([]part, len(p.engines))}
	if err := f.identify(); err != nil {
		return err
	}
	if err := f.collect(); err != nil {
		return err
	}
	if err := f.makeRoom(); err != nil {
		return err
	}
	if p.o.Eager {
		p.eager.Lock()
		defer p.eager.Unlock()
	}
	if err := f.prepare(); err != nil {
		return errors.Join(err, f.rollback())
	}
	f.req.Ticket = txn.NewTicket(f, req.Ticket.Epoch())
	f.req.Write = f.write
	err := p.pipeline.Commit(ctx, &f.req)
	req.GTID, req.End = f.req.GTID, f.req.End
	switch state := f.req.Ticket.State(); {
	case err != nil && state == txn.Waiting:
		return errors.Join(err, f.rollback())
	case err != nil:
		// The log may have it or not: for the session it is as if it had its place.
		if req.Ticket.State() == txn.Waiting {
			req.Ticket.Sequence()
		}
		return err
	}
	f.countPosition()
	if p.o.Eager {
		return f.syncCommit()
	}
	return nil
}

// identify finds the number by which recovery finds the transaction in the binary log: that of its XID event or, of a DDL
// statement, of its Query event.
func (f *flight) identify() error {
	var found finder
	if err := found.events(f.req.Events); err != nil {
		return err
	}
	if f.xid = found.xid; f.xid == 0 {
		// A change that replicas do not see, with neither.
		f.xid = ownXIDs + f.p.ownXID.Add(1)
		meta := event.Meta{Timestamp: f.req.Timestamp, ServerID: f.req.ServerID}
		f.req.Events = event.AppendXID(f.req.Events[:len(f.req.Events):len(f.req.Events)], meta, f.xid)
	}
	return nil
}

// ownXIDs is the first of the numbers that transactions get here.
const ownXIDs = 1 << 63

// collect notes what each engine gets.
func (f *flight) collect() error {
	if err := f.req.Write(f.p.set.Split(func(i int) engine.Batch { return f.batch(i) })); err != nil {
		return err
	}
	if err := f.addPosition(); err != nil {
		return err
	}
	for i := range f.parts {
		part := &f.parts[i]
		if part.changes != nil && len(part.changes.record) > recordMax {
			return fmt.Errorf("%w: it has to fit into a record of the redo log", txn.ErrTooLarge)
		}
	}
	return nil
}

// batch is what an engine gets.
func (f *flight) batch(i int) *changes {
	part := &f.parts[i]
	if part.changes == nil {
		part.changes = &changes{}
		if f.p.engines[i] != nil {
			part.changes.record = beginPrepare(f.xid, f.req.Catalog != nil)
		}
	}
	return part.changes
}

// each calls g for the engines that have something to prepare.
func (f *flight) each(g func(e *Engine, p *part) error) error {
	for i := range f.parts {
		if f.parts[i].changes == nil || f.p.engines[i] == nil {
			continue
		}
		if err := g(f.p.engines[i], &f.parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// prepare is the first phase: the changes are durable in each engine that the transaction touches.
func (f *flight) prepare() error {
	return f.each(func(e *Engine, p *part) (err error) {
		if p.at, p.segment, err = e.prepare(p.changes.record); err != nil {
			return f.p.appended(err)
		}
		p.done = true
		p.changes.record = nil
		if e.carries() {
			return nil // one sync for this and the events, which come later in the same log
		}
		return f.p.appended(e.redo.Sync(p.at))
	})
}

// rollback is for a transaction that has no place in the log and will not have one. The record spares a recovery the
// look for it; it need not be durable, nor be there at all.
func (f *flight) rollback() error {
	return f.each(func(e *Engine, p *part) error {
		if !p.done {
			return nil
		}
		_, _, err := e.redo.Append(binary.AppendUvarint([]byte{recordRollback}, f.xid))
		e.decided(p.segment, f.req.End)
		if errors.Is(err, redo.ErrNoSpace) {
			return nil
		}
		return f.p.appended(err)
	})
}

// write is CommitRequest.Write: the pipeline calls it in the apply stage.
func (f *flight) write(b engine.Batch) error {
	f.p.applying = append(f.p.applying, f)
	if err := f.original.Write(b); err != nil || f.position == nil {
		return err
	}
	return f.p.set.Part(b, f.position.place).Set(f.position.key, f.position.value)
}

// Sequenced is for the ticket that the pipeline moves. Nobody may build on the transaction before it is applied: there is
// no early lock release.
func (f *flight) Sequenced() {}

// Applied moves the ticket of the transaction all the way.
func (f *flight) Applied() {
	f.original.Ticket.Sequence()
	f.original.Ticket.Apply()
}

// Lost cannot happen: the binary log does not lose its end.
func (f *flight) Lost() { panic("twopc: a transaction lost its place in the binary log") }

// syncCommit makes the commit records durable.
func (f *flight) syncCommit() error {
	return f.each(func(e *Engine, _ *part) error { return f.p.appended(e.redo.SyncAll()) })
}
