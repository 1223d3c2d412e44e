package binlog

import (
	"context"
	"fmt"
	"sync"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// status is what the parts of a log share: which segments there are, how far they are written, durable and visible, and
// whether the log can still be used. It does no I/O.
type status struct {
	dir  dir
	idle *sync.Cond // of mu: a write in flight has landed, or the log has failed

	recent recent

	// indexMu is held while the index file changes, and with it which segments it lists.
	indexMu sync.Mutex

	mu struct {
		sync.Mutex
		segments []*segment // by number without gaps; the last one is live
		listed   uint64     // the last segment that the index lists
		state    *gtid.State

		// visible <= synced <= written, except under relaxed durability, where visible
		// may pass synced.
		written logpos.Pos // end of the last Append
		synced  logpos.Pos // everything before is durable
		visible logpos.Pos // readers may see everything before
		// visible <= offered <= written: readers made by NewOfferedReader may see everything before.
		offered logpos.Pos

		resets        uint64     // how often the log was replaced by an empty one
		boundaries    []boundary // segment ends that visible has not passed yet
		recoveryStart logpos.Pos // engines replay from here: segments from this one on are kept
		maxSize       int64
		failed        error // of the first failed write or sync
		closed        bool

		// Who waits for visible, or offered, to move, or the log to close.
		seeVisible, seeOffered waiters
	}
}

func newStatus(d dir, maxSize int64) *status {
	st := &status{dir: d}
	st.idle = sync.NewCond(&st.mu)
	st.mu.maxSize = maxSize
	return st
}

// boundary is where the log goes from one segment to the next: whoever has seen
// everything up to from has seen everything up to to.
type boundary struct{ from, to logpos.Pos }

// End is the end of what was written.
func (st *status) End() logpos.Pos {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.mu.written
}

// Synced is the position before which everything is durable.
func (st *status) Synced() logpos.Pos {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.mu.synced
}

// Visible is the position up to which readers see the log.
func (st *status) Visible() logpos.Pos {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.mu.visible
}

// SetVisible lets readers see everything before p, the end of a group. Going
// backwards is ignored.
func (st *status) SetVisible(p logpos.Pos) { st.show(p, false) }

// Offer lets readers made by NewOfferedReader see everything before p, the end of a group; others wait for SetVisible, which
// offers too. Going backwards is ignored.
func (st *status) Offer(p logpos.Pos) { st.show(p, true) }

// show wakes whoever has something to read, without mu, which these need at once.
func (st *status) show(p logpos.Pos, offered bool) {
	for _, woken := range st.moveTo(p, offered) {
		woken.wake()
	}
}

// moveTo moves offered to p, or visible and offered, and returns who waits for what has moved.
func (st *status) moveTo(p logpos.Pos, offered bool) (woken [2]waiters) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.mu.written.Before(p) {
		panic(fmt.Sprintf("binlog: position %v made visible (offered: %v), but the log ends at %v", p, offered, st.mu.written))
	}
	visibleBefore, offeredBefore := st.mu.visible, st.mu.offered
	st.mu.offered = logpos.Max(st.mu.offered, p)
	if !offered {
		st.mu.visible = logpos.Max(st.mu.visible, p)
	}
	st.passBoundariesLocked()
	if st.mu.visible != visibleBefore {
		woken[0] = st.mu.seeVisible.take()
	}
	if st.mu.offered != offeredBefore {
		woken[1] = st.mu.seeOffered.take()
	}
	return woken
}

// passBoundariesLocked moves visible and offered over segment ends that they have reached, and offered at least to visible.
func (st *status) passBoundariesLocked() {
	st.mu.offered = logpos.Max(st.mu.offered, st.mu.visible)
	for _, b := range st.mu.boundaries {
		if !st.mu.offered.Before(b.from) {
			st.mu.offered = logpos.Max(st.mu.offered, b.to)
		}
	}
	for len(st.mu.boundaries) > 0 && !st.mu.visible.Before(st.mu.boundaries[0].from) {
		st.mu.visible = logpos.Max(st.mu.visible, st.mu.boundaries[0].to)
		st.mu.boundaries = st.mu.boundaries[1:]
	}
}

// wakeLocked wakes everybody who waits.
func (st *status) wakeLocked() {
	st.mu.seeVisible.take().wake()
	st.mu.seeOffered.take().wake()
}

// waiters is a channel that those who wait share, and that is closed to wake them; nil if nobody waits.
type waiters struct{ c chan struct{} }

func (w *waiters) join() <-chan struct{} {
	if w.c == nil {
		w.c = make(chan struct{})
	}
	return w.c
}

// take leaves w without anybody.
func (w *waiters) take() waiters {
	all := *w
	w.c = nil
	return all
}

func (w waiters) wake() {
	if w.c != nil {
		close(w.c)
	}
}

// UpdateState adds a GTID to the state of the written end. Append does this
// itself; it is for states that come from elsewhere.
func (st *status) UpdateState(g gtid.GTID) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.mu.state.Update(g)
}

// StateClone is the binlog state (gtid_binlog_state) at End.
func (st *status) StateClone() *gtid.State {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.mu.state.Clone()
}

// SetMaxSize changes max_binlog_size for segments prepared from now on.
func (st *status) SetMaxSize(n int64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.mu.maxSize = max(n, minMaxSize)
}

func (st *status) maxSize() int64 {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.mu.maxSize
}

// Failed is the error that ended the log's life, or nil.
func (st *status) Failed() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.mu.failed
}

// fail poisons the log: nothing is tried again after a failed write or sync.
func (st *status) fail(err error) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.mu.failed == nil {
		st.mu.failed = fmt.Errorf("%w: %w", ErrSyncFailed, err)
		st.idle.Broadcast()
	}
	return st.mu.failed
}

func (st *status) usable() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.mu.failed != nil {
		return st.mu.failed
	}
	if st.mu.closed {
		return ErrClosed
	}
	return nil
}

// segmentLocked returns the segment with number n, nil if there is none.
func (st *status) segmentLocked(n uint64) *segment {
	if len(st.mu.segments) == 0 || n < st.mu.segments[0].n {
		return nil
	}
	if i := n - st.mu.segments[0].n; i < uint64(len(st.mu.segments)) {
		return st.mu.segments[i]
	}
	return nil
}

// waitVisible waits until there is something visible after p, or offered if that is enough, in the log as it is after that
// many resets.
func (st *status) waitVisible(ctx context.Context, resets uint64, p logpos.Pos, offered bool) error {
	for {
		st.mu.Lock()
		if st.mu.resets != resets {
			st.mu.Unlock()
			return ErrReset
		}
		if p.Before(st.endLocked(offered)) {
			st.mu.Unlock()
			return nil
		}
		if st.mu.closed {
			st.mu.Unlock()
			return ErrClosed
		}
		waiting := &st.mu.seeVisible
		if offered {
			waiting = &st.mu.seeOffered
		}
		wake := waiting.join()
		st.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// WaitVisible waits until everything before p is visible (MASTER_POS_WAIT), ctx
// ends, the log is reset (ErrReset) or closed.
func (st *status) WaitVisible(ctx context.Context, p logpos.Pos) error {
	if p.Offset > 0 {
		p.Offset--
	}
	return st.waitVisible(ctx, st.resets(), p, false)
}

// resets is how often the log was replaced: positions of before mean nothing.
func (st *status) resets() uint64 {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.mu.resets
}

// endLocked is up to where readers may see the log: those to whom it is offered, or all.
func (st *status) endLocked(offered bool) logpos.Pos {
	if offered {
		return st.mu.offered
	}
	return st.mu.visible
}

// readable is up to where segment n may be read; final says that no more
// will come in this segment and the next one is visible.
func (st *status) readable(n uint64) (limit uint64, final bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.readableLocked(n, st.mu.visible)
}

// readableOf is readable for a reader that was made after that many resets, and that may read what is offered.
func (st *status) readableOf(resets, n uint64, offered bool) (limit uint64, final bool, err error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.mu.resets != resets {
		return 0, false, ErrReset
	}
	limit, final = st.readableLocked(n, st.endLocked(offered))
	return limit, final, nil
}

func (st *status) readableLocked(n uint64, end logpos.Pos) (limit uint64, final bool) {
	if n < end.Segment {
		if seg := st.segmentLocked(n); seg != nil {
			return seg.size, true
		}
		return 0, true
	}
	if n == end.Segment {
		return end.Offset, false
	}
	return 0, false
}
