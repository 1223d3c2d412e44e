package btree

import "bytes"

// cursor walks over a tree of the file. Where it meets damage it is at no key, and has an error, until it is sought again.
//
// That a key is not there is said only when both of its neighbours are as they were written, so that no search has gone
// wrong between them; and that it is the last of a page only when the next page begins with the key that is said to be its first.
type cursor struct {
	tree  *bucket
	err   error
	stack []place
}

type place struct {
	page
	id uint64
	i  int
}

// get is a key's value, without the checksum.
func (c *cursor) get(key []byte) (value []byte, ok bool) {
	k, v := c.seek(key)
	if k == nil || !bytes.Equal(k, key) {
		return nil, false
	}
	return v, true
}

// push goes into a page; key is its first one, nil where that is not known.
func (c *cursor) push(id uint64, key []byte) (*place, bool) {
	p, err := c.tree.page(id)
	switch {
	case err != nil:
	case len(c.stack) == levelsMaxOfFile:
		err = damaged("page %d is its own kid", id)
	case key != nil && !bytes.Equal(p.key(0), key):
		err = damaged("page %d begins with another key", id)
	default:
		c.stack = append(c.stack, place{page: p, id: id})
		return &c.stack[len(c.stack)-1], true
	}
	c.fail(err)
	return nil, false
}

func (c *cursor) fail(err error) {
	c.err = err
	c.stack = c.stack[:0]
}

// into goes into the kid where a place stands.
func (c *cursor) into(p *place) (*place, bool) {
	key := p.key(p.i)
	if len(key) == 0 {
		c.fail(damaged("element %d of page %d", p.i, p.id))
		return nil, false
	}
	return c.push(p.kid(p.i), key)
}

// here is the row where the cursor stands.
func (c *cursor) here() (key, value []byte) {
	p := &c.stack[len(c.stack)-1]
	key, value, err := p.row(p.i)
	if err != nil {
		c.fail(err)
	}
	return key, value
}

func (c *cursor) start() (*place, bool) {
	c.err, c.stack = nil, c.stack[:0]
	return c.push(c.tree.root, nil)
}

func (c *cursor) first() (key, value []byte) {
	defer leave(panicsOnFault(), &c.err)
	return c.lowest(c.start())
}

// lowest goes down to the first row below a place.
func (c *cursor) lowest(p *place, ok bool) (key, value []byte) {
	for ok && !p.leaf {
		p, ok = c.into(p)
	}
	if !ok || p.n == 0 {
		return nil, nil
	}
	return c.here()
}

func (c *cursor) last() (key, value []byte) {
	defer leave(panicsOnFault(), &c.err)
	return c.highest(c.start())
}

func (c *cursor) highest(p *place, ok bool) (key, value []byte) {
	for ; ok; p, ok = c.into(p) {
		if p.n == 0 {
			return nil, nil
		}
		p.i = p.n - 1
		if p.leaf {
			return c.here()
		}
	}
	return nil, nil
}

// seek goes to the first key at or after key.
func (c *cursor) seek(key []byte) (k, v []byte) {
	defer leave(panicsOnFault(), &c.err)
	p, ok := c.down(key)
	if !ok || p.n == 0 {
		return nil, nil
	}
	p.i = p.find(key, 0)
	if p.i < p.n {
		if k, v = c.here(); k == nil || bytes.Equal(k, key) {
			return k, v
		}
	}
	if p.i > 0 {
		if _, _, err := p.row(p.i - 1); err != nil {
			c.fail(err)
			return nil, nil
		}
	}
	if p.i == p.n {
		p.i--
		return c.forward()
	}
	return k, v
}

// down goes to the leaf where a key would be.
func (c *cursor) down(key []byte) (p *place, ok bool) {
	for p, ok = c.start(); ok && !p.leaf; p, ok = c.into(p) {
		p.i = max(p.find(key, 1)-1, 0)
	}
	return p, ok
}

// find is the place of the first key that compares with key as from or more.
func (p *page) find(key []byte, from int) int {
	low, high := 0, p.n
	for low < high {
		h := int(uint(low+high) >> 1)
		if bytes.Compare(p.key(h), key) < from {
			low = h + 1
		} else {
			high = h
		}
	}
	return low
}

// next goes to the next key; at the end it stays at the last one, and returns nil.
func (c *cursor) next() (key, value []byte) {
	defer leave(panicsOnFault(), &c.err)
	return c.forward()
}

func (c *cursor) forward() (key, value []byte) {
	n := len(c.stack) - 1
	if n < 0 {
		return nil, nil
	}
	if p := &c.stack[n]; p.i+1 < p.n {
		p.i++
		return c.here()
	}
	before := c.stack[n].key(c.stack[n].i)
	for n--; n >= 0; n-- {
		p := &c.stack[n]
		if p.i+1 == p.n {
			continue
		}
		p.i++
		c.stack = c.stack[:n+1]
		if key, value = c.lowest(p, true); key != nil && bytes.Compare(before, key) >= 0 {
			c.fail(damaged("key %x after %x", key, before))
			return nil, nil
		}
		return key, value
	}
	return nil, nil
}

// prev goes to the key before; at the first one it stays, and returns nil.
func (c *cursor) prev() (key, value []byte) {
	defer leave(panicsOnFault(), &c.err)
	n := len(c.stack) - 1
	if n < 0 {
		return nil, nil
	}
	if p := &c.stack[n]; p.i > 0 {
		p.i--
		return c.here()
	}
	after := c.stack[n].key(0)
	for n--; n >= 0; n-- {
		p := &c.stack[n]
		if p.i == 0 {
			continue
		}
		p.i--
		c.stack = c.stack[:n+1]
		p, ok := c.into(p)
		if key, value = c.highest(p, ok); key != nil && bytes.Compare(key, after) >= 0 {
			c.fail(damaged("key %x before %x", key, after))
			return nil, nil
		}
		return key, value
	}
	return nil, nil
}

// careful lets bbolt change keys, in order, only where all that it will read is sound: it would write it down again as if it were.
type careful struct {
	cursor
	seen [levelsMaxOfFile]uint64 // the pages of the last key
}

// check is called before a key is set or deleted.
func (c *careful) check(key []byte) error {
	if _, ok := c.down(key); !ok {
		return c.err
	}
	for n := range c.stack {
		p := &c.stack[n]
		if p.id == c.seen[n] && p.id != 0 {
			continue
		}
		c.seen[n] = p.id
		if n == 0 {
			if err := p.sound(c.tree.pages); err != nil {
				return err
			}
			continue
		}
		// The pages beside it, too: a page with few rows left is merged with one of them.
		above := &c.stack[n-1]
		for i := max(above.i-1, 0); i < min(above.i+2, above.n); i++ {
			beside, err := c.tree.page(above.kid(i))
			if err == nil && !bytes.Equal(beside.key(0), above.key(i)) {
				err = damaged("page %d begins with another key", above.kid(i))
			}
			if err == nil {
				err = beside.sound(c.tree.pages)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
