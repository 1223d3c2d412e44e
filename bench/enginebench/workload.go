package enginebench

import (
	"encoding/binary"
	"math/rand/v2"
)

// table makes keys and rows.
type table struct {
	keyBytes, rowBytes int
	rnd                *rand.Rand
	keyBuf             []byte
	contents           [][]byte // made beforehand: that would be a part of what is measured
}

// contentsBytes is about how much contents there are to choose from.
const contentsBytes = 1 << 20

func newTable(o *Options, seed uint64) *table {
	t := &table{
		keyBytes: o.KeyBytes, rowBytes: o.RowBytes, rnd: rand.New(rand.NewPCG(seed, 1)),
		keyBuf: make([]byte, o.KeyBytes), contents: make([][]byte, max(contentsBytes/o.RowBytes, 2)),
	}
	for i := range t.contents {
		t.contents[i] = make([]byte, o.RowBytes)
		digits(t.contents[i], t.rnd)
	}
	binary.BigEndian.PutUint32(t.keyBuf, 1) // as the catalog numbers tables and indexes
	return t
}

// key is the key of a row. It is valid until the next call.
func (t *table) key(row int) []byte {
	binary.BigEndian.PutUint64(t.keyBuf[8:], uint64(row))
	return t.keyBuf
}

// row is new contents of a row, one of those that there are. It must not be changed.
func (t *table) row() []byte { return t.contents[t.rnd.IntN(len(t.contents))] }

// digits fills a row with digits in groups, as sysbench has them.
func digits(row []byte, rnd *rand.Rand) {
	for at := 0; at < len(row); {
		bits := rnd.Uint64()
		for range 12 {
			if at == len(row) {
				break
			}
			if at%12 == 11 {
				row[at] = '-'
			} else {
				row[at] = '0' + byte(bits%10)
				bits /= 10
			}
			at++
		}
	}
}

func (t *table) bytes() int { return t.keyBytes + t.rowBytes }
