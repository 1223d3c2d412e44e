package replay

import (
	"fmt"
	"math"
	"runtime"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/row"
)

// Changes of rows whose images are full say by themselves which keys change. So several goroutines make keys of them at once: each takes
// a stretch of the log, and what they make goes into the engine's batch in the order of the log. (A split by key would give the same,
// and be no simpler: an entry of a unique index goes from one row to another, so that what a row changes has several owners.)
//
// Where a change depends on what the log has left before it, because its images are partial or the catalog changes, one
// goroutine does the rest of the batch (oneByOne).

// stretchesPerBatch is how many stretches a batch has at least, stretchBytesMax how large they are at most.
const (
	stretchesPerBatch = 8
	stretchBytesMax   = 128 << 10
)

// stretch is a number of row changes, one after the other in the log.
type stretch struct {
	changes []placedChange
	images  []byte // of the changes
	size    int    // about how much it adds to a batch

	// What is made of them:
	keys     []keyChange
	counters map[uint32]uint64 // what auto-increment counters are at least, by table id
	err      error
	made     chan struct{} // capacity 1: somebody has made it
}

type placedChange struct {
	rowChange
	at logpos.Pos // of its event
}

type keyChange struct{ key, value []byte }

func newStretch() *stretch {
	return &stretch{counters: map[uint32]uint64{}, made: make(chan struct{}, 1)}
}

// reset makes a stretch empty, whose memory is used again.
func (s *stretch) reset() {
	clear(s.changes)
	clear(s.keys)
	clear(s.counters)
	s.changes, s.images, s.keys, s.size, s.err = s.changes[:0], s.images[:0], s.keys[:0], 0, nil
}

// keyBytes is about what a change of one key adds to a batch beside the values of the columns.
const keyBytes = 32

// add appends a change of which nothing but itself has to be known.
func (s *stretch) add(c *rowChange, at logpos.Pos) {
	own := placedChange{rowChange: *c, at: at}
	before := len(s.images)
	for _, b := range []*[]byte{&own.before.bytes, &own.before.columns, &own.after.bytes, &own.after.columns, &own.key} {
		if *b != nil {
			s.images = append(s.images, *b...)
			*b = s.images[len(s.images)-len(*b) : len(s.images) : len(s.images)]
		}
	}
	s.changes = append(s.changes, own)
	s.size += len(s.images) - before + keyBytes*(1+len(c.table.Indexes))
}

// make makes keys of the changes.
func (s *stretch) make() {
	for i := range s.changes {
		c := &s.changes[i]
		if err := s.change(&c.rowChange); err != nil {
			s.err = fmt.Errorf("event at %s: %w", c.at, misfit(err))
			break
		}
	}
	s.made <- struct{}{}
}

func (s *stretch) change(c *rowChange) error {
	after := c.after.bytes
	if c.kind == insertion {
		var err error
		if after, err = inserted(c); err != nil {
			return err
		}
	}
	next, err := counterAfter(c.table, c.before.bytes, after)
	if err != nil {
		return err
	}
	if next > 0 {
		s.counters[c.table.ID()] = max(s.counters[c.table.ID()], next)
	}
	return c.table.Mutations(c.before.bytes, after, c.key, func(key, value []byte) error {
		s.keys = append(s.keys, keyChange{key, value})
		return nil
	})
}

// complete reports whether a change can be made without a look at what is there.
func (c *rowChange) complete() bool {
	columns := len(c.table.Columns)
	return c.kind == insertion || c.before.full(columns) && (c.kind == deletion || c.after.full(columns))
}

// inserted is the full image of a row that was inserted; columns that are not in the log are NULL.
func inserted(c *rowChange) ([]byte, error) {
	columns := len(c.table.Columns)
	if c.after.full(columns) {
		return c.after.bytes, nil
	}
	return row.Merge(nil, c.table.Columns, nullImage(columns), c.after.bytes, c.after.columns)
}

// counterAfter is what the auto-increment counter of a table is at least after a row was inserted, or was given another value; 0 if that says
// nothing of it. before and after are full images; before is nil of an insertion, after of a deletion.
func counterAfter(t *catalog.Table, before, after []byte) (uint64, error) {
	if t.AutoIncrement < 0 || after == nil {
		return 0, nil
	}
	value, err := t.AutoIncrementValue(after)
	if err != nil {
		return 0, err
	}
	if before != nil {
		if was, err := t.AutoIncrementValue(before); err != nil || was == value {
			return 0, err
		}
	}
	return min(value, math.MaxUint64-1) + 1, nil
}

// makers are the goroutines that make stretches, as many as there are processors; they begin with the first one.
type makers struct {
	work  chan *stretch
	spare []*stretch // to be used again
}

// empty is a stretch to be filled.
func (m *makers) empty() *stretch {
	if n := len(m.spare); n > 0 {
		s := m.spare[n-1]
		m.spare = m.spare[:n-1]
		return s
	}
	return newStretch()
}

func (m *makers) make(s *stretch) {
	if m.work == nil {
		m.work = make(chan *stretch)
		for range runtime.GOMAXPROCS(0) {
			go func(work <-chan *stretch) {
				for s := range work {
					s.make()
				}
			}(m.work)
		}
	}
	m.work <- s
}

// end ends the goroutines. They are done with what they were given, or nobody waits for it.
func (m *makers) end() {
	if m.work != nil {
		close(m.work)
		m.work = nil
	}
}
