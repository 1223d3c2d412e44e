// Package sorted lends the parts of an engine that is a sorted map in memory: an immutable Map, which is also the engine's
// snapshots, its iterators, and a Batch of changes that leads from one Map to the next. What is left to the engine
// is what becomes durable, and when. examples/engine and enginetest.Memory are built on it.
package sorted

import (
	"bytes"

	"github.com/tidwall/btree"

	"github.com/duramendb/duramen/engine"
)

// Map is a sorted map of byte keys to byte values that is never changed. The next one shares with it what is equal. It is an
// engine.Snapshot, safe for concurrent use; the slices that it yields stay valid, and must not be changed.
type Map struct{ tree *btree.BTreeG[pair] }

type pair struct{ key, value []byte }

var (
	_ engine.Snapshot = Map{}
	_ engine.Batch    = (*Batch)(nil)
)

// Empty is a Map without keys.
func Empty() Map {
	return Map{btree.NewBTreeG(func(a, b pair) bool { return bytes.Compare(a.key, b.key) < 0 })}
}

// With is the Map that the changes of a batch lead to.
func (m Map) With(b *Batch) Map {
	next := m.tree.Copy()
	for _, change := range b.changes {
		change(next)
	}
	return Map{next}
}

// All calls f for each key in order, until it returns false.
func (m Map) All(f func(key, value []byte) bool) {
	m.tree.Scan(func(p pair) bool { return f(p.key, p.value) })
}

// Get is the value of a key.
func (m Map) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	p, ok := m.tree.Get(pair{key: key})
	return p.value, ok, func() {}, nil
}

// NewIter iterates from lower (inclusive) to upper (exclusive); nil is no bound.
func (m Map) NewIter(lower, upper []byte) (engine.Iterator, error) {
	return &iterator{tree: m.tree, lower: bytes.Clone(lower), upper: bytes.Clone(upper)}, nil
}

// Close does nothing: a Map is freed when nobody has it any more.
func (Map) Close() error { return nil }

// Batch is a list of changes. The zero value is empty.
type Batch struct {
	changes []func(*btree.BTreeG[pair])
	bytes   int
}

// Set sets a key's value.
func (b *Batch) Set(key, value []byte) error {
	p := pair{bytes.Clone(key), append([]byte{}, value...)}
	b.add(len(key)+len(value), func(t *btree.BTreeG[pair]) { t.Set(p) })
	return nil
}

// Delete removes a key, if it is there.
func (b *Batch) Delete(key []byte) error {
	p := pair{key: bytes.Clone(key)}
	b.add(len(key), func(t *btree.BTreeG[pair]) { t.Delete(p) })
	return nil
}

// DeleteRange removes the keys from lower (inclusive) to upper (exclusive).
func (b *Batch) DeleteRange(lower, upper []byte) error {
	lower, upper = bytes.Clone(lower), bytes.Clone(upper)
	b.add(len(lower)+len(upper), func(t *btree.BTreeG[pair]) {
		var gone []pair
		t.Ascend(pair{key: lower}, func(p pair) bool {
			gone = append(gone, p)
			return bytes.Compare(p.key, upper) < 0
		})
		for _, p := range gone {
			if bytes.Compare(p.key, upper) < 0 {
				t.Delete(p)
			}
		}
	})
	return nil
}

func (b *Batch) add(size int, change func(*btree.BTreeG[pair])) {
	b.changes = append(b.changes, change)
	b.bytes += size
}

// Append adds the changes of another batch after those of b.
func (b *Batch) Append(other *Batch) {
	b.changes = append(b.changes, other.changes...)
	b.bytes += other.bytes
}

// Len is how many bytes of keys and values were given.
func (b *Batch) Len() int { return b.bytes }

// Discard forgets the changes.
func (b *Batch) Discard() { b.changes = nil }

// iterator looks its next place up from the last one; at is nil where it is at none.
type iterator struct {
	tree         *btree.BTreeG[pair]
	lower, upper []byte
	at           *pair
}

func (it *iterator) inside(p pair) bool {
	return bytes.Compare(p.key, it.lower) >= 0 && (it.upper == nil || bytes.Compare(p.key, it.upper) < 0)
}

// rise goes to the first key that is at or after a place.
func (it *iterator) rise(from []byte) bool {
	if bytes.Compare(from, it.lower) < 0 {
		from = it.lower
	}
	it.at = nil
	it.tree.Ascend(pair{key: from}, func(p pair) bool {
		if it.inside(p) {
			it.at = &p
		}
		return false
	})
	return it.Valid()
}

// fall goes to the last key before a place; nil is the end.
func (it *iterator) fall(before []byte) bool {
	if before == nil || it.upper != nil && bytes.Compare(it.upper, before) < 0 {
		before = it.upper
	}
	it.at = nil
	found := func(p pair) bool {
		if before != nil && bytes.Compare(p.key, before) >= 0 {
			return true
		}
		if it.inside(p) {
			it.at = &p
		}
		return false
	}
	if before == nil {
		it.tree.Reverse(found)
	} else {
		it.tree.Descend(pair{key: before}, found)
	}
	return it.Valid()
}

func (it *iterator) First() bool            { return it.rise(it.lower) }
func (it *iterator) Last() bool             { return it.fall(nil) }
func (it *iterator) SeekGE(key []byte) bool { return it.rise(key) }
func (it *iterator) SeekLT(key []byte) bool { return it.fall(append([]byte{}, key...)) }
func (it *iterator) Next() bool             { return it.Valid() && it.rise(append(bytes.Clone(it.at.key), 0)) }
func (it *iterator) Prev() bool             { return it.Valid() && it.fall(it.at.key) }
func (it *iterator) Valid() bool            { return it.at != nil }
func (it *iterator) Key() []byte            { return it.at.key }
func (it *iterator) Value() []byte          { return it.at.value }
func (it *iterator) Error() error           { return nil }
func (it *iterator) Close() error           { return nil }
