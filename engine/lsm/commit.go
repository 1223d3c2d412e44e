package lsm

import (
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// commits has batches written one at a time, and in such a way that readers see all of each or nothing of it.
//
// Pebble lets go of the memtable before it publishes the batch that it wrote there. If the memtable is replaced and flushed in between, the
// flush keeps the batch's versions of its keys, which no reader sees yet, and drops the versions before them: an iterator that is
// opened then finds neither. (The writer must lose its processor for as long as a flush takes; with a pause put there in Pebble,
// CheckpointUnderLoad of the conformance suite misses rows at once.) A snapshot that is taken before the batch and closed after it makes
// the flush keep both. It costs as much as a small batch, so it is taken only when the batch's memtable may be replaced so soon:
// while one of the calls runs that do it from another goroutine, or when the batch is large and becomes a memtable of its own. A memtable
// that the next batch finds to be full has only batches that are published.
type commits struct {
	mu sync.Mutex // held while a batch is written
	// rotating counts the running calls that may replace the memtable.
	rotating int
}

// mayRotate waits until no batch is being written, and returns the function to call after the call that may replace the memtable.
func (c *commits) mayRotate() (done func()) {
	add := func(n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.rotating += n
	}
	add(1)
	return func() { add(-1) }
}

// nodeBytes is more than what an entry takes in a memtable beside its key and value.
const nodeBytes = 256

// commit writes a batch. There must be room for it, see awaitRoom.
func (e *Engine) commit(b *pebble.Batch) error {
	e.commits.mu.Lock()
	defer e.commits.mu.Unlock()
	// Pebble makes a memtable of what takes half of one; a quarter is on the safe side.
	large := uint64(b.Len())+uint64(b.Count())*nodeBytes >= e.opts.MemTableBytes/4
	if e.commits.rotating == 0 && !large {
		return e.db.Apply(b, pebble.NoSync)
	}
	before := e.db.NewSnapshot()
	return errors.Join(e.db.Apply(b, pebble.NoSync), before.Close())
}

// asyncFlush replaces the memtable; what was written is durable when the channel is closed.
func (e *Engine) asyncFlush() (<-chan struct{}, error) {
	defer e.commits.mayRotate()()
	return e.db.AsyncFlush()
}
