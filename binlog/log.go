package binlog

import (
	"sync/atomic"
)

// Log is an open binary log. Reserve, Append and Sync are meant for one
// caller, the commit pipeline's leader; everything else may be called by any
// goroutine at any time.
//
// It is made of parts: status is what they share; writer writes to the live segment; purger removes old segments; lookup finds
// places by GTID. Log itself goes from one segment to the next, by rotation, a large transaction or a reset.
//
// Lock order: docs/LOCKS.md. No I/O is done under mu.
type Log struct {
	*status
	*writer
	*purger
	*lookup

	prep    *preparer
	closer  *closer
	larges  atomic.Uint64 // numbers the files of large transactions
	rotated chan struct{} // capacity 1: a segment was closed
}

// newLog puts the parts together; there is no live segment yet.
func newLog(o Options) *Log {
	st := newStatus(o.dir(), o.MaxSize)
	l := &Log{
		status:  st,
		writer:  &writer{status: st, o: o},
		purger:  &purger{status: st},
		lookup:  &lookup{status: st, logger: o.Logger},
		rotated: make(chan struct{}, 1),
	}
	l.prep = newPreparer(&l.o, l.maxSize)
	l.settle = l.AwaitClosed
	l.closer = &closer{status: st, o: &l.o, prep: l.prep, store: l.storeDue, rotated: l.tellRotated}
	return l
}

// ServerID is the server id of events that the log writes itself.
func (l *Log) ServerID() uint32 { return l.o.ServerID }

// Rotated receives something when a segment was closed since the last receive.
func (l *Log) Rotated() <-chan struct{} { return l.rotated }

// tellRotated wakes who waits for something to purge.
func (l *Log) tellRotated() {
	select {
	case l.rotated <- struct{}{}:
	default:
	}
}
