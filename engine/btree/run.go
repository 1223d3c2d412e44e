package btree

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sort"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A run is a file of changes in key order:
//
//	blocks   of entries, some 64 KiB: uvarint length of the key | uvarint 1 + length of the value, 0: deleted | key | value
//	index    uvarint n | n times: uvarint length of the block | first key
//	         uvarint n | n times: lower | upper, ranges that have all keys between them
//	footer   8 bytes offset of the index | 8 bytes its length | "btreerun"
//
// Blocks and index end with a CRC-32C of what is before. Keys in the index have their length, as uvarint, in front. Numbers of
// fixed length are little endian.

const (
	runMagic  = "btreerun"
	runFooter = 8 + 8 + len(runMagic)
	// runPrefix is how many bytes two keys have in common that lie in one range of the index. Engines' keys begin
	// with table and index, 4 bytes each; that others may have them apart does no harm.
	runPrefix = 8
	// runCached is how many blocks of a run are kept in memory.
	runCached = 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendString(dst, s []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendSum(dst []byte, from int) []byte {
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[from:], castagnoli))
}

// runWriter writes a run.
type runWriter struct {
	f    vfs.File
	size int // of a block
	// written counts what is written.
	written *atomic.Uint64
	block   []byte
	first   []byte // key of the block
	index   []byte
	blocks  uint64
	offset  uint64
	last    []byte
	ranges  spans
}

// add takes keys in ascending order, each once.
func (w *runWriter) add(key, value []byte, deleted bool) error {
	if len(w.block) >= w.size {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(w.block) == 0 {
		w.first = append(w.first[:0], key...)
	}
	w.block = binary.AppendUvarint(w.block, uint64(len(key)))
	if deleted {
		w.block = binary.AppendUvarint(w.block, 0)
	} else {
		w.block = binary.AppendUvarint(w.block, 1+uint64(len(value)))
	}
	w.block = append(append(w.block, key...), value...)
	if n := len(w.ranges); n == 0 || !samePrefix(w.last, key) {
		w.endRange()
		w.ranges = append(w.ranges, span{lower: bytes.Clone(key)})
	}
	w.last = append(w.last[:0], key...)
	return nil
}

func samePrefix(a, b []byte) bool {
	return len(a) >= runPrefix && len(b) >= runPrefix && string(a[:runPrefix]) == string(b[:runPrefix])
}

// endRange ends the last range after the last key.
func (w *runWriter) endRange() {
	if n := len(w.ranges); n > 0 {
		w.ranges[n-1].upper = append(bytes.Clone(w.last), 0)
	}
}

func (w *runWriter) flush() error {
	w.block = appendSum(w.block, 0)
	w.index = appendString(binary.AppendUvarint(w.index, uint64(len(w.block))), w.first)
	w.blocks++
	return w.write()
}

func (w *runWriter) write() error {
	if _, err := w.f.Write(w.block); err != nil {
		return err
	}
	w.offset += uint64(len(w.block))
	w.written.Add(uint64(len(w.block)))
	w.block = w.block[:0]
	return nil
}

// finish makes the run durable.
func (w *runWriter) finish() error {
	if len(w.block) > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.endRange()
	at := w.offset
	w.block = append(binary.AppendUvarint(w.block, w.blocks), w.index...)
	w.block = binary.AppendUvarint(w.block, uint64(len(w.ranges)))
	for _, r := range w.ranges {
		w.block = appendString(appendString(w.block, r.lower), r.upper)
	}
	w.block = appendSum(w.block, 0)
	n := len(w.block)
	w.block = binary.LittleEndian.AppendUint64(w.block, at)
	w.block = binary.LittleEndian.AppendUint64(w.block, uint64(n))
	w.block = append(w.block, runMagic...)
	if err := w.write(); err != nil {
		return err
	}
	return w.f.Sync()
}

// run is a run that is read, by many at once.
type run struct {
	f      vfs.File
	name   string // in the engine's directory
	bytes  int64
	blocks []runBlock
	ranges spans
	cache  [runCached]atomic.Pointer[cachedBlock]
	// refs is how many bases, versions' layers apart, may be read together with it.
	refs atomic.Int64
}

type runBlock struct {
	offset, length uint64
	first          []byte
}

type cachedBlock struct {
	n       int
	entries []runEntry
}

type runEntry struct {
	key, value []byte
	deleted    bool
}

func (r *run) release() {
	if r.refs.Add(-1) == 0 {
		_ = r.f.Close() // it was only read
	}
}

// openRun reads the index.
func openRun(fs vfs.FS, path string) (r *run, err error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	r = &run{f: f, name: fs.PathBase(path)}
	if err := r.readIndex(); err != nil {
		if errors.Is(err, io.EOF) {
			err = errRun
		}
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), f.Close())
	}
	return r, nil
}

var errRun = fmt.Errorf("%w: not as it was written", ErrCorrupt)

func (r *run) readIndex() error {
	info, err := r.f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	r.bytes = size
	footer := make([]byte, runFooter)
	if size < int64(runFooter) {
		return errRun
	}
	if _, err := r.f.ReadAt(footer, size-int64(runFooter)); err != nil {
		return err
	}
	at, length := binary.LittleEndian.Uint64(footer), binary.LittleEndian.Uint64(footer[8:])
	if string(footer[16:]) != runMagic || length > uint64(size) || at != uint64(size)-uint64(runFooter)-length {
		return errRun
	}
	b, err := r.read(at, length)
	if err != nil {
		return err
	}
	d := decoder{b: b}
	offset := uint64(0)
	for range d.number() {
		block := runBlock{offset: offset, length: d.number(), first: bytes.Clone(d.string())}
		offset += block.length
		if d.failed {
			return errRun
		}
		r.blocks = append(r.blocks, block)
	}
	for range d.number() {
		s := span{lower: bytes.Clone(d.string()), upper: bytes.Clone(d.string())}
		if d.failed {
			return errRun
		}
		r.ranges = append(r.ranges, s)
	}
	if d.failed || len(d.b) > 0 || offset != at {
		return errRun
	}
	return nil
}

// read reads and verifies a part.
func (r *run) read(at, length uint64) ([]byte, error) {
	if length < 4 {
		return nil, errRun
	}
	b := make([]byte, length)
	if _, err := r.f.ReadAt(b, int64(at)); errors.Is(err, io.EOF) {
		return nil, errRun
	} else if err != nil {
		return nil, err
	}
	sum := len(b) - 4
	if crc32.Checksum(b[:sum], castagnoli) != binary.LittleEndian.Uint32(b[sum:]) {
		return nil, errRun
	}
	return b[:sum], nil
}

// block reads a block, or has it in memory.
func (r *run) block(n int) (*cachedBlock, error) {
	slot := &r.cache[n%runCached]
	if c := slot.Load(); c != nil && c.n == n {
		return c, nil
	}
	b, err := r.read(r.blocks[n].offset, r.blocks[n].length)
	if err != nil {
		return nil, fmt.Errorf("btree: read %s: %w", r.name, err)
	}
	c := &cachedBlock{n: n}
	for d := (decoder{b: b}); len(d.b) > 0; {
		k, v := d.number(), d.number()
		e := runEntry{deleted: v == 0}
		e.key = d.bytes(k)
		if !e.deleted {
			e.value = d.bytes(v - 1)
		}
		if d.failed {
			return nil, fmt.Errorf("btree: read %s: %w", r.name, errRun)
		}
		c.entries = append(c.entries, e)
	}
	slot.Store(c)
	return c, nil
}

// find is the block that has a key, if one has, -1 if the key is before all.
func (r *run) find(key []byte) int {
	return sort.Search(len(r.blocks), func(i int) bool { return bytes.Compare(r.blocks[i].first, key) > 0 }) - 1
}

func (r *run) get(key []byte) (e runEntry, ok bool, err error) {
	n := r.find(key)
	if n < 0 || r.ranges.at(key) == nil {
		return e, false, nil
	}
	b, err := r.block(n)
	if err != nil {
		return e, false, err
	}
	i := b.find(key)
	if i == len(b.entries) || !bytes.Equal(b.entries[i].key, key) {
		return e, false, nil
	}
	return b.entries[i], true, nil
}

func (b *cachedBlock) find(key []byte) int {
	return sort.Search(len(b.entries), func(i int) bool { return bytes.Compare(b.entries[i].key, key) >= 0 })
}

// runIter walks over a run.
type runIter struct {
	r     *run
	block *cachedBlock // nil: at no entry
	i     int
	err   error
}

func (it *runIter) valid() bool      { return it.block != nil }
func (it *runIter) entry() *runEntry { return &it.block.entries[it.i] }

// enter goes into a block; i < 0 is its last entry.
func (it *runIter) enter(n, i int) {
	it.block = nil
	if n < 0 || n >= len(it.r.blocks) || it.err != nil {
		return
	}
	b, err := it.r.block(n)
	if err != nil {
		it.err = err
		return
	}
	if i < 0 {
		i = len(b.entries) - 1
	}
	it.block, it.i = b, i
}

func (it *runIter) seekGE(key []byte) {
	it.enter(max(it.r.find(key), 0), 0)
	if it.block == nil {
		return
	}
	if it.i = it.block.find(key); it.i == len(it.block.entries) {
		it.enter(it.block.n+1, 0)
	}
}

// seekLT goes to the last entry before key; nil is the end.
func (it *runIter) seekLT(key []byte) {
	if key == nil {
		it.enter(len(it.r.blocks)-1, -1)
		return
	}
	it.enter(it.r.find(key), 0)
	if it.block == nil {
		return
	}
	if it.i = it.block.find(key) - 1; it.i < 0 {
		it.enter(it.block.n-1, -1)
	}
}

func (it *runIter) next() {
	if it.i++; it.i == len(it.block.entries) {
		it.enter(it.block.n+1, 0)
	}
}

func (it *runIter) prev() {
	if it.i--; it.i < 0 {
		it.enter(it.block.n-1, -1)
	}
}

// decoder takes apart what was encoded. After a failure all it has is zeros.
type decoder struct {
	b      []byte
	failed bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.failed, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.failed, d.b = true, nil
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) string() []byte { return d.bytes(d.number()) }
