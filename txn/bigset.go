package txn

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn/keyset"
)

// bigSet is the write set of a large transaction. The newest writes are in a
// tree; when that has reached its limit it becomes a run, a sorted file.
// Nothing is ever overwritten: every write is a version with a number of its
// own, and a rollback declares the numbers since its mark dead. So there
// is no undo log, and marks are numbers.
//
// In memory are: the tree, up to the limit; about two and a half bytes for each key
// (keyset.Filter), so that keys which were never written cost no look into files; the
// first key of every 32 KB of files.
//
// Its methods are called with Txn.mu held, or by the only user of the transaction.
type bigSet struct {
	space *spillSpace
	refs  atomic.Int32 // the transaction, and each cursor's view

	tree      *versionTree
	treeBytes int
	runs      []*run // oldest first; replaced, never changed in place
	filter    keyset.Filter
	seq       uint64
	// dead are the numbers of writes that were rolled back, ascending and
	// disjoint; replaced, never changed in place.
	dead []span
}

// span is the numbers after from, up to and including to.
type span struct{ from, to uint64 }

type versionTree = btree.BTreeG[version]

// lessVersion orders versions by key, and of one key the newest first.
func lessVersion(a, b version) bool {
	if c := bytes.Compare(a.key, b.key); c != 0 {
		return c < 0
	}
	return a.seq > b.seq
}

func newVersionTree() *versionTree {
	return btree.NewBTreeGOptions(lessVersion, btree.Options{NoLocks: true, Degree: 16})
}

// entryBytes is about what a write takes in memory besides its key and value.
const entryBytes = 112

func newBigSet(space *spillSpace) *bigSet {
	b := &bigSet{space: space, tree: newVersionTree()}
	b.refs.Store(1)
	return b
}

func (b *bigSet) hash(key []byte) uint64 { return maphash.Bytes(b.space.seed, key) }

// set adds a write with a number of its own.
func (b *bigSet) set(key, value []byte, kind versionKind) {
	b.seq++
	b.add(version{key: key, value: value, kind: kind, seq: b.seq})
}

func (b *bigSet) add(v version) {
	b.tree.Set(v)
	b.treeBytes += len(v.key) + len(v.value) + entryBytes
	b.filter.Add(b.hash(v.key))
}

// room makes room for more writes: it moves the tree into a file if it is full.
// After an error everything is as it was.
func (b *bigSet) room() error {
	limit := b.space.limit.Load()
	if int64(b.treeBytes) < limit {
		return nil
	}
	b.dropDead()
	if int64(b.treeBytes) < limit/4*3 {
		return nil
	}
	it := b.tree.Iter()
	defer it.Release()
	started := false
	r, err := writeRun(b.space.fs, b.space.name("writes"), func() (*version, bool) {
		ok := false
		if started {
			ok = it.Next()
		} else {
			started, ok = true, it.First()
		}
		if !ok {
			return nil, false
		}
		v := it.Item()
		return &v, true
	})
	if err != nil {
		return fmt.Errorf("move the changes of a large transaction to a file: %w", err)
	}
	b.runs = append(slices.Clip(b.runs), r)
	b.tree, b.treeBytes = newVersionTree(), 0
	return nil
}

// dropDead forgets what was rolled back, as far as it is in memory.
func (b *bigSet) dropDead() {
	if len(b.dead) == 0 {
		return
	}
	tree, bytes := newVersionTree(), 0
	b.tree.Scan(func(v version) bool {
		if alive(b.dead, v.seq) {
			tree.Load(v)
			bytes += len(v.key) + len(v.value) + entryBytes
		}
		return true
	})
	b.tree, b.treeBytes = tree, bytes
}

func alive(dead []span, seq uint64) bool {
	i := sort.Search(len(dead), func(i int) bool { return dead[i].to >= seq })
	return i == len(dead) || seq <= dead[i].from
}

// rollbackTo undoes everything after mark. The set's mark becomes another one, so that
// whoever remembers it sees that something has happened.
func (b *bigSet) rollbackTo(mark uint64) {
	if mark >= b.seq {
		return
	}
	b.seq++
	dead := slices.Clone(b.dead)
	for n := len(dead); n > 0 && dead[n-1].to >= mark; n-- {
		mark = min(mark, dead[n-1].from)
		dead = dead[:n-1]
	}
	b.dead = append(dead, span{mark, b.seq})
}

// get returns the newest live version of a key.
func (b *bigSet) get(key []byte) (v version, ok bool, err error) {
	if !b.filter.Has(b.hash(key)) {
		return version{}, false, nil
	}
	return b.now().get(key)
}

// now is the set as it is, without a reference.
func (b *bigSet) now() *bigView {
	return &bigView{set: b, tree: b.tree, runs: b.runs, dead: b.dead}
}

// view is the set as it is now, unaffected by what happens later, until it is released.
func (b *bigSet) view() *bigView {
	b.refs.Add(1)
	v := b.now()
	v.tree = b.tree.Copy()
	return v
}

func (b *bigSet) unref() {
	if b.refs.Add(-1) == 0 {
		for _, r := range b.runs {
			r.remove()
		}
	}
}

// bigView is a bigSet at one moment.
type bigView struct {
	set  *bigSet
	tree *versionTree
	runs []*run
	dead []span
}

func (v *bigView) release() { v.set.unref() }

func (v *bigView) get(key []byte) (found version, ok bool, err error) {
	v.tree.Ascend(version{key: key, seq: ^uint64(0)}, func(x version) bool {
		if !bytes.Equal(x.key, key) {
			return false
		}
		found, ok = x, alive(v.dead, x.seq)
		return !ok
	})
	for i := len(v.runs) - 1; i >= 0 && !ok; i-- {
		it := runIter{r: v.runs[i]}
		for it.seek(key, nil, false); it.valid() && bytes.Equal(it.at().key, key); it.next() {
			if x := it.at(); alive(v.dead, x.seq) {
				found, ok = version{key: key, value: bytes.Clone(x.value), seq: x.seq, kind: x.kind}, true
				break
			}
		}
		if it.err != nil {
			return version{}, false, it.err
		}
	}
	if found.kind == versionDelete {
		found.value = nil
	}
	return found, ok, nil
}

// walk goes over the newest live versions between two keys.
func (v *bigView) walk(lower, upper []byte, reverse bool) *bigWalk {
	w := &bigWalk{dead: v.dead, lower: lower, upper: upper, reverse: reverse}
	w.parts = append(w.parts, &treeVersions{it: v.tree.Iter()})
	for _, r := range v.runs {
		w.parts = append(w.parts, &runIter{r: r})
	}
	return w
}

// changeKind translates a change of a key.
func changeKind(c *catalog.KeyChange) versionKind {
	switch {
	case c.Unchanged:
		return versionShadow
	case c.Value == nil:
		return versionDelete
	}
	return versionSet
}
