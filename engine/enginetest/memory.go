package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// Disk is what a Memory's crash leaves. The zero value is empty.
type Disk struct{ state atomic.Pointer[state] }

// state is the contents of an engine at one moment. It is never changed.
type state struct {
	pairs []pair // in key order
	mark  engine.Mark
}

type pair struct{ key, value []byte }

func (d *Disk) load() *state {
	if s := d.state.Load(); s != nil {
		return s
	}
	return &state{}
}

// Clone is another Disk with the same contents.
func (d *Disk) Clone() *Disk {
	c := &Disk{}
	c.state.Store(d.load())
	return c
}

// Memory is an engine in memory, made to be simple: every Apply copies everything. What is durable is the state of the
// last Checkpoint, on a Disk.
type Memory struct {
	name    string
	disk    *Disk
	syncLog func(logpos.Pos) error
	can     engine.Capabilities

	mu struct {
		sync.Mutex
		state  *state
		closed bool
	}
	// FailApply, if set, is asked before each Apply, which returns its error.
	FailApply func(m engine.Mark) error
}

var (
	_ engine.Engine = (*Memory)(nil)
	_ engine.Kind   = (*MemoryKind)(nil)
)

// MemoryKind is the kind of Memory engines with a name.
type MemoryKind struct {
	EngineName string
	// Disk is what all engines of the kind have, one after the other.
	Disk *Disk
	// Bare engines declare no capabilities.
	Bare bool
	// Opened is called with every engine that is opened.
	Opened func(*Memory)
}

// Name is the name of the kind's engines.
func (k *MemoryKind) Name() string { return k.EngineName }

// Dir is a directory that stays empty.
func (k *MemoryKind) Dir() string { return "memory-" + k.EngineName }

// Peek looks at the Disk.
func (k *MemoryKind) Peek(_ engine.Options, key []byte) (engine.Mark, bool, error) {
	s := k.Disk.load()
	_, there := s.find(key)
	return s.mark, there, nil
}

// Open makes an engine of what is on the Disk.
func (k *MemoryKind) Open(o engine.Options) (engine.Engine, error) {
	e := &Memory{name: k.EngineName, disk: k.Disk, syncLog: o.SyncLog}
	e.mu.state = k.Disk.load()
	if !k.Bare {
		e.can = engine.Capabilities{Importer: memoryImporter{e}, MarkResetter: memoryResetter{e}}
	}
	if k.Opened != nil {
		k.Opened(e)
	}
	return e, nil
}

// Name is the kind's name.
func (e *Memory) Name() string { return e.name }

// Capabilities are imports and resets, unless the kind is Bare.
func (e *Memory) Capabilities() engine.Capabilities { return e.can }

// current is the state that readers see.
func (e *Memory) current() (*state, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.mu.closed {
		return nil, engine.ErrClosed
	}
	return e.mu.state, nil
}

// Apply replaces the state.
func (e *Memory) Apply(b engine.Batch, m engine.Mark) error {
	if e.FailApply != nil {
		if err := e.FailApply(m); err != nil {
			return err
		}
	}
	return e.change(b.(*memoryBatch), func(s *state) error {
		if m.Position.Before(s.mark.Position) {
			return fmt.Errorf("%s: apply at %s after %s", e.name, m.Position, s.mark.Position)
		}
		s.mark = m
		return nil
	})
}

// Ingest replaces the state, and keeps the mark.
func (e *Memory) Ingest(b engine.Batch) error {
	return e.change(b.(*memoryBatch), func(*state) error { return nil })
}

func (e *Memory) change(b *memoryBatch, mark func(*state) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.mu.closed {
		return engine.ErrClosed
	}
	next := &state{pairs: slices.Clone(e.mu.state.pairs), mark: e.mu.state.mark}
	if err := mark(next); err != nil {
		return err
	}
	for _, c := range b.changes {
		c(next)
	}
	e.mu.state = next
	return nil
}

// Snapshot returns the state, which nobody changes.
func (e *Memory) Snapshot() engine.Snapshot {
	e.mu.Lock()
	defer e.mu.Unlock()
	return memorySnapshot{e.mu.state}
}

// Get reads the current state.
func (e *Memory) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	s, err := e.current()
	if err != nil {
		return nil, false, nil, err
	}
	return memorySnapshot{s}.Get(key)
}

// NewIter iterates over the current state.
func (e *Memory) NewIter(lower, upper []byte) (engine.Iterator, error) {
	s, err := e.current()
	if err != nil {
		return nil, err
	}
	return memorySnapshot{s}.NewIter(lower, upper)
}

// Checkpoint puts the state on the Disk.
func (e *Memory) Checkpoint() (engine.Mark, error) {
	s, err := e.current()
	if err != nil {
		return engine.Mark{}, err
	}
	if e.syncLog != nil {
		if err := e.syncLog(s.mark.Position); err != nil {
			return engine.Mark{}, err
		}
	}
	e.disk.state.Store(s)
	return s.mark, nil
}

// Applied is the mark of the state.
func (e *Memory) Applied() engine.Mark {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.state.mark
}

// Durable is the mark on the Disk.
func (e *Memory) Durable() engine.Mark { return e.disk.load().mark }

// Close is what a crash does as well.
func (e *Memory) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mu.closed = true
	return nil
}

// find is the place of a key, and whether it is there.
func (s *state) find(key []byte) (int, bool) {
	return slices.BinarySearchFunc(s.pairs, key, func(p pair, key []byte) int { return bytes.Compare(p.key, key) })
}

// span is what lies from lower to upper; nil is no bound.
func (s *state) span(lower, upper []byte) (from, to int) {
	from, _ = s.find(lower)
	to = len(s.pairs)
	if upper != nil {
		to, _ = s.find(upper)
	}
	return from, max(from, to)
}

// memoryBatch is a list of changes.
type memoryBatch struct {
	changes []func(*state)
	size    int
}

// NewBatch returns an empty batch.
func (e *Memory) NewBatch() engine.Batch { return &memoryBatch{} }

func (b *memoryBatch) Set(key, value []byte) error {
	p := pair{bytes.Clone(key), append([]byte{}, value...)}
	b.add(len(key)+len(value), func(s *state) {
		if i, ok := s.find(p.key); ok {
			s.pairs[i] = p
		} else {
			s.pairs = slices.Insert(s.pairs, i, p)
		}
	})
	return nil
}

func (b *memoryBatch) Delete(key []byte) error {
	key = bytes.Clone(key)
	b.add(len(key), func(s *state) {
		if i, ok := s.find(key); ok {
			s.pairs = slices.Delete(s.pairs, i, i+1)
		}
	})
	return nil
}

func (b *memoryBatch) DeleteRange(lower, upper []byte) error {
	lower, upper = bytes.Clone(lower), bytes.Clone(upper)
	b.add(len(lower)+len(upper), func(s *state) {
		from, to := s.span(lower, upper)
		s.pairs = slices.Delete(s.pairs, from, to)
	})
	return nil
}

func (b *memoryBatch) add(size int, change func(*state)) {
	b.changes = append(b.changes, change)
	b.size += size
}

func (b *memoryBatch) Len() int { return b.size }
func (b *memoryBatch) Discard() { b.changes = nil }

type memorySnapshot struct{ s *state }

func (m memorySnapshot) Get(key []byte) (value []byte, ok bool, release func(), err error) {
	i, ok := m.s.find(key)
	if !ok {
		return nil, false, func() {}, nil
	}
	return m.s.pairs[i].value, true, func() {}, nil
}

func (m memorySnapshot) NewIter(lower, upper []byte) (engine.Iterator, error) {
	from, to := m.s.span(lower, upper)
	return &memoryIterator{pairs: m.s.pairs[from:to], at: -1}, nil
}

func (m memorySnapshot) Close() error { return nil }

type memoryIterator struct {
	pairs []pair
	at    int
}

func (it *memoryIterator) to(i int) bool {
	it.at = min(max(i, -1), len(it.pairs))
	return it.Valid()
}

func (it *memoryIterator) seek(key []byte) int {
	i, _ := (&state{pairs: it.pairs}).find(key)
	return i
}

func (it *memoryIterator) First() bool            { return it.to(0) }
func (it *memoryIterator) Last() bool             { return it.to(len(it.pairs) - 1) }
func (it *memoryIterator) SeekGE(key []byte) bool { return it.to(it.seek(key)) }
func (it *memoryIterator) SeekLT(key []byte) bool { return it.to(it.seek(key) - 1) }
func (it *memoryIterator) Next() bool             { return it.to(it.at + 1) }
func (it *memoryIterator) Prev() bool             { return it.to(it.at - 1) }
func (it *memoryIterator) Valid() bool            { return it.at >= 0 && it.at < len(it.pairs) }
func (it *memoryIterator) Key() []byte            { return it.pairs[it.at].key }
func (it *memoryIterator) Value() []byte          { return it.pairs[it.at].value }
func (it *memoryIterator) Error() error           { return nil }
func (it *memoryIterator) Close() error           { return nil }

type memoryResetter struct{ e *Memory }

func (r memoryResetter) ResetMark(m engine.Mark) error {
	err := r.e.change(&memoryBatch{}, func(s *state) error {
		s.mark = m
		return nil
	})
	if err != nil {
		return err
	}
	_, err = r.e.Checkpoint()
	return err
}

type memoryImporter struct{ e *Memory }

// memoryImport is a batch that wants its keys in order.
type memoryImport struct {
	memoryBatch
	last     []byte
	finished bool
}

func (m memoryImporter) NewImport(string) (engine.Import, error) { return &memoryImport{}, nil }

func (m memoryImporter) ApplyImport(i engine.Import, b engine.Batch, mark engine.Mark) error {
	in := i.(*memoryImport)
	if !in.finished {
		return errors.New("the import is not finished")
	}
	small := b.(*memoryBatch)
	return m.e.Apply(&memoryBatch{changes: append(in.changes, small.changes...)}, mark)
}

func (i *memoryImport) follows(key []byte) error {
	if i.last != nil && bytes.Compare(key, i.last) <= 0 {
		return engine.ErrKeyOrder
	}
	i.last = bytes.Clone(key)
	return nil
}

func (i *memoryImport) Set(key, value []byte) error {
	if err := i.follows(key); err != nil {
		return err
	}
	return i.memoryBatch.Set(key, value)
}

func (i *memoryImport) Delete(key []byte) error {
	if err := i.follows(key); err != nil {
		return err
	}
	return i.memoryBatch.Delete(key)
}

func (i *memoryImport) Finish() error {
	i.finished = true
	return nil
}
