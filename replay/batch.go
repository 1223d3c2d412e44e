package replay

import (
	"bytes"
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// batches is the sink that makes the changes of an engine again, as batches. It reads the engine only to complete
// partial row images, and for counters.
type batches struct {
	engine     engine.Engine
	can        engine.Capabilities
	owns       func(*catalog.TableDef) bool
	collations catalog.Collations
	batchBytes int // a batch of that size is applied

	catalog *catalog.Snapshot // at the end of what was read
	state   *gtid.State
	read    logpos.Pos // end of the last complete group
	applied logpos.Pos // end of the last group that is in the engine

	batch engine.Batch
	// written are the rows in batch by key, nil for a deleted one: what the
	// engine does not know yet.
	written map[string][]byte
	next    map[uint32]uint64 // auto-increment counters by table id, as far as they were looked at
	// tainted says that the batch may not be replayed a second time: it holds changes of the
	// catalog, or rows that were completed from the engine.
	tainted bool
	chunks  bool // parts of a group were applied without a mark
	rows    int64
}

// newBatches continues from the engine's mark.
func newBatches(cfg *Config) (*batches, error) {
	mark := cfg.Engine.Applied()
	state, err := gtid.ParseState(mark.GTIDState)
	if err != nil {
		return nil, fmt.Errorf("replay: GTID state in the mark of %s: %w", cfg.Engine.Name(), err)
	}
	b := &batches{engine: cfg.Engine, can: cfg.Engine.Capabilities(), owns: cfg.Owns, collations: cfg.Collations, batchBytes: cfg.BatchBytes,
		catalog: cfg.Catalog, state: state, read: mark.Position, applied: mark.Position,
		written: map[string][]byte{}, next: map[uint32]uint64{}}
	if b.chunks, err = Unfinished(cfg.Engine); err != nil {
		return nil, fmt.Errorf("replay for %s: %w", cfg.Engine.Name(), err)
	}
	return b, nil
}

func (b *batches) size() int {
	if b.batch == nil {
		return 0
	}
	return b.batch.Len()
}

func (b *batches) open() engine.Batch {
	if b.batch == nil {
		b.batch = b.engine.NewBatch()
	}
	return b.batch
}

// flush applies the batch if it has grown to size, with the mark of the last
// complete group.
func (b *batches) flush(size int) error {
	if !b.applied.Before(b.read) || b.size() < size {
		return nil
	}
	if err := b.can.Writable(); err != nil {
		return fmt.Errorf("up to %s: %w", b.read, err)
	}
	if err := b.apply(engine.Mark{Position: b.read, GTIDState: b.state.String()}); err != nil {
		return fmt.Errorf("applying up to %s: %w", b.read, err)
	}
	b.applied = b.read
	return nil
}

// apply hands the batch to the engine.
func (b *batches) apply(m engine.Mark) error {
	batch := b.open()
	if b.chunks {
		if err := batch.Delete(unfinishedKey); err != nil {
			return err
		}
	}
	b.batch, b.tainted, b.chunks = nil, false, false
	clear(b.written)
	return b.engine.Apply(batch, m)
}

func (b *batches) discard() {
	if b.batch != nil {
		b.batch.Discard()
		b.batch = nil
	}
}

// announce applies everything before a write that may be a large group, so that it shares its batch with
// nothing that must not be replayed twice.
func (b *batches) announce(bytes uint64) error {
	if bytes < uint64(b.batchBytes) {
		return nil
	}
	return b.flush(0)
}

func (b *batches) begin(info *event.GTIDInfo) error {
	if info != nil {
		b.state.Update(info.GTID)
	}
	return nil
}

func (b *batches) end(at logpos.Pos) error {
	b.read = at
	return b.flush(b.batchBytes)
}

func (b *batches) table(info *event.TableMapInfo) (*catalog.Table, error) {
	t := b.catalog.TableByID(uint32(info.TableID))
	switch {
	case t == nil:
		return nil, fmt.Errorf("%w: table %s.%s with id %d is not in the catalog", ErrContent, info.Schema, info.Table, info.TableID)
	case b.owns != nil && !b.owns(t.Def):
		return nil, nil
	}
	return t, nil
}

// row puts the change of a row into the batch.
func (b *batches) row(c *rowChange) error {
	before, after, err := b.complete(c)
	if err != nil {
		return err
	}
	if err := c.table.Mutations(before, after, c.key, b.emit(c.table)); err != nil {
		return misfit(err)
	}
	b.rows++
	if c.kind != insertion {
		return nil
	}
	return b.counters(c.table, after)
}

// emit returns the function that takes the changes of keys of a table.
func (b *batches) emit(t *catalog.Table) catalog.Emit {
	batch := b.open()
	return func(key, value []byte) error {
		if _, index, _, ok := catalog.ParsePrefix(key); ok && index == catalog.RowsIndex {
			b.written[string(key)] = bytes.Clone(value) // value lies in the reader's buffer
		}
		if value == nil {
			return batch.Delete(key)
		}
		return batch.Set(key, value)
	}
}

// define applies the catalog change of a DDL statement.
func (b *batches) define(c catalog.Change) error {
	b.tainted = true
	next, err := b.catalog.Apply(c, b.collations)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrContent, err)
	}
	if err := b.catalog.WriteChange(b.open(), c); err != nil {
		return err
	}
	b.catalog = next
	for id, n := range c.Counters {
		b.next[id] = n
	}
	for _, id := range c.DropTables {
		delete(b.next, id)
	}
	return nil
}

// counters keeps the table's auto-increment counter beyond every value that
// was inserted.
func (b *batches) counters(t *catalog.Table, after []byte) error {
	if t.AutoIncrement < 0 || after == nil {
		return nil
	}
	next, known := b.next[t.ID()]
	if !known {
		value, ok, release, err := b.engine.Get(catalog.CounterKey(t.ID()))
		if err != nil {
			return err
		}
		if ok {
			next, err = catalog.DecodeCounter(value)
			release()
			if err != nil {
				return err
			}
		}
		b.next[t.ID()] = next
	}
	value, err := t.AutoIncrementValue(after)
	if err != nil || value < next {
		return misfit(err)
	}
	b.next[t.ID()] = value + 1
	return b.open().Set(catalog.CounterKey(t.ID()), catalog.EncodeCounter(value+1))
}
