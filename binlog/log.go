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
// Lock order: purgeMu -> writeMu -> indexMu -> syncMu -> mu. No I/O is done under mu.
type Log struct {
	*status
	*writer
	*purger
	*lookup

	prep    *preparer
	larges  atomic.Uint64 // numbers the files of large transactions
	rotated chan struct{} // capacity 1: a segment was closed
}

// newLog puts the parts together; there is no live segment yet.
func newLog(o Options) *Log {
	st := newStatus(o.dir(), o.MaxSize)
	return &Log{
		status:  st,
		writer:  &writer{status: st, o: o},
		purger:  &purger{status: st},
		lookup:  &lookup{status: st, logger: o.Logger},
		rotated: make(chan struct{}, 1),
	}
}

// ServerID is the server id of events that the log writes itself.
func (l *Log) ServerID() uint32 { return l.o.ServerID }

// Rotated receives something when a segment was closed since the last receive.
func (l *Log) Rotated() <-chan struct{} { return l.rotated }

// segmentClosed is called when a segment was closed and another one is live: the closed segments get their GTID
// indexes, and who waits for something to purge is woken. writeMu is held, or the log is being opened; no other mutex is.
func (l *Log) segmentClosed() {
	l.storeDue()
	select {
	case l.rotated <- struct{}{}:
	default:
	}
}
