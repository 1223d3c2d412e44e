package sorted

import (
	"fmt"
	"sync"

	"github.com/duramendb/duramen/engine"
)

// Contents are what an engine holds: a Map with its mark, replaced by each Apply. They have the methods of engine.Engine
// that have nothing to do with durability; an engine embeds them.
type Contents struct {
	mu struct {
		sync.Mutex
		now    Map
		mark   engine.Mark
		bytes  uint64 // of all batches
		closed bool
	}
}

// NewContents is what an engine has found when it was opened.
func NewContents(m Map, mark engine.Mark) *Contents {
	c := &Contents{}
	c.mu.now, c.mu.mark = m, mark
	return c
}

// Current is the state after the last Apply.
func (c *Contents) Current() (Map, engine.Mark, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.closed {
		return c.mu.now, c.mu.mark, engine.ErrClosed
	}
	return c.mu.now, c.mu.mark, nil
}

// NewBatch returns an empty Batch.
func (c *Contents) NewBatch() engine.Batch { return &Batch{} }

// Apply puts the next Map in the place of the current one; whoever reads that one goes on reading it.
func (c *Contents) Apply(b engine.Batch, m engine.Mark) error {
	return c.change(b, func(now engine.Mark) (engine.Mark, error) {
		if m.Position.Before(now.Position) {
			return m, fmt.Errorf("apply at %s after %s", m.Position, now.Position)
		}
		return m, nil
	})
}

// Ingest is Apply with the mark that there is.
func (c *Contents) Ingest(b engine.Batch) error {
	return c.change(b, func(now engine.Mark) (engine.Mark, error) { return now, nil })
}

// ResetMark replaces the mark, wherever it was.
func (c *Contents) ResetMark(m engine.Mark) error {
	return c.change(&Batch{}, func(engine.Mark) (engine.Mark, error) { return m, nil })
}

func (c *Contents) change(b engine.Batch, next func(engine.Mark) (engine.Mark, error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.closed {
		return engine.ErrClosed
	}
	mark, err := next(c.mu.mark)
	if err != nil {
		return err
	}
	c.mu.now, c.mu.mark = c.mu.now.With(b.(*Batch)), mark
	c.mu.bytes += uint64(b.Len())
	return nil
}

// Bytes is how much was changed since NewContents: the sum of what batches held. Of closed Contents, ok is false.
func (c *Contents) Bytes() (n uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.bytes, !c.mu.closed
}

// Size is about what the keys and values of the current Map take.
func (c *Contents) Size(lower, upper []byte) (uint64, error) {
	m, _, err := c.Current()
	if err != nil {
		return 0, err
	}
	return m.Size(lower, upper), nil
}

// Snapshot is the current Map.
func (c *Contents) Snapshot() engine.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.closed {
		return engine.ClosedSnapshot{}
	}
	return c.mu.now
}

// Get reads the current Map.
func (c *Contents) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	m, _, err := c.Current()
	if err != nil {
		return nil, false, nil, err
	}
	return m.Get(key)
}

// NewIter iterates over the current Map.
func (c *Contents) NewIter(lower, upper []byte) (engine.Iterator, error) {
	m, _, err := c.Current()
	if err != nil {
		return nil, err
	}
	return m.NewIter(lower, upper)
}

// Applied is the current mark.
func (c *Contents) Applied() engine.Mark {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.mark
}

// Close lets everything fail but Applied and what is open already.
func (c *Contents) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.closed = true
	return nil
}
