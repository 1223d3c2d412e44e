package btree

import (
	"bytes"
	"fmt"

	"github.com/duramendb/duramen/engine/cowtree"
	"github.com/duramendb/duramen/internal/invariants"
)

// direction is where the sources of an iterator stand: at its place or after it, or at it or before.
type direction int8

const (
	forward direction = iota
	backward
)

// iterator merges the layers of a version, and its base, in their order of precedence. Each of these sources stands at the
// first of its keys that is not before the iterator's place (backward: the last that is not after it); sources that have the
// key of a source above move on at once, so that only one source stands at the iterator's place, and only that one has to
// move with a step. The cursor of the base is never sought where a step will do.
type iterator struct {
	v            *version // nil when it was closed
	lower, upper []byte
	sources      []source // those that have something within the bounds; without the base
	few          [2]source
	cursor       *cursor
	// baseKey is nil where the base has nothing within the bounds any more.
	baseKey, baseValue []byte
	direction          direction
	// A step of the base compares keys with a bound for as many steps as are rare. Then it looks up once where the base's
	// keys within the bounds end, and compares addresses: first is its first key, end the first one behind, nil if
	// there is none.
	steps      int
	bounded    bool
	first, end *byte
	// at is the source that stands at the iterator's place; the base is len(sources).
	at int
	// key is nil at no place.
	key, value []byte
	err        error
	seek       []byte // memory for a key to be sought
	lent       invariants.Lent
	once       invariants.Once
}

// source is a place in a tree or, if that is not nil, in a run.
type source struct {
	tree cowtree.Iter
	run  *runIter
	// spans take away what is in the sources below.
	spans spans
	// key is nil where the source has nothing within the bounds any more.
	key []byte
}

// newIterator takes over the acquired base of v.
func newIterator(v *version, lower, upper []byte) *iterator {
	i := &iterator{v: v, cursor: v.base.cursor()}
	// One piece of memory; and nil stays nil.
	if n := len(lower) + len(upper); n > 0 {
		b := make([]byte, 0, n)
		b = append(append(b, lower...), upper...)
		i.lower = b[:len(lower):len(lower)]
		if upper != nil {
			i.upper = b[len(lower):]
		}
	} else if upper != nil {
		i.upper = []byte{}
	}
	i.sources = i.few[:0]
	i.add(v.active, nil)
	for _, l := range v.layers {
		i.add(l.delta, l.run)
	}
	return i
}

// add adds the sources of a layer: its delta, and below that its run, with the delta's spans below both.
func (i *iterator) add(d *delta, r *run) {
	if r != nil && !r.ranges.overlap(i.lower, i.upper) {
		r = nil
	}
	if d.overlaps(i.lower, i.upper) {
		i.sources = append(i.sources, source{})
		s := &i.sources[len(i.sources)-1]
		s.tree.Init(&d.tree)
		if r == nil {
			s.spans = d.spans
		}
	}
	if r != nil {
		i.sources = append(i.sources, source{run: &runIter{r: r}, spans: d.spans})
	}
}

func (i *iterator) First() bool {
	i.lent.Recall()
	return i.rise(i.lower)
}

func (i *iterator) Last() bool {
	i.lent.Recall()
	return i.fall(i.upper)
}

// SeekGE may be given a key of the iterator itself.
func (i *iterator) SeekGE(key []byte) bool {
	defer i.lent.Recall()
	if bytes.Compare(key, i.lower) < 0 {
		key = i.lower
	}
	return i.rise(key)
}

// SeekLT may be given a key of the iterator itself.
func (i *iterator) SeekLT(key []byte) bool {
	defer i.lent.Recall()
	if key == nil {
		key = []byte{} // nothing is before it; nil is the end
	}
	if i.upper != nil && bytes.Compare(i.upper, key) < 0 {
		key = i.upper
	}
	return i.fall(key)
}

func (i *iterator) Next() bool {
	i.lent.Recall()
	if i.key == nil {
		return false
	}
	if i.direction == backward {
		i.seek = append(append(i.seek[:0], i.key...), 0)
		return i.rise(i.seek)
	}
	if i.at < len(i.sources) {
		i.next(&i.sources[i.at])
	} else {
		i.baseNext()
		if len(i.sources) == 0 {
			i.key, i.value = i.baseKey, i.baseValue
			return i.key != nil
		}
	}
	return i.lowest()
}

func (i *iterator) Prev() bool {
	i.lent.Recall()
	if i.key == nil {
		return false
	}
	if i.direction == forward {
		return i.fall(i.key)
	}
	if i.at < len(i.sources) {
		i.prev(&i.sources[i.at])
	} else {
		i.basePrev()
		if len(i.sources) == 0 {
			i.key, i.value = i.baseKey, i.baseValue
			return i.key != nil
		}
	}
	return i.highest()
}

// rise goes to the first key at or after key, which is within the bounds.
func (i *iterator) rise(key []byte) bool {
	i.direction = forward
	for n := range i.sources {
		i.seekGE(n, key)
	}
	i.seekGE(len(i.sources), key)
	return i.lowest()
}

// fall goes to the last key before key, which is within the bounds; nil is the end of all keys.
func (i *iterator) fall(key []byte) bool {
	i.direction = backward
	for n := range i.sources {
		i.seekLT(n, key)
	}
	i.seekLT(len(i.sources), key)
	return i.highest()
}

// lowest finds the iterator's place where the sources stand: at their lowest key that is neither deleted nor in a span of
// a source above.
func (i *iterator) lowest() bool {
	for {
		// Of the sources with the lowest key the upper one counts.
		at, key := len(i.sources), i.baseKey
		for n := len(i.sources) - 1; n >= 0; n-- {
			k := i.sources[n].key
			if k == nil {
				continue
			}
			order := -1
			if key != nil {
				order = bytes.Compare(k, key)
			}
			if order == 0 {
				i.stepNext(at)
			}
			if order <= 0 {
				at, key = n, k
			}
		}
		if s := i.spanAbove(at, key); s != nil {
			i.seekGE(at, s.upper)
		} else if i.settle(at, key) {
			return i.key != nil
		} else {
			i.stepNext(at)
		}
	}
}

// highest is lowest, backward.
func (i *iterator) highest() bool {
	for {
		at, key := len(i.sources), i.baseKey
		for n := len(i.sources) - 1; n >= 0; n-- {
			k := i.sources[n].key
			if k == nil {
				continue
			}
			order := 1
			if key != nil {
				order = bytes.Compare(k, key)
			}
			if order == 0 {
				i.stepPrev(at)
			}
			if order >= 0 {
				at, key = n, k
			}
		}
		if s := i.spanAbove(at, key); s != nil {
			i.seekLT(at, s.lower)
		} else if i.settle(at, key) {
			return i.key != nil
		} else {
			i.stepPrev(at)
		}
	}
}

// settle makes a source's key the iterator's place, unless it is a deletion. Without a key, or after an error, the place is none.
func (i *iterator) settle(at int, key []byte) bool {
	i.at, i.key, i.value = at, key, nil
	switch {
	case i.err != nil:
		i.key = nil
	case key == nil:
	case at == len(i.sources):
		i.value = i.baseValue
	default:
		value, deleted := i.sources[at].value()
		if deleted {
			return false
		}
		i.value = value
	}
	return true
}

// spanAbove is a span that takes a source's key away.
func (i *iterator) spanAbove(source int, key []byte) *span {
	if key == nil {
		return nil
	}
	for n := range source {
		if s := i.sources[n].spans.at(key); s != nil {
			return s
		}
	}
	return nil
}

func (s *source) value() (value []byte, deleted bool) {
	if s.run != nil {
		e := s.run.entry()
		return e.value, e.deleted
	}
	item := s.tree.Item()
	if item.Deleted() {
		return nil, true
	}
	return item.Value(), false
}

// Moves of one source. A key outside of the bounds is none.

func (i *iterator) inside(key []byte) bool {
	return (i.upper == nil || bytes.Compare(key, i.upper) < 0) && bytes.Compare(key, i.lower) >= 0
}

func (i *iterator) baseAt(k, v []byte) {
	if k == nil {
		i.baseEnds()
	} else if !i.inside(k) {
		k = nil
	}
	i.baseKey, i.baseValue = k, v
}

// baseEnds is called when the base's cursor is at no key.
func (i *iterator) baseEnds() {
	if err := i.cursor.err; err != nil {
		i.err = fmt.Errorf("btree: read %s: %w", fileName, err)
	}
}

func (i *iterator) baseSeekGE(key []byte) {
	if len(key) == 0 {
		i.baseAt(i.cursor.first())
		return
	}
	i.baseAt(i.cursor.seek(key))
}

func (i *iterator) baseSeekLT(key []byte) {
	if key == nil {
		i.baseAt(i.cursor.last())
		return
	}
	if len(key) == 0 {
		i.baseKey = nil
		return
	}
	if k, _ := i.cursor.seek(key); k == nil && i.cursor.err == nil {
		i.baseAt(i.cursor.last())
		return
	}
	i.baseAt(i.cursor.prev())
}

// comparedSteps is after how many steps the ends of the bounds are looked up.
const comparedSteps = 32

func (i *iterator) findEnds() {
	c := i.v.base.cursor()
	if k, _ := c.seek(i.lower); k != nil {
		i.first = &k[0]
	}
	if i.upper != nil {
		if k, _ := c.seek(i.upper); k != nil {
			i.end = &k[0]
		}
	}
	i.bounded = c.err == nil
	i.v.base.putBack(c)
}

func (i *iterator) baseNext() {
	k, v := i.cursor.next()
	switch {
	case k == nil:
		i.baseEnds()
	case i.bounded:
		if &k[0] == i.end {
			k = nil
		}
	default:
		if i.upper != nil && bytes.Compare(k, i.upper) >= 0 {
			k = nil
		}
		i.stepped()
	}
	i.baseKey, i.baseValue = k, v
}

func (i *iterator) basePrev() {
	if i.bounded && &i.baseKey[0] == i.first {
		i.baseKey = nil
		return
	}
	k, v := i.cursor.prev()
	if k == nil {
		i.baseEnds()
	} else if !i.bounded {
		if bytes.Compare(k, i.lower) < 0 {
			k = nil
		}
		i.stepped()
	}
	i.baseKey, i.baseValue = k, v
}

func (i *iterator) stepped() {
	if i.steps++; i.steps == comparedSteps {
		i.findEnds()
	}
}

func (i *iterator) seekGE(at int, key []byte) {
	if at == len(i.sources) {
		i.baseSeekGE(key)
		return
	}
	s := &i.sources[at]
	if s.run != nil {
		s.run.seekGE(key)
	} else {
		s.tree.SeekGE(key)
	}
	i.arrived(s)
}

func (i *iterator) seekLT(at int, key []byte) {
	if at == len(i.sources) {
		i.baseSeekLT(key)
		return
	}
	s := &i.sources[at]
	switch {
	case s.run != nil:
		s.run.seekLT(key)
	case key == nil:
		s.tree.Last()
	default:
		s.tree.SeekLT(key)
	}
	i.arrived(s)
}

func (i *iterator) stepNext(at int) {
	if at == len(i.sources) {
		i.baseNext()
	} else {
		i.next(&i.sources[at])
	}
}

func (i *iterator) stepPrev(at int) {
	if at == len(i.sources) {
		i.basePrev()
	} else {
		i.prev(&i.sources[at])
	}
}

func (i *iterator) next(s *source) {
	if s.run != nil {
		s.run.next()
	} else {
		s.tree.Next()
	}
	i.arrived(s)
}

func (i *iterator) prev(s *source) {
	if s.run != nil {
		s.run.prev()
	} else {
		s.tree.Prev()
	}
	i.arrived(s)
}

// arrived looks where a source stands.
func (i *iterator) arrived(s *source) {
	s.key = nil
	switch {
	case s.run == nil && s.tree.Valid():
		s.key = s.tree.Item().Key()
	case s.run == nil:
	case s.run.valid():
		s.key = s.run.entry().key
	case s.run.err != nil:
		i.err = s.run.err
	}
	if s.key != nil && !i.inside(s.key) {
		s.key = nil
	}
}

func (i *iterator) Valid() bool   { return i.key != nil }
func (i *iterator) Key() []byte   { return i.lent.Lend(i.key) }
func (i *iterator) Value() []byte { return i.lent.Lend(i.value) }
func (i *iterator) Error() error  { return i.err }

func (i *iterator) Close() error {
	i.once.Happens("an iterator was closed")
	i.lent.Recall()
	if i.v == nil {
		return nil
	}
	i.key = nil
	i.v.base.putBack(i.cursor)
	i.v.base.release()
	i.v, i.cursor = nil, nil
	return nil
}
