package memory

import (
	"bytes"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/cowtree"
	"github.com/duramendb/duramen/internal/invariants"
)

var (
	_ engine.Snapshot = (*version)(nil)
	_ engine.Iterator = (*iterator)(nil)
)

// Snapshot is the newest version.
func (e *Engine) Snapshot() engine.Snapshot {
	if now := e.now.Load(); now != nil {
		return now
	}
	return engine.ClosedSnapshot{}
}

// Get reads the newest version.
func (e *Engine) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	now := e.now.Load()
	if now == nil {
		return nil, false, nil, engine.ErrClosed
	}
	return now.Get(key)
}

// NewIter iterates over the newest version.
func (e *Engine) NewIter(lower, upper []byte) (engine.Iterator, error) {
	now := e.now.Load()
	if now == nil {
		return nil, engine.ErrClosed
	}
	return now.NewIter(lower, upper)
}

func noRelease() {}

func (v *version) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	it := v.tree.Get(key)
	if it.None() {
		return nil, false, noRelease, nil
	}
	return it.Value(), true, noRelease, nil
}

func (v *version) NewIter(lower, upper []byte) (engine.Iterator, error) {
	i := &iterator{lower: bytes.Clone(lower), upper: bytes.Clone(upper)}
	i.tree.Init(&v.tree)
	return i, nil
}

func (*version) Close() error { return nil }

// iterator walks over a version.
type iterator struct {
	lower, upper []byte
	tree         cowtree.Iter
	at           cowtree.Item // none at no place
	lent         invariants.Lent
}

// rest is where the tree's iterator has gone, unless it is behind the upper bound.
func (i *iterator) rest() bool {
	i.at = cowtree.Item{}
	if i.tree.Valid() {
		if at := i.tree.Item(); i.upper == nil || at.Compare(i.upper) < 0 {
			i.at = at
		}
	}
	return !i.at.None()
}

// restDown is where the tree's iterator has gone, unless it is before the lower bound.
func (i *iterator) restDown() bool {
	i.at = cowtree.Item{}
	if i.tree.Valid() {
		if at := i.tree.Item(); at.Compare(i.lower) >= 0 {
			i.at = at
		}
	}
	return !i.at.None()
}

func (i *iterator) First() bool {
	i.lent.Recall()
	i.tree.SeekGE(i.lower)
	return i.rest()
}

func (i *iterator) Last() bool {
	i.lent.Recall()
	if i.upper == nil {
		i.tree.Last()
	} else {
		i.tree.SeekLT(i.upper)
	}
	return i.restDown()
}

func (i *iterator) SeekGE(key []byte) bool {
	defer i.lent.Recall()
	if bytes.Compare(key, i.lower) < 0 {
		key = i.lower
	}
	i.tree.SeekGE(key)
	return i.rest()
}

func (i *iterator) SeekLT(key []byte) bool {
	defer i.lent.Recall()
	if i.upper != nil && bytes.Compare(i.upper, key) < 0 {
		key = i.upper
	}
	i.tree.SeekLT(key)
	return i.restDown()
}

func (i *iterator) Next() bool {
	i.lent.Recall()
	if i.at.None() {
		return false
	}
	i.tree.Next()
	return i.rest()
}

func (i *iterator) Prev() bool {
	i.lent.Recall()
	if i.at.None() {
		return false
	}
	i.tree.Prev()
	return i.restDown()
}

func (i *iterator) Valid() bool   { return !i.at.None() }
func (i *iterator) Key() []byte   { return i.lent.Lend(i.at.Key()) }
func (i *iterator) Value() []byte { return i.lent.Lend(i.at.Value()) }
func (i *iterator) Error() error  { return nil }

func (i *iterator) Close() error {
	i.lent.Recall()
	i.at = cowtree.Item{}
	return nil
}
