package lsm

import (
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/duramendb/duramen/engine"
)

// room bounds the memtables that wait to be flushed: whoever writes waits for a flush when there are memTablesMax. Pebble would do the same,
// but who waits in Pebble keeps everybody else from it, a checkpoint and Close as well, and when the flush fails he waits for as long as
// the disk fails. Here nobody waits for a flush that fails: there is room for what is in the log already, and
// Writable keeps more from getting there.
type room struct {
	// grown is about how many bytes were written since somebody looked at the memtables; at budget it is time to look again.
	grown, budget atomic.Uint64
	mu            sync.Mutex // held while somebody looks, and waits
}

// leave returns when nobody looks any more; the engine is closed.
func (r *room) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
}

// entryBytes is about what an entry takes in a memtable beside its key and value.
const entryBytes = 100

// awaitRoom returns when there is room for a batch, or flushes fail.
func (e *Engine) awaitRoom(b *pebble.Batch) error {
	r, need := &e.room, uint64(b.Len())+uint64(b.Count())*entryBytes
	if r.grown.Add(need) < r.budget.Load() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		ended := e.backoff.nextFlushEnd()
		if e.closed.Load() {
			return engine.ErrClosed
		}
		size, limit := e.db.Metrics().MemTable.Size, memTablesMax*e.opts.MemTableBytes
		if size < limit {
			r.grown.Store(need)
			r.budget.Store(limit - size)
			return nil
		}
		if e.backoff.failing.Load() {
			return nil
		}
		select {
		case <-ended:
		case <-e.quit:
			return engine.ErrClosed
		}
	}
}
