package enginetest

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/sorted"
	"github.com/duramendb/duramen/logpos"
)

// Disk is what a Memory's crash leaves. The zero value is empty.
type Disk struct{ state atomic.Pointer[state] }

// state is the contents of an engine at one moment. It is never changed.
type state struct {
	sorted.Map
	mark  engine.Mark
	bytes uint64 // of keys and values
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
	stats   struct {
		sync.Mutex
		checkpoints engine.Stats
		saved       uint64 // what Bytes was at the last checkpoint
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

// Volatile is false: what is on the Disk stays.
func (*MemoryKind) Volatile() bool { return false }

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
	began := time.Now()
	bytes, _ := e.Bytes()
	m, mark, err := e.Current()
	if err != nil {
		return engine.Mark{}, err
	}
	if e.syncLog != nil {
		if err := e.syncLog(mark.Position); err != nil {
			return engine.Mark{}, err
		}
	}
	s := &state{Map: m, mark: mark}
	m.All(func(key, value []byte) bool {
		s.bytes += uint64(len(key) + len(value))
		return true
	})
	e.disk.state.Store(s)
	e.stats.Lock()
	defer e.stats.Unlock()
	e.stats.saved = bytes
	e.stats.checkpoints.Add(engine.Stats{Checkpoints: 1, CheckpointTime: time.Since(began), WrittenBytes: s.bytes})
	return mark, nil
}

// Stats count what checkpoints put on the Disk.
func (e *Memory) Stats() engine.Stats {
	e.stats.Lock()
	defer e.stats.Unlock()
	bytes, open := e.Bytes()
	if !open {
		return engine.Stats{}
	}
	s := e.stats.checkpoints
	s.DiskBytes, s.PendingBytes = e.disk.load().bytes, bytes-e.stats.saved
	return s
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

func (m memoryImporter) NewImport(dir string) (engine.Import, error) { return m.e.NewImport(dir) }

func (m memoryImporter) ApplyImport(i engine.Import, b engine.Batch, mark engine.Mark) error {
	all, err := i.(*sorted.Import).With(b.(*sorted.Batch))
	if err != nil {
		return err
	}
	return m.e.Apply(all, mark)
}
