package crashfs

import (
	"maps"
	"os"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Sizes in bytes of what a disk writes as a whole, most of the time and always.
const (
	blockSize  = 4096
	sectorSize = 512
)

// versionsMax is how many unsynced contents of a block are remembered, besides the durable and the current one.
const versionsMax = 3

// node is a file or a directory. FS.mu guards it.
type node struct {
	// Of a file. data is what readers see.
	data        []byte
	durableSize int
	// dirty has, of every block that was written since the last sync, its contents
	// before: first the durable ones, then the latest. A short one ended with the file.
	dirty    map[int][][]byte
	modified time.Time

	// Of a directory: the entries, the durable ones, and what was done since they were.
	entries map[string]*node
	durable map[string]*node
	changes []entryChange
}

// entryChange is one change of a directory. A new name without an old one is a create or link, an old one
// without a new one is a remove, both are a rename.
type entryChange struct {
	from, to string
	n        *node
}

func newDir() *node {
	return &node{entries: map[string]*node{}, durable: map[string]*node{}}
}

func (n *node) isDir() bool { return n.entries != nil }

func (n *node) add(name string, child *node) {
	n.entries[name] = child
	n.changes = append(n.changes, entryChange{to: name, n: child})
}

func (n *node) remove(name string) {
	n.changes = append(n.changes, entryChange{from: name, n: n.entries[name]})
	delete(n.entries, name)
}

func (n *node) rename(from, to string) {
	child := n.entries[from]
	n.changes = append(n.changes, entryChange{from: from, to: to, n: child})
	delete(n.entries, from)
	n.entries[to] = child
}

// sync makes everything durable.
func (n *node) sync() {
	if n.isDir() {
		n.durable = maps.Clone(n.entries)
		n.changes = nil
		return
	}
	n.durableSize = len(n.data)
	clear(n.dirty)
}

// block is the current contents of a block, as far as the file reaches.
func (n *node) block(b int) []byte {
	from := b * blockSize
	if from >= len(n.data) {
		return nil
	}
	return n.data[from:min(from+blockSize, len(n.data))]
}

// touch remembers the contents of the blocks of a range that is about to change.
func (n *node) touch(from, to int) {
	if to <= from {
		return
	}
	if n.dirty == nil {
		n.dirty = map[int][][]byte{}
	}
	for b := from / blockSize; b <= (to-1)/blockSize; b++ {
		versions := n.dirty[b]
		if len(versions) > versionsMax {
			versions = append(versions[:1], versions[2:]...) // the durable one stays
		}
		n.dirty[b] = append(versions, append([]byte(nil), n.block(b)...))
	}
}

func (n *node) write(p []byte, off int) {
	end := off + len(p)
	// A write after the end also fills the gap with zeros.
	n.touch(min(off, len(n.data)), end)
	n.resize(max(end, len(n.data)))
	copy(n.data[off:], p)
	n.modified = time.Now()
}

func (n *node) truncate(size int) {
	n.touch(min(size, len(n.data)), max(size, len(n.data)))
	n.resize(size)
	n.modified = time.Now()
}

// resize makes data size bytes long; what is new is zero.
func (n *node) resize(size int) {
	switch old := len(n.data); {
	case size <= old:
		n.data = n.data[:size]
	case size <= cap(n.data):
		n.data = n.data[:size]
		clear(n.data[old:])
	default:
		grown := make([]byte, size, max(size, 2*old))
		copy(grown, n.data)
		n.data = grown
	}
}

type info struct {
	name     string
	size     int64
	dir      bool
	modified time.Time
}

func (n *node) info(name string) info {
	return info{name, int64(len(n.data)), n.isDir(), n.modified}
}

func (i info) Name() string { return i.name }
func (i info) Size() int64  { return i.size }
func (i info) Mode() os.FileMode {
	if i.dir {
		return os.ModeDir | 0o755
	}
	return 0o644
}
func (i info) ModTime() time.Time     { return i.modified }
func (i info) IsDir() bool            { return i.dir }
func (i info) Sys() any               { return nil }
func (i info) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }
