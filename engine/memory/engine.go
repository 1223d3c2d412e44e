package memory

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/cowtree"
)

const name = "MEMORY"

var _ engine.Engine = (*Engine)(nil)

// Engine is an engine.Engine without files.
type Engine struct {
	// now is the newest version; nil when the engine is closed. It changes under mu, and is read without.
	now atomic.Pointer[version]

	mu struct {
		sync.Mutex
		gen  uint64 // of the last tree
		last engine.Mark
	}
}

// version is what the engine holds at one moment. It is never changed, and freed when nobody has it any more.
type version struct {
	tree cowtree.Tree
	mark engine.Mark
}

// Name is MariaDB's.
func (*Engine) Name() string { return name }

// Capabilities are imports and resets; there is no disk to be pressed by, and tables have to be bounded.
func (e *Engine) Capabilities() engine.Capabilities {
	return engine.Capabilities{Importer: e, MarkResetter: e, InMemory: true}
}

// Apply puts the next version in the place of the newest; whoever reads that one goes on reading it.
func (e *Engine) Apply(b engine.Batch, m engine.Mark) error {
	return e.change(b.(*batch), func(now engine.Mark) (engine.Mark, error) {
		if m.Position.Before(now.Position) {
			return m, fmt.Errorf("memory: apply at %s after %s", m.Position, now.Position)
		}
		return m, nil
	})
}

// Ingest is Apply with the mark that there is.
func (e *Engine) Ingest(b engine.Batch) error {
	return e.change(b.(*batch), func(now engine.Mark) (engine.Mark, error) { return now, nil })
}

// ResetMark replaces the mark, wherever it was.
func (e *Engine) ResetMark(m engine.Mark) error {
	return e.change(&batch{}, func(engine.Mark) (engine.Mark, error) { return m, nil })
}

func (e *Engine) change(b *batch, mark func(now engine.Mark) (engine.Mark, error)) error {
	defer b.Discard()
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now.Load()
	if now == nil {
		return engine.ErrClosed
	}
	m, err := mark(now.mark)
	if err != nil {
		return err
	}
	e.mu.gen++
	e.mu.last = m
	next := &version{tree: now.tree.Clone(e.mu.gen), mark: m}
	for _, c := range b.All() {
		switch {
		case c.Upper != nil:
			next.tree.Cut(c.Item.Key(), c.Upper, func(cowtree.Item) {})
		case c.Item.Deleted():
			next.tree.Delete(c.Item.Key())
		default:
			next.tree.Set(c.Item)
		}
	}
	e.now.Store(next)
	return nil
}

// Checkpoint has nothing to do.
func (e *Engine) Checkpoint() (engine.Mark, error) {
	now := e.now.Load()
	if now == nil {
		return engine.Mark{}, engine.ErrClosed
	}
	return now.mark, nil
}

// Applied is the mark of the last Apply.
func (e *Engine) Applied() engine.Mark {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.last
}

// Durable is Applied: a restart needs nothing of the log.
func (e *Engine) Durable() engine.Mark { return e.Applied() }

// Size is exact.
func (e *Engine) Size(lower, upper []byte) (uint64, error) {
	now := e.now.Load()
	if now == nil {
		return 0, engine.ErrClosed
	}
	return uint64(now.tree.Bytes(lower, upper)), nil
}

// Stats are zero: it has no files, and nothing waits for a checkpoint. How much memory the tables take is Size.
func (*Engine) Stats() engine.Stats { return engine.Stats{} }

// Close forgets everything but the mark. What is open already can still be read.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.now.Store(nil)
	return nil
}
