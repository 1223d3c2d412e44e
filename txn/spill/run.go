package spill

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// run is a file of versions of keys, sorted by key; the versions of one key
// follow each other. It is written once, read by this process only, and
// never synced: nothing in it outlives the transaction.
//
//	block    4 bytes length, 4 bytes CRC32C, entries
//	entry    uvarint length of key, key, uvarint seq, 1 byte kind,
//	         uvarint length of value, value
//
// The first key of every block is kept in memory.
type run struct {
	fs     vfs.FS
	path   string
	file   vfs.File
	blocks []runBlock
}

type runBlock struct {
	first []byte
	off   int64
	size  int
}

// Version is one write of a key.
type Version struct {
	Key, Value []byte
	Seq        uint64 // in the order of writes, from 1
	Kind       Kind
}

// Kind says what a write does.
type Kind byte

// Kinds of writes.
const (
	Put Kind = iota
	Delete
	// Shadow is a key that did not change: it is found by reads, and not written.
	Shadow
)

const (
	runBlockBytes  = 32 << 10
	runHeaderBytes = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errRunCorrupt: the disk gave back other bytes than it was given.
var errRunCorrupt = errors.New("damaged")

// writeRun writes the versions that next returns, in key order, until it
// returns false. After an error there is no file.
func writeRun(fs vfs.FS, path string, next func() (*Version, bool)) (_ *run, err error) {
	f, err := fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	r := &run{fs: fs, path: path, file: f}
	defer func() {
		if err != nil {
			r.remove()
		}
	}()
	buf := make([]byte, runHeaderBytes, runBlockBytes+runHeaderBytes)
	var first []byte
	var off int64
	flush := func() error {
		binary.LittleEndian.PutUint32(buf, uint32(len(buf)-runHeaderBytes))
		binary.LittleEndian.PutUint32(buf[4:], crc32.Checksum(buf[runHeaderBytes:], castagnoli))
		if _, err := f.WriteAt(buf, off); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		r.blocks = append(r.blocks, runBlock{first: first, off: off, size: len(buf)})
		off += int64(len(buf))
		buf, first = buf[:runHeaderBytes], nil
		return nil
	}
	for v, ok := next(); ok; v, ok = next() {
		if len(buf) >= runBlockBytes {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		if first == nil {
			first = bytes.Clone(v.Key)
		}
		buf = appendVersion(buf, v)
	}
	if len(buf) > runHeaderBytes {
		if err := flush(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func appendVersion(dst []byte, v *Version) []byte {
	dst = append(binary.AppendUvarint(dst, uint64(len(v.Key))), v.Key...)
	dst = append(binary.AppendUvarint(dst, v.Seq), byte(v.Kind))
	return append(binary.AppendUvarint(dst, uint64(len(v.Value))), v.Value...)
}

// remove closes and removes the file. What cannot be removed now goes with its
// directory at the next start.
func (r *run) remove() {
	_ = r.file.Close()
	_ = r.fs.Remove(r.path)
}

// read decodes block i. The versions share buf's memory, which is returned for reuse.
func (r *run) read(i int, buf []byte, out []Version) ([]byte, []Version, error) {
	b := r.blocks[i]
	buf = slices.Grow(buf[:0], b.size)[:b.size]
	if _, err := r.file.ReadAt(buf, b.off); err != nil {
		return buf, nil, fmt.Errorf("read %s at %d: %w", r.path, b.off, err)
	}
	rest := buf[runHeaderBytes:]
	if int(binary.LittleEndian.Uint32(buf)) != len(rest) || binary.LittleEndian.Uint32(buf[4:]) != crc32.Checksum(rest, castagnoli) {
		return buf, nil, fmt.Errorf("read %s at %d: block is %w", r.path, b.off, errRunCorrupt)
	}
	out = out[:0]
	for len(rest) > 0 {
		var v Version
		v.Key, rest = takeBytes(rest)
		var n int
		v.Seq, n = binary.Uvarint(rest)
		v.Kind = Kind(rest[n])
		v.Value, rest = takeBytes(rest[n+1:])
		out = append(out, v)
	}
	return buf, out, nil
}

// takeBytes splits off what a uvarint length precedes. The block's checksum was right.
func takeBytes(b []byte) (head, rest []byte) {
	size, n := binary.Uvarint(b)
	return b[n : n+int(size) : n+int(size)], b[n+int(size):]
}

// find is the block in which the versions of key begin, if there are any.
func (r *run) find(key []byte) int {
	i := sort.Search(len(r.blocks), func(i int) bool { return bytes.Compare(r.blocks[i].first, key) >= 0 })
	return max(i-1, 0)
}

// runIter walks a run from lower on, or backwards from upper (nil: the end).
// Each walk has an iterator of its own.
type runIter struct {
	r        *run
	reverse  bool
	block    int
	i        int // in versions
	buf      []byte
	versions []Version
	err      error
}

func (it *runIter) seek(lower, upper []byte, reverse bool) {
	it.reverse, it.versions, it.err = reverse, it.versions[:0], nil
	n := len(it.r.blocks)
	switch {
	case n == 0:
		return
	case !reverse:
		it.load(it.r.find(lower))
		for it.valid() && bytes.Compare(it.at().Key, lower) < 0 {
			it.next()
		}
	default:
		last := n - 1
		if upper != nil {
			last = max(sort.Search(n, func(i int) bool { return bytes.Compare(it.r.blocks[i].first, upper) >= 0 })-1, 0)
		}
		it.load(last)
		it.i = len(it.versions) - 1
		for it.valid() && upper != nil && bytes.Compare(it.at().Key, upper) >= 0 {
			it.next()
		}
	}
}

func (it *runIter) load(block int) {
	it.block, it.i = block, 0
	it.buf, it.versions, it.err = it.r.read(block, it.buf, it.versions)
}

func (it *runIter) valid() bool { return it.err == nil && it.i >= 0 && it.i < len(it.versions) }

// at is the current version; its bytes are valid until next.
func (it *runIter) at() *Version { return &it.versions[it.i] }

func (it *runIter) next() {
	if it.reverse {
		if it.i--; it.i < 0 && it.block > 0 {
			it.load(it.block - 1)
			it.i = len(it.versions) - 1
		}
		return
	}
	if it.i++; it.i >= len(it.versions) && it.block+1 < len(it.r.blocks) {
		it.load(it.block + 1)
	}
}

func (it *runIter) failed() error { return it.err }
