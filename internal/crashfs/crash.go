package crashfs

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Loss says how much of what was not synced a crash takes.
type Loss struct {
	// KeptPercent is the probability with which an unsynced block, or change of a directory, is kept.
	KeptPercent int
	// TornPercent is the probability with which an unsynced block is torn.
	TornPercent int
	// InOrder keeps the changes of a directory up to one of them, instead of any of them.
	InOrder bool
	// Grown gives files the sizes they had, though the blocks at their ends were lost.
	Grown bool
}

// RandomLoss draws one.
func RandomLoss(rng *rand.Rand) Loss {
	return Loss{
		KeptPercent: []int{0, 20, 50, 80, 100}[rng.IntN(5)],
		TornPercent: []int{0, 0, 20, 60}[rng.IntN(4)],
		InOrder:     rng.IntN(3) == 0,
		Grown:       rng.IntN(3) == 0,
	}
}

// KeepAll keeps everything, as when a process dies and the machine goes on.
var KeepAll = Loss{KeptPercent: 100, InOrder: true, Grown: true}

// Crash is the file system that is found after a crash at this moment: everything in it is durable. fs goes on unchanged.
func (fs *FS) Crash(loss Loss, rng *rand.Rand) *FS {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	c := crash{loss: loss, rng: rng, copies: map[*node]*node{}}
	next := New()
	next.cut = fs.cut
	next.root = c.copy(fs.root)
	return next
}

type crash struct {
	loss   Loss
	rng    *rand.Rand
	copies map[*node]*node // a file may have several names
}

func (c *crash) kept() bool { return c.rng.IntN(100) < c.loss.KeptPercent }
func (c *crash) torn() bool { return c.loss.TornPercent > 0 && c.rng.IntN(100) < c.loss.TornPercent }

func (c *crash) copy(n *node) *node {
	if done := c.copies[n]; done != nil {
		return done
	}
	next := &node{modified: n.modified}
	c.copies[n] = next
	if !n.isDir() {
		next.data = c.contents(n)
		next.durableSize = len(next.data)
		return next
	}
	kept := c.entries(n)
	next.entries = make(map[string]*node, len(kept))
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		next.entries[name] = c.copy(kept[name])
	}
	next.durable = maps.Clone(next.entries)
	return next
}

// entries chooses what a directory holds.
func (c *crash) entries(n *node) map[string]*node {
	kept := maps.Clone(n.durable)
	changes := n.changes
	if c.loss.InOrder && len(changes) > 0 {
		if c.loss.KeptPercent < 100 {
			changes = changes[:c.rng.IntN(len(changes)+1)]
		}
		for _, e := range changes {
			e.apply(kept, false)
		}
		return kept
	}
	for _, e := range changes {
		if c.kept() {
			both := e.from != "" && e.to != "" && c.loss.KeptPercent < 100 && c.rng.IntN(4) == 0
			e.apply(kept, both)
		}
	}
	return kept
}

// apply does the change; of a rename both names stay if both says so.
func (e entryChange) apply(entries map[string]*node, both bool) {
	if e.from != "" && !both && entries[e.from] == e.n {
		delete(entries, e.from)
	}
	if e.to != "" {
		entries[e.to] = e.n
	}
}

// contents chooses what a file holds.
func (c *crash) contents(n *node) []byte {
	size := len(n.data)
	chosen := make(map[int][]byte, len(n.dirty))
	last := min(n.durableSize, size)
	for _, b := range slices.Sorted(maps.Keys(n.dirty)) {
		content := c.block(n, b)
		chosen[b] = content
		last = max(last, b*blockSize+len(content))
	}
	switch {
	case size >= n.durableSize && !c.loss.Grown:
		size = last
	case size < n.durableSize && !c.kept():
		size = n.durableSize
	}
	data := make([]byte, size)
	copy(data, n.data)
	for b, content := range chosen {
		from := b * blockSize
		if from >= size {
			continue
		}
		block := data[from:min(from+blockSize, size)]
		clear(block[copy(block, content):])
	}
	return data
}

// block chooses the contents of a dirty block.
func (c *crash) block(n *node, b int) []byte {
	versions := append(slices.Clip(n.dirty[b]), n.block(b))
	newest := len(versions) - 1
	pick := func() []byte {
		if c.kept() {
			return versions[newest]
		}
		// The durable contents, most of the time, or what was there in between.
		if newest > 1 && c.loss.KeptPercent > 0 && c.rng.IntN(3) == 0 {
			return versions[1+c.rng.IntN(newest-1)]
		}
		return versions[0]
	}
	if !c.torn() {
		return pick()
	}
	older, newer := versions[c.rng.IntN(newest+1)], versions[newest]
	var whole [blockSize]byte
	length := max(len(older), len(newer))
	copy(whole[:], older)
	switch c.rng.IntN(3) {
	case 0: // sector by sector
		for at := 0; at < len(newer); at += sectorSize {
			if c.rng.IntN(2) == 0 {
				copy(whole[at:min(at+sectorSize, len(newer))], newer[at:])
			}
		}
	case 1: // up to any byte
		copy(whole[:c.rng.IntN(length+1)], newer)
	default: // from any byte on
		if at := c.rng.IntN(length + 1); at < len(newer) {
			copy(whole[at:], newer[at:])
		}
	}
	return whole[:length]
}

// Hash is a checksum of all names and contents. skip names files whose contents do not count; nil: all count.
func (fs *FS) Hash(skip func(name string) bool) uint64 {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	h := fnv.New64a()
	var number [8]byte
	var walk func(name string, n *node)
	walk = func(name string, n *node) {
		_, _ = io.WriteString(h, name)
		binary.LittleEndian.PutUint64(number[:], uint64(len(n.data)))
		_, _ = h.Write(number[:])
		if skip == nil || !skip(name) {
			_, _ = h.Write(n.data)
		}
		for _, child := range n.names() {
			walk(path.Join(name, child), n.entries[child])
		}
	}
	walk("/", fs.root)
	return h.Sum64()
}

// Save copies everything below root to a directory of the real file system, to be looked at with
// ordinary tools and opened again.
func (fs *FS) Save(root, dir string) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n := fs.find(root)
	if n == nil {
		return os.MkdirAll(dir, 0o755)
	}
	return n.save(dir)
}

func (n *node) save(to string) error {
	if !n.isDir() {
		return os.WriteFile(to, n.data, 0o644)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, name := range n.names() {
		if err := n.entries[name].save(filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}
