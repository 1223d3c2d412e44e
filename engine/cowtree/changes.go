package cowtree

import "bytes"

// Changes are a list of changes, in the order of the calls. The zero value is empty.
type Changes struct {
	list  []Change
	bytes int
	few   [4]Change // memory for them, mostly enough
}

// Change sets or deletes a key, or the range that begins with the item's key if Upper is not nil.
type Change struct {
	Item  Item
	Upper []byte
}

// All are the changes.
func (c *Changes) All() []Change { return c.list }

// Set sets a key's value; spare is that of NewItem.
func (c *Changes) Set(key, value []byte, spare int) {
	c.add(Change{Item: NewItem(key, value, spare)}, len(key)+len(value))
}

// Delete deletes a key.
func (c *Changes) Delete(key []byte) { c.add(Change{Item: NewDeletion(key)}, len(key)) }

// DeleteRange deletes the keys from lower (inclusive) to upper (exclusive).
func (c *Changes) DeleteRange(lower, upper []byte) {
	if bytes.Compare(lower, upper) < 0 {
		c.add(Change{Item: NewDeletion(lower), Upper: bytes.Clone(upper)}, len(lower)+len(upper))
	}
}

func (c *Changes) add(change Change, bytes int) {
	if c.list == nil {
		c.list = c.few[:0]
	}
	c.list = append(c.list, change)
	c.bytes += bytes + itemHeader
}

// Append adds the changes of another list after those of c.
func (c *Changes) Append(other *Changes) {
	c.list = append(c.list, other.list...)
	c.bytes += other.bytes
}

// Len is how many bytes they hold.
func (c *Changes) Len() int { return c.bytes }

// Discard forgets the changes.
func (c *Changes) Discard() { *c = Changes{} }
