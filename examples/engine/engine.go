package main

import (
	"sync"
	"time"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/sorted"
)

// treeKind is an engine that keeps everything in memory, and writes all of it to one file at each checkpoint. What it has
// not written when the process ends, it is told again from the log.
type treeKind struct{}

func (treeKind) Name() string { return "TREE" }

func (treeKind) Dir() string { return "tree" }

func (treeKind) Volatile() bool { return false }

// Peek looks at what Open would find.
func (treeKind) Peek(o engine.Options, key []byte) (engine.Mark, bool, error) {
	m, mark, _, err := load(o)
	if err != nil {
		return engine.Mark{}, false, err
	}
	_, there, _, err := m.Get(key)
	return mark, there, err
}

func (treeKind) Open(o engine.Options) (engine.Engine, error) {
	m, mark, size, err := load(o)
	if err != nil {
		return nil, err
	}
	t := &tree{Contents: sorted.NewContents(m, mark), options: o}
	t.mu.durable, t.mu.stats.DiskBytes = mark, size
	return t, nil
}

// tree reads and changes its contents in memory by the methods of sorted.Contents.
type tree struct {
	*sorted.Contents
	options engine.Options

	saving sync.Mutex // one checkpoint at a time
	mu     struct {
		sync.Mutex
		durable engine.Mark
		saved   uint64 // what Bytes was at the last checkpoint
		stats   engine.Stats
	}
}

func (t *tree) Name() string { return treeKind{}.Name() }

// Capabilities are none: large transactions have to fit into memory, and RESET MASTER is refused.
func (t *tree) Capabilities() engine.Capabilities { return engine.Capabilities{} }

// Checkpoint makes the log durable as far as the contents go, and then the contents: log first.
func (t *tree) Checkpoint() (engine.Mark, error) {
	t.saving.Lock()
	defer t.saving.Unlock()
	began := time.Now()
	bytes, _ := t.Bytes()
	m, mark, err := t.Current()
	if err == nil && t.options.SyncLog != nil {
		err = t.options.SyncLog(mark.Position)
	}
	var size uint64
	if err == nil {
		size, err = save(t.options, m, mark)
	}
	if err != nil {
		return engine.Mark{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.durable, t.mu.saved = mark, bytes
	t.mu.stats.Add(engine.Stats{Checkpoints: 1, CheckpointTime: time.Since(began), WrittenBytes: size})
	t.mu.stats.DiskBytes = size
	return mark, nil
}

func (t *tree) Stats() engine.Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	bytes, open := t.Bytes()
	if !open {
		return engine.Stats{}
	}
	s := t.mu.stats
	s.PendingBytes = bytes - t.mu.saved
	return s
}

func (t *tree) Durable() engine.Mark {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mu.durable
}
