package enginetest

import (
	"bytes"
	"errors"
	"sync/atomic"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/sorted"
	"github.com/duramendb/duramen/logpos"
)

// Disk is what a Memory's crash leaves. The zero value is empty.
type Disk struct{ state atomic.Pointer[state] }

// state is the contents of an engine at one moment. It is never changed.
type state struct {
	sorted.Map
	mark engine.Mark
}

func (d *Disk) load() *state {
	if s := d.state.Load(); s != nil {
		return s
	}
	return &state{Map: sorted.Empty()}
}

// Clone is another Disk with the same contents.
func (d *Disk) Clone() *Disk {
	c := &Disk{}
	c.state.Store(d.load())
	return c
}

// Memory is an engine in memory. What is durable is the state of the last Checkpoint, on a Disk.
type Memory struct {
	*sorted.Contents
	name    string
	disk    *Disk
	syncLog func(logpos.Pos) error
	can     engine.Capabilities

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
	_, there, _, err := s.Get(key)
	return s.mark, there, err
}

// Open makes an engine of what is on the Disk.
func (k *MemoryKind) Open(o engine.Options) (engine.Engine, error) {
	s := k.Disk.load()
	e := &Memory{Contents: sorted.NewContents(s.Map, s.mark), name: k.EngineName, disk: k.Disk, syncLog: o.SyncLog}
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

// Apply replaces the state.
func (e *Memory) Apply(b engine.Batch, m engine.Mark) error {
	if e.FailApply != nil {
		if err := e.FailApply(m); err != nil {
			return err
		}
	}
	return e.Contents.Apply(b, m)
}

// Checkpoint puts the state on the Disk.
func (e *Memory) Checkpoint() (engine.Mark, error) {
	m, mark, err := e.Current()
	if err != nil {
		return engine.Mark{}, err
	}
	if e.syncLog != nil {
		if err := e.syncLog(mark.Position); err != nil {
			return engine.Mark{}, err
		}
	}
	e.disk.state.Store(&state{m, mark})
	return mark, nil
}

// Durable is the mark on the Disk.
func (e *Memory) Durable() engine.Mark { return e.disk.load().mark }

type memoryResetter struct{ e *Memory }

func (r memoryResetter) ResetMark(m engine.Mark) error {
	if err := r.e.Contents.ResetMark(m); err != nil {
		return err
	}
	_, err := r.e.Checkpoint()
	return err
}

type memoryImporter struct{ e *Memory }

// memoryImport is a batch that wants its keys in order.
type memoryImport struct {
	sorted.Batch
	last     []byte
	finished bool
}

func (m memoryImporter) NewImport(string) (engine.Import, error) { return &memoryImport{}, nil }

func (m memoryImporter) ApplyImport(i engine.Import, b engine.Batch, mark engine.Mark) error {
	in := i.(*memoryImport)
	if !in.finished {
		return errors.New("the import is not finished")
	}
	in.Append(b.(*sorted.Batch))
	return m.e.Apply(&in.Batch, mark)
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
	return i.Batch.Set(key, value)
}

func (i *memoryImport) Delete(key []byte) error {
	if err := i.follows(key); err != nil {
		return err
	}
	return i.Batch.Delete(key)
}

func (i *memoryImport) Finish() error {
	i.finished = true
	return nil
}
