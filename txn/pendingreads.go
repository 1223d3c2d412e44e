package txn

import (
	"context"
	"sync/atomic"
)

// pendingReads are the pending rows that a transaction has read: rows that are not durable yet, and may be lost. The numbers
// are those of transactions in the pending rows. Reads that run concurrently note them at the same time.
type pendingReads struct {
	newest atomic.Uint64 // the highest number; 0 if there is none
	first  atomic.Uint64 // the one read before all others; 0 also when it is not known any more
}

// saw notes that rows of a pending transaction were read.
func (r *pendingReads) saw(seq uint64) {
	r.first.CompareAndSwap(0, seq)
	for {
		old := r.newest.Load()
		if old >= seq || r.newest.CompareAndSwap(old, seq) {
			return
		}
	}
}

// any reports whether there may be some that are not applied yet.
func (r *pendingReads) any() bool { return r.newest.Load() != 0 }

// await waits until all are applied, and forgets them. It returns ErrLost if they never will be.
func (r *pendingReads) await(ctx context.Context, p *pending) error {
	seq := r.newest.Load()
	if seq == 0 {
		return nil
	}
	if err := p.await(ctx, r.first.Load(), seq); err != nil {
		return err
	}
	if r.newest.CompareAndSwap(seq, 0) {
		r.first.Store(0)
	}
	return nil
}

// lost is ErrLost if some of the rows may not be there any more, because they lost their place in the log.
func (r *pendingReads) lost(p *pending) error {
	newest := r.newest.Load()
	if newest == 0 {
		return nil
	}
	return p.lost(r.first.Load(), newest)
}
