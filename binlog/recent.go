package binlog

import (
	"io"
	"sync"
	"sync/atomic"
)

// recent holds the last bytes of the live segment that were written past the page cache. A replica is sent a group as soon as it is durable: without
// these its reader would have to fetch from the device what was written there a moment ago, which takes as long as the write did.
//
// What it holds never changes in the file: a segment only grows. Its zero value is ready for use.
type recent struct {
	readers atomic.Int64 // open readers: without one nothing is kept

	mu  sync.RWMutex
	seg *segment // whose bytes these are; another one may have the same number after a reset
	// The bytes from offset from up to to; that at offset n is ring[n%recentSize].
	from, to uint64
	ring     []byte
}

// recentSize is how many bytes are kept: enough for the groups of a few writes of many clients.
const recentSize = 512 << 10

// keep takes what is being written to seg at offset at. Readers are shown it by their limits, not from here.
func (r *recent) keep(seg *segment, at uint64, b []byte) {
	if r.readers.Load() == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ring == nil {
		r.ring = make([]byte, recentSize)
	}
	if r.seg != seg || r.to != at { // between them something went through the page cache
		r.seg, r.from, r.to = seg, at, at
	}
	if over := len(b) - recentSize; over > 0 {
		r.from, r.to, b = r.to+uint64(over), r.to+uint64(over), b[over:]
	}
	n := copy(r.ring[r.to%recentSize:], b)
	copy(r.ring, b[n:])
	r.to += uint64(len(b))
	if r.to-r.from > recentSize {
		r.from = r.to - recentSize
	}
}

// read copies what is there of seg from offset off on, and returns how much that is.
func (r *recent) read(seg *segment, p []byte, off uint64) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.seg != seg || off < r.from || off >= r.to {
		return 0
	}
	p = p[:min(uint64(len(p)), r.to-off)]
	n := copy(p, r.ring[off%recentSize:])
	copy(p[n:], r.ring)
	return len(p)
}

// recentFile reads a segment: from memory what was written last, everything else from the file.
type recentFile struct {
	*recent
	seg *segment
	f   io.ReaderAt
}

// ReadAt implements io.ReaderAt.
func (r recentFile) ReadAt(p []byte, off int64) (int, error) {
	n := r.read(r.seg, p, uint64(off))
	if n == len(p) {
		return n, nil
	}
	more, err := r.f.ReadAt(p[n:], off+int64(n))
	return n + more, err
}
