package spill

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/duramendb/duramen/txn/keyset"
)

// Set is the write set of a large transaction. The newest writes are in a
// tree; when that has reached its limit it becomes a run, a sorted file. Writes go
// into the tree when somebody reads in the set: if nobody does, they are sorted once, for the run.
// Nothing is ever overwritten: every write is a version with a number of its
// own, and a rollback declares the numbers since its mark dead. So there
// is no undo log, and marks are numbers.
//
// In memory are: tree and recent writes, up to the limit; about two and a half bytes for each key
// (keyset.Filter), so that keys which were never written cost no look into files; the
// first key of every 32 KB of files.
//
// One goroutine at a time may use it.
type Set struct {
	space *Space
	refs  atomic.Int32 // its maker, and each view

	tree   *versionTree
	recent []Version   // writes that are not in the tree yet, as they came
	sorted []sortEntry // memory for the order of recent
	bytes  int         // about what tree and recent take
	runs   []*run      // oldest first; replaced, never changed in place
	filter keyset.Filter
	seq    uint64
	// dead are the numbers of writes that were rolled back, ascending and
	// disjoint; replaced, never changed in place.
	dead []span
}

// span is the numbers after from, up to and including to.
type span struct{ from, to uint64 }

type versionTree = btree.BTreeG[Version]

// lessVersion orders versions by key, and of one key the newest first.
func lessVersion(a, b Version) bool {
	if c := bytes.Compare(a.Key, b.Key); c != 0 {
		return c < 0
	}
	return a.Seq > b.Seq
}

func newVersionTree() *versionTree {
	return btree.NewBTreeGOptions(lessVersion, btree.Options{NoLocks: true, Degree: 16})
}

// EntryBytes is about what a write takes in memory besides its key and value.
const EntryBytes = 112

// NewSet makes an empty set. It must be let go of by Unref.
func NewSet(space *Space) *Set {
	b := &Set{space: space, tree: newVersionTree()}
	b.refs.Store(1)
	return b
}

func (b *Set) hash(key []byte) uint64 { return maphash.Bytes(b.space.seed, key) }

// Write adds a write with a number of its own.
func (b *Set) Write(key, value []byte, kind Kind) {
	b.seq++
	b.Add(Version{Key: key, Value: value, Kind: kind, Seq: b.seq})
}

// Add adds a write whose number is below those of the ones that Write gives: see SetMark.
func (b *Set) Add(v Version) {
	b.recent = append(b.recent, v)
	b.bytes += len(v.Key) + len(v.Value) + EntryBytes
	b.filter.Add(b.hash(v.Key))
}

// drain moves recent writes into the tree.
func (b *Set) drain() {
	for i := range b.recent {
		b.tree.Set(b.recent[i])
	}
	b.forgetRecent()
}

func (b *Set) forgetRecent() {
	clear(b.recent)
	clear(b.sorted)
	b.recent, b.sorted = b.recent[:0], b.sorted[:0]
}

// Room makes room for more writes: it moves those in memory into a file if they are too many.
// After an error everything is as it was.
func (b *Set) Room() error {
	limit := b.space.limit.Load()
	if int64(b.bytes) < limit {
		return nil
	}
	b.dropDead()
	if int64(b.bytes) < limit/4*3 {
		return nil
	}
	next, done := b.inOrder()
	defer done()
	r, err := writeRun(b.space.fs, b.space.name("writes"), next)
	if err != nil {
		return fmt.Errorf("move the changes of a large transaction to a file: %w", err)
	}
	b.runs = append(slices.Clip(b.runs), r)
	b.forgetRecent()
	b.tree, b.bytes = newVersionTree(), 0
	return nil
}

// inOrder walks what is in memory; done ends the walk.
func (b *Set) inOrder() (next func() (*Version, bool), done func()) {
	if b.tree.Len() == 0 {
		b.sortRecent()
		i := -1
		return func() (*Version, bool) {
			if i++; i == len(b.sorted) {
				return nil, false
			}
			return b.sorted[i].Version, true
		}, func() {}
	}
	b.drain()
	it := b.tree.Iter()
	started := false
	return func() (*Version, bool) {
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
	}, it.Release
}

// sortRecent puts recent writes in order: most keys differ in their first bytes.
func (b *Set) sortRecent() {
	b.sorted = slices.Grow(b.sorted[:0], len(b.recent))
	for i := range b.recent {
		v := &b.recent[i]
		b.sorted = append(b.sorted, sortEntry{headOf(v.Key), v})
	}
	slices.SortFunc(b.sorted, func(a, b sortEntry) int {
		if a.head != b.head {
			return compareHeads(a.head, b.head)
		}
		if c := bytes.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		return cmp.Compare(b.Seq, a.Seq) // the newest first
	})
}

// dropDead forgets what was rolled back, as far as it is in memory.
func (b *Set) dropDead() {
	if len(b.dead) == 0 {
		return
	}
	b.drain()
	tree, bytes := newVersionTree(), 0
	b.tree.Scan(func(v Version) bool {
		if alive(b.dead, v.Seq) {
			tree.Load(v)
			bytes += len(v.Key) + len(v.Value) + EntryBytes
		}
		return true
	})
	b.tree, b.bytes = tree, bytes
}

func alive(dead []span, seq uint64) bool {
	i := sort.Search(len(dead), func(i int) bool { return dead[i].to >= seq })
	return i == len(dead) || seq <= dead[i].from
}

// RollbackTo undoes everything after mark. The set's mark becomes another one, so that
// whoever remembers it sees that something has happened.
func (b *Set) RollbackTo(mark uint64) {
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

// Get returns the newest live version of a key.
func (b *Set) Get(key []byte) (v Version, ok bool, err error) {
	if !b.filter.Has(b.hash(key)) {
		return Version{}, false, nil
	}
	return b.now().Get(key)
}

// Mark is the number of the last write, or rollback: a point to roll back to.
func (b *Set) Mark() uint64 { return b.seq }

// SetMark says that the writes added so far had numbers up to mark.
func (b *Set) SetMark(mark uint64) { b.seq = mark }

// Walk goes over the newest live versions of the set as it is. Nobody may write to it meanwhile.
func (b *Set) Walk() *Walk { return b.now().Walk(nil, nil, false) }

// now is the set as it is, without a reference.
func (b *Set) now() *View {
	b.drain()
	return &View{set: b, tree: b.tree, runs: b.runs, dead: b.dead}
}

// View is the set as it is now, unaffected by what happens later, until it is released.
func (b *Set) View() *View {
	b.refs.Add(1)
	v := b.now()
	v.tree = b.tree.Copy()
	return v
}

// Unref lets go of the set; its files are removed with its last view.
func (b *Set) Unref() {
	if b.refs.Add(-1) == 0 {
		for _, r := range b.runs {
			r.remove()
		}
	}
}

// View is a Set at one moment.
type View struct {
	set  *Set
	tree *versionTree
	runs []*run
	dead []span
}

// Release lets go of the view.
func (v *View) Release() { v.set.Unref() }

// Get returns the newest live version of a key.
func (v *View) Get(key []byte) (found Version, ok bool, err error) {
	v.tree.Ascend(Version{Key: key, Seq: ^uint64(0)}, func(x Version) bool {
		if !bytes.Equal(x.Key, key) {
			return false
		}
		found, ok = x, alive(v.dead, x.Seq)
		return !ok
	})
	for i := len(v.runs) - 1; i >= 0 && !ok; i-- {
		it := runIter{r: v.runs[i]}
		for it.seek(key, nil, false); it.valid() && bytes.Equal(it.at().Key, key); it.next() {
			if x := it.at(); alive(v.dead, x.Seq) {
				found, ok = Version{Key: key, Value: bytes.Clone(x.Value), Seq: x.Seq, Kind: x.Kind}, true
				break
			}
		}
		if it.err != nil {
			return Version{}, false, it.err
		}
	}
	if !ok { // what was found last was rolled back
		return Version{}, false, nil
	}
	if found.Kind == Delete {
		found.Value = nil
	}
	return found, true, nil
}

// Walk goes over the newest live versions between two keys.
func (v *View) Walk(lower, upper []byte, reverse bool) *Walk {
	w := &Walk{dead: v.dead, lower: lower, upper: upper, reverse: reverse}
	w.parts = append(w.parts, &treeVersions{it: v.tree.Iter()})
	for _, r := range v.runs {
		w.parts = append(w.parts, &runIter{r: r})
	}
	return w
}
