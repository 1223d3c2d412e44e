package binlog

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// Log is an open binary log. Reserve, Append and Sync are meant for one
// caller, the commit pipeline's leader; everything else may be called by any
// goroutine at any time.
//
// Lock order: purgeMu -> writeMu -> indexMu -> syncMu -> mu. No I/O is done under mu.
type Log struct {
	o    Options
	dir  dir
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

	larges      atomic.Uint64 // numbers the files of large transactions
	rotated     chan struct{} // capacity 1: a segment was closed
	rebuild     sync.Mutex    // held while a GTID index is made anew
	indexHits   atomic.Uint64
	indexMisses atomic.Uint64

	// purgeMu is held by a purge until the files are gone, and by a reset, which gives their names to
	// other files.
	purgeMu sync.Mutex

	// indexMu is held while the index file and, with it, the list of segments change.
	indexMu sync.Mutex

	// syncMu is held by Sync, and while the live file is replaced.
	syncMu sync.Mutex

	idle *sync.Cond // of mu: a write in flight has landed, or the log has failed

	mu struct {
		sync.Mutex
		segments []*segment // by number without gaps; the last one is live
		state    *gtid.State

		// visible <= synced <= written, except under relaxed durability, where visible
		// may pass synced.
		written logpos.Pos // end of the last Append
		synced  logpos.Pos // everything before is durable
		visible logpos.Pos // readers may see everything before

		inFlight int           // writes issued and not finished
		flights  []*Write      // the direct ones of them, and those that wait for a predecessor, in log order
		handles  []*syncHandle // of the live file, not used by a write in flight
		buffers  [][]byte      // aligned, free
		method   SyncMethod    // in use

		resets        uint64     // how often the log was replaced by an empty one
		turns         []turn     // segment ends that visible has not passed yet
		recoveryStart logpos.Pos // engines replay from here: segments from this one on are kept
		maxSize       int64
		failed        error // of the first failed write or sync
		closed        bool

		wake    chan struct{} // closed when visible moves or the log closes
		waiters int
	}
}

// turn is where the log goes from one segment to the next: whoever has seen
// everything up to from has seen everything up to to.
type turn struct{ from, to logpos.Pos }

// End is the end of what was written.
func (l *Log) End() logpos.Pos {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.written
}

// Synced is the position before which everything is durable.
func (l *Log) Synced() logpos.Pos {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.synced
}

// Visible is the position up to which readers see the log.
func (l *Log) Visible() logpos.Pos {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.visible
}

// SetVisible lets readers see everything before p, the end of a group. Going
// backwards is ignored.
func (l *Log) SetVisible(p logpos.Pos) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.written.Before(p) {
		panic(fmt.Sprintf("binlog: position %v made visible, but the log ends at %v", p, l.mu.written))
	}
	if l.mu.visible.Before(p) {
		l.mu.visible = p
	}
	l.passTurnsLocked()
	l.wakeLocked()
}

// passTurnsLocked moves visible over segment ends that it has reached.
func (l *Log) passTurnsLocked() {
	for len(l.mu.turns) > 0 && !l.mu.visible.Before(l.mu.turns[0].from) {
		l.mu.visible = logpos.Max(l.mu.visible, l.mu.turns[0].to)
		l.mu.turns = l.mu.turns[1:]
	}
}

func (l *Log) wakeLocked() {
	if l.mu.waiters > 0 {
		close(l.mu.wake)
		l.mu.wake = make(chan struct{})
		l.mu.waiters = 0
	}
}

// UpdateState adds a GTID to the state of the written end. Append does this
// itself; it is for states that come from elsewhere.
func (l *Log) UpdateState(g gtid.GTID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.state.Update(g)
}

// StateClone is the binlog state (gtid_binlog_state) at End.
func (l *Log) StateClone() *gtid.State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.state.Clone()
}

// SetMaxSize changes max_binlog_size for segments prepared from now on.
func (l *Log) SetMaxSize(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.maxSize = max(n, minMaxSize)
}

func (l *Log) maxSize() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.maxSize
}

// Failed is the error that ended the log's life, or nil.
func (l *Log) Failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.failed
}

// fail poisons the log: nothing is tried again after a failed write or sync.
func (l *Log) fail(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.failed == nil {
		l.mu.failed = fmt.Errorf("%w: %w", ErrSyncFailed, err)
		l.idle.Broadcast()
	}
	return l.mu.failed
}

func (l *Log) usable() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.failed != nil {
		return l.mu.failed
	}
	if l.mu.closed {
		return ErrClosed
	}
	return nil
}

// segmentLocked returns the segment with number n, nil if there is none.
func (l *Log) segmentLocked(n uint64) *segment {
	if len(l.mu.segments) == 0 || n < l.mu.segments[0].n {
		return nil
	}
	if i := n - l.mu.segments[0].n; i < uint64(len(l.mu.segments)) {
		return l.mu.segments[i]
	}
	return nil
}
