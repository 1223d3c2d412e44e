package btree

import "github.com/duramendb/duramen/engine/cowtree"

// delta is what was applied and is not in the base: first the spans are taken out of what is below, then the
// items come on top. It is never changed; with makes the next one.
type delta struct {
	tree  cowtree.Tree
	spans spans
	// bytes is about the memory that it takes, keys how many items and spans it has.
	bytes, keys int
}

var emptyDelta = &delta{}

func (d *delta) empty() bool { return d.tree.Empty() && len(d.spans) == 0 }

// with is the delta that the changes of a batch lead to. No two deltas have the same gen.
func (d *delta) with(b *batch, gen uint64) delta {
	next := delta{tree: d.tree.Clone(gen), spans: d.spans, bytes: d.bytes, keys: d.keys}
	for _, c := range b.All() {
		if c.Upper != nil {
			next.remove(span{lower: c.Item.Key(), upper: c.Upper})
			continue
		}
		next.count(c.Item, +1)
		if old := next.tree.Set(c.Item); !old.None() {
			next.count(old, -1)
		}
	}
	return next
}

func (d *delta) count(it cowtree.Item, sign int) {
	d.bytes += sign * it.Size()
	d.keys += sign
}

// remove is used by with only.
func (d *delta) remove(s span) {
	d.tree.Cut(s.lower, s.upper, func(gone cowtree.Item) { d.count(gone, -1) })
	d.spans = d.spans.with(s)
	d.bytes += len(s.lower) + len(s.upper) + cowtree.ItemOverhead
	d.keys++
}

// overlaps says that the delta has something between lower and upper; nil is no bound.
func (d *delta) overlaps(lower, upper []byte) bool {
	return d.tree.Overlaps(lower, upper) || d.spans.overlap(lower, upper)
}

// get looks a key up; decided says that it is not a matter of what is below.
func (d *delta) get(key []byte) (value []byte, ok, decided bool) {
	if i := d.tree.Get(key); !i.None() {
		if i.Deleted() {
			return nil, false, true
		}
		return i.Value(), true, true
	}
	return nil, false, d.spans.at(key) != nil
}
