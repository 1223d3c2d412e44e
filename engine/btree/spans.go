package btree

import (
	"bytes"
	"slices"
	"sort"
)

// span is a range of keys, from lower (inclusive) to upper (exclusive).
type span struct{ lower, upper []byte }

// spans are in order and do not overlap or touch. They are never changed.
type spans []span

// with are the spans together with another one.
func (s spans) with(in span) spans {
	// Those from i to j overlap with it or touch it.
	i := sort.Search(len(s), func(i int) bool { return bytes.Compare(s[i].upper, in.lower) >= 0 })
	j := sort.Search(len(s), func(i int) bool { return bytes.Compare(s[i].lower, in.upper) > 0 })
	if i < j {
		if bytes.Compare(s[i].lower, in.lower) < 0 {
			in.lower = s[i].lower
		}
		if bytes.Compare(s[j-1].upper, in.upper) > 0 {
			in.upper = s[j-1].upper
		}
	}
	return slices.Concat(s[:i], spans{in}, s[j:])
}

// at is the span that has a key, nil if none has.
func (s spans) at(key []byte) *span {
	if len(s) == 0 {
		return nil
	}
	i := sort.Search(len(s), func(i int) bool { return bytes.Compare(s[i].upper, key) > 0 })
	if i < len(s) && bytes.Compare(s[i].lower, key) <= 0 {
		return &s[i]
	}
	return nil
}

// overlap says that there is a span with keys between lower and upper; nil is no bound.
func (s spans) overlap(lower, upper []byte) bool {
	i := sort.Search(len(s), func(i int) bool { return bytes.Compare(s[i].upper, lower) > 0 })
	return i < len(s) && (upper == nil || bytes.Compare(s[i].lower, upper) < 0)
}
