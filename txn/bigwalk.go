package txn

import (
	"bytes"
	"container/heap"

	"github.com/tidwall/btree"
)

// versions is one sorted input of a bigWalk. Versions of one key may come in
// any order, but follow each other.
type versions interface {
	seek(lower, upper []byte, reverse bool)
	valid() bool
	at() *version
	next()
	failed() error
}

// treeVersions walks the tree of a bigSet.
type treeVersions struct {
	it      btree.IterG[version]
	reverse bool
	ok      bool
	cur     version
}

func (t *treeVersions) seek(lower, upper []byte, reverse bool) {
	t.reverse = reverse
	switch {
	case !reverse:
		t.ok = t.it.Seek(version{key: lower, seq: ^uint64(0)})
	case upper != nil && t.it.Seek(version{key: upper, seq: ^uint64(0)}):
		t.ok = t.it.Prev()
	default:
		t.ok = t.it.Last()
	}
	t.load()
}

func (t *treeVersions) next() {
	if t.reverse {
		t.ok = t.it.Prev()
	} else {
		t.ok = t.it.Next()
	}
	t.load()
}

func (t *treeVersions) load() {
	if t.ok {
		t.cur = t.it.Item()
	}
}

func (t *treeVersions) valid() bool   { return t.ok }
func (t *treeVersions) at() *version  { return &t.cur }
func (t *treeVersions) failed() error { return nil }

// bigWalk merges the parts of a bigSet: of each key it returns the newest live
// version. It is a heap of the parts by their next key.
type bigWalk struct {
	parts        []versions
	dead         []span
	lower, upper []byte
	reverse      bool

	cur    version // its bytes belong to the walk
	found  bool
	failed error
}

func (w *bigWalk) Len() int      { return len(w.parts) }
func (w *bigWalk) Swap(i, j int) { w.parts[i], w.parts[j] = w.parts[j], w.parts[i] }
func (w *bigWalk) Push(any)      {}

func (w *bigWalk) Less(i, j int) bool {
	c := bytes.Compare(w.parts[i].at().key, w.parts[j].at().key)
	if w.reverse {
		return c > 0
	}
	return c < 0
}

func (w *bigWalk) Pop() any {
	last := len(w.parts) - 1
	p := w.parts[last]
	w.parts = w.parts[:last]
	return p
}

// first begins the walk. It may be called once.
func (w *bigWalk) first() {
	parts := w.parts
	w.parts = nil
	for _, p := range parts {
		p.seek(w.lower, w.upper, w.reverse)
		w.note(p)
		if p.valid() {
			w.parts = append(w.parts, p)
		}
	}
	heap.Init(w)
	w.next()
}

func (w *bigWalk) note(p versions) {
	if err := p.failed(); err != nil && w.failed == nil {
		w.failed = err
	}
}

// next moves to the next key that has a live version.
func (w *bigWalk) next() {
	w.found = false
	for !w.found && w.failed == nil && len(w.parts) > 0 {
		key := w.parts[0].at().key
		if w.reverse && bytes.Compare(key, w.lower) < 0 || !w.reverse && w.upper != nil && bytes.Compare(key, w.upper) >= 0 {
			return
		}
		w.cur.key, w.cur.seq = append(w.cur.key[:0], key...), 0
		for len(w.parts) > 0 && bytes.Equal(w.parts[0].at().key, w.cur.key) {
			p := w.parts[0]
			if x := p.at(); x.seq > w.cur.seq && alive(w.dead, x.seq) {
				w.cur.value, w.cur.seq, w.cur.kind = append(w.cur.value[:0], x.value...), x.seq, x.kind
				w.found = true
			}
			p.next()
			w.note(p)
			if p.valid() {
				heap.Fix(w, 0)
			} else {
				heap.Pop(w)
			}
		}
	}
}

// bigSource is a bigWalk as a source of a cursor.
type bigSource struct {
	walk *bigWalk
}

func (s *bigSource) first()       { s.walk.first() }
func (s *bigSource) next()        { s.walk.next() }
func (s *bigSource) valid() bool  { return s.walk.found && s.walk.failed == nil }
func (s *bigSource) key() []byte  { return s.walk.cur.key }
func (s *bigSource) seq() uint64  { return ownSeq }
func (s *bigSource) err() error   { return s.walk.failed }
func (s *bigSource) close() error { return nil }

func (s *bigSource) value() []byte {
	switch {
	case s.walk.cur.kind == versionDelete:
		return nil
	case s.walk.cur.value == nil:
		return emptyValue
	}
	return s.walk.cur.value
}
