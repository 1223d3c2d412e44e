package txn

import (
	"bytes"

	"github.com/tidwall/btree"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn/spill"
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
// key order, and how to take it back. Keys and values are kept as given. A
// set that has become too large for memory goes on as a spill.Set.
type writeSet struct {
	tree  *writeTree
	undo  []undoEntry
	prev  []write    // what undo entries put back
	bytes int        // about what all of this takes
	big   *spill.Set // instead of all of this
}

// undoEntry restores a key: to the last of writeSet.prev, or to "not written"
// if had is false (which is the rule: large transactions write a key once).
type undoEntry struct {
	key []byte
	had bool
}

func (e *write) size() int { return len(e.key) + len(e.value) + spill.EntryBytes }

func (w *writeSet) set(c *catalog.KeyChange) error {
	if w.big != nil {
		if c.Unchanged {
			if _, written, err := w.big.Get(c.Key); written || err != nil {
				return err
			}
		}
		w.big.Write(c.Key, c.Value, changeKind(c))
		return nil
	}
	if w.tree == nil {
		w.tree = newWriteTree()
	}
	e := write{key: c.Key, value: c.Value, seq: ownSeq, shadow: c.Unchanged}
	if e.shadow {
		if _, written := w.tree.Get(e); written {
			return nil
		}
	}
	prev, had := w.tree.Set(e)
	w.undo = append(w.undo, undoEntry{key: c.Key, had: had})
	w.bytes += e.size()
	if had {
		w.prev = append(w.prev, prev)
	}
	return nil
}

// room makes room for more writes: what does not fit into the space's limit moves into
// files. After an error everything is as it was.
func (w *writeSet) room(space *spill.Space) error {
	if w.big == nil {
		if int64(w.bytes) < space.Limit() {
			return nil
		}
		w.grow(space)
	}
	return w.big.Room()
}

// grow turns the set into a spill.Set with the same writes and marks. The undo
// log is walked backwards to find what each write wrote.
func (w *writeSet) grow(space *spill.Space) {
	b := spill.NewSet(space)
	for i := len(w.undo) - 1; i >= 0; i-- {
		cur, _ := w.tree.Get(write{key: w.undo[i].key})
		kind := spill.Put
		switch {
		case cur.shadow:
			kind = spill.Shadow
		case cur.value == nil:
			kind = spill.Delete
		}
		b.Add(spill.Version{Key: cur.key, Value: cur.value, Seq: uint64(i) + 1, Kind: kind})
		w.takeBack(i)
	}
	b.SetMark(uint64(len(w.undo)))
	*w = writeSet{big: b}
}

func (w *writeSet) get(key []byte) (value []byte, written bool, err error) {
	if w.big != nil {
		v, ok, err := w.big.Get(key)
		return v.Value, ok, err
	}
	if w.tree == nil {
		return nil, false, nil
	}
	e, ok := w.tree.Get(write{key: key})
	return e.value, ok, nil
}

// mark is a point to roll back to. It differs from every earlier one if there was a
// write, or a rollback of writes, in between.
func (w *writeSet) mark() int {
	if w.big != nil {
		return int(w.big.Mark())
	}
	return len(w.undo)
}

func (w *writeSet) rollbackTo(mark int) {
	if w.big != nil {
		w.big.RollbackTo(uint64(mark))
		return
	}
	for i := len(w.undo) - 1; i >= mark; i-- {
		w.takeBack(i)
	}
	clear(w.undo[mark:])
	w.undo = w.undo[:mark]
}

// takeBack undoes the last write of those up to i.
func (w *writeSet) takeBack(i int) {
	u := w.undo[i]
	if !u.had {
		if gone, ok := w.tree.Delete(write{key: u.key}); ok {
			w.bytes -= gone.size()
		}
		return
	}
	last := len(w.prev) - 1
	if gone, ok := w.tree.Set(w.prev[last]); ok {
		w.bytes -= gone.size()
	}
	w.prev[last] = write{}
	w.prev = w.prev[:last]
}

func (w *writeSet) len() int {
	if w.tree == nil {
		return 0
	}
	return w.tree.Len()
}

// free lets go of everything.
func (w *writeSet) free() {
	if w.big != nil {
		w.big.Unref()
	}
	*w = writeSet{}
}

// ownView is a write set at one moment; nil if it was empty.
type ownView struct {
	tree *writeTree
	big  *spill.View
}

// copy returns the writes as they are now, unaffected by later ones; nil if
// there are none. It must be released.
func (w *writeSet) copy() *ownView {
	switch {
	case w.big != nil:
		return &ownView{big: w.big.View()}
	case w.len() == 0:
		return nil
	}
	return &ownView{tree: w.tree.Copy()}
}

func (v *ownView) get(key []byte) (value []byte, written bool, err error) {
	if v.big != nil {
		x, ok, err := v.big.Get(key)
		return x.Value, ok, err
	}
	e, ok := v.tree.Get(write{key: key})
	return e.value, ok, nil
}

func (v *ownView) source(lower, upper []byte, reverse bool) source {
	if v.big != nil {
		return &spillSource{walk: v.big.Walk(lower, upper, reverse)}
	}
	return newTreeSource(v.tree, ownSeq, lower, upper, reverse)
}

func (v *ownView) release() {
	if v.big != nil {
		v.big.Release()
	}
}

// changeKind translates a change of a key.
func changeKind(c *catalog.KeyChange) spill.Kind {
	switch {
	case c.Unchanged:
		return spill.Shadow
	case c.Value == nil:
		return spill.Delete
	}
	return spill.Put
}

// spillSource is a spill.Walk as a source of a cursor.
type spillSource struct {
	walk *spill.Walk
}

func (s *spillSource) first()       { s.walk.First() }
func (s *spillSource) next()        { s.walk.Next() }
func (s *spillSource) valid() bool  { return s.walk.Valid() }
func (s *spillSource) key() []byte  { return s.walk.Version().Key }
func (s *spillSource) seq() uint64  { return ownSeq }
func (s *spillSource) err() error   { return s.walk.Err() }
func (s *spillSource) close() error { return nil }

func (s *spillSource) value() []byte {
	switch {
	case s.walk.Version().Kind == spill.Delete:
		return nil
	case s.walk.Version().Value == nil:
		return emptyValue
	}
	return s.walk.Version().Value
}
