package txn

import (
	"context"
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

func newPending() *pending { return &pending{tree: newWriteTree(), layerMin: layerMin} }

// publish adds the write set of a transaction, which must not change any
// more, and returns its number. Transactions are published in log order.
func (p *pending) publish(tree *writeTree) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seq++
	seq := p.seq
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
	p.count.Add(1)
	return seq
}

// remove takes the writes of a published transaction out, except those that a
// later one has replaced.
func (p *pending) remove(tree *writeTree, seq uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count.Add(-1)
	p.applied = max(p.applied, seq)
	if p.progress != nil {
		close(p.progress)
		p.progress = nil
	}
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

// await waits until the transaction with this number, and all before it, are applied.
func (p *pending) await(ctx context.Context, seq uint64) error {
	for {
		p.mu.Lock()
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
