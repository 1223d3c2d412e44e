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

// batches is the sink that makes the changes of an engine again, as batches: several goroutines make keys of rows (stretch.go), and the
// engine applies a batch while the next one is made. The engine is read only to complete partial row images, and for counters.
type batches struct {
	engine     engine.Engine
	can        engine.Capabilities
	owns       func(*catalog.TableDef) bool
	collations catalog.Collations
	batchBytes int // a batch of that size is applied

	catalog   *catalog.Snapshot // at the end of what was read
	point     gtid.Point        // the same in GTIDs
	read      logpos.Pos        // end of the last complete group
	appliedTo logpos.Pos        // end of the last group that was handed to the engine

	// stretches are what comes into the batch, the last one is being filled; bytes is about how much that is.
	stretches []*stretch
	bytes     int
	makers    makers
	at        logpos.Pos // of the event that is being read

	// direct says that the batch is made here, change by change.
	direct bool
	batch  engine.Batch
	// written are the rows in batch by key, nil for a deleted one: what the
	// engine does not know yet. It is kept with direct only.
	written map[string][]byte
	// next are auto-increment counters by table id, as far as they were looked at. It belongs to whoever makes the batch: the
	// goroutine that applies it, or with direct the one that reads, after await.
	next map[uint32]uint64
	// tainted says that the batch may not be replayed a second time: it holds changes of the
	// catalog, or rows that were completed from the engine.
	tainted bool
	chunks  bool // parts of a group were applied without a mark
	rows    int64
	// applying is of the batch that the engine is applying while the next one is made, nil if there is none.
	applying chan applied
}

// newBatches continues from the engine's mark.
func newBatches(cfg *Config) (*batches, error) {
	mark := cfg.Engine.Applied()
	point, err := gtid.ParsePoint(mark.GTIDState)
	if err != nil {
		return nil, fmt.Errorf("replay: GTID state in the mark of %s: %w", cfg.Engine.Name(), err)
	}
	b := &batches{engine: cfg.Engine, can: cfg.Engine.Capabilities(), owns: cfg.Owns, collations: cfg.Collations, batchBytes: cfg.BatchBytes,
		catalog: cfg.Catalog, point: point, read: mark.Position, appliedTo: mark.Position,
		written: map[string][]byte{}, next: map[uint32]uint64{}}
	if b.chunks, err = Unfinished(cfg.Engine); err != nil {
		return nil, fmt.Errorf("replay for %s: %w", cfg.Engine.Name(), err)
	}
	return b, nil
}

// applied says how the application of a batch has ended. The stretches are free again.
type applied struct {
	stretches []*stretch
	err       error
}

func (b *batches) size() int {
	if b.batch == nil {
		return b.bytes
	}
	return b.bytes + b.batch.Len()
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
	if !b.appliedTo.Before(b.read) || b.size() < size {
		return nil
	}
	if err := b.can.Writable(); err != nil {
		return fmt.Errorf("up to %s: %w", b.read, err)
	}
	mark := engine.Mark{Position: b.read, GTIDState: b.point.String()}
	chunks := b.chunks
	b.tainted, b.chunks, b.appliedTo = false, false, b.read
	return b.apply(func(batch engine.Batch) error {
		if chunks {
			if err := batch.Delete(unfinishedKey); err != nil {
				batch.Discard()
				return err
			}
		}
		if err := b.engine.Apply(batch, mark); err != nil {
			return fmt.Errorf("applying up to %s: %w", mark.Position, err)
		}
		return nil
	})
}

// apply has the batch made and handed to the engine, while the next one is read.
func (b *batches) apply(write func(engine.Batch) error) error {
	b.dispatch()
	stretches, batch := b.stretches, b.open()
	b.stretches, b.bytes, b.batch, b.direct = nil, 0, nil, false
	clear(b.written)
	if err := b.await(); err != nil {
		batch.Discard()
		return err
	}
	applying := make(chan applied, 1)
	b.applying = applying
	go func() {
		err := b.gather(batch, stretches, nil)
		if err != nil {
			batch.Discard()
		} else {
			err = write(batch)
		}
		applying <- applied{stretches, err}
	}()
	return nil
}

// await waits until the engine has everything that apply was given. Who reads the engine calls it first, and so does the end of a replay.
func (b *batches) await() error {
	if b.applying == nil {
		return nil
	}
	done := <-b.applying
	b.applying = nil
	if done.err == nil {
		b.makers.spare = append(b.makers.spare, done.stretches...)
	}
	return done.err
}

// dispatch has the stretch made that was being filled.
func (b *batches) dispatch() {
	if n := len(b.stretches); n > 0 && !b.direct {
		b.makers.make(b.stretches[n-1])
	}
}

// add puts a change of a row into the stretch that is being filled.
func (b *batches) add(c *rowChange) {
	n := len(b.stretches)
	if n == 0 || b.stretches[n-1].size >= min(stretchBytesMax, b.batchBytes/stretchesPerBatch) {
		b.dispatch()
		b.stretches = append(b.stretches, b.makers.empty())
		n++
	}
	s := b.stretches[n-1]
	before := s.size
	s.add(c, b.at)
	b.bytes += s.size - before
}

// gather puts what was made of stretches into a batch, in their order, and notes the rows. After an error some may still be being made.
func (b *batches) gather(batch engine.Batch, stretches []*stretch, written map[string][]byte) error {
	for _, s := range stretches {
		<-s.made
		if s.err != nil {
			return s.err
		}
		for _, k := range s.keys {
			if err := put(batch, k.key, k.value, written); err != nil {
				return err
			}
		}
		for id, next := range s.counters {
			if err := b.count(batch, id, next); err != nil {
				return err
			}
		}
		s.reset()
	}
	return nil
}

// oneByOne has the rest of the batch made here, change by change: what follows may ask for what is written in it.
func (b *batches) oneByOne() error {
	if b.direct {
		return nil
	}
	b.dispatch()
	b.direct = true
	if err := b.await(); err != nil {
		return err
	}
	if err := b.gather(b.open(), b.stretches, b.written); err != nil {
		return err
	}
	b.makers.spare = append(b.makers.spare, b.stretches...)
	b.stretches, b.bytes = nil, 0
	return nil
}

// discard gives up what was not applied, and ends the goroutines.
func (b *batches) discard() {
	_ = b.await() // the error tells what happened
	if b.batch != nil {
		b.batch.Discard()
		b.batch = nil
	}
	b.makers.end()
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
		b.point.Update(info.GTID, info.Replicated)
	}
	return nil
}

func (b *batches) reposition(r gtid.Reposition) error {
	b.point.Reposition(r)
	return nil
}

func (b *batches) execute(g gtid.MySQL) error {
	b.point.Execute(g)
	return nil
}

func (b *batches) setExecuted(c gtid.ExecutedChange) error {
	b.point.SetExecuted(c)
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

// row has the change of a row made.
func (b *batches) row(c *rowChange) error {
	b.rows++
	if !b.direct && c.complete() {
		b.add(c)
		return nil
	}
	if err := b.oneByOne(); err != nil {
		return err
	}
	before, after, err := b.complete(c)
	if err != nil {
		return err
	}
	batch := b.open()
	if err := c.table.Mutations(before, after, c.key, func(key, value []byte) error { return put(batch, key, value, b.written) }); err != nil {
		return misfit(err)
	}
	next, err := counterAfter(c.table, before, after)
	if err != nil {
		return misfit(err)
	}
	return b.count(batch, c.table.ID(), next)
}

// put puts the change of a key into a batch, and notes it among the rows in written, unless that is nil.
func put(batch engine.Batch, key, value []byte, written map[string][]byte) error {
	if written != nil {
		if _, index, _, ok := catalog.ParsePrefix(key); ok && index == catalog.RowsIndex {
			written[string(key)] = bytes.Clone(value) // value lies in a buffer that is used again
		}
	}
	if value == nil {
		return batch.Delete(key)
	}
	return batch.Set(key, value)
}

// define applies the catalog change of a DDL statement.
func (b *batches) define(c catalog.Change) error {
	if err := b.oneByOne(); err != nil {
		return err
	}
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

// count keeps a table's auto-increment counter at what it is at least. The engine has everything that came before the batch.
func (b *batches) count(batch engine.Batch, table uint32, least uint64) error {
	if least == 0 {
		return nil
	}
	next, known := b.next[table]
	if !known {
		value, ok, release, err := b.engine.Get(catalog.CounterKey(table))
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
		b.next[table] = next
	}
	if least <= next {
		return nil
	}
	b.next[table] = least
	return batch.Set(catalog.CounterKey(table), catalog.EncodeCounter(least))
}
