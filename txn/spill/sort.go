package spill

import (
	"bytes"
	"container/heap"
	"encoding/binary"
	"fmt"
	"slices"
)

// Sorter puts keys in order that come in none, as many as there are: those that do not fit into memory are sorted runs in files, which are
// merged at the end. It belongs to one goroutine; another one, which the Sorter starts and waits for, sorts and writes a run while the next one is
// gathered.
type Sorter struct {
	space  *Space
	memory int64 // bytes of what is gathered: half of all, as there is a run being written beside it
	// common is how many bytes all keys begin with that are mostly the same.
	common int
	// prefix is what the first key begins with; alone says that all others do, too.
	prefix   []byte
	alone    bool
	entries  []sortEntry
	versions []Version // where the versions of entries are
	chunk    []byte    // where keys and values are copied to
	bytes    int       // what entries and their bytes take
	seq      uint64
	runs     []*run
	writing  chan written // what becomes of the run that is being written; nil without one
}

// written is a run, or why there is none, and the memory of its entries.
type written struct {
	run     *run
	entries []sortEntry
	err     error
}

// sortEntry is a key in memory.
type sortEntry struct {
	head [2]uint64 // the first bytes of the key behind those that are common: most comparisons end with them
	*Version
}

const (
	sortChunkBytes = 256 << 10
	sortEntryBytes = 96 // about what an entry takes besides its bytes
)

// NewSorter makes an empty one, which has about so many bytes in memory. It must be let go of by Free. common is how many bytes all keys begin with that
// say little about their order.
func NewSorter(space *Space, memory int64, common int) *Sorter {
	return &Sorter{space: space, memory: memory / 2, common: common}
}

// Add adds a key with its value. Neither is kept. After an error, which may be one of what was added before, the Sorter is of no use any more.
func (s *Sorter) Add(key, value []byte) error {
	size := len(key) + len(value)
	if s.bytes > 0 && int64(s.bytes+size+sortEntryBytes) > s.memory {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if size > cap(s.chunk)-len(s.chunk) {
		s.chunk = make([]byte, 0, max(size, sortChunkBytes))
	}
	start := len(s.chunk)
	s.chunk = append(append(s.chunk, key...), value...)
	kept := s.chunk[start:len(s.chunk):len(s.chunk)]
	s.seq++
	s.bytes += size + sortEntryBytes
	if len(s.versions) == cap(s.versions) {
		s.versions = make([]Version, 0, sortVersions)
	}
	s.versions = append(s.versions, Version{Key: kept[:len(key):len(key)], Value: kept[len(key):], Seq: s.seq})
	s.entries = append(s.entries, sortEntry{s.head(key), &s.versions[len(s.versions)-1]})
	return nil
}

// sortVersions is how many versions are allocated together.
const sortVersions = 512

// head makes an entry's, and looks whether the key begins as all others do.
func (s *Sorter) head(key []byte) [2]uint64 {
	prefix := key[:min(s.common, len(key))]
	if s.seq == 1 {
		s.prefix, s.alone = bytes.Clone(prefix), true
	} else if s.alone {
		s.alone = bytes.Equal(prefix, s.prefix)
	}
	return headOf(key[len(prefix):])
}

// headOf is the first bytes of a key, with zeros for those that it does not have: keys with different heads are in the order of these.
func headOf(key []byte) [2]uint64 {
	if len(key) >= 16 {
		return [2]uint64{binary.BigEndian.Uint64(key), binary.BigEndian.Uint64(key[8:])}
	}
	var head [16]byte
	copy(head[:], key)
	return [2]uint64{binary.BigEndian.Uint64(head[:]), binary.BigEndian.Uint64(head[8:])}
}

func compareHeads(a, b [2]uint64) int {
	if a[0] < b[0] || a[0] == b[0] && a[1] < b[1] {
		return -1
	}
	return 1
}

// sortEntries sorts entries; alone says that all keys begin alike, so that their heads tell them apart.
func sortEntries(entries []sortEntry, alone bool) {
	slices.SortFunc(entries, func(a, b sortEntry) int {
		if alone && a.head != b.head {
			return compareHeads(a.head, b.head)
		}
		return compareVersions(a.Version, b.Version)
	})
}

// compareVersions orders by key, and versions of one key as they came.
func compareVersions(a, b *Version) int {
	if c := bytes.Compare(a.Key, b.Key); c != 0 {
		return c
	}
	if a.Seq < b.Seq {
		return -1
	}
	return 1
}

// spill has what is in memory moved into a file, when the run before it is there.
func (s *Sorter) spill() error {
	spare, err := s.await()
	if err != nil {
		return err
	}
	entries, alone, name := s.entries, s.alone, s.space.name("sort")
	done := make(chan written, 1)
	s.writing = done
	go func() {
		sortEntries(entries, alone)
		i := -1
		r, err := writeRun(s.space.fs, name, func() (*Version, bool) {
			if i++; i == len(entries) {
				return nil, false
			}
			return entries[i].Version, true
		})
		clear(entries)
		done <- written{r, entries[:0], err}
	}()
	s.entries, s.versions, s.chunk, s.bytes = spare, nil, nil, 0
	return nil
}

// await waits for the run that is being written, and returns memory for entries.
func (s *Sorter) await() (spare []sortEntry, err error) {
	if s.writing == nil {
		return nil, nil
	}
	w := <-s.writing
	s.writing = nil
	if w.err != nil {
		return nil, fmt.Errorf("move what is sorted to a file: %w", w.err)
	}
	s.runs = append(s.runs, w.run)
	return w.entries, nil
}

// Free lets go of everything. It may be called more than once.
func (s *Sorter) Free() {
	_, _ = s.await() // there is no file if that has failed
	for _, r := range s.runs {
		r.remove()
	}
	s.runs, s.entries, s.versions, s.chunk, s.bytes = nil, nil, nil, nil, 0
}

// Each calls a function with all that was added, in order of the keys, and those of equal keys as they came, until it has an error. The version and its
// bytes are valid during the call. Nothing is added after that.
func (s *Sorter) Each(do func(v *Version) error) error {
	sortEntries(s.entries, s.alone)
	if _, err := s.await(); err != nil {
		return err
	}
	m := &merge{}
	if len(s.entries) > 0 {
		m.parts = append(m.parts, &sortedEntries{entries: s.entries})
	}
	for _, r := range s.runs {
		it := &runIter{r: r}
		it.seek(nil, nil, false)
		if it.err != nil {
			return it.err
		}
		m.parts = append(m.parts, it)
	}
	heap.Init(m)
	for len(m.parts) > 0 {
		p := m.parts[0]
		if err := do(p.at()); err != nil {
			return err
		}
		p.next()
		switch {
		case p.failed() != nil:
			return p.failed()
		case !p.valid():
			heap.Pop(m)
		case len(m.parts) > 1:
			heap.Fix(m, 0)
		}
	}
	return nil
}

// sortedEntries walks what is in memory.
type sortedEntries struct {
	entries []sortEntry
	i       int
}

func (e *sortedEntries) seek(_, _ []byte, _ bool) {}
func (e *sortedEntries) valid() bool              { return e.i < len(e.entries) }
func (e *sortedEntries) at() *Version             { return e.entries[e.i].Version }
func (e *sortedEntries) next()                    { e.i++ }
func (e *sortedEntries) failed() error            { return nil }

// merge is a heap of sorted inputs by their next version. All of them have one.
type merge struct{ parts []versions }

func (m *merge) Len() int           { return len(m.parts) }
func (m *merge) Swap(i, j int)      { m.parts[i], m.parts[j] = m.parts[j], m.parts[i] }
func (m *merge) Less(i, j int) bool { return compareVersions(m.parts[i].at(), m.parts[j].at()) < 0 }
func (m *merge) Push(any)           {}

func (m *merge) Pop() any {
	last := len(m.parts) - 1
	p := m.parts[last]
	m.parts = m.parts[:last]
	return p
}
