package btree

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"runtime/debug"
	"unsafe"

	bolt "go.etcd.io/bbolt"
)

// Readers go over bbolt's pages by themselves: bbolt believes what a page says, and where a page is damaged it reads whatever
// memory that points to, goes round in circles, or does not find what is there.
//
//	page      8 bytes id | 2 flags | 2 n | 4 how many further pages it goes on for | n elements | keys and values
//	leaf      element: 4 bytes flags | 4 distance of the key from the element | 4 length of the key | 4 of the value
//	branch    element: 4 bytes distance of the key | 4 length of the key | 8 id of the kid, whose first key that is
//	bucket    8 bytes id of the root page, 0: the page follows the header | 8 that are not used
//	meta      16 bytes | bucket of the buckets | 8 bytes id of the page with the free pages | ... (bbolt has a checksum for it)
//
// Numbers are in the machine's byte order. bbolt leaves no gap between keys and values, and the key of a kid in a branch is the
// kid's first key. So whether an element is where it should be is seen beside it, and whether a kid is the right one is seen when one
// goes into it. What a key or a value says is known by a checksum at the value's end.
type page struct {
	b    []byte
	n    int
	leaf bool
}

const (
	pageHeader  = 16
	elementSize = 16
	branchFlag  = 0x01
	leafFlag    = 0x02
	freeFlag    = 0x10
	// bucketFlag is that of an element that is a bucket.
	bucketFlag   = 0x01
	bucketHeader = 16
	metaFree     = pageHeader + 32
	sumSize      = 4
	// levelsMaxOfFile is more than a tree of the file has.
	levelsMaxOfFile = 32
)

// damaged tells what is wrong with a page.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// pages are all pages of a base. What lies outside of them is no memory of ours.
type pages struct {
	b    []byte
	size uint64 // of one
	n    uint64
}

func pagesOf(tx *bolt.Tx) pages {
	info := tx.DB().Info()
	data := *(*unsafe.Pointer)(unsafe.Pointer(&info.Data)) // it is an address outside of Go's memory
	size := tx.Size()
	return pages{unsafe.Slice((*byte)(data), size), uint64(info.PageSize), uint64(size) / uint64(info.PageSize)}
}

func (ps *pages) page(id uint64) (p page, err error) {
	if id < 2 || id >= ps.n {
		return p, damaged("page %d of %d", id, ps.n)
	}
	b := ps.b[id*ps.size:]
	further := uint64(binary.NativeEndian.Uint32(b[12:]))
	if further >= ps.n-id {
		return p, damaged("page %d goes on for %d of %d pages", id, further, ps.n)
	}
	return asPage(b[:(further+1)*ps.size], id)
}

// asPage looks whether a page can be one.
func asPage(b []byte, id uint64) (p page, err error) {
	if len(b) < pageHeader || binary.NativeEndian.Uint64(b) != id {
		return p, damaged("page %d is another one", id)
	}
	flags := binary.NativeEndian.Uint16(b[8:])
	p = page{b: b, n: int(binary.NativeEndian.Uint16(b[10:])), leaf: flags == leafFlag}
	if !p.leaf && flags != branchFlag {
		return p, damaged("page %d has flags %x", id, flags)
	}
	if pageHeader+p.n*elementSize > len(b) {
		return p, damaged("page %d has %d elements", id, p.n)
	}
	if p.n > 0 && p.from(0) != pageHeader+p.n*elementSize {
		return p, damaged("page %d has another number of elements than %d", id, p.n)
	}
	return p, nil
}

// leafElement and branchElement are what is in a page. Its constructor has looked that n of them are in it.
type (
	leafElement   struct{ flags, pos, key, value uint32 }
	branchElement struct {
		pos, key uint32
		kid      uint64
	}
)

func (p *page) leafAt(i int) *leafElement {
	return (*leafElement)(unsafe.Pointer(&p.b[pageHeader+i*elementSize]))
}

func (p *page) branchAt(i int) *branchElement {
	return (*branchElement)(unsafe.Pointer(&p.b[pageHeader+i*elementSize]))
}

// from is where the key of an element begins.
func (p *page) from(i int) int {
	if p.leaf {
		return pageHeader + i*elementSize + int(p.leafAt(i).pos)
	}
	return pageHeader + i*elementSize + int(p.branchAt(i).pos)
}

// to is where an element's key, or its value, ends.
func (p *page) to(i int) int {
	if p.leaf {
		el := p.leafAt(i)
		return pageHeader + i*elementSize + int(el.pos) + int(el.key) + int(el.value)
	}
	el := p.branchAt(i)
	return pageHeader + i*elementSize + int(el.pos) + int(el.key)
}

// key is what an element points to, nil if that is nothing.
func (p *page) key(i int) []byte {
	from, size := pageHeader+i*elementSize, 0
	if p.leaf {
		el := p.leafAt(i)
		from, size = from+int(el.pos), int(el.key)
	} else {
		el := p.branchAt(i)
		from, size = from+int(el.pos), int(el.key)
	}
	to := from + size
	if to > len(p.b) {
		return nil
	}
	return p.b[from:to:to]
}

func (p *page) kid(i int) uint64 { return p.branchAt(i).kid }

// inPlace says that an element begins where the one before ends.
func (p *page) inPlace(i int) bool {
	if i == 0 {
		return p.from(0) == pageHeader+p.n*elementSize
	}
	return p.from(i) == p.to(i-1)
}

// entry is an element of a leaf whose place and flags are right.
func (p *page) entry(i int, flags uint32) (key, value []byte, err error) {
	el := p.leafAt(i)
	from := pageHeader + i*elementSize + int(el.pos)
	k := from + int(el.key)
	v := k + int(el.value)
	if !p.inPlace(i) || k == from || v > len(p.b) || el.flags != flags {
		return nil, nil, damaged("element %d of page %d", i, binary.NativeEndian.Uint64(p.b))
	}
	return p.b[from:k:k], p.b[k:v:v], nil
}

// row is an element of a leaf that is as it was written.
func (p *page) row(i int) (key, value []byte, err error) {
	key, value, err = p.entry(i, 0)
	if err != nil {
		return nil, nil, err
	}
	n := len(value) - sumSize
	if n < 0 || rowSum(key, unsafe.Slice(&key[0], len(key)+n)) != binary.LittleEndian.Uint32(value[n:]) {
		return nil, nil, damaged("checksum of element %d of page %d", i, binary.NativeEndian.Uint64(p.b))
	}
	return key, value[:n:n], nil
}

// rowSum is the checksum of a row: a CRC-32C of key and value, which are given in one piece, that begins with the key's length.
func rowSum(key, row []byte) uint32 { return crc32.Update(uint32(len(key)), castagnoli, row) }

// seal puts a row's checksum behind it.
func seal(key, row, sum []byte) { binary.LittleEndian.PutUint32(sum, rowSum(key, row)) }

// sealed is what the file has as the value of a key: the value and the checksum.
func sealed(key, value []byte) []byte {
	b := make([]byte, 0, len(value)+sumSize)
	sum := crc32.Update(rowSum(key, key), castagnoli, value)
	return binary.LittleEndian.AppendUint32(append(b, value...), sum)
}

// sound says whether all of a page is as it was written; of a branch, whether it can be.
func (p *page) sound(ps *pages) (err error) {
	var last []byte
	for i := range p.n {
		key := p.key(i)
		if p.leaf {
			if key, _, err = p.row(i); err != nil {
				return err
			}
		} else if kid := p.kid(i); !p.inPlace(i) || len(key) == 0 || kid < 2 || kid >= ps.n {
			return damaged("element %d of page %d", i, binary.NativeEndian.Uint64(p.b))
		}
		if i > 0 && bytes.Compare(last, key) >= 0 {
			return damaged("order of page %d", binary.NativeEndian.Uint64(p.b))
		}
		last = key
	}
	if p.n > 0 && binary.NativeEndian.Uint64(p.b) != 0 {
		end := uint64(p.to(p.n - 1))
		if (end+ps.size-1)/ps.size*ps.size != uint64(len(p.b)) {
			return damaged("page %d has %d bytes, and goes on for %d", binary.NativeEndian.Uint64(p.b), end, len(p.b))
		}
	}
	return nil
}

// bucket is a tree of the file.
type bucket struct {
	pages *pages
	root  uint64 // 0: the page is inline
	// inline is the only page of a small tree.
	inline page
}

func (b *bucket) page(id uint64) (page, error) {
	if id == 0 && b.root == 0 {
		return b.inline, nil
	}
	p, err := b.pages.page(id)
	if err == nil && p.n == 0 {
		return p, damaged("page %d is empty", id)
	}
	return p, err
}

// buckets finds both trees.
func (ps *pages) buckets(tx *bolt.Tx) (rows, state *bucket, err error) {
	top, err := ps.page(uint64(tx.Cursor().Bucket().Root()))
	if err != nil {
		return nil, nil, err
	}
	if !top.leaf || top.n != 2 {
		return nil, nil, damaged("%d buckets", top.n)
	}
	var found [2]*bucket
	for i, name := range [][]byte{rowsBucket, stateBucket} {
		key, value, err := top.entry(i, bucketFlag)
		if err != nil {
			return nil, nil, err
		}
		if string(key) == oldStateBucket {
			return nil, nil, errOldFile
		}
		if !bytes.Equal(key, name) || len(value) < bucketHeader {
			return nil, nil, damaged("bucket %q instead of %q", key, name)
		}
		b := &bucket{pages: ps, root: binary.NativeEndian.Uint64(value)}
		if b.root == 0 {
			if b.inline, err = asPage(value[bucketHeader:], 0); err != nil {
				return nil, nil, err
			}
			p := &b.inline
			if !p.leaf || p.n == 0 && len(p.b) != pageHeader || p.n > 0 && p.to(p.n-1) != len(p.b) {
				return nil, nil, damaged("bucket %q", key)
			}
		}
		found[i] = b
	}
	return found[0], found[1], nil
}

// free looks whether the list of free pages can be one: in order, and within the file.
func (ps *pages) free(tx *bolt.Tx) error {
	id := binary.NativeEndian.Uint64(ps.b[uint64(tx.ID()%2)*ps.size+metaFree:])
	if id < 2 || id >= ps.n {
		return damaged("page %d of %d has the free pages", id, ps.n)
	}
	b := ps.b[id*ps.size:]
	n, list := uint64(binary.NativeEndian.Uint16(b[10:])), b[pageHeader:]
	further := uint64(binary.NativeEndian.Uint32(b[12:]))
	if n == 0xFFFF {
		n, list = binary.NativeEndian.Uint64(list), list[8:]
	}
	if binary.NativeEndian.Uint64(b) != id || binary.NativeEndian.Uint16(b[8:]) != freeFlag || further >= ps.n-id || n > uint64(len(list))/8 {
		return damaged("page %d does not have the free pages", id)
	}
	last := uint64(1)
	for i := range n {
		next := binary.NativeEndian.Uint64(list[i*8:])
		if next <= last || next >= ps.n {
			return damaged("free page %d after %d of %d", next, last, ps.n)
		}
		last = next
	}
	return nil
}

// panicsOnFault lets page faults of this goroutine be panics, for leave.
func panicsOnFault() (before bool) { return debug.SetPanicOnFault(true) }

// leave is deferred by who reads pages: a disk that does not give a page, or an oversight of ours, is an error.
func leave(before bool, err *error) {
	debug.SetPanicOnFault(before)
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", ErrCorrupt, p)
	}
}
