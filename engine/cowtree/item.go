package cowtree

import (
	"bytes"
	"encoding/binary"
	"math"
	"unsafe"
)

// Item is a key with its value, or with the word that it is deleted, in one piece of memory that nobody changes:
//
//	4 bytes length of the key | 4 bytes length of the value, or deletedLen | key | value | what the owner has wanted to spare
//
// It is a pointer and no more, because nodes of a tree are copied all the time; and what it points to holds no
// pointers, so that the garbage collector does not look into it. The zero Item is none.
type Item struct{ p *byte }

const (
	itemHeader = 8
	deletedLen = math.MaxUint32
	// ItemOverhead is about what an item takes beyond its key and value, its place in a node included.
	ItemOverhead = 32
)

// NewItem copies a key and its value. spare bytes follow them, which Sealed fills in.
func NewItem(key, value []byte, spare int) Item {
	b := make([]byte, itemHeader+len(key)+len(value)+spare)
	binary.NativeEndian.PutUint32(b, uint32(len(key)))
	binary.NativeEndian.PutUint32(b[4:], uint32(len(value)))
	copy(b[itemHeader:], key)
	copy(b[itemHeader+len(key):], value)
	return Item{&b[0]}
}

// NewDeletion is an Item that says that a key is not there.
func NewDeletion(key []byte) Item {
	b := make([]byte, itemHeader+len(key))
	binary.NativeEndian.PutUint32(b, uint32(len(key)))
	binary.NativeEndian.PutUint32(b[4:], deletedLen)
	copy(b[itemHeader:], key)
	return Item{&b[0]}
}

func (i Item) header() (key, value uint32) {
	h := (*[2]uint32)(unsafe.Pointer(i.p))
	return h[0], h[1]
}

// None says that there is no item.
func (i Item) None() bool { return i.p == nil }

// Key is the key.
func (i Item) Key() []byte {
	n, _ := i.header()
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(i.p), itemHeader)), n)
}

// Deleted says that the key is not there.
func (i Item) Deleted() bool {
	_, n := i.header()
	return n == deletedLen
}

// Value must not be asked of a deletion.
func (i Item) Value() []byte {
	k, v := i.header()
	b := unsafe.Slice(i.p, uintptr(itemHeader)+uintptr(k)+uintptr(v))
	return b[itemHeader+k:]
}

// Sealed is the value with what seal puts behind it, into the spare bytes. It is used by one goroutine at a time.
func (i Item) Sealed(spare int, seal func(key, row, spare []byte)) []byte {
	k, v := i.header()
	b := unsafe.Slice(i.p, uintptr(itemHeader)+uintptr(k)+uintptr(v)+uintptr(spare))[itemHeader:]
	seal(b[:k], b[:k+v], b[k+v:])
	return b[k:]
}

// bytes is how long key and value are.
func (i Item) bytes() int {
	k, v := i.header()
	if v == deletedLen {
		v = 0
	}
	return int(k) + int(v)
}

// Size is about the memory that it takes.
func (i Item) Size() int { return i.bytes() + ItemOverhead }

// Compare compares its key with another one.
func (i Item) Compare(key []byte) int { return bytes.Compare(i.Key(), key) }
