package cowtree

import "bytes"

// nodeMax is how many items a node holds. Small nodes are copied fast, and most changes copy one node
// per level; large ones make few levels.
const nodeMax = 24

// Tree is a B+tree of items, copied on write: Clone is a tree that shares all nodes, and copies those that it
// changes. What was cloned must not be changed any more. The zero value is empty.
//
// Nodes need not be half full: Cut takes items out and leaves the rest as it is. No leaf is empty.
type Tree struct {
	root *node
	// gen marks the nodes that this tree alone has.
	gen uint64
}

// node is a leaf with items, or has one more kid than items: items[i] is after all keys of kids[i], and no key of
// kids[i+1] is before it.
type node struct {
	gen uint64
	n   int
	// bytes is how long the keys and values below it are.
	bytes int
	items [nodeMax]Item
	kids  *[nodeMax + 1]*node
}

// Clone is a tree of the same contents that may be changed. No two trees that share nodes have the same gen.
func (t Tree) Clone(gen uint64) Tree { return Tree{root: t.root, gen: gen} }

// Empty says that it has no items.
func (t *Tree) Empty() bool { return t.root == nil }

// Overlaps says that it has a key between lower and upper; nil is no bound.
func (t *Tree) Overlaps(lower, upper []byte) bool {
	if t.root == nil {
		return false
	}
	var it Iter
	it.Init(t)
	it.SeekGE(lower)
	return it.Valid() && (upper == nil || it.Item().Compare(upper) < 0)
}

// find is the place of the first item whose key is not before key.
func (n *node) find(key []byte) int {
	low, high := 0, n.n
	for low < high {
		h := int(uint(low+high) >> 1)
		if bytes.Compare(n.items[h].Key(), key) < 0 {
			low = h + 1
		} else {
			high = h
		}
	}
	return low
}

// kid is the place of the kid in which key belongs.
func (n *node) kid(key []byte) int {
	low, high := 0, n.n
	for low < high {
		h := int(uint(low+high) >> 1)
		if bytes.Compare(n.items[h].Key(), key) <= 0 {
			low = h + 1
		} else {
			high = h
		}
	}
	return low
}

// Get is the item of a key, or none.
func (t *Tree) Get(key []byte) Item {
	n := t.root
	if n == nil {
		return Item{}
	}
	for n.kids != nil {
		n = n.kids[n.kid(key)]
	}
	if i := n.find(key); i < n.n && bytes.Equal(n.items[i].Key(), key) {
		return n.items[i]
	}
	return Item{}
}

// own is a node of this tree alone with the contents of n.
func (t *Tree) own(n *node) *node {
	if n.gen == t.gen {
		return n
	}
	if n.kids == nil {
		c := *n
		c.gen = t.gen
		return &c
	}
	c := &inner{node: *n, kids: *n.kids}
	c.gen, c.node.kids = t.gen, &c.kids
	return &c.node
}

// inner is a node together with the memory for its kids.
type inner struct {
	node
	kids [nodeMax + 1]*node
}

func (t *Tree) newInner() *node {
	n := &inner{}
	n.gen, n.node.kids = t.gen, &n.kids
	return &n.node
}

// Set puts an item in, and returns the one of the same key that it replaces, or none.
func (t *Tree) Set(in Item) (old Item) {
	key := in.Key()
	if t.root == nil {
		t.root = &node{gen: t.gen}
	}
	t.root = t.own(t.root)
	if t.root.n == nodeMax {
		left := t.root
		sep, right := t.split(left, key)
		t.root = t.newInner()
		t.root.n, t.root.items[0], t.root.kids[0], t.root.kids[1] = 1, sep, left, right
		t.root.bytes = left.bytes + right.bytes
	}
	var path [levelsMax]*node
	levels := 0
	n := t.root
	for n.kids != nil {
		path[levels] = n
		levels++
		i := n.kid(key)
		kid := t.own(n.kids[i])
		n.kids[i] = kid
		if kid.n == nodeMax {
			sep, right := t.split(kid, key)
			copy(n.items[i+1:n.n+1], n.items[i:n.n])
			copy(n.kids[i+2:n.n+2], n.kids[i+1:n.n+1])
			n.items[i], n.kids[i+1] = sep, right
			n.n++
			if sep.Compare(key) <= 0 {
				kid = right
			}
		}
		n = kid
	}
	grown := in.bytes()
	i := n.find(key)
	if i < n.n && bytes.Equal(n.items[i].Key(), key) {
		old, n.items[i] = n.items[i], in
		grown -= old.bytes()
	} else {
		copy(n.items[i+1:n.n+1], n.items[i:n.n])
		n.items[i] = in
		n.n++
	}
	n.bytes += grown
	for _, above := range path[:levels] {
		above.bytes += grown
	}
	return old
}

// split moves the upper part of a full node into a new one, which belongs after sep. Where keys arrive in
// order the left one stays nearly full.
func (t *Tree) split(left *node, key []byte) (sep Item, right *node) {
	at := nodeMax / 2
	if left.items[nodeMax-1].Compare(key) < 0 {
		at = nodeMax - 2
	}
	sep = left.items[at]
	from := at
	if left.kids == nil {
		right = &node{gen: t.gen}
		for _, it := range left.items[at:] {
			right.bytes += it.bytes()
		}
	} else {
		from++
		right = t.newInner()
		for _, kid := range left.kids[from:] {
			right.bytes += kid.bytes
		}
		copy(right.kids[:], left.kids[from:])
		clear(left.kids[from:])
	}
	right.n = copy(right.items[:], left.items[from:])
	clear(left.items[at:])
	left.n = at
	left.bytes -= right.bytes
	return sep, right
}

// Delete takes the item of a key out, and returns it, or none.
func (t *Tree) Delete(key []byte) (old Item) {
	if old = t.Get(key); old.None() {
		return old
	}
	t.root = t.own(t.root)
	if t.remove(t.root, key, old.bytes()) {
		t.root = nil
	}
	t.lower()
	return old
}

// lower takes a root away that has one kid.
func (t *Tree) lower() {
	for t.root != nil && t.root.kids != nil && t.root.n == 0 {
		t.root = t.root.kids[0]
	}
}

// nodeFew is how many items a node has that is joined with one beside it, if they have room in one.
const nodeFew = nodeMax / 4

// remove takes a key out that is there, below a node of this tree alone. It reports whether nothing is left.
func (t *Tree) remove(n *node, key []byte, bytes int) (empty bool) {
	n.bytes -= bytes
	if n.kids == nil {
		i := n.find(key)
		copy(n.items[i:], n.items[i+1:n.n])
		n.n--
		n.items[n.n] = Item{}
		return n.n == 0
	}
	i := n.kid(key)
	kid := t.own(n.kids[i])
	n.kids[i] = kid
	switch {
	case t.remove(kid, key, bytes):
		if n.n == 0 {
			return true
		}
		n.drop(max(i-1, 0), i)
	case kid.n >= nodeFew:
	case i < n.n:
		t.join(n, i)
	case i > 0:
		t.join(n, i-1)
	}
	return false
}

// drop takes out an item, and a kid beside it.
func (n *node) drop(item, kid int) {
	copy(n.items[item:], n.items[item+1:n.n])
	copy(n.kids[kid:], n.kids[kid+1:n.n+1])
	n.items[n.n-1], n.kids[n.n] = Item{}, nil
	n.n--
}

// join makes one of two kids, if they have room for more.
func (t *Tree) join(n *node, i int) {
	left, right := n.kids[i], n.kids[i+1]
	if left.n+right.n >= nodeMax-nodeFew {
		return
	}
	left = t.own(left)
	if left.kids != nil {
		left.items[left.n] = n.items[i]
		left.n++
		copy(left.kids[left.n:], right.kids[:right.n+1])
	}
	left.n += copy(left.items[left.n:], right.items[:right.n])
	left.bytes += right.bytes
	n.kids[i] = left
	n.drop(i, i+1)
}

// Cut removes the keys from lower (inclusive) to upper (exclusive), and calls gone for each item.
func (t *Tree) Cut(lower, upper []byte, gone func(Item)) {
	if t.root == nil || bytes.Compare(lower, upper) >= 0 {
		return
	}
	t.root = t.cut(t.root, lower, upper, gone)
	t.lower()
}

// cut returns what is left of a node, nil if that is nothing.
func (t *Tree) cut(n *node, lower, upper []byte, gone func(Item)) *node {
	if n.kids == nil {
		i, j := n.find(lower), n.find(upper)
		if i == j {
			return n
		}
		taken := 0
		for _, it := range n.items[i:j] {
			taken += it.bytes()
			gone(it)
		}
		if j-i == n.n {
			return nil
		}
		n = t.own(n)
		left := i + copy(n.items[i:], n.items[j:n.n])
		clear(n.items[left:n.n])
		n.n = left
		n.bytes -= taken
		return n
	}
	first, last := n.kid(lower), n.kid(upper)
	c := t.newInner()
	c.n, c.bytes = -1, n.bytes
	for i := range n.n + 1 {
		kid := n.kids[i]
		if first <= i && i <= last {
			c.bytes -= kid.bytes
			if kid = t.cut(kid, lower, upper, gone); kid == nil {
				continue
			}
			c.bytes += kid.bytes
		}
		if c.n >= 0 {
			c.items[c.n] = n.items[i-1]
		}
		c.n++
		c.kids[c.n] = kid
	}
	if c.n < 0 {
		return nil
	}
	return c
}

// Bytes is how long keys and values are from lower (inclusive) to upper (exclusive); nil is no bound.
func (t *Tree) Bytes(lower, upper []byte) int {
	if t.root == nil || upper != nil && bytes.Compare(lower, upper) >= 0 {
		return 0
	}
	n := t.root.bytes
	if upper != nil {
		n = t.root.before(upper)
	}
	return n - t.root.before(lower)
}

// before is how long the keys and values are of the keys before one.
func (n *node) before(key []byte) (sum int) {
	for ; n.kids != nil; n = n.kids[n.kid(key)] {
		for _, kid := range n.kids[:n.kid(key)] {
			sum += kid.bytes
		}
	}
	for _, it := range n.items[:n.find(key)] {
		sum += it.bytes()
	}
	return sum
}
