package txn

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// layerMin is the number of writes from which on a transaction's pending
// writes form a layer of their own rather than being merged into the common tree:
// publishing happens while the commit pipeline waits.
const layerMin = 512

// pending holds the writes of transactions whose place in the log is fixed
// and that the engine has not applied yet. Locking reads look here before they look into
// the engine.
//
// A reader that takes a copy (or misses a key) here and then reads the engine
// cannot fall between the two: writes are removed only after the engine has them.
type pending struct {
	mu     sync.RWMutex
	tree   *writeTree
	layers []*layer // by seq, newest last; replaced, never changed in place
	seq    uint64
	// queue[first:] are the transactions in here, in the order of their seq: tree does not know anymore what a
	// write has replaced.
	queue []layer
	first int
	// losses are the transactions that were dropped.
	losses []loss
	count  atomic.Int64 // transactions in here: lets readers skip an empty pending
	// applied is the seq of the last transaction that was removed: they are in
	// the order of their seq. progress is closed and replaced when it moves, if somebody asked for it.
	applied  uint64
	progress chan struct{}

	layerMin int // layerMin, or less in tests
}

// layer is the write set of one large transaction; it does not change any more.
type layer struct {
	tree *writeTree
	seq  uint64
}

// loss says that the transactions from one seq to another were dropped, as far as they had not been removed.
type loss struct{ from, to uint64 }

func newPending() *pending { return &pending{tree: newWriteTree(), layerMin: layerMin} }

// publish adds the write set of a transaction, which must not change any
// more, and returns its number. Transactions are published in log order.
func (p *pending) publish(tree *writeTree) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seq++
	p.queue = append(p.queue, layer{tree: tree, seq: p.seq})
	p.addLocked(tree, p.seq)
	p.count.Add(1)
	return p.seq
}

func (p *pending) addLocked(tree *writeTree, seq uint64) {
	if tree.Len() >= p.layerMin {
		p.layers = append(slices.Clip(p.layers), &layer{tree: tree, seq: seq})
	} else {
		tree.Scan(func(w write) bool {
			if !w.shadow {
				w.seq = seq
				p.tree.Set(w)
			}
			return true
		})
	}
}

// remove takes the writes of a published transaction out, except those that a
// later one has replaced.
func (p *pending) remove(tree *writeTree, seq uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count.Add(-1)
	p.applied = max(p.applied, seq)
	p.popLocked(seq)
	p.wakeLocked()
	if tree.Len() >= p.layerMin {
		p.layers = slices.DeleteFunc(slices.Clone(p.layers), func(l *layer) bool { return l.seq == seq })
		return
	}
	tree.Scan(func(w write) bool {
		if cur, ok := p.tree.Get(w); ok && cur.seq == seq {
			p.tree.Delete(w)
		}
		return true
	})
}

// popLocked takes the oldest transaction out of the queue.
func (p *pending) popLocked(seq uint64) {
	if p.queue[p.first].seq != seq {
		panic(fmt.Sprintf("txn: pending transaction %d is removed before %d", seq, p.queue[p.first].seq))
	}
	p.queue[p.first] = layer{}
	p.first++
	if 2*p.first >= len(p.queue) {
		n := copy(p.queue, p.queue[p.first:])
		clear(p.queue[n:])
		p.queue, p.first = p.queue[:n], 0
	}
}

// dropFrom takes out a transaction and all that were published after it, as if they had never been there: what they
// have replaced is back.
func (p *pending) dropFrom(seq uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	end := len(p.queue)
	for end > p.first && p.queue[end-1].seq >= seq {
		end--
	}
	if end == len(p.queue) {
		return // dropped with an older one
	}
	p.losses = append(p.losses, loss{from: seq, to: p.seq})
	p.count.Add(int64(end - len(p.queue)))
	clear(p.queue[end:])
	p.queue = p.queue[:end]
	p.tree, p.layers = newWriteTree(), nil
	for _, l := range p.queue[p.first:] {
		p.addLocked(l.tree, l.seq)
	}
	p.wakeLocked()
}

// wakeLocked lets those in await look again.
func (p *pending) wakeLocked() {
	if p.progress != nil {
		close(p.progress)
		p.progress = nil
	}
}

// lost is ErrLost if one of the transactions that somebody has read from may have been dropped: first is the one
// read from before all others, 0 if that is not known, and newest the one with the highest number.
func (p *pending) lost(first, newest uint64) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.lostLocked(first, newest)
}

// lostLocked relies on this: when a transaction is dropped, so are all with higher numbers up to loss.to. So if one
// that was read from was dropped, the first was published before that, at most with the number loss.to.
func (p *pending) lostLocked(first, newest uint64) error {
	for _, l := range p.losses {
		if first <= l.to && newest >= l.from {
			return ErrLost
		}
	}
	return nil
}

// get returns the newest pending write of a key, and its transaction's number.
func (p *pending) get(key []byte) (value []byte, seq uint64, ok bool) {
	if p.count.Load() == 0 {
		return nil, 0, false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	w, ok := p.tree.Get(write{key: key})
	for i := len(p.layers) - 1; i >= 0 && p.layers[i].seq > w.seq; i-- {
		if x, found := p.layers[i].tree.Get(write{key: key}); found && !x.shadow {
			return x.value, p.layers[i].seq, true
		}
	}
	return w.value, w.seq, ok
}

// await waits until the transaction with this number, and all before it, are applied. It returns ErrLost if they
// never will be; see lost.
func (p *pending) await(ctx context.Context, first, seq uint64) error {
	for {
		p.mu.Lock()
		if err := p.lostLocked(first, seq); err != nil {
			p.mu.Unlock()
			return err
		}
		if p.applied >= seq {
			p.mu.Unlock()
			return nil
		}
		if p.progress == nil {
			p.progress = make(chan struct{})
		}
		progress := p.progress
		p.mu.Unlock()
		select {
		case <-progress:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// copy returns the layers of all pending writes: trees that do not change,
// each with the seq of its writes (0: see write.seq).
func (p *pending) copy() []layer {
	if p.count.Load() == 0 {
		return nil
	}
	p.mu.Lock() // Copy changes the tree's bookkeeping
	defer p.mu.Unlock()
	out := make([]layer, 0, 1+len(p.layers))
	if p.tree.Len() > 0 {
		out = append(out, layer{tree: p.tree.Copy()})
	}
	for _, l := range p.layers {
		out = append(out, *l)
	}
	return out
}
