package lsm

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/engine"
)

// counters are the part of engine.Stats that Pebble does not keep.
type counters struct {
	writtenBytes atomic.Uint64
	flushes      atomic.Uint64
	flushTime    atomic.Int64 // nanoseconds
}

func (c *counters) flushed(d time.Duration) {
	c.flushes.Add(1)
	c.flushTime.Add(int64(d))
}

// Stats are Pebble's figures, and our counters.
func (e *Engine) Stats() engine.Stats {
	if e.closed.Load() {
		return engine.Stats{}
	}
	m := e.db.Metrics()
	s := engine.Stats{
		DiskBytes:      m.DiskSpaceUsage(),
		WrittenBytes:   e.counters.writtenBytes.Load(),
		Checkpoints:    e.counters.flushes.Load(),
		CheckpointTime: time.Duration(e.counters.flushTime.Load()),
	}
	if e.ingested.Load() || e.Applied() != e.Durable() {
		s.PendingBytes = m.MemTable.Size // an empty memtable has a size as well
	}
	return s
}

// walkBytesMax is the size up to which keys are added up one by one: small tables are in the memtables for a long time,
// of which Pebble has no estimate.
const walkBytesMax = 4 << 20

// Size is Pebble's estimate of the files; where that is small, what the keys are found to take if it is more.
func (e *Engine) Size(lower, upper []byte) (uint64, error) {
	if e.closed.Load() {
		return 0, engine.ErrClosed
	}
	it, err := e.NewIter(lower, upper)
	if err != nil {
		return 0, err
	}
	n, err := e.size(it, lower, upper)
	if err = errors.Join(err, it.Close()); err != nil {
		return 0, fmt.Errorf("lsm: size from %x to %x: %w", lower, upper, err)
	}
	return n, nil
}

func (e *Engine) size(it engine.Iterator, lower, upper []byte) (uint64, error) {
	if upper == nil { // Pebble's estimate needs a bound
		if !it.Last() {
			return 0, it.Error()
		}
		upper = append(append([]byte{}, it.Key()...), 0)
	}
	if e.pebble.Comparer.Compare(lower, upper) >= 0 {
		return 0, nil
	}
	files, err := e.db.EstimateDiskUsage(lower, upper)
	if err != nil || files >= walkBytesMax {
		return files, err
	}
	var walked uint64
	for ok := it.First(); ok && walked < walkBytesMax; ok = it.Next() {
		walked += uint64(len(it.Key()) + len(it.Value()))
	}
	return max(files, walked), it.Error()
}

// countedFile counts what is written.
type countedFile struct {
	vfs.File
	written *atomic.Uint64
}

func (f *countedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.written.Add(uint64(n))
	return n, err
}

func (f *countedFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	f.written.Add(uint64(n))
	return n, err
}
