package binlog

import (
	"sync"
	"sync/atomic"
)

// Log is an open binary log. Reserve, Append and Sync are meant for one
// caller, the commit pipeline's leader; everything else may be called by any
// goroutine at any time.
//
// It is made of parts: status is what they share; purger removes old segments; lookup finds places by GTID. Log itself
// writes, and goes from one segment to the next.
//
// Lock order: purgeMu -> writeMu -> indexMu -> syncMu -> mu. No I/O is done under mu.
type Log struct {
	*status
	*purger
	*lookup

	o    Options
	prep *preparer
	unit int // of writes to the device: see WriteUnit; never changes

	// writeMu serialises everything that writes to the live segment or replaces it.
	writeMu sync.Mutex
	live    struct { // guarded by writeMu; file also by syncMu
		file      *syncHandle
		blocks    blockFile // for direct writes; nil where fdatasync is used
		tail      []byte    // if there are direct writes: what the last block holds before end
		seg       *segment
		end       uint64 // where the next write goes
		allocated uint64 // size of the file: zeros from end to here
	}
	scratch    []byte // guarded by writeMu
	announced  string // guarded by writeMu: segment that was last announced as the start of recovery
	noted      uint64 // guarded by writeMu: segment of the recovery start that announced has taken into account
	checkpoint string // guarded by writeMu: segment that the next write announces so, "" for none

	larges  atomic.Uint64 // numbers the files of large transactions
	rotated chan struct{} // capacity 1: a segment was closed

	// syncMu is held by Sync, and while the live file is replaced.
	syncMu sync.Mutex
}

// newLog puts the parts together; there is no live segment yet.
func newLog(o Options) *Log {
	st := newStatus(o.dir(), o.MaxSize)
	return &Log{
		status:  st,
		purger:  &purger{status: st},
		lookup:  &lookup{status: st, logger: o.Logger},
		o:       o,
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
