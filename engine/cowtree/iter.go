package cowtree

// levelsMax is more than a tree has: every node that was split had nodeMax items.
const levelsMax = 16

// Iter walks over a tree that is not changed meanwhile.
type Iter struct {
	t     *Tree
	depth int // -1: at no item
	path  [levelsMax]struct {
		n *node
		i int
	}
}

// Init begins at no item.
func (it *Iter) Init(t *Tree) { it.t, it.depth = t, -1 }

// Valid says that it is at an item.
func (it *Iter) Valid() bool { return it.depth >= 0 }

// Item is where it is.
func (it *Iter) Item() Item {
	p := &it.path[it.depth]
	return p.n.items[p.i]
}

func (it *Iter) push(n *node, i int) {
	it.depth++
	p := &it.path[it.depth]
	p.n, p.i = n, i
}

// First goes to the first item.
func (it *Iter) First() { it.SeekGE(nil) }

// Last goes to the last item.
func (it *Iter) Last() {
	it.depth = -1
	n := it.t.root
	if n == nil {
		return
	}
	for ; n.kids != nil; n = n.kids[n.n] {
		it.push(n, n.n)
	}
	it.push(n, n.n-1)
}

// SeekGE goes to the first key at or after key.
func (it *Iter) SeekGE(key []byte) {
	it.depth = -1
	n := it.t.root
	if n == nil {
		return
	}
	for n.kids != nil {
		i := n.kid(key)
		it.push(n, i)
		n = n.kids[i]
	}
	i := n.find(key)
	it.push(n, i)
	if i == n.n {
		it.up()
	}
}

// SeekLT goes to the last key before key.
func (it *Iter) SeekLT(key []byte) {
	it.depth = -1
	n := it.t.root
	if n == nil {
		return
	}
	for n.kids != nil {
		i := n.kid(key)
		it.push(n, i)
		n = n.kids[i]
	}
	i := n.find(key) - 1
	it.push(n, i)
	if i < 0 {
		it.down()
	}
}

// Next goes to the next item; it is at one.
func (it *Iter) Next() {
	p := &it.path[it.depth]
	p.i++
	if p.i == p.n.n {
		it.up()
	}
}

// Prev goes to the item before; it is at one.
func (it *Iter) Prev() {
	p := &it.path[it.depth]
	p.i--
	if p.i < 0 {
		it.down()
	}
}

// up goes from the end of a leaf to the beginning of the next one.
func (it *Iter) up() {
	for it.depth--; it.depth >= 0; it.depth-- {
		p := &it.path[it.depth]
		if p.i == p.n.n {
			continue
		}
		p.i++
		n := p.n.kids[p.i]
		for ; n.kids != nil; n = n.kids[0] {
			it.push(n, 0)
		}
		it.push(n, 0)
		return
	}
}

// down goes from the beginning of a leaf to the end of the one before.
func (it *Iter) down() {
	for it.depth--; it.depth >= 0; it.depth-- {
		p := &it.path[it.depth]
		if p.i == 0 {
			continue
		}
		p.i--
		n := p.n.kids[p.i]
		for ; n.kids != nil; n = n.kids[n.n] {
			it.push(n, n.n)
		}
		it.push(n, n.n-1)
		return
	}
}
