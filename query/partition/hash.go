package partition

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/row"
)

// hasher is the hash of KEY (...): what MariaDB computes of the bytes of a row, and of the weights of texts.
type hasher struct{ a, b uint64 }

func newHasher() hasher { return hasher{1, 4} }

func (h *hasher) null() { h.a ^= h.a<<1 | 1 }

func (h *hasher) add(c byte) {
	h.a ^= (h.a&63+h.b)*uint64(c) + h.a<<8
	h.b += 3
}

func (h *hasher) all(s []byte) {
	for _, c := range s {
		h.add(c)
	}
}

// value adds a value as an image has it.
type value func(h *hasher, v []byte)

// hashed is how a column's values are hashed; what is not known to be MariaDB's hash is refused.
func hashed(t *relation.Table, at int) (value, error) {
	c := &t.Columns[at]
	switch k := c.Type.Kind; {
	case k == types.Bit:
		return func(h *hasher, v []byte) { // as a whole number of eight bytes, the first ones first
			for range 8 - len(v) {
				h.add(0)
			}
			h.all(v)
		}, nil
	case k == types.Char || k == types.Varchar:
		return text(t, at)
	case k.Integer(), k == types.Float, k == types.Double, k == types.Decimal:
		return swedish()
	case k == types.Year, k.Temporal(), k == types.Enum, k == types.Set:
		return (*hasher).all, nil
	}
	return nil, bind.Refusal("PARTITION BY KEY of this type")
}

// swedish hashes texts of latin1_swedish_ci, and the bytes of numbers: MariaDB takes them for such a text.
func swedish() (value, error) {
	coll, _ := charset.ByName("latin1_swedish_ci")
	order, err := coll.Order()
	if err != nil {
		return nil, err
	}
	var weights [256]byte
	for i := range weights {
		weights[i] = byte(i)
		if k := order.AppendKey(nil, []byte{byte(i)}); len(k) > 0 && i != ' ' {
			weights[i] = k[0]
		}
	}
	return func(h *hasher, v []byte) {
		for _, c := range bytes.TrimRight(v, " ") {
			h.add(weights[c])
		}
	}, nil
}

// text hashes texts.
func text(t *relation.Table, at int) (value, error) {
	c := &t.Columns[at]
	coll := c.Type.Collation
	width := 0 // to how many bytes a text is filled up
	if c.Type.Kind == types.Char {
		width = int(c.Type.Length) * coll.Set().MaxLen()
	}
	filled := func(v []byte, with byte) []byte {
		if len(v) >= width {
			return v
		}
		v = slices.Clone(v)
		for len(v) < width {
			v = append(v, with)
		}
		return v
	}
	name, set := coll.Name(), coll.Set().Name()
	switch {
	case set == "binary":
		return func(h *hasher, v []byte) { h.all(filled(v, 0)) }, nil
	case !coll.PadSpace() || coll.Set().MinLen() > 1:
	case coll.Binary():
		return func(h *hasher, v []byte) { h.all(bytes.TrimRight(v, " ")) }, nil
	case name == "utf8mb3_general_ci" || name == "utf8mb4_general_ci":
		order, err := coll.Order()
		return func(h *hasher, v []byte) {
			for v = bytes.TrimRight(v, " "); len(v) > 0; {
				weight, size := order.General(v)
				h.add(byte(weight))
				h.add(byte(weight >> 8))
				v = v[size:]
			}
		}, err
	case name == "latin1_swedish_ci":
		return swedish()
	}
	return nil, bind.Refusal("PARTITION BY KEY of a text of " + name)
}

// key is the number that KEY distributes rows by.
func key(r *row.Reader, columns []int, values []value) uint32 {
	h := newHasher()
	for i, at := range columns {
		if v, ok := r.Value(at); ok {
			values[i](&h, v)
		} else {
			h.null()
		}
	}
	return uint32(h.a)
}

// bucket is the place among n that a number means.
func bucket(v int64, n int, linear bool) int {
	if linear {
		mask := int64(1)<<bits.Len(uint(n-1)) - 1
		if at := v & mask; at < int64(n) {
			return int(at)
		}
		return int(v & ((mask+1)>>1 - 1))
	}
	if v %= int64(n); v < 0 {
		v = -v
	}
	return int(v)
}
