package txn

import (
	"bytes"

	"github.com/tidwall/btree"

	"github.com/duramendb/duramen/catalog"
)

// write is one change of a key. A nil value deletes the key.
type write struct {
	key, value []byte
	// seq orders writes of one key: ownSeq in a write set, the order of commit
	// in the pending rows.
	seq uint64
	// shadow marks an index entry that did not change with its row. It is there
	// for reads through the read view, which may not have it: the row may have got it
	// after the view was made. Nobody else needs it.
	shadow bool
}

// ownSeq is above the seq of every committed write.
const ownSeq = ^uint64(0)

func lessWrite(a, b write) bool { return bytes.Compare(a.key, b.key) < 0 }

type writeTree = btree.BTreeG[write]

func newWriteTree() *writeTree {
	return btree.NewBTreeGOptions(lessWrite, btree.Options{NoLocks: true, Degree: 16})
}

// writeSet is what a transaction has changed: the last write of each key, in
// key order, and how to take it back. Keys and values are kept as given.
type writeSet struct {
	tree *writeTree
	undo []undoEntry
	prev []write // what undo entries put back
}

// undoEntry restores a key: to the last of writeSet.prev, or to "not written"
// if had is false (which is the rule: large transactions write a key once).
type undoEntry struct {
	key []byte
	had bool
}

func (w *writeSet) set(c *catalog.KeyChange) {
	if w.tree == nil {
		w.tree = newWriteTree()
	}
	e := write{key: c.Key, value: c.Value, seq: ownSeq, shadow: c.Unchanged}
	if e.shadow {
		if _, written := w.tree.Get(e); written {
			return
		}
	}
	prev, had := w.tree.Set(e)
	w.undo = append(w.undo, undoEntry{key: c.Key, had: had})
	if had {
		w.prev = append(w.prev, prev)
	}
}

func (w *writeSet) get(key []byte) (value []byte, written bool) {
	if w.tree == nil {
		return nil, false
	}
	e, ok := w.tree.Get(write{key: key})
	return e.value, ok
}

// mark is a point to roll back to.
func (w *writeSet) mark() int { return len(w.undo) }

func (w *writeSet) rollbackTo(mark int) {
	for i := len(w.undo) - 1; i >= mark; i-- {
		if u := w.undo[i]; u.had {
			last := len(w.prev) - 1
			w.tree.Set(w.prev[last])
			w.prev[last] = write{}
			w.prev = w.prev[:last]
		} else {
			w.tree.Delete(write{key: u.key})
		}
	}
	clear(w.undo[mark:])
	w.undo = w.undo[:mark]
}

func (w *writeSet) len() int {
	if w.tree == nil {
		return 0
	}
	return w.tree.Len()
}

// copy returns the writes as they are now, unaffected by later ones; nil if
// there are none.
func (w *writeSet) copy() *writeTree {
	if w.len() == 0 {
		return nil
	}
	return w.tree.Copy()
}
