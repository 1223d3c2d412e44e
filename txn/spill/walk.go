package spill

import (
	"bytes"
	"container/heap"

	"github.com/tidwall/btree"
)

// versions is one sorted input of a Walk. Versions of one key may come in
// any order, but follow each other.
type versions interface {
	seek(lower, upper []byte, reverse bool)
	valid() bool
	at() *Version
	next()
	failed() error
}

// treeVersions walks the tree of a Set.
type treeVersions struct {
	it      btree.IterG[Version]
	reverse bool
	ok      bool
	cur     Version
}

func (t *treeVersions) seek(lower, upper []byte, reverse bool) {
	t.reverse = reverse
	switch {
	case !reverse:
		t.ok = t.it.Seek(Version{Key: lower, Seq: ^uint64(0)})
	case upper != nil && t.it.Seek(Version{Key: upper, Seq: ^uint64(0)}):
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
func (t *treeVersions) at() *Version  { return &t.cur }
func (t *treeVersions) failed() error { return nil }

// Walk merges the parts of a Set: of each key it returns the newest live
// version. It is a heap of the parts by their next key.
type Walk struct {
	parts        []versions
	dead         []span
	lower, upper []byte
	reverse      bool

	cur    Version // its bytes belong to the walk
	found  bool
	failed error
}

func (w *Walk) Len() int      { return len(w.parts) }
func (w *Walk) Swap(i, j int) { w.parts[i], w.parts[j] = w.parts[j], w.parts[i] }
func (w *Walk) Push(any)      {}

func (w *Walk) Less(i, j int) bool {
	c := bytes.Compare(w.parts[i].at().Key, w.parts[j].at().Key)
	if w.reverse {
		return c > 0
	}
	return c < 0
}

func (w *Walk) Pop() any {
	last := len(w.parts) - 1
	p := w.parts[last]
	w.parts = w.parts[:last]
	return p
}

// First begins the walk. It may be called once.
func (w *Walk) First() {
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
	w.Next()
}

func (w *Walk) note(p versions) {
	if err := p.failed(); err != nil && w.failed == nil {
		w.failed = err
	}
}

// Next moves to the next key that has a live version.
func (w *Walk) Next() {
	w.found = false
	for !w.found && w.failed == nil && len(w.parts) > 0 {
		key := w.parts[0].at().Key
		if w.reverse && bytes.Compare(key, w.lower) < 0 || !w.reverse && w.upper != nil && bytes.Compare(key, w.upper) >= 0 {
			return
		}
		w.cur.Key, w.cur.Seq = append(w.cur.Key[:0], key...), 0
		for len(w.parts) > 0 && bytes.Equal(w.parts[0].at().Key, w.cur.Key) {
			p := w.parts[0]
			if x := p.at(); x.Seq > w.cur.Seq && alive(w.dead, x.Seq) {
				w.cur.Value, w.cur.Seq, w.cur.Kind = append(w.cur.Value[:0], x.Value...), x.Seq, x.Kind
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

// Valid reports whether there is a current version.
func (w *Walk) Valid() bool { return w.found && w.failed == nil }

// Version is the current version. Its bytes are valid until Next.
func (w *Walk) Version() *Version { return &w.cur }

// Err is the first error of reading; the walk ends with it.
func (w *Walk) Err() error { return w.failed }
