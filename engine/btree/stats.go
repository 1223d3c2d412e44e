package btree

import (
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/engine"
)

// counters are the part of engine.Stats that is counted.
type counters struct {
	written     atomic.Uint64
	checkpoints atomic.Uint64
	time        atomic.Int64 // nanoseconds
}

// Stats are about the file, the deltas and the checkpoints.
func (e *Engine) Stats() engine.Stats {
	v := e.acquire()
	if v == nil {
		return engine.Stats{}
	}
	defer v.base.release()
	return engine.Stats{
		DiskBytes:      v.diskBytes(),
		PendingBytes:   uint64(v.pendingBytes()),
		WrittenBytes:   e.counters.written.Load(),
		Checkpoints:    e.counters.checkpoints.Load(),
		CheckpointTime: time.Duration(e.counters.time.Load()),
	}
}
