package spill

import (
	"fmt"
	"hash/maphash"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Space is where the write sets of large transactions lie. It is safe for concurrent use.
type Space struct {
	fs    vfs.FS
	dir   string
	limit atomic.Int64 // bytes of one write set in memory
	seed  maphash.Seed
	names atomic.Uint64
}

// NewSpace makes a space in a directory that holds nothing which outlives the process; whoever
// opens it empties it. It has no limit yet: see SetLimit.
func NewSpace(fs vfs.FS, dir string) *Space {
	return &Space{fs: fs, dir: dir, seed: maphash.MakeSeed()}
}

// SetLimit says how many bytes of one write set may be in memory.
func (s *Space) SetLimit(n int64) { s.limit.Store(n) }

// Limit is how many bytes of one write set may be in memory.
func (s *Space) Limit() int64 { return s.limit.Load() }

// Dir is the directory.
func (s *Space) Dir() string { return s.dir }

func (s *Space) name(what string) string {
	return s.fs.PathJoin(s.dir, fmt.Sprintf("%s-%06d", what, s.names.Add(1)))
}
