package txn

import (
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
}

// layer is the write set of one large transaction; it does not change any more.
type layer struct {
	tree *writeTree
	seq  uint64
}

func newPending() *pending { return &pending{tree: newWriteTree()} }

// publish adds the write set of a transaction, which must not change any
// more, and returns its number. Transactions are published in log order.
func (p *pending) publish(tree *writeTree) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seq++
	seq := p.seq
	if tree.Len() >= layerMin {
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
	if tree.Len() >= layerMin {
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

func (p *pending) get(key []byte) (value []byte, ok bool) {
	if p.count.Load() == 0 {
		return nil, false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	w, ok := p.tree.Get(write{key: key})
	for i := len(p.layers) - 1; i >= 0 && p.layers[i].seq > w.seq; i-- {
		if x, found := p.layers[i].tree.Get(write{key: key}); found {
			return x.value, true
		}
	}
	return w.value, ok
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
