package lsm

import "sync/atomic"

// scans has the memtable flushed where iterators are made again and again: each goes through what is in it, every version of a row on its own.
// Where nobody scans, a memtable grows to its full size, as that costs less of later compactions (Options.MemTableBytes).
type scans struct{ n atomic.Uint64 }

const (
	// scansPerLook is after how many iterators the memtable is looked at: about as many as cost, in a full one, what a flush costs.
	scansPerLook = 10_000
	// scannedBytes is from which size on a memtable slows scans down; it does not fit the caches of a processor.
	scannedBytes = 2 << 20
)

// scanned is called when an iterator is made.
func (e *Engine) scanned() {
	if e.scans.n.Add(1)%scansPerLook == 0 && !e.opts.NoCompactions {
		go e.flushScanned() // whoever reads does not wait for a batch that is written
	}
}

// flushScanned has the memtable flushed if it is large, unless a checkpoint does that now.
func (e *Engine) flushScanned() {
	if !e.checkpoint.TryLock() {
		return
	}
	defer e.checkpoint.Unlock() // Close waits for it
	if e.closed.Load() || e.backoff.failing.Load() || e.db.Metrics().MemTable.Size < scannedBytes {
		return
	}
	if _, err := e.asyncFlush(); err != nil {
		e.opts.Logger.Debug("flush of a memtable that is scanned often", "engine", name, "error", err)
	}
}
