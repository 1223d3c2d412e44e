package aggregate

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/key"
)

// set is the keys that were seen, of all groups: what DISTINCT has counted. It holds no pointers per key: a table of entries by hash, and
// the bytes of all keys one after the other. A key begins with its group.
type set struct {
	seed    maphash.Seed
	slots   []uint32 // number of an entry, plus one; open addressing
	hashes  []uint32 // of entries
	ends    []int    // where the bytes of an entry end, and those of the next one begin
	data    []byte
	scratch []byte
	sorted  []uint32 // entries in the order of their keys, if that was asked for
	charged int64
}

const (
	groupSize  = 8
	slotsFirst = 64
	entrySize  = 4*2 + 4 + 8 // of slots, which are at most half full, a hash and an end
)

// add adds the key of the frame's row, and reports whether it is new. It is not if memory for it was refused.
func (s *set) add(f *eval.Frame, group int, keys []*key.Writer) bool {
	k := appendGroup(s.scratch[:0], group)
	for _, w := range keys {
		k = w.Append(k, f)
	}
	s.scratch = k
	return s.addKey(f, k)
}

func appendGroup(dst []byte, group int) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(group))
}

func (s *set) addKey(f *eval.Frame, k []byte) bool {
	if s.slots == nil {
		s.seed, s.slots = maphash.MakeSeed(), make([]uint32, slotsFirst)
	}
	h := uint32(maphash.Bytes(s.seed, k))
	at := s.find(h, k)
	if s.slots[at] != 0 || !s.charge(f, len(k)) {
		return false
	}
	s.data = append(s.data, k...)
	s.ends, s.hashes, s.sorted = append(s.ends, len(s.data)), append(s.hashes, h), nil
	s.slots[at] = uint32(len(s.ends))
	if 2*len(s.ends) > len(s.slots) {
		s.double()
	}
	return true
}

// find is the slot of a key, or the free one where it belongs.
func (s *set) find(h uint32, k []byte) int {
	mask := len(s.slots) - 1
	for at := int(h) & mask; ; at = (at + 1) & mask {
		n := s.slots[at]
		if n == 0 || s.hashes[n-1] == h && bytes.Equal(s.key(n-1), k) {
			return at
		}
	}
}

func (s *set) key(entry uint32) []byte {
	start := 0
	if entry > 0 {
		start = s.ends[entry-1]
	}
	return s.data[start:s.ends[entry]]
}

func (s *set) double() {
	s.slots = make([]uint32, 2*len(s.slots))
	mask := len(s.slots) - 1
	for i, h := range s.hashes {
		at := int(h) & mask
		for s.slots[at] != 0 {
			at = (at + 1) & mask
		}
		s.slots[at] = uint32(i) + 1
	}
}

// charge counts a key's memory, some of it in advance.
func (s *set) charge(f *eval.Frame, size int) bool {
	const step = 16 << 10
	need := int64(len(s.data)+size) + int64(len(s.ends)+1)*entrySize
	if need <= s.charged {
		return true
	}
	n := need - s.charged + min(step, need)
	if !charge(f, n) {
		return false
	}
	s.charged += n
	return true
}

// each calls do with the keys of a group in their order, without the group.
func (s *set) each(group int, do func(k []byte)) {
	if s.sorted == nil {
		s.sorted = make([]uint32, len(s.ends))
		for i := range s.sorted {
			s.sorted[i] = uint32(i)
		}
		slices.SortFunc(s.sorted, func(a, b uint32) int { return bytes.Compare(s.key(a), s.key(b)) })
	}
	head := appendGroup(nil, group)
	at, _ := slices.BinarySearchFunc(s.sorted, head, func(e uint32, head []byte) int { return bytes.Compare(s.key(e), head) })
	for ; at < len(s.sorted) && bytes.HasPrefix(s.key(s.sorted[at]), head); at++ {
		do(s.key(s.sorted[at])[groupSize:])
	}
}
